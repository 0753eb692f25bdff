"""PIQP: a proximal interior-point method for convex quadratic (and linear) programs.

R. Schwan, Y. Jiang, D. Kuhn and C. N. Jones, *PIQP: a proximal interior-point quadratic programming solver* (2023).
It is fast on the distance-minimising programs of opponent modelling. It returns duals but no basis, and has no time
limit.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.backends.base import (
    Backend,
    Capabilities,
    RawAnswer,
    Settings,
    Stopwatch,
    package_version,
    set_attribute,
    takes_long,
)
from equiform.formulations.optimization.backends.conic.clarabel import UNSETTLED, settle
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition

TOLERANCES = (1e-10, 1e-8)
INFEASIBILITY_THRESHOLD = 0.1
"""With its own default of 0.9, PIQP runs into the iteration limit on simple infeasible linear programs."""

_ENDS = {
    "PIQP_SOLVED": TerminationCondition.OPTIMAL,
    "PIQP_PRIMAL_INFEASIBLE": TerminationCondition.INFEASIBLE,
    "PIQP_DUAL_INFEASIBLE": TerminationCondition.UNBOUNDED,
    "PIQP_MAX_ITER_REACHED": TerminationCondition.ITERATION_LIMIT,
    "PIQP_NUMERICS": TerminationCondition.NUMERICAL,
}


class Piqp(Backend):
    """PIQP: convex quadratic and linear programs; duals, no basis."""

    name = "piqp"
    capabilities = Capabilities(qp=True, duals=True)
    install = "pip install equiform[solvers]"
    keeps_time = False
    note = "interior point for quadratic objectives; options are PIQP's settings"

    def version(self) -> str | None:
        """Return the version of PIQP."""
        return package_version("piqp")

    def apart(self, program: Program) -> bool:
        """PIQP holds on to the interpreter and has no limit of time."""
        return takes_long(program)

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve the minimisation; if the tight tolerance is out of reach, use the looser one."""
        clock = Stopwatch()
        for tolerance in TOLERANCES:
            answer = _attempt(program, settings, tolerance, clock)
            if answer.termination not in UNSETTLED:
                break
        return clock.stamp(answer)


def _attempt(program: Program, settings: Settings, tolerance: float, clock: Stopwatch) -> RawAnswer:
    import piqp

    n = program.shape[1]
    with clock.phase("load"):
        low, high = program.row_lower, program.row_upper
        equal = np.flatnonzero(low == high)
        other = np.flatnonzero((low != high) & (np.isfinite(low) | np.isfinite(high)))
        solver = piqp.SparseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = tolerance
        solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = tolerance
        solver.settings.infeasibility_threshold = INFEASIBILITY_THRESHOLD
        for key, value in settings.options.items():
            set_attribute("PIQP", solver.settings, key, value)
        P = sp.csc_matrix((n, n)) if program.Q is None else sp.csc_matrix(program.Q)
        A, G = sp.csc_matrix(program.A[equal]), sp.csc_matrix(program.A[other])
        solver.setup(P, program.c, A, low[equal], G, low[other], high[other], program.col_lower, program.col_upper)
    with clock.phase("solve"):
        status = solver.solve()
    answer = RawAnswer(_ENDS.get(status.name, TerminationCondition.UNKNOWN), "interior-point")
    result = solver.result
    answer.iterations = int(result.info.iter)
    if answer.termination in (TerminationCondition.OPTIMAL, *UNSETTLED):
        answer.x = np.array(result.x)
        duals = np.zeros(program.shape[0])
        duals[equal] = -result.y
        duals[other] = result.z_l - result.z_u
        answer.duals = duals
        answer.reduced_costs = np.array(result.z_bl - result.z_bu)
        answer.bound = float(result.info.dual_obj) + program.c0
        settle(program, answer)
    if answer.termination is not TerminationCondition.OPTIMAL:
        answer.message = f"PIQP says {status.name}"
    return answer
