"""SciPy's ``linprog`` and ``milp``: HiGHS as shipped with SciPy, with no further package."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    takes_long,
)
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition

_METHOD = {"auto": "highs", "simplex": "highs-ds", "ipm": "highs-ipm"}


class Scipy(Backend):
    """SciPy: linear programs with duals, mixed-integer programs."""

    name = "scipy"
    capabilities = Capabilities(mip=True, duals=True)
    algorithms = ("auto", "simplex", "ipm")
    install = "pip install scipy"
    note = "the HiGHS inside SciPy"

    def version(self) -> str | None:
        """Return the version of SciPy."""
        return package_version("scipy")

    def apart(self, program: Program) -> bool:
        """SciPy has no way to stop its HiGHS."""
        return takes_long(program)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve with ``linprog``, or with ``milp`` if there are integers."""
        clock = Stopwatch()
        answer = _milp(program, settings, clock) if program.integer.any() else _linprog(program, settings, clock)
        return clock.stamp(answer)


def _linprog(program: Program, settings: Settings, clock: Stopwatch) -> RawAnswer:
    from scipy.optimize import linprog

    with clock.phase("load"):
        low, high, A = program.row_lower, program.row_upper, program.A
        equal = np.flatnonzero(low == high)
        under = np.flatnonzero(np.isfinite(high) & (low != high))
        above = np.flatnonzero(np.isfinite(low) & (low != high))
        A_ub = sp.vstack([A[under], -A[above]], format="csr") if under.size + above.size else None
        b_ub = np.concatenate([high[under], -low[above]]) if under.size + above.size else None
        options = dict(settings.options)
        if settings.time_limit is not None:
            options["time_limit"] = settings.time_limit
    with clock.phase("solve"), _strict(settings.options):
        result = linprog(
            program.c,
            A_ub=A_ub,
            b_ub=b_ub,
            A_eq=A[equal] if equal.size else None,
            b_eq=low[equal] if equal.size else None,
            bounds=np.column_stack([program.col_lower, program.col_upper]),
            method=_METHOD[settings.algorithm],
            options=options,
        )
    answer = _answer(result, _METHOD[settings.algorithm])
    if answer.termination is TerminationCondition.OPTIMAL:
        duals = np.zeros(program.shape[0])
        duals[equal] = result.eqlin.marginals
        duals[under] = result.ineqlin.marginals[: under.size]
        duals[above] -= result.ineqlin.marginals[under.size :]
        answer.duals = duals
        answer.reduced_costs = result.lower.marginals + result.upper.marginals
        answer.bound = float(result.fun) + program.c0
    answer.iterations = int(result.nit)
    return answer


def _milp(program: Program, settings: Settings, clock: Stopwatch) -> RawAnswer:
    from scipy.optimize import Bounds, LinearConstraint, milp

    with clock.phase("load"):
        options = {"mip_rel_gap": 1e-9, **settings.options}
        if settings.time_limit is not None:
            options["time_limit"] = settings.time_limit
        rows = LinearConstraint(program.A, program.row_lower, program.row_upper) if program.shape[0] else None
    with clock.phase("solve"), _strict(settings.options):
        result = milp(
            program.c,
            integrality=program.integer.astype(np.int8),
            bounds=Bounds(program.col_lower, program.col_upper),
            constraints=rows,
            options=options,
        )
    answer = _answer(result, "branch-and-cut")
    if result.mip_dual_bound is not None:
        answer.bound = float(result.mip_dual_bound) + program.c0
    answer.nodes = None if result.mip_node_count is None else int(result.mip_node_count)
    return answer


@contextmanager
def _strict(options: Mapping[str, Any]) -> Iterator[None]:
    """Reject options that SciPy would drop with a warning; those that it passes on to HiGHS verbatim are fine."""
    from scipy.optimize import OptimizeWarning

    given = ", ".join(options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OptimizeWarning)
        try:
            yield
        except TypeError as error:
            if options:
                raise refused_option("SciPy", given, list(options.values()), error) from None
            raise
    for warning in caught:
        if options and "verbatim" not in str(warning.message):
            raise refused_option("SciPy", given, list(options.values()), warning.message)


def _answer(result: Any, algorithm: str) -> RawAnswer:
    end = {
        0: TerminationCondition.OPTIMAL,
        1: TerminationCondition.ITERATION_LIMIT,
        2: TerminationCondition.INFEASIBLE,
        3: TerminationCondition.UNBOUNDED,
    }.get(result.status, TerminationCondition.UNKNOWN)
    message = str(result.message)
    if "ime limit" in message:
        end = TerminationCondition.TIME_LIMIT
    elif end is TerminationCondition.UNKNOWN and "infeasible" in message.lower() and "unbounded" in message.lower():
        end = TerminationCondition.INFEASIBLE_OR_UNBOUNDED
    elif result.status == 4 and end is TerminationCondition.UNKNOWN:
        end = TerminationCondition.NUMERICAL
    point = None if result.x is None else np.asarray(result.x, dtype=np.float64)
    return RawAnswer(end, algorithm, x=point, message="" if end is TerminationCondition.OPTIMAL else message)
