"""HiGHS through highspy: arrays in, arrays out. The default backend.

Choice of algorithm. On the linear programs of games neither simplex nor interior point is always better, and the wrong
one can cost a factor of a hundred. ``auto`` follows the formulation's hint if there is one and
:func:`choose_algorithm` otherwise; ``Solution.algorithm`` names the algorithm that found the answer. Interior point
crosses over to a basis unless the option ``run_crossover`` says otherwise. When an interior-point or first-order run
ends without an optimum (IPX has called feasible programs infeasible), the dual simplex method decides.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.backends.base import (
    Backend,
    Capabilities,
    RawAnswer,
    Settings,
    Stopwatch,
    package_version,
    refused_option,
)
from equiform.formulations.optimization.backends.stopping import Stop
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import LIMITS, Basis, TerminationCondition
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError

_SOLVER = {"simplex": "simplex", "ipm": "ipx", "pdlp": "pdlp", "hipo": "hipo"}
MIP_GAP = 1e-9
"""With its own default, HiGHS would call a point optimal at a relative gap of 1e-4."""
DOUBTED_NODES = 200
"""How many nodes a program that presolve calls infeasible is searched without it."""
QP_REGULARIZATION = 1e-9
"""With its own default of 1e-7, the answers of HiGHS have errors of that size."""


class Highs(Backend):
    """HiGHS: linear and mixed-integer programs, convex quadratic objectives; duals and basis."""

    name = "highs"
    capabilities = Capabilities(mip=True, qp=True, duals=True, basis=True, warm_start=True)
    algorithms = ("auto", "simplex", "ipm", "pdlp", "hipo")
    install = "pip install highspy"
    note = "the default; arrays are passed directly"

    def version(self) -> str | None:
        """Return the version of highspy."""
        return package_version("highspy")

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve the minimisation; see the module's docstring for the choice of algorithm."""
        clock = Stopwatch()
        deadline = None if settings.time_limit is None else time.monotonic() + settings.time_limit
        algorithm = self._algorithm(program, settings)
        answer = self._attempt(program, settings, algorithm, deadline, clock)
        doubtful = answer.termination is not TerminationCondition.OPTIMAL and answer.termination not in LIMITS
        if doubtful and algorithm in ("ipm", "pdlp", "hipo"):
            first = answer
            answer = self._attempt(program, settings, "simplex", deadline, clock)
            answer.algorithm = f"{algorithm}, then simplex"
            answer.message = answer.message or f"{algorithm} ended with {first.termination}"
        if answer.termination is TerminationCondition.INFEASIBLE_OR_UNBOUNDED:  # presolve did not look further
            plain = replace(settings, options={**settings.options, "presolve": "off"})
            answer = self._attempt(program, plain, "simplex" if program.is_lp else algorithm, deadline, clock)
        elif answer.termination is TerminationCondition.INFEASIBLE and program.integer.any():
            answer = self._doubted(program, settings, answer, deadline, clock)
        return clock.stamp(answer)

    def _doubted(
        self, program: Program, settings: Settings, answer: RawAnswer, deadline: float | None, clock: Stopwatch
    ) -> RawAnswer:
        """Look for a point without presolve, which has called feasible mixed-integer programs infeasible."""
        if "presolve" in settings.options:
            return answer
        plain = {**settings.options, "presolve": "off"}
        brief = replace(settings, options={"mip_max_nodes": DOUBTED_NODES, **plain})
        second = self._attempt(program, brief, "branch-and-cut", deadline, clock)
        if second.x is None or second.termination is TerminationCondition.OPTIMAL:
            return second if second.x is not None else answer
        return self._attempt(program, replace(settings, options=plain), "branch-and-cut", deadline, clock)

    def _algorithm(self, program: Program, settings: Settings) -> str:
        if "qp" in program.needs:
            return "hipo" if settings.algorithm == "hipo" else "active-set"
        if not program.is_lp:
            return "branch-and-cut"
        if settings.algorithm != "auto":
            return settings.algorithm
        if settings.basis is not None:
            return "simplex"
        return program.hint if program.hint in _SOLVER else choose_algorithm(program)

    def _attempt(
        self, program: Program, settings: Settings, algorithm: str, deadline: float | None, clock: Stopwatch
    ) -> RawAnswer:
        with clock.phase("load"):
            highs = load(program, _options_for(algorithm), settings.stop)
            if settings.basis is not None and algorithm == "simplex":
                set_basis(highs, settings.basis)
            if deadline is not None:
                highs.setOptionValue("time_limit", max(deadline - time.monotonic(), 0.0))
            for key, value in settings.options.items():
                set_option(highs, key, value)
        with clock.phase("solve"):
            highs.run()
            answer = read_answer(highs, program, algorithm)
        return answer


