"""Equity of a range against a range, on any board, by counting every deal.

On a board all pairs of hands that share no card meet on every runout. Before the flop there are millions of boards per
pair: ranges of whole starting hands are looked up in the exact two-way table, others must be small.

>>> found = range_equity(Range("AA"), Range("KK"))
>>> round(found.equity, 4)
0.8195
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.equities import deal_boards
from equiform.games.cards.all_in.tables import two_way_table
from equiform.games.cards.card import STANDARD, CardError, CardsLike, cards_text
from equiform.games.cards.evaluator import N_CARDS
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.games.poker.holdem.ranges import Range, all_hands
from equiform.models.common.arguments import require_kind
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

#: Pairs of hands that may be dealt all boards before the flop: some twenty milliseconds each.
MOST_PAIRS = 2000


@dataclass(frozen=True)
class RangeEquity:
    """How the first of two ranges fares: shares of all deals, weighted by both ranges."""

    board: tuple[int, ...]
    win: float
    lose: float
    tie: float

    @property
    def equity(self) -> float:
        """Expected share of the pot."""
        return self.win + self.tie / 2

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "board": cards_text(self.board),
            "win": self.win,
            "lose": self.lose,
            "tie": self.tie,
            "equity": self.equity,
        }


def range_equity(first: Range, second: Range, board: CardsLike = ()) -> RangeEquity:
    """Count how a range fares against another.

    Parameters
    ----------
    first, second
        Weights of hands; hands that hold a card of the board do not count.
    board
        No public cards, or three to five of them.

    Raises
    ------
    ParameterError
        If the ranges leave no pair of hands, or too many to deal all boards before the flop.
    """
    public = STANDARD.cards(board)
    if len(public) not in (0, 3, 4, 5):
        raise CardError(f"a board of {len(public)} cards", where=cards_text(public), fix="deal 0, 3, 4 or 5 cards")
    mine, theirs = (require_kind(r, Range, "range", "equity").without(public) for r in (first, second))
    if not public and _whole_classes(mine) and _whole_classes(theirs):
        record = _by_table(mine, theirs)
    else:
        record = _by_dealing(mine, theirs, public)
    if not record.sum() > 0:
        raise ParameterError(
            "the ranges leave no pair of hands", where=f"board {cards_text(public)}", fix="widen one of them"
        )
    won, lost, tied = (record / record.sum()).tolist()
    return RangeEquity(public, won, lost, tied)


def _classes() -> NDArray[np.int64]:
    return hand_indexer(2).index(all_hands())


def _whole_classes(range_: Range) -> bool:
    """Whether all hands of a starting hand have the same weight."""
    classes = _classes()
    means = np.bincount(classes, range_.weights) / np.bincount(classes)
    return bool((np.abs(means[classes] - range_.weights) < 1e-12).all())


def _by_table(first: Range, second: Range) -> FloatArray:
    classes = _classes()
    rows, columns = (np.bincount(classes, r.weights) / np.bincount(classes) for r in (first, second))
    return np.asarray(np.einsum("a,abr,b->r", rows, two_way_table().astype(np.float64), columns))


def _by_dealing(first: Range, second: Range, public: tuple[int, ...]) -> FloatArray:
    held = [np.flatnonzero(r.weights) for r in (first, second)]
    pairs = len(held[0]) * len(held[1])
    if not public and pairs > MOST_PAIRS:
        raise ParameterError(
            f"{pairs:,} pairs of hands before the flop",
            where="range equity",
            fix=f"deal a board, use whole starting hands (QQ, AKs), or {MOST_PAIRS:,} pairs at most",
        )
    hands = [all_hands()[k].astype(np.int64) for k in held]
    weights = [r.weights[k] for r, k in zip((first, second), held, strict=True)]
    return _meet(hands[0], weights[0], hands[1], weights[1], np.array(public, dtype=np.int64), rank_tables())


@jit
def _meet(
    first: NDArray[np.int64],
    first_weights: FloatArray,
    second: NDArray[np.int64],
    second_weights: FloatArray,
    board: NDArray[np.int64],
    tables: RankTables,
) -> FloatArray:
    """Deal all boards to all pairs of hands; weighted deals won, lost and tied by the first."""
    record = np.zeros(3)
    hands = np.zeros((2, 2), dtype=np.int64)
    rest = np.zeros(N_CARDS, dtype=np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            hands[0], hands[1] = first[i], second[j]
            dead = 0
            for card in board:
                dead |= 1 << card
            mine = 1 << hands[0, 0] | 1 << hands[0, 1]
            theirs = 1 << hands[1, 0] | 1 << hands[1, 1]
            if mine & theirs:
                continue
            dead |= mine | theirs
            n = 0
            for card in range(N_CARDS):
                if not dead >> card & 1:
                    rest[n] = card
                    n += 1
            wins = np.zeros(2, dtype=np.int64)
            ties = np.zeros((2, 3), dtype=np.int64)
            deal_boards(hands, board, rest[:n], tables, wins, ties)
            weight = first_weights[i] * second_weights[j]
            record[0] += weight * wins[0]
            record[1] += weight * wins[1]
            record[2] += weight * ties[0, 2]
    return record
