"""Backends by name, and the two ways to solve: a compiled program, or a Pyomo model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from equiform.formulations.optimization.backends.base import (
    Backend,
    Capabilities,
    RawAnswer,
    Settings,
    assemble,
    run_stoppable,
)
from equiform.formulations.optimization.backends.conic.clarabel import Clarabel
from equiform.formulations.optimization.backends.conic.piqp import Piqp
from equiform.formulations.optimization.backends.executables.cbc import Cbc
from equiform.formulations.optimization.backends.executables.glpk import Glpk
from equiform.formulations.optimization.backends.highs import Highs
from equiform.formulations.optimization.backends.pyomo_solver import PREFIX, PyomoSolver
from equiform.formulations.optimization.backends.scip import Scip
from equiform.formulations.optimization.backends.scipy import Scipy
from equiform.formulations.optimization.backends.symmetry import quotient
from equiform.formulations.optimization.backends.worker import run_apart
from equiform.formulations.optimization.compiling.compiler import NonlinearError, compile_model, list_variables
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import (
    LIMITS,
    Basis,
    Solution,
    SolveInterrupted,
    TerminationCondition,
)
from equiform.models.common.arguments import near_names
from equiform.models.common.errors import BackendMissingError, CapabilityError, ParameterError

_BACKENDS: dict[str, Backend] = {
    backend.name: backend for backend in (Highs(), Scipy(), Cbc(), Scip(), Clarabel(), Piqp(), Glpk())
}


@dataclass(frozen=True)
class BackendInfo:
    """One line of ``equiform backends``."""

    name: str
    available: bool
    version: str | None
    capabilities: Capabilities
    algorithms: tuple[str, ...]
    note: str


def list_backends() -> list[BackendInfo]:
    """All our backends, installed or not, in the order of the documentation."""
    infos = []
    for backend in _BACKENDS.values():
        version = backend.version()
        note = backend.note if version is not None else f"not installed: {backend.install}"
        infos.append(
            BackendInfo(backend.name, version is not None, version, backend.capabilities, backend.algorithms, note)
        )
    return infos


def available() -> list[str]:
    """Names of the backends that are installed here."""
    return [name for name, backend in _BACKENDS.items() if backend.version() is not None]


def get(name: str) -> Backend:
    """The backend of that name; it must be installed. ``pyomo:NAME`` (or a NAME that is not ours) asks Pyomo for it."""
    if not isinstance(name, str):
        raise ParameterError("a backend is chosen by its name", where=repr(name), fix=f"use {', '.join(available())}")
    backend = _BACKENDS.get(name) or PyomoSolver(name.removeprefix(PREFIX))
    if backend.version() is not None:
        return backend
    here = ", ".join(available())
    if name not in _BACKENDS:
        raise BackendMissingError(
            "neither equiform nor Pyomo has a solver of that name here",
            where=repr(name),
            fix=f"{near_names(name, available())}use one of {here}, or {PyomoSolver.install}",
        )
    raise BackendMissingError(
        f"the backend {name} is not installed",
        where=f"get it by: {backend.install}",
        fix=f"install it, or use one of {here}",
    )


def solve_program(
    program: Program,
    solver: SolverOptions = DEFAULT,
    *,
    basis: Basis | None = None,
    symmetry: bool | None = None,
    compile_seconds: float = 0.0,
) -> Solution:
    """Solve a compiled program. Ends other than optimal are reported in the solution, not raised.

    Rows and columns of a linear program that are alike are merged first where that makes it much smaller
    (:mod:`equiform.formulations.optimization.backends.symmetry`). The answer is then no vertex and has no basis. So it
    is not done from a ``basis``, nor where the ``solver`` names an algorithm, whose kind of answer is wanted, unless
    ``symmetry`` says so; ``symmetry=False`` leaves every program as it is.

    >>> p = Program.from_arrays([3.0, 1.0], [[1.0, 2.0]], row_upper=5.0, col_upper=4.0, maximize=True)
    >>> s = solve_program(p)
    >>> s.termination.value, s.objective, s.x.tolist(), s.duals.tolist()
    ('optimal', 12.5, [4.0, 0.5], [0.5])
    """
    backend = get(solver.backend)
    settings = _settings(backend, solver, basis)
    _check_capabilities(backend, program.needs, settings)
    answer = _without_solver(program)
    if answer is None and basis is None and (solver.algorithm is None if symmetry is None else symmetry):
        started = time.perf_counter()
        merged = quotient(program)
        compile_seconds += time.perf_counter() - started
        if merged is not None:
            small = _run(backend, merged.program, settings)
            solution = assemble(program, backend, merged.lift(small), compile_seconds)
            if solution.optimal or solution.termination in LIMITS:
                return _unless_interrupted(solution)  # anything else is for the program itself to confirm
    answer = answer or _run(backend, program, settings)
    return _unless_interrupted(assemble(program, backend, answer, compile_seconds))


def _unless_interrupted(solution: Solution) -> Solution:
    """Pass a solution on, or Ctrl-C with what was reached."""
    if solution.termination is TerminationCondition.INTERRUPTED:
        raise SolveInterrupted(solution)
    return solution


def _run(backend: Backend, program: Program, settings: Settings) -> RawAnswer:
    """Let a backend solve a program in the units that suit it, and restate the answer in the user's."""
    units = program.scaled
    if units is not None:
        program = units.program
    if backend.apart(program):
        found = run_apart(backend, program, settings)
    else:
        found = run_stoppable(backend, settings, lambda: backend.run(program, settings))
    answer: RawAnswer = found if units is None else units.restore(found)
    return answer