def choose_algorithm(program: Program) -> str:
    """Choose simplex or interior point by the shape of the program: its rows, and its nonzeros per row.

    Simplex takes one to three steps per row, and a step is cheap as long as the factors of the basis stay sparse. This
    holds in the sequence-form programs of trees with many bets and few hands (4 to 7 nonzeros per row), and in small
    programs however dense; it fails for many rows of medium density. CPU seconds of HiGHS 1.15 on one core:

    =====================  =======  ==========  =======  ==============
    game                   rows     nonzeros/m  simplex  interior point
    =====================  =======  ==========  =======  ==============
    one-card, 500 cards      3,002         418      1.2             2.6
    Leduc, 9 ranks           4,142         9.5      0.5             0.5
    Leduc, 13 ranks          8,582        13.1      4.5             2.5
    Leduc, 18 ranks         16,382        17.6       37             8.6
    no-limit Leduc, 8       17,510         4.2      0.3             2.1
    liar's dice             36,860         6.0      1.1             4.6
    =====================  =======  ==========  =======  ==============
    """
    m, _ = program.shape
    medium = 10 * m <= program.A.nnz <= 200 * m
    return "ipm" if m >= 6000 and medium else "simplex"


def load(program: Program, options: dict[str, Any] | None = None, stop: Stop | None = None) -> Any:
    """Return a silent ``highspy.Highs`` that holds the program, is ready to run and ends when ``stop`` says so."""
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", MIP_GAP)
    highs.setOptionValue("mip_abs_gap", MIP_GAP)
    for key, value in (options or {}).items():
        set_option(highs, key, value)
    if stop is not None:
        watch(highs, stop)
    m, n = program.shape
    A = program.A
    highs.passModel(
        n,
        m,
        A.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        program.c0,
        program.c,
        program.col_lower,
        program.col_upper,
        program.row_lower,
        program.row_upper,
        A.indptr.astype(np.int32, copy=False),
        A.indices.astype(np.int32, copy=False),
        A.data,
        program.integer.astype(np.int32),
    )
    if program.Q is not None and program.Q.nnz:
        lower = sp.csc_array(sp.tril(program.Q))
        highs.passHessian(
            n,
            lower.nnz,
            int(highspy.HessianFormat.kTriangular),
            lower.indptr.astype(np.int32),
            lower.indices.astype(np.int32),
            lower.data,
        )
    return highs


def watch(highs: Any, stop: Stop) -> None:
    """Let HiGHS look at ``stop`` in every iteration, which costs it nothing that could be measured."""

    def look(event: Any) -> None:
        if stop:
            event.interrupt()

    for events in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt, highs.cbMipInterrupt):
        events.subscribe(look)


def set_option(highs: Any, key: str, value: Any) -> None:
    """Set an option of HiGHS by its own name; raise a ParameterError for an unknown name or a bad value."""
    import highspy

    if isinstance(value, np.generic):
        value = value.item()
    try:
        refused = highs.setOptionValue(key, value) == highspy.HighsStatus.kError
    except TypeError:
        refused = True
    if refused:
        hipo = "hipo needs the package highspy-extras" if value == "hipo" else ""
        raise refused_option("HiGHS", key, value, hipo)


def set_basis(highs: Any, basis: Basis) -> None:
    """Start the simplex method from a basis."""
    import highspy

    kinds = [highspy.HighsBasisStatus(k) for k in range(5)]
    start = highspy.HighsBasis()
    start.col_status = [kinds[k] for k in basis.columns.tolist()]
    start.row_status = [kinds[k] for k in basis.rows.tolist()]
    start.valid = True
    if highs.setBasis(start) == highspy.HighsStatus.kError:
        raise ParameterError(
            "HiGHS does not accept the starting basis",
            where=f"{basis.columns.size} columns, {basis.rows.size} rows",
            fix="use a basis of the same program",
        )


