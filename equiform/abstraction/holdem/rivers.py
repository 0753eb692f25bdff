r"""Who wins, over all river cards of a turn board at once, added up by pairs of buckets.

Where buckets say nothing about the river, the buckets of a turn board stay while the river is dealt. For every river
the hands are sorted by strength, and each adds to its bucket's row the hands below it that share no card with it: all
of them, minus those that hold its first card, minus those that hold its second one (no hand below it holds both). These
are three running vectors over the buckets of the board, so that a river costs a few vector operations per hand. Counts
are whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.evaluator import N_CARDS, N_HANDS, N_STRENGTHS, fill_board
from equiform.games.cards.rank_tables import RankTables
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.jit import vector_jit


class RiverSpace(NamedTuple):
    """Scratch of one thread."""

    place: Int32Array  # [bucket]: its place among those on the board, -1 elsewhere
    used: IntArray  # [place]: the bucket
    strengths: NDArray[np.int16]  # of the hands that a river leaves
    rest: IntArray  # the cards that it leaves
    cards: IntArray  # [hand]: both its cards' places among these
    order: Int32Array  # the hands, weakest first
    first: Int32Array  # [strength]: where its hands begin in that order
    wins: Int32Array  # [place, place], flat
    below: Int32Array  # [card, place]: weaker hands with a card; the last row counts all


def river_space(n_buckets: int) -> RiverSpace:
    """Return scratch for turn boards with so many buckets in all."""
    most = min(n_buckets, N_HANDS)
    return RiverSpace(
        np.full(n_buckets, -1, dtype=np.int32),
        np.zeros(most, dtype=np.int64),
        np.zeros(N_HANDS, dtype=np.int16),
        np.zeros(N_CARDS, dtype=np.int64),
        np.zeros((N_HANDS, 2), dtype=np.int64),
        np.zeros(N_HANDS, dtype=np.int32),
        np.zeros(N_STRENGTHS + 1, dtype=np.int32),
        np.zeros((most, most), dtype=np.int32),
        np.zeros((N_CARDS + 1, most), dtype=np.int32),
    )


@vector_jit
def add_rivers(
    boards: IntArray,
    weights: IntArray,
    buckets: Int32Array,
    tables: RankTables,
    factor: float,
    room: RiverSpace,
    margin: FloatArray,
) -> None:
    """Add ``factor`` times the wins minus losses of all pairs of hands, on some rivers over one turn board.

    ``boards`` has a row of five cards per river and ``weights`` how often each counts; ``buckets`` is by hand, in
    colexicographic order of all 1,326, and negative where the turn board blocks it.
    """
    n_used = 0
    for bucket in buckets:
        if bucket >= 0 and room.place[bucket] < 0:
            room.place[bucket] = n_used
            room.used[n_used] = bucket
            n_used += 1
    wins = room.wins[:n_used, :n_used]
    wins[:] = 0
    for r in range(len(boards)):
        n_hands = fill_board(boards[r], tables, room.strengths, room.rest)
        _sort(room.strengths[:n_hands], room.first, room.order)
        _add_wins(n_hands, n_used, weights[r], buckets, room, wins)
    for k in range(n_used):
        for m in range(n_used):
            margin[room.used[k], room.used[m]] += factor * (wins[k, m] - wins[m, k])
    for k in range(n_used):
        room.place[room.used[k]] = -1


@vector_jit
def _sort(strengths: NDArray[np.int16], first: Int32Array, order: Int32Array) -> None:
    """Sort hands by strength, by counting."""
    first[:] = 0
    for strength in strengths:
        first[strength + 1] += 1
    for s in range(1, len(first)):
        first[s] += first[s - 1]
    for h in range(len(strengths)):
        order[first[strengths[h]]] = h
        first[strengths[h]] += 1


@vector_jit
def _add_wins(n_hands: int, n_used: int, weight: int, buckets: Int32Array, room: RiverSpace, wins: Int32Array) -> None:
    """Add a river: every hand's row gets the hands below it that share no card with it."""
    n_cards = 0
    while n_cards * (n_cards - 1) < 2 * n_hands:
        n_cards += 1
    at = 0
    for high in range(1, n_cards):
        for low in range(high):
            room.cards[at, 0], room.cards[at, 1] = low, high
            at += 1
    room.below[:n_cards, :n_used] = 0
    room.below[N_CARDS, :n_used] = 0
    every = room.below[N_CARDS]
    begin = 0
    while begin < n_hands:
        end = begin
        strength = room.strengths[room.order[begin]]
        while end < n_hands and room.strengths[room.order[end]] == strength:
            end += 1
        for i in range(begin, end):
            h = room.order[i]
            low, high = room.cards[h, 0], room.cards[h, 1]
            a, b = room.rest[low], room.rest[high]
            row = wins[room.place[buckets[b * (b - 1) // 2 + a]]]
            first, second = room.below[low], room.below[high]
            for k in range(n_used):
                row[k] += every[k] - first[k] - second[k]
        for i in range(begin, end):
            h = room.order[i]
            low, high = room.cards[h, 0], room.cards[h, 1]
            a, b = room.rest[low], room.rest[high]
            k = room.place[buckets[b * (b - 1) // 2 + a]]
            every[k] += weight
            room.below[low, k] += weight
            room.below[high, k] += weight
        begin = end
