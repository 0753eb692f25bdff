r"""Undominated Nash equilibrium: an equilibrium in which no strategy is weakly dominated.

S. Ganzfried, PhD thesis (CMU 2015), §10.7.1, Algorithm 18 and Proposition 14; E. van Damme, *Stability and Perfection
of Nash Equilibria* (1987): a best response to a fully mixed strategy is undominated. In two-player games these are the
trembling-hand perfect equilibria of the normal form.

1. Find the value v (one program).
2. Among the strategies that guarantee v, respond best to a fully mixed plan :math:`y > 0` (one program per player):

.. math::

    \max_{x, q}\; (Ay)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0, \qquad
    A^\top x - F^\top q \ge 0, \qquad q_0 \ge v .

If :math:`x'` weakly dominated x, it would guarantee v too and earn strictly more against y. So every optimum qualifies,
including the average over suits that results when they are merged
(:mod:`equiform.formulations.optimization.backends.symmetry`).

A realization plan does not say what to do after one's own moves of probability zero. There the strategy plays a best
response to the same y, so that it is sensible everywhere.
"""

from __future__ import annotations

import numpy as np
import pyomo.core as pyo

from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError, StrategyError
from equiform.models.completion import complete
from equiform.models.game import Game, as_sequence_form
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex


def build(game: Game, *, value: float, fully_mixed: FloatArray | None = None, player: int = 0) -> pyo.ConcreteModel:
    """Build the second step of the algorithm for one player.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    value
        The game's value for the first player.
    fully_mixed
        A plan of the opponent with positive weight on every sequence; uniform play by default.
    player
        The player whose program is built, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` and ``guarantee`` and the ``objective``.

    Raises
    ------
    StrategyError
        If ``fully_mixed`` is not fully mixed.
    """
    game = as_sequence_form(game)
    require_player(player, 2, game.name)
    against = require_fully_mixed(game.treeplexes[1 - player], fully_mixed)
    floor = value if player == 0 else -value
    return safe_response.build(game, game.gradient(player, against), floor=floor, player=player)


def solve(
    game: Game,
    *,
    fully_mixed: tuple[FloatArray | None, FloatArray | None] = (None, None),
    player: int | None = None,
    solver: SolverOptions = DEFAULT,
) -> Result:
    """Compute an undominated equilibrium: three programs for both players, two for one of them.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    fully_mixed
        A plan per player with positive weight on every sequence, to which the other player responds; ``None`` stands
        for uniform play.
    player
        The only player to compute a strategy for, 0 or 1; both by default.
    solver
        The backend and how to run it.

    Returns
    -------
    Result
        The value and an undominated equilibrium strategy per player.

    Raises
    ------
    StrategyError
        If a plan in ``fully_mixed`` is not fully mixed.
    SolveError
        If a solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    nash = sequence_form_lp.solve(game, player=0 if player is None else player, solver=solver)
    strategies: list[Strategy | None] = [None, None]
    plans: list[FloatArray | None] = [None, None]
    solutions, build_seconds = nash.solutions, nash.build_seconds
    for p in (0, 1) if player is None else (player,):
        model, built = timed(build, game, value=nash.value, fully_mixed=fully_mixed[1 - p], player=p)
        build_seconds += built
        try:
            solution = solve_model(model, solver).require_optimal()
        except LimitError as error:
            error.plans = nash.plans
            raise
        solutions += (solution,)
        plan = plan_values(solution, model.plan)
        against = require_fully_mixed(game.treeplexes[1 - p], fully_mixed[1 - p])
        plans[p], strategies[p] = plan, complete(game, plan, against, player=p)
    return Result(
        game=game.name,
        concept="une",
        value=nash.value,
        strategies=(strategies[0], strategies[1]),
        plans=(plans[0], plans[1]),
        solutions=solutions,
        build_seconds=build_seconds,
    )


def require_fully_mixed(treeplex: Treeplex, plan: FloatArray | None) -> FloatArray:
    """Return the plan itself, or uniform play for ``None``; raise a StrategyError if it lacks full support."""
    if plan is None:
        return treeplex.realization(treeplex.uniform())
    if treeplex.flow_residual(plan) > 1e-9 or not plan.min() > 0:
        raise StrategyError(
            f"the plan is not fully mixed: its smallest weight is {plan.min():g}",
            where=f"{treeplex.player}, {treeplex.sequence_label(int(np.argmin(plan)))}",
            fix="use a realization plan with positive weight on every sequence",
        )
    return plan
