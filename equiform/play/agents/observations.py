r"""What a player sees of the opponent after a hand: everything, only the moves, or the cards at a showdown.

Safe updates must reckon with every private situation in which the opponent may have been (Ganzfried 2015, §13.6.2). For
each terminal node the *candidates* are the opponent's sequences that end in a leaf which looks the same to us: just the
true one where his hand is shown; else those of all leaves with the same moves of both players and the same last
information set and move of ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.jit import jit
from equiform.models.event_histories import event_histories
from equiform.models.extensive import ExtensiveGame
from equiform.play.seat import Seat

SHOWING = {
    "shown": "the opponent's private information is seen after every hand",
    "hidden": "only moves are ever seen",
    "showdown": "private information is seen unless the hand ends with a fold",
}


@dataclass(frozen=True, eq=False)
class Observations:
    """The opponent's possible sequences at every terminal node, with chance's weight of each."""

    start: IntArray = field(repr=False)
    """Node n has the candidates ``start[n]:start[n + 1]``."""
    sequences: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)

    def candidates(self, leaf: int) -> IntArray:
        """Return the sequences that the opponent may have played in a hand that ended at a node."""
        return self.sequences[self.start[leaf] : self.start[leaf + 1]]

    def least(self, losses: FloatArray, leaves: IntArray) -> FloatArray:
        """Return each match's least loss over the candidates of its leaf."""
        return _least(self.start, self.sequences, losses, leaves)


def observe(seat: Seat, showing: str = "shown") -> Observations:
    """Group the leaves of a game by what the seat's player sees.

    Parameters
    ----------
    seat
        The player's place at the game.
    showing
        What is seen of the opponent's cards: ``shown`` after every hand, ``showdown`` unless somebody folds, or
        ``hidden``.

    Examples
    --------
    >>> from equiform.play.seat import take_seat
    >>> seat = take_seat("kuhn")
    >>> [int(np.diff(observe(seat, showing).start).sum()) for showing in ("shown", "showdown", "hidden")]
    [30, 42, 60]
    """
    require_name(showing, SHOWING, "way of showing", "match")
    game = seat.game
    leaves = game.terminals
    index, values = game.chance_reach
    reach = np.array([float(v) for v in values])[index]
    shown = np.ones(len(leaves), dtype=bool)
    if showing == "hidden":
        shown[:] = False
    elif showing == "showdown":
        shown = ~_ends_with_fold(game, leaves)
    # what it looks like: a group of its own where shown, else our sequence and the history of moves
    history = event_histories(game).of_node[leaves]
    looks = np.stack([seat.own_sequence[leaves], history, np.where(shown, leaves, -1)], axis=1)
    _, group = np.unique(looks, axis=0, return_inverse=True)
    group = group.ravel()
    pairs = np.unique(np.stack([group, seat.opponent_sequence[leaves]], axis=1), axis=0)
    size = int(seat.opponent.num_sequences)
    code = group.astype(np.int64) * size + seat.opponent_sequence[leaves]
    known = pairs[:, 0].astype(np.int64) * size + pairs[:, 1]
    mass = np.bincount(np.searchsorted(known, code), weights=reach[leaves], minlength=len(known))
    first = np.searchsorted(pairs[:, 0], np.arange(group.max() + 2))
    counts = np.zeros(game.num_nodes, dtype=np.int64)
    counts[leaves] = np.diff(first)[group]
    start = np.append(0, np.cumsum(counts))
    rows = np.repeat(first[:-1][group] - start[leaves], counts[leaves]) + np.arange(start[-1])
    return Observations(start, pairs[rows, 1].astype(np.int64), mass[rows].astype(np.float64))


def _ends_with_fold(game: ExtensiveGame, leaves: IntArray) -> BoolArray:
    above = game.parent[leaves]
    width = max(len(moves) for moves in game.move_sets)
    is_fold = np.array([[k < len(moves) and moves[k] == "fold" for k in range(width)] for moves in game.move_sets])
    folded: BoolArray = is_fold[game.move_set[above], game.branch[leaves]]
    return folded


@jit
def _least(start: IntArray, sequences: IntArray, losses: FloatArray, leaves: IntArray) -> FloatArray:
    least = np.empty(len(leaves))
    for row in range(len(leaves)):
        best = np.inf
        for c in range(start[leaves[row]], start[leaves[row] + 1]):
            best = min(best, losses[row, sequences[c]])
        least[row] = best
    return least
