"""Clarabel: an interior-point method for linear and convex quadratic programs.

P. J. Goulart and Y. Chen, *Clarabel: an interior-point solver for conic programs with quadratic objectives* (2024).
It returns a point inside the optimal face, with duals but without a basis. The tolerances are tightened to 1e-10; when
Clarabel stops short of them, the pair is accepted if our own check of the optimality conditions passes at 1e-8.
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
)
from equiform.formulations.optimization.backends.conic.cones import cone_form
from equiform.formulations.optimization.kkt import kkt_error
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import LIMITS, TerminationCondition

TOLERANCE = 1e-10
ACCEPT = 1e-8
UNSETTLED = (TerminationCondition.NUMERICAL, TerminationCondition.ITERATION_LIMIT)

_ENDS = {
    "Solved": TerminationCondition.OPTIMAL,
    "PrimalInfeasible": TerminationCondition.INFEASIBLE,
    "AlmostPrimalInfeasible": TerminationCondition.INFEASIBLE,
    "DualInfeasible": TerminationCondition.UNBOUNDED,
    "AlmostDualInfeasible": TerminationCondition.UNBOUNDED,
    "MaxIterations": TerminationCondition.ITERATION_LIMIT,
    "CallbackTerminated": TerminationCondition.INTERRUPTED,
    "MaxTime": TerminationCondition.TIME_LIMIT,
    "AlmostSolved": TerminationCondition.NUMERICAL,
    "NumericalError": TerminationCondition.NUMERICAL,
    "InsufficientProgress": TerminationCondition.NUMERICAL,
}


class Clarabel(Backend):
    """Clarabel: linear and convex quadratic programs; duals, no basis."""

    name = "clarabel"
    capabilities = Capabilities(qp=True, duals=True)
    install = "pip install equiform[solvers]"
    note = "interior point without crossover; options are Clarabel's settings"

    def version(self) -> str | None:
        """Return the version of Clarabel."""
        return package_version("clarabel")

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        """Solve in cone form."""
        import clarabel

        clock = Stopwatch()
        n = program.shape[1]
        with clock.phase("load"):
            form = cone_form(program)
            chosen = clarabel.DefaultSettings()
            chosen.verbose = False
            chosen.tol_gap_abs = chosen.tol_gap_rel = chosen.tol_feas = TOLERANCE
            if settings.time_limit is not None:
                chosen.time_limit = float(settings.time_limit)
            for key, value in settings.options.items():
                set_attribute("Clarabel", chosen, key, value)
            cones = [clarabel.ZeroConeT(form.equalities)] if form.equalities else []
            if form.h.size > form.equalities:
                cones.append(clarabel.NonnegativeConeT(form.h.size - form.equalities))
            P = sp.csc_matrix((n, n)) if program.Q is None else sp.csc_matrix(sp.triu(program.Q))
            solver = clarabel.DefaultSolver(P, program.c, sp.csc_matrix(form.G), form.h, cones, chosen)
            solver.set_termination_callback(lambda _: bool(settings.stop))
        with clock.phase("solve"):
            result = solver.solve()
        status = str(result.status)
        answer = RawAnswer(_ENDS.get(status, TerminationCondition.UNKNOWN), "interior-point")
        answer.iterations = int(result.iterations)
        if answer.termination in (TerminationCondition.OPTIMAL, *UNSETTLED, *LIMITS):
            answer.x = np.array(result.x)
            answer.duals, answer.reduced_costs = form.prices(np.array(result.z))
            if answer.termination in (TerminationCondition.OPTIMAL, *UNSETTLED):
                answer.bound = float(result.obj_val_dual) + program.c0
                settle(program, answer)
        if answer.termination is not TerminationCondition.OPTIMAL:
            answer.message = f"Clarabel says {status}"
        return clock.stamp(answer)


def settle(program: Program, answer: RawAnswer) -> None:
    """Decide whether to accept a pair that an interior-point solver did not call optimal.

    If it passes our check of the optimality conditions it is optimal; otherwise it is discarded.
    """
    if answer.termination is TerminationCondition.OPTIMAL or answer.x is None or answer.duals is None:
        return
    finite = bool(np.isfinite(answer.x).all() and np.isfinite(answer.duals).all())
    if finite and kkt_error(program, answer.x, program.sign * answer.duals).worst <= ACCEPT:
        answer.termination = TerminationCondition.OPTIMAL
    else:
        answer.x = answer.duals = answer.reduced_costs = answer.bound = None
