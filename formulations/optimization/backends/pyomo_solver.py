"""Any other solver that Pyomo knows: ``pyomo:NAME`` hands the model to ``SolverFactory(NAME)``.

A Pyomo model is passed as it stands, so what our own compiler rejects (nonlinear rows) is fine if the solver accepts
it. A program that was never a Pyomo model is turned into one first.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp
from pyomo.common.errors import PyomoException
from pyomo.opt import SolverStatus
from pyomo.opt import TerminationCondition as Ending
from pyomo.opt.solver.shellcmd import SystemCallSolver

from equiform.formulations.optimization.backends.base import (
    Backend,
    Capabilities,
    RawAnswer,
    Settings,
    Stopwatch,
    takes_long,
)
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.models.common.array_types import IntArray

PREFIX = "pyomo:"

_ENDS = {
    Ending.optimal: TerminationCondition.OPTIMAL,
    Ending.globallyOptimal: TerminationCondition.OPTIMAL,
    Ending.infeasible: TerminationCondition.INFEASIBLE,
    Ending.unbounded: TerminationCondition.UNBOUNDED,
    Ending.infeasibleOrUnbounded: TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
    Ending.maxTimeLimit: TerminationCondition.TIME_LIMIT,
    Ending.maxIterations: TerminationCondition.ITERATION_LIMIT,
    Ending.maxEvaluations: TerminationCondition.ITERATION_LIMIT,
    Ending.resourceInterrupt: TerminationCondition.TIME_LIMIT,
    Ending.userInterrupt: TerminationCondition.INTERRUPTED,
    Ending.solverFailure: TerminationCondition.CRASHED,
    Ending.internalSolverError: TerminationCondition.CRASHED,
}


class PyomoSolver(Backend):
    """A solver by its name in Pyomo's ``SolverFactory``. Its real capabilities are known only to the solver."""

    capabilities = Capabilities(
        mip=True, qp=True, miqp=True, nonconvex=True, sos1=True, sos2=True, duals=True, time_limit=True
    )
    install = "install the solver so that Pyomo finds it (see `pyomo help --solvers`)"

    def __init__(self, solver: str) -> None:
        self.solver = solver
        self.name = PREFIX + solver  # type: ignore[misc]
        self.note = f"Pyomo's interface {solver}"  # type: ignore[misc]

    def version(self) -> str | None:
        """Return the version that Pyomo finds, or ``None`` if Pyomo does not find the solver."""
        with _quiet():
            factory = _interface(self.solver)
            if not factory.available(exception_flag=False):
                return None
            try:
                return ".".join(str(part) for part in factory.version())
            except (AttributeError, TypeError, NotImplementedError):
                return "unknown"

    def apart(self, program: Program) -> bool:
        """Nobody knows whether a library behind Pyomo can be stopped; an executable can, by Pyomo itself."""
        return takes_long(program) and not program.nonlinear and not self.starts_executable()

    def starts_executable(self) -> bool:
        """Return whether it runs another program, which Pyomo ends itself on Ctrl-C in the main thread."""
        with _quiet():
            return isinstance(_interface(self.solver), SystemCallSolver)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve a program that has no Pyomo model of its own."""
        clock = Stopwatch()
        with clock.phase("load"):
            model, kept = as_model(program)
        columns, rows = list(model.x.values()), list(model.rows.values())
        answer = self._solve(model, columns, rows if program.is_lp else None, settings, clock)
        if answer.duals is not None:
            duals = np.zeros(program.shape[0])
            duals[kept] = answer.duals
            answer.duals, answer.reduced_costs = duals, program.c - program.AT @ duals
        return answer

    def run_model(self, model: Any, program: Program, settings: Settings) -> RawAnswer:
        """Solve the live model from which the program was compiled."""
        rows = program.constraints() if program.is_lp and not program.nonlinear else None
        answer = self._solve(model, list(program.variables), rows, settings, Stopwatch())
        if answer.duals is not None:
            answer.duals = program.sign * answer.duals
            answer.reduced_costs = program.c - program.AT @ answer.duals
        if program.nonlinear and answer.x is not None:
            objective = next(model.component_data_objects(pyo.Objective, active=True), None)
            answer.objective = 0.0 if objective is None else float(pyo.value(objective))
        return answer

    def _solve(
        self, model: Any, columns: list[Any], rows: list[Any] | None, settings: Settings, clock: Stopwatch
    ) -> RawAnswer:
        with _quiet(), _dual_suffix(model, rows is not None) as suffix:
            factory = _interface(self.solver)
            arguments: dict[str, Any] = {"load_solutions": False}
            if settings.time_limit is not None:
                arguments["timelimit"] = settings.time_limit
            if settings.options:
                arguments["options"] = dict(settings.options)
            with clock.phase("solve"):
                try:
                    results = factory.solve(model, **arguments)
                except NotImplementedError:  # interfaces without duals refuse the suffix
                    if suffix is None:
                        raise
                    model.del_component(suffix)
                    suffix = None
                    results = factory.solve(model, **arguments)
                except (PyomoException, RuntimeError, ValueError, OSError) as error:
                    answer = RawAnswer(TerminationCondition.CRASHED, self.solver, message=f"{self.solver}: {error}")
                    return clock.stamp(answer)
            ending = results.solver.termination_condition
            answer = RawAnswer(_ENDS.get(ending, TerminationCondition.UNKNOWN), self.solver)
            if answer.termination is not TerminationCondition.OPTIMAL:
                answer.message = f"{self.solver} says {ending}"
            if len(results.solution) and results.solver.status in (SolverStatus.ok, SolverStatus.warning):
                model.solutions.load_from(results)
                answer.x = np.array([_value(v) for v in columns], dtype=np.float64)
                if suffix is not None and rows is not None and (len(suffix) or not rows):
                    answer.duals = np.array([suffix.get(row, 0.0) for row in rows], dtype=np.float64)
        return clock.stamp(answer)


def _value(variable: Any) -> float:
    """Return a variable's value; unused variables, which interfaces leave out, get any value within their bounds."""
    if variable.value is not None:
        return float(variable.value)
    low, high = variable.bounds
    return max(0.0 if high is None else min(0.0, high), -np.inf if low is None else low)