def solve_model(
    model: Any,
    solver: SolverOptions = DEFAULT,
    *,
    basis: Basis | None = None,
    symmetry: bool | None = None,
    load: bool = True,
) -> Solution:
    """Compile a Pyomo model, solve it, and (``load``) write the point and the prices back into the model.

    ``symmetry`` as for :func:`solve_program`; Pyomo's own solvers take no notice of it.
    """
    start = time.perf_counter()
    backend = get(solver.backend)
    if isinstance(backend, PyomoSolver):
        solution = _solve_live(model, backend, _settings(backend, solver, basis))
    else:
        program = compile_model(model)
        solution = solve_program(
            program, solver, basis=basis, symmetry=symmetry, compile_seconds=time.perf_counter() - start
        )
    if load and solution.x is not None:
        solution.load_into(model)
    return solution


def _solve_live(model: Any, solver: PyomoSolver, settings: Settings) -> Solution:
    start = time.perf_counter()
    try:
        program = compile_model(model)
    except NonlinearError:
        program = list_variables(model)
    seconds = time.perf_counter() - start
    if solver.apart(program):
        answer = run_apart(solver, program, settings)
    else:
        run = partial(solver.run_model, model, program, settings)
        answer = run_stoppable(solver, settings, run, here=solver.starts_executable())
    return _unless_interrupted(assemble(program, solver, answer, seconds))


def _check_capabilities(solver: Backend, needs: frozenset[str], settings: Settings) -> None:
    needs |= {"time_limit"} if settings.time_limit is not None else set()
    needs |= {"warm_start"} if settings.basis is not None else set()
    lacking = solver.capabilities.lacks(needs)
    if lacking:
        able = [name for name in available() if not _BACKENDS[name].capabilities.lacks(needs)]
        raise CapabilityError(
            f"backend {solver.name} cannot do what is asked: it lacks {', '.join(lacking)}",
            where=f"asked for {', '.join(sorted(needs))}",
            fix=f"use {' or '.join(able)}" if able else "no installed backend can: reformulate the program",
        )


def _settings(backend: Backend, solver: SolverOptions, basis: Basis | None) -> Settings:
    """Translate the user's choice for a backend, which must have the algorithm."""
    algorithm, limit = solver.algorithm, solver.time_limit
    if algorithm is not None and algorithm not in backend.algorithms:
        raise ParameterError(
            f"the backend {backend.name} has no algorithm of that name",
            where=repr(algorithm),
            fix=f"{near_names(algorithm, backend.algorithms)}use one of {', '.join(backend.algorithms)}",
        )
    return Settings(None if limit is None else float(limit), algorithm or "auto", dict(solver.options), basis)


def _without_solver(program: Program) -> RawAnswer | None:
    """Programs that need no solver, and on which solvers disagree: crossed bounds, or nothing to decide."""
    names = ("row", program.row_lower, program.row_upper), ("column", program.col_lower, program.col_upper)
    for kind, lower, upper in names:
        crossed = np.flatnonzero(lower > upper + 1e-9 * np.maximum(1.0, np.abs(upper)))
        if crossed.size:
            i = int(crossed[0])
            message = f"{kind} {i} has lower bound {lower[i]:.12g} above upper bound {upper[i]:.12g}"
            return RawAnswer(TerminationCondition.INFEASIBLE, "none", message=message)
    empty = np.diff(program.A.indptr) == 0
    broken = np.flatnonzero(empty & ((program.row_lower > 1e-9) | (program.row_upper < -1e-9)))
    if broken.size:
        message = f"row {broken[0]} has no variables left and cannot hold"
        return RawAnswer(TerminationCondition.INFEASIBLE, "none", message=message)
    if program.shape[1] == 0:
        x = np.zeros(0)
        return RawAnswer(
            TerminationCondition.OPTIMAL,
            "none",
            x=x,
            duals=np.zeros(program.shape[0]),
            reduced_costs=x,
            bound=program.c0,
        )
    return None
