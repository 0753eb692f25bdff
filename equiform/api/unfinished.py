"""The best answer so far: what to return when a solver's limit comes before its answer.

A linear program has no answer halfway: the simplex method's points are infeasible until the last one, and presolve
keeps even those to itself. But any two strategies prove a bracket around the value. The candidates are what the solver
had reached, with its negative weights cut off and rescaled to a strategy, and the average strategies of a short run of
counterfactual regret minimisation. Each player takes the candidate that guarantees more.
"""

from __future__ import annotations

import time

import numpy as np

from equiform.formulations.optimization.solution import Solution, TerminationCondition
from equiform.formulations.result import Result
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError
from equiform.models.completion import complete_profile
from equiform.models.sequence_form import SequenceForm
from equiform.solvers_iterative import Until, create

ALGORITHM = "dcfr"
SHARE, LEAST, MOST = 0.2, 0.3, 10.0
"""The run takes a fifth of the limit, in these bounds of seconds; it comes on top."""
WARM_UP = 8
ENDS = (TerminationCondition.TIME_LIMIT, TerminationCondition.ITERATION_LIMIT)


def best_so_far(form: SequenceForm, concept: str, error: LimitError, time_limit: float | None) -> Result:
    """Return the best strategies at hand after a solver reached its limit.

    Parameters
    ----------
    form
        The game.
    concept
        What was asked for; the answer is of no concept yet.
    error
        What the program ended with, and the plans that it had reached.
    time_limit
        The solver's limit in seconds.

    Raises
    ------
    LimitError
        The error itself, if the solver ran out of something other than time or iterations.
    """
    solution = error.solution
    if not isinstance(solution, Solution) or solution.termination not in ENDS:
        raise error
    started = time.perf_counter()
    seconds = min(max(SHARE * (time_limit or 0.0), LEAST), MOST)
    solver = create(ALGORITHM, form)
    solver.run(Until(iterations=WARM_UP))  # the first ones may have to be compiled
    run = solver.run(Until(seconds=seconds))
    plans = tuple(_better(form, player, [error.plans[player], run.strategies[player].plan]) for player in range(2))
    return Result(
        game=form.name,
        concept=concept,
        value=form.value(*plans),
        strategies=complete_profile(form, (plans[0], plans[1])),
        plans=(plans[0], plans[1]),
        solutions=(solution,),
        build_seconds=time.perf_counter() - started,
    )


def _better(form: SequenceForm, player: int, candidates: list[FloatArray | None]) -> FloatArray:
    """Return the plan against which the opponent's best response earns least."""
    treeplex = form.treeplexes[player]
    plans = [treeplex.realization(treeplex.behavior(c)) for c in candidates if c is not None and np.isfinite(c).all()]
    return min(plans, key=lambda plan: form.best_response(1 - player, plan).value)
