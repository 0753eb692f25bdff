"""Buckets of one turn board: hands by their value, and river hands within each by theirs (Gilpin and Sandholm 2007).

A hand's value is w − l + d/2 against all other hands, averaged over the river cards for the turn. Values lie on a line,
where clusters are found optimally, and the budget of river buckets is divided among the turn's so that the expected
error is least.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.formulations.abstraction.allocation import divide_budget
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.showdown import OPPONENTS, showdown
from equiform.models.common.arguments import require_counts
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError

#: Children that a turn bucket may have; values are whole or half numbers, so that errors beyond are tiny.
MOST_CHILDREN = 30


@dataclass(frozen=True, eq=False)
class BoardBuckets:
    """Buckets of the hands on a turn board, and of those on each of its rivers.

    Attributes
    ----------
    turn
        The bucket of each of the 1,326 hands; −1 where blocked.
    river
        A row per river card: the same there.
    up
        The turn bucket of every river bucket.
    """

    board: tuple[int, ...]
    turn: Int32Array = field(repr=False)
    river: Int32Array = field(repr=False)
    up: Int32Array = field(repr=False)


def board_buckets(board: tuple[int, ...], counts: tuple[int, int], weights: FloatArray) -> BoardBuckets:
    """Cluster the hands of a turn board.

    Parameters
    ----------
    board
        Four cards.
    counts
        The numbers of turn and of river buckets, such as (10, 100).
    weights
        How likely each of the 1,326 hands is; hands without weight are in buckets, too.
    """
    n_turn, n_river = require_counts(counts, "counts", "turn buckets", length=2)
    if len(board) != 4 or n_river < n_turn:
        raise ParameterError(
            f"{n_turn} and {n_river} buckets on a board of {len(board)} cards",
            where="turn buckets",
            fix="pass four cards, and at least one river bucket per turn bucket",
        )
    values = river_values(board)
    seen = np.isfinite(values)
    mean = np.where(seen, values, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    free = seen.any(axis=0)
    mass = np.maximum(weights, 1e-6)  # nobody is left out
    lines = kmeans_line(mean[free], min(n_turn, len(np.unique(mean[free]))), mass[free])
    turn = np.full(N_HANDS, -1, dtype=np.int32)
    turn[free] = lines.labels(lines.most, mean[free])
    river, up = _river_buckets(values, turn, mass, lines.most, n_river)
    return BoardBuckets(board, turn, river, up)


def river_values(board: tuple[int, ...]) -> FloatArray:
    """Return w − l + d/2 of every hand for each river card: a row per card, NaN where a hand is blocked."""
    values = np.full((N_CARDS, N_HANDS), np.nan)
    for card in range(N_CARDS):
        if card in board:
            continue
        found = showdown((*board, card))
        low, high = found.hands[:, 0], found.hands[:, 1]
        values[card, high * (high - 1) // 2 + low] = 2 * found.wins + 1.5 * found.ties - OPPONENTS
    return values


def _river_buckets(
    values: FloatArray, turn: Int32Array, mass: FloatArray, n_turn: int, budget: int
) -> tuple[Int32Array, Int32Array]:
    """Cluster every turn bucket's river hands, and divide the budget among the turn buckets."""
    lines, places = [], []
    for bucket in range(n_turn):
        cards, hands = np.nonzero(np.isfinite(values) & (turn == bucket)[None, :])
        points = values[cards, hands]
        most = min(MOST_CHILDREN, len(np.unique(points)), budget)
        lines.append(kmeans_line(points, most, mass[hands]))
        places.append((cards, hands))
    errors = np.full((n_turn, max(found.most for found in lines)), np.inf)
    total = np.array([found.weights.sum() for found in lines])
    for row, (found, weight) in enumerate(zip(lines, total, strict=True)):
        errors[row, : found.most] = found.errors / weight
    children = divide_budget(errors, total / total.sum(), min(budget, sum(found.most for found in lines))).children
    river, first = np.full(values.shape, -1, dtype=np.int32), 0
    for found, k, (cards, hands) in zip(lines, children, places, strict=True):
        river[cards, hands] = first + found.labels(k, values[cards, hands])
        first += k
    up: IntArray = np.repeat(np.arange(n_turn), children)
    return river, up.astype(np.int32)