def get_basis(highs: Any) -> Basis | None:
    """Return the basis that HiGHS holds, if it is valid."""
    basis = highs.getBasis()
    if not basis.valid:
        return None
    columns, rows = basis.col_status, basis.row_status
    return Basis(
        np.fromiter(map(int, columns), dtype=np.int8, count=len(columns)),
        np.fromiter(map(int, rows), dtype=np.int8, count=len(rows)),
    )


def read_answer(highs: Any, program: Program, algorithm: str, *, basis: bool = True) -> RawAnswer:
    """Read the answer off HiGHS after a run, with its basis if ``basis`` is true and there is one."""
    info = highs.getInfo()
    solution = highs.getSolution()
    status = highs.getModelStatus()
    end = _termination(status, info)
    linear = program.is_lp
    priced = linear or "qp" in program.needs
    bound = info.mip_dual_bound if not priced else None
    if linear and end is TerminationCondition.OPTIMAL:
        bound = info.objective_function_value
    counts = [info.simplex_iteration_count, info.ipm_iteration_count, info.crossover_iteration_count]
    counts += [info.pdlp_iteration_count, info.qp_iteration_count]
    return RawAnswer(
        termination=end,
        algorithm=algorithm,
        x=_point(solution, info, end, linear),
        duals=np.array(solution.row_dual) if priced and solution.dual_valid else None,
        reduced_costs=np.array(solution.col_dual) if priced and solution.dual_valid else None,
        bound=bound,
        basis=get_basis(highs) if linear and basis else None,
        iterations=sum(max(count, 0) for count in counts),
        nodes=None if priced else max(int(info.mip_node_count), 0),
        message="" if end is TerminationCondition.OPTIMAL else highs.modelStatusToString(status),
    )


def _point(solution: Any, info: Any, end: TerminationCondition, linear: bool) -> FloatArray | None:
    """Return the point if it is feasible, or where the solver of a linear program stands at its limit."""
    feasible = info.primal_solution_status == 2  # kSolutionStatusFeasible
    usable = feasible or end is TerminationCondition.OPTIMAL or (linear and end in LIMITS)
    if not solution.value_valid or not usable:
        return None
    return np.array(solution.col_value)


def _options_for(algorithm: str) -> dict[str, Any]:
    if algorithm == "ipm":
        return {"solver": _SOLVER["ipm"], "run_crossover": "on"}
    if algorithm == "active-set":
        return {"qp_regularization_value": QP_REGULARIZATION}
    return {"solver": _SOLVER[algorithm]} if algorithm in _SOLVER else {}


def _termination(status: Any, info: Any) -> TerminationCondition:
    import highspy

    kinds = highspy.HighsModelStatus
    end = {
        kinds.kOptimal: TerminationCondition.OPTIMAL,
        kinds.kModelEmpty: TerminationCondition.OPTIMAL,
        kinds.kInfeasible: TerminationCondition.INFEASIBLE,
        kinds.kUnbounded: TerminationCondition.UNBOUNDED,
        kinds.kUnboundedOrInfeasible: TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
        kinds.kTimeLimit: TerminationCondition.TIME_LIMIT,
        kinds.kIterationLimit: TerminationCondition.ITERATION_LIMIT,
        kinds.kSolutionLimit: TerminationCondition.NODE_LIMIT,
        kinds.kMemoryLimit: TerminationCondition.MEMORY_LIMIT,
        kinds.kInterrupt: TerminationCondition.INTERRUPTED,
        kinds.kSolveError: TerminationCondition.NUMERICAL,
        kinds.kPostsolveError: TerminationCondition.NUMERICAL,
    }.get(status, TerminationCondition.UNKNOWN)
    if end is TerminationCondition.OPTIMAL and not math.isfinite(info.objective_function_value):
        return TerminationCondition.NUMERICAL
    return end
