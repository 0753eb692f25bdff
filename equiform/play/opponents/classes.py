r"""Opponents: random, nearly optimal, dynamic, optimal, and the naive ones of chapter 12.

Strategies of opponent number i depend on the seed and i alone, so that every agent meets the same opponents.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.treeplex import Treeplex
from equiform.play.agents.ties import tie_bonus
from equiform.play.batches import behaviors_of, best_behaviors
from equiform.play.seat import Seat

#: Hands that a dynamic opponent plays before it turns into the nemesis (§13.7.2).
PATIENCE = 100
#: How far a sophisticated opponent strays from each equilibrium probability (§13.7.2).
WIDTH = 0.2


class Opponent(Protocol):
    """Many opponents of one kind, one row each."""

    def choose(self, number: int, plans: FloatArray) -> FloatArray:
        """Return the behavioural strategies for hand ``number``; ``plans`` is what the agent is about to play."""


class Static:
    """Plays fixed strategies.

    Parameters
    ----------
    behaviors
        One behavioural strategy per row.
    """

    def __init__(self, behaviors: FloatArray) -> None:
        self.behaviors = behaviors

    def choose(self, number: int, plans: FloatArray) -> FloatArray:
        """Return the same strategies again."""
        return self.behaviors


class Dynamic:
    """Plays fixed strategies for a while, then a best response to what the agent is about to play.

    Parameters
    ----------
    seat
        The agent's place at the game.
    behaviors
        The fixed strategies, one per row.
    patience
        How many hands they are played.
    ties
        How ties between equally good responses are broken (:data:`equiform.play.agents.ties.TIES`).
    """

    def __init__(self, seat: Seat, behaviors: FloatArray, *, patience: int = PATIENCE, ties: str = "last") -> None:
        self._seat, self.behaviors, self._patience = seat, behaviors, patience
        self._bonus = tie_bonus(seat.opponent, ties)

    def choose(self, number: int, plans: FloatArray) -> FloatArray:
        """Return the fixed strategies, or the nemesis of every plan."""
        if number < self._patience:
            return self.behaviors
        return best_behaviors(self._seat.opponent, self._seat.opponent_gradients(plans) + self._bonus)


def random_behaviors(treeplex: Treeplex, rng: np.random.Generator, count: int = 1) -> FloatArray:
    """Draw strategies with a distribution drawn uniformly from the simplex at every information set.

    Parameters
    ----------
    treeplex
        The player's decisions.
    rng
        Where random numbers come from.
    count
        How many strategies to draw.

    Returns
    -------
    FloatArray
        One behavioural strategy per row.
    """
    return behaviors_of(treeplex, rng.standard_exponential((count, treeplex.num_sequences)))


def nearby_behaviors(
    treeplex: Treeplex, equilibrium: FloatArray, rng: np.random.Generator, count: int = 1, *, width: float = WIDTH
) -> FloatArray:
    """Draw, at every information set, uniformly from the distributions within ``width`` of the equilibrium's.

    All but one action, chosen at random, are drawn from their intervals; draws that leave that one outside of its own
    are repeated.

    Parameters
    ----------
    treeplex
        The player's decisions.
    equilibrium
        A behavioural strategy.
    rng
        Where random numbers come from.
    count
        How many strategies to draw.
    width
        How far each probability may stray.

    Returns
    -------
    FloatArray
        One behavioural strategy per row.
    """
    behaviors = np.ones((count, treeplex.num_sequences))
    for h in range(treeplex.num_infosets):
        own = slice(int(treeplex.start[h]), int(treeplex.start[h + 1]))
        low, high = np.maximum(equilibrium[own] - width, 0.0), np.minimum(equilibrium[own] + width, 1.0)
        rest = rng.integers(len(low), size=count)
        wanted = np.arange(count)
        while len(wanted):
            drawn = rng.uniform(low, high, (len(wanted), len(low)))
            rows, last = np.arange(len(wanted)), rest[wanted]
            drawn[rows, last] = 1.0 - (drawn.sum(axis=1) - drawn[rows, last])
            behaviors[wanted, own] = drawn
            wanted = wanted[(drawn[rows, last] < low[last]) | (drawn[rows, last] > high[last])]
    return behaviors


def naive_behavior(treeplex: Treeplex, preferred: tuple[str, ...]) -> FloatArray:
    """Play, everywhere, the first preferred kind of action that is there (the last action of that kind)."""
    behavior = np.zeros(treeplex.num_sequences)
    behavior[0] = 1.0
    for h, actions in enumerate(treeplex.actions):
        found = [k for kind in preferred for k, action in reversed(list(enumerate(actions))) if action.startswith(kind)]
        if not found:
            raise ParameterError(
                f"no action here is called {' or '.join(preferred)}",
                where=f"{treeplex.infoset_label(h)}: {', '.join(actions)}",
                fix="naive opponents play games of poker",
            )
        behavior[int(treeplex.start[h]) + found[0]] = 1.0
    return behavior


NAIVE = {
    "always-fold": ("fold", "check", "call"),
    "always-call": ("call", "check"),
    "always-raise": ("raise", "bet", "call", "check"),
}


def make_opponents(seat: Seat, kind: str, numbers: IntArray, seed: int, ties: str = "last") -> Opponent:
    """Make opponents of one kind.

    Parameters
    ----------
    seat
        The agent's place at the game.
    kind
        A key of :data:`OPPONENTS`.
    numbers
        The opponents' numbers; a number and the seed decide what an opponent plays.
    seed
        The same seed gives the same opponents.
    ties
        How ties between equally good responses are broken (:data:`equiform.play.agents.ties.TIES`).

    Raises
    ------
    ParameterError
        If there is no such kind, or if a naive opponent is asked to play a game without bets.
    """
    require_name(kind, OPPONENTS, "opponent")
    treeplex, equilibrium = seat.opponent, seat.equilibrium[1]
    if kind in ("random", "dynamic", "sophisticated"):
        behaviors = fixed_behaviors(seat, kind == "sophisticated", numbers, seed)
        return Dynamic(seat, behaviors, ties=ties) if kind == "dynamic" else Static(behaviors)
    if kind == "uniform":
        return Static(np.tile(treeplex.uniform(), (len(numbers), 1)))
    if kind == "equilibrium":
        return Static(np.tile(equilibrium, (len(numbers), 1)))
    if kind == "nemesis":
        return Dynamic(seat, np.tile(equilibrium, (len(numbers), 1)), patience=0, ties=ties)
    return Static(np.tile(naive_behavior(treeplex, NAIVE[kind]), (len(numbers), 1)))


def fixed_behaviors(seat: Seat, near: bool, numbers: IntArray, seed: int) -> FloatArray:
    """Draw the strategies of the opponents with the given numbers: near the equilibrium or anywhere."""
    behaviors = np.empty((len(numbers), seat.opponent.num_sequences))
    for row, number in enumerate(numbers):
        behaviors[row] = draw_behaviors(seat, near, np.random.default_rng([seed, int(number)]))[0]
    return behaviors


def draw_behaviors(seat: Seat, near: bool, rng: np.random.Generator, count: int = 1) -> FloatArray:
    """Draw strategies of the opponent, one per row: near the equilibrium or anywhere."""
    if near:
        return nearby_behaviors(seat.opponent, seat.equilibrium[1], rng, count)
    return random_behaviors(seat.opponent, rng, count)


OPPONENTS = {
    "random": "a mixed strategy drawn in advance, uniformly at every information set",
    "sophisticated": "each probability drawn in advance within 0.2 of the equilibrium's",
    "dynamic": "a random mixed strategy for 100 hands, then a best response to what the agent plays",
    "equilibrium": "an equilibrium strategy",
    "nemesis": "a best response to what the agent plays, from the first hand on",
    "uniform": "every action equally often",
    "always-fold": "folds whenever there is a bet to call",
    "always-call": "checks and calls",
    "always-raise": "bets and raises whenever allowed",
}