def as_model(program: Program) -> tuple[Any, IntArray]:
    """Return the minimisation as a Pyomo model (``x``, ``rows``, ``objective``, sets), and the rows that it keeps.

    Rows that are empty or have no bounds are left out: some interfaces fail on them.
    """
    model = pyo.ConcreteModel(name=program.name)
    n = program.shape[1]
    model.x = vector_var(n, lower=program.col_lower, upper=program.col_upper)
    for j in np.flatnonzero(program.integer).tolist():
        model.x[j].domain = pyo.Integers
    bounded = np.isfinite(program.row_lower) | np.isfinite(program.row_upper)
    kept = np.flatnonzero(bounded & (np.diff(program.A.indptr) > 0))
    low, high = program.row_lower[kept], program.row_upper[kept]
    model.rows = MatrixConstraint(program.A[kept], model.x, lower=low, upper=high)
    expression = dot(program.c, model.x) + program.c0
    if program.Q is not None:
        Q = sp.coo_array(program.Q)
        expression += 0.5 * pyo.quicksum(
            q * model.x[i] * model.x[j] for q, i, j in zip(Q.data.tolist(), Q.row.tolist(), Q.col.tolist(), strict=True)
        )
    model.objective = pyo.Objective(expr=expression)
    for number, sos in enumerate(program.sos):
        members = [model.x[j] for j in sos.columns.tolist()], sos.weights.tolist()
        model.add_component(f"sos{number}", pyo.SOSConstraint(rule=lambda _, items=members: items, sos=sos.level))
    return model, kept


def _interface(solver: str) -> Any:
    from pyomo.environ import SolverFactory  # loads all of Pyomo's interfaces

    return SolverFactory(solver)


@contextlib.contextmanager
def _dual_suffix(model: Any, wanted: bool) -> Iterator[Any]:
    """Provide the model's import suffix ``dual``, adding one for the duration of the solve if there is none."""
    existing = model.component("dual")
    if not wanted or existing is not None:
        yield existing if wanted else None
        return
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    try:
        yield model.dual
    finally:
        if model.component("dual") is not None:
            model.del_component("dual")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence Pyomo's log, which reports a missing executable as a warning; here it is an answer."""
    logger = logging.getLogger("pyomo")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
