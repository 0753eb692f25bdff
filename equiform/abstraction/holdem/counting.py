r"""Pairs of hands on one board, added up by bucket.

On a board every hand has a bucket, a rank and two weights, :math:`x_h` as player 0's hand and :math:`y_h` as player
1's. Over the pairs that share no card this adds to

.. math:: N_{kl} = \sum x_h y_{h'}, \qquad M_{kl} = \sum x_h y_{h'} \, \text{sign}(\text{rank}_h - \text{rank}_{h'}).

All pairs together are an outer product (for M one running vector over the hands in order of rank); the pairs that share
a card are few, 46² for each card, and are taken back one by one. That is a tenth of the work of looking at all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import vector_jit


class Space(NamedTuple):
    """Scratch of one thread."""

    place: IntArray  # [bucket]: its place among those on the board, -1 elsewhere
    used: IntArray
    lists: IntArray  # [card, k]: the hands that hold a card, in order
    joint: FloatArray
    margin: FloatArray
    vectors: FloatArray  # rows: total of x, total of y, masses below minus above, masses of a tie


def space(n_buckets: int) -> Space:
    """Return scratch for boards with so many buckets in all."""
    most = min(n_buckets, N_HANDS)
    lists = np.zeros((N_CARDS, N_CARDS), dtype=np.int64)
    place = np.full(n_buckets, -1, dtype=np.int64)
    used = np.zeros(most, dtype=np.int64)
    return Space(place, used, lists, np.zeros((most, most)), np.zeros((most, most)), np.zeros((4, most)))


@vector_jit
def add_pairs(
    hands: IntArray,
    buckets: IntArray,
    ranks: IntArray,
    x: FloatArray,
    y: FloatArray,
    factors: tuple[float, float],
    room: Space,
    joint: FloatArray,
    margin: FloatArray,
) -> None:
    """Add N times the first factor to ``joint`` and M times the second to ``margin``; what has factor 0 is left out.

    ``hands`` lists (low card, high card) in ascending order of ``ranks``; ``buckets``, ``x`` and ``y`` go with it.
    """
    signed = factors[1] != 0.0
    n_used = 0
    for bucket in buckets:
        if room.place[bucket] < 0:
            room.place[bucket] = n_used
            room.used[n_used] = bucket
            n_used += 1
    local = room.joint[:n_used, :n_used]
    signs = room.margin[:n_used, :n_used]
    sums = room.vectors[:, :n_used]
    local[:] = 0.0
    sums[:] = 0.0
    for h in range(len(hands)):
        k = room.place[buckets[h]]
        sums[0, k] += x[h]
        sums[1, k] += y[h]
    for k in range(n_used):
        for m in range(n_used):
            local[k, m] = sums[0, k] * sums[1, m]
    if signed:
        signs[:] = 0.0
        _add_order(buckets, ranks, x, y, room.place, sums, signs)
    _take_back(hands, buckets, ranks, x, y, signed, room, local, signs)
    if factors[0] != 0.0:
        _spread(room.used[:n_used], local, factors[0], joint)
    if signed:
        _spread(room.used[:n_used], signs, factors[1], margin)
    for k in range(n_used):
        room.place[room.used[k]] = -1


@vector_jit
def _spread(used: IntArray, local: FloatArray, factor: float, out: FloatArray) -> None:
    """Add the matrix of the buckets on the board to that of all buckets."""
    for k in range(len(used)):
        for m in range(len(used)):
            out[used[k], used[m]] += factor * local[k, m]


@vector_jit
def _add_order(
    buckets: IntArray,
    ranks: IntArray,
    x: FloatArray,
    y: FloatArray,
    place: IntArray,
    sums: FloatArray,
    signs: FloatArray,
) -> None:
    """Add every hand times the masses below it minus those above it."""
    difference, tie = sums[2], sums[3]
    for k in range(len(difference)):
        difference[k] = -sums[1, k]
    begin = 0
    while begin < len(ranks):
        end = begin
        while end < len(ranks) and ranks[end] == ranks[begin]:
            end += 1
        tie[:] = 0.0
        for h in range(begin, end):
            tie[place[buckets[h]]] += y[h]
        difference += tie
        for h in range(begin, end):
            row, own = signs[place[buckets[h]]], x[h]
            for k in range(len(difference)):
                row[k] += own * difference[k]
        difference += tie
        begin = end


@vector_jit
def _take_back(
    hands: IntArray,
    buckets: IntArray,
    ranks: IntArray,
    x: FloatArray,
    y: FloatArray,
    signed: bool,
    room: Space,
    local: FloatArray,
    signs: FloatArray,
) -> None:
    """Subtract the pairs that share a card; a hand shares two with itself."""
    held = np.zeros(N_CARDS, np.int64)
    for h in range(len(hands)):
        for c in hands[h]:
            room.lists[c, held[c]] = h
            held[c] += 1
        k = room.place[buckets[h]]
        local[k, k] += x[h] * y[h]
    for c in range(N_CARDS):
        for i in range(held[c]):
            h = room.lists[c, i]
            k, own = room.place[buckets[h]], x[h]
            for j in range(held[c]):
                other = room.lists[c, j]
                m = room.place[buckets[other]]
                met = own * y[other]
                local[k, m] -= met
                if signed:
                    if ranks[h] > ranks[other]:
                        signs[k, m] -= met
                    elif ranks[h] < ranks[other]:
                        signs[k, m] += met
