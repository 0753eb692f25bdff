r"""From plans to strategies: what to play where a plan never arrives.

A realization plan says nothing about information sets that its own earlier moves rule out. Whatever is played there,
the plan earns the same; but somebody may read the strategy as advice. So by default those information sets respond best
to the opponent, and to uniform play where the opponent's plan leaves the choice open too: a best response to a fully
mixed plan is never a dominated move.
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.arguments import require_name, require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy

UNREACHED = {
    "best-response": "respond best to the opponent, then to uniform play",
    "uniform": "play every action with the same probability",
}
#: Weights below this are what a float solver left of zero.
ROUNDING = 1e-9
#: The share of uniform play that decides where the opponent's plan does not.
_TREMBLE = 1e-6


def complete(
    game: SequenceForm, plan: FloatArray, against: FloatArray, *, player: int, rounding: float = ROUNDING
) -> Strategy:
    """Turn a plan into a strategy whose unreached information sets respond best to ``against``.

    Parameters
    ----------
    game
        The game.
    plan
        The player's realization plan.
    against
        A realization plan of the opponent.
    player
        The player, 0 or 1.
    rounding
        Weights below this count as zero.
    """
    treeplex = game.treeplexes[require_player(player, 2, game.name)]
    decided = np.where(plan < rounding, 0.0, plan)
    unreached = treeplex.best_behavior(game.gradient(player, against))
    return Strategy(treeplex, treeplex.behavior(decided, unreached=unreached))


def complete_profile(
    game: SequenceForm,
    plans: tuple[FloatArray, FloatArray],
    unreached: str = "best-response",
    *,
    rounding: float = ROUNDING,
) -> tuple[Strategy, Strategy]:
    """Turn both players' plans into strategies.

    Parameters
    ----------
    game
        The game.
    plans
        One realization plan per player.
    unreached
        What to play where a plan never arrives: one of :data:`UNREACHED`.
    rounding
        Weights below this count as zero.
    """
    require_name(unreached, UNREACHED, "way to complete a plan", game.name)
    first, second = game.treeplexes
    if unreached == "uniform":
        return Strategy.from_plan(first, plans[0]), Strategy.from_plan(second, plans[1])
    uniform = [t.realization(t.uniform()) for t in (first, second)]
    mixed = [(1 - _TREMBLE) * plan + _TREMBLE * u for plan, u in zip(plans, uniform, strict=True)]
    return (
        complete(game, plans[0], mixed[1], player=0, rounding=rounding),
        complete(game, plans[1], mixed[0], player=1, rounding=rounding),
    )
