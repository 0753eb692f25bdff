"""How often each of the 1,081 hands of a five-card board beats and ties a uniformly random opponent.

The opponent holds one of the C(45,2) = 990 hands that share no card with ours. Sort all hands by strength. When hand
{a, b} is reached, with ``below`` hands before its group of equals and ``below_c`` of those holding card c,

    wins = below - below_a - below_b,        ties = group - group_a - group_b + 1,

because no other hand holds both a and b (and the hand itself is in its group, in group_a and in group_b). One radix
sort and one pass with two counters per card: O(n log n) instead of the 1,081 x 990 comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.card import STANDARD, CardError, CardsLike, hand_and_board
from equiform.games.cards.evaluator import N_CARDS, fill_board
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit

#: Opponent hands that a hand on a five-card board leaves.
OPPONENTS = 45 * 44 // 2
RIVER_CARDS = N_CARDS - 5
RIVER_HANDS = RIVER_CARDS * (RIVER_CARDS - 1) // 2
RADIX_BITS = 7
RADIX = 1 << RADIX_BITS


@cache
def pair_places(n: int = RIVER_CARDS) -> IntArray:
    """Return the places (low, high) of the two cards of every pair of n cards, in colexicographic order."""
    require_count(n, "cards", "pairs", least=2, most=N_CARDS)
    high, low = np.tril_indices(n, -1)
    return np.stack([low, high], axis=1)


@jit
def _sort_by_strength(strengths: NDArray[np.int16], order: IntArray, spare: IntArray, counts: IntArray) -> None:
    """Radix-sort the hands in two passes of seven bits; strengths have 13."""
    n = strengths.size
    for digit in range(2):
        move = digit * RADIX_BITS
        counts[:] = 0
        for i in range(n):
            counts[(strengths[i] >> move) & (RADIX - 1)] += 1
        at = 0
        for value in range(RADIX):
            at, counts[value] = at + counts[value], at
        for i in range(n):
            hand = i if digit == 0 else spare[i]
            value = (strengths[hand] >> move) & (RADIX - 1)
            if digit == 0:
                spare[counts[value]] = hand
            else:
                order[counts[value]] = hand
            counts[value] += 1


#: What :func:`river_outcomes` fills: ``rest``, ``outcomes``, ``work`` and ``strengths``.
RiverSpace: TypeAlias = tuple[IntArray, IntArray, IntArray, NDArray[np.int16]]


@jit
def river_space() -> RiverSpace:
    """Return the arrays for :func:`river_outcomes` to fill: ``rest``, ``outcomes``, ``work`` and ``strengths``."""
    return (
        np.empty(N_CARDS, np.int64),
        np.empty((RIVER_HANDS, 2), np.int64),
        np.empty((3, RIVER_HANDS), np.int64),
        np.empty(RIVER_HANDS, np.int16),
    )


@jit
def river_outcomes(
    board: IntArray,
    tables: RankTables,
    places: IntArray,
    rest: IntArray,
    outcomes: IntArray,
    work: IntArray,
    strengths: NDArray[np.int16],
) -> None:
    """Fill ``outcomes[hand] = (wins, ties)`` for the 1,081 hands of the cards left, and ``rest`` with those cards.

    ``work`` is scratch; ``strengths`` receives the hands' strengths.
    """
    fill_board(board, tables, strengths, rest)
    order = work[0]
    _sort_by_strength(strengths, order, work[1], work[2, :RADIX])
    below, group = work[1, :RIVER_CARDS], work[2, :RIVER_CARDS]
    below[:] = 0
    group[:] = 0
    begin = 0
    while begin < RIVER_HANDS:
        value = strengths[order[begin]]
        end = begin
        while end < RIVER_HANDS and strengths[order[end]] == value:
            group[places[order[end], 0]] += 1
            group[places[order[end], 1]] += 1
            end += 1
        for i in range(begin, end):
            low, high = places[order[i], 0], places[order[i], 1]
            outcomes[order[i], 0] = begin - below[low] - below[high]
            outcomes[order[i], 1] = end - begin - group[low] - group[high] + 1
        for i in range(begin, end):
            low, high = places[order[i], 0], places[order[i], 1]
            below[low] += group[low]
            group[low] = 0
            below[high] += group[high]
            group[high] = 0
        begin = end


@dataclass(frozen=True)
class Showdown:
    """All hands on a five-card board against a uniformly random opponent."""

    board: tuple[int, ...]
    hands: IntArray  # rows (low card, high card), colexicographic
    strengths: NDArray[np.int16]
    wins: IntArray  # of 990 opponent hands
    ties: IntArray

    @property
    def equity(self) -> FloatArray:
        """Probability of winning plus half the probability of a tie, per hand."""
        return (2 * self.wins + self.ties) / (2.0 * OPPONENTS)

    def equity_of(self, hand: CardsLike) -> Fraction:
        """Return the exact equity of one hand.

        >>> showdown("7dQh4h2s3c").equity_of("KcQc")
        Fraction(77, 90)
        """
        private, _ = hand_and_board(hand, self.board, sizes=(5,))
        row = np.flatnonzero((self.hands == sorted(private)).all(axis=1))[0]
        return Fraction(int(2 * self.wins[row] + self.ties[row]), 2 * OPPONENTS)


def showdown(board: CardsLike) -> Showdown:
    """Rank all hands on a five-card board and count whom they beat.

    >>> int(showdown("AcKcQcJcTc").ties.min())       # the board plays: everybody splits
    990
    """
    public = STANDARD.cards(board)
    if len(public) != 5:
        raise CardError(
            f"a showdown needs five public cards, not {len(public)}",
            where=STANDARD.text(public),
            fix="deal a whole board",
        )
    rest, outcomes, work, strengths = river_space()
    places = pair_places()
    river_outcomes(np.array(public), rank_tables(), places, rest, outcomes, work, strengths)
    return Showdown(public, rest[places], strengths, outcomes[:, 0].copy(), outcomes[:, 1].copy())
