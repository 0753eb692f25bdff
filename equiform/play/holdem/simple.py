"""Players without a strategy: the yardsticks of every league."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from equiform.models.common.arguments import require_name, require_seed
from equiform.play.common_random import draw, hand_key, match_key
from equiform.play.dealer.betting import CALL, FOLD, RAISE, Action, BettingState
from equiform.play.dealer.hand import View


@dataclass(frozen=True)
class SimplePlayer:
    """A player whose moves have fixed weights, whatever the cards."""

    name: str
    weights: tuple[float, float, float]
    """Of folding, calling and raising; what is not legal is left out."""
    seed: int = 0
    summary: str = ""

    def act(self, view: View) -> Action:
        """Draw a move."""
        moves = choices(view.betting)
        odds = np.array([self.weights["fcr".index(m.kind)] for m in moves])
        odds = np.cumsum(odds / odds.sum()) if odds.sum() else np.linspace(0, 1, len(moves) + 1)[1:]
        return moves[int(np.searchsorted(odds, own_draw(self.seed, view), side="right").clip(0, len(moves) - 1))]


def choices(betting: BettingState) -> tuple[Action, ...]:
    """Return fold, call and one raise where legal; a no-limit raise is the size of the pot."""
    allowed = betting.raise_range()
    moves = (FOLD, CALL) if betting.to_call else (CALL,)
    if allowed is None:
        return moves
    if betting.rules.limit:
        return (*moves, RAISE)
    pot_sized = max(betting.spent) + betting.pot + betting.to_call
    return (*moves, Action("r", min(max(pot_sized, allowed[0]), allowed[1])))


def own_draw(seed: int, view: View, stream: int = 0, number: int | None = None) -> float:
    """Return the player's random number for a move of the hand, by default the one that it is about to make."""
    key = np.uint64(hand_key(match_key(seed, view.seat), view.hand))
    return draw(key, stream, len(view.betting.moves) if number is None else number)


def always_call(seed: int = 0) -> SimplePlayer:
    """Return the player who calls and checks."""
    return SimplePlayer("always-call", (0, 1, 0), seed, "calls and checks")


def always_raise(seed: int = 0) -> SimplePlayer:
    """Return the player who raises while that is legal, and calls otherwise."""
    return SimplePlayer("always-raise", (0, 1e-300, 1), seed, "raises while that is legal")


def uniform_player(seed: int = 0) -> SimplePlayer:
    """Return the player who folds, calls and raises with equal weights."""
    return SimplePlayer("uniform", (1, 1, 1), seed, "folds, calls and raises with equal weights")


#: Simple players by name; each takes a seed.
SIMPLE: dict[str, Callable[[int], SimplePlayer]] = {
    "always-call": always_call,
    "always-raise": always_raise,
    "uniform": uniform_player,
}


def simple_player(name: str, seed: int = 0) -> SimplePlayer:
    """Return a simple player by its name."""
    require_name(name, SIMPLE, "simple player", "match")
    return SIMPLE[name](require_seed(seed, "simple player"))
