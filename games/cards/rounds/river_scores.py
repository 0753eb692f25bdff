"""River hands without a table: their strength is computed on demand.

Up to a renaming of suits there are 2.4 billion river hands, too many to keep a number for each. But all hands of a
board are compared at once (:mod:`~equiform.games.cards.showdown`), in microseconds. A hand's *score* is twice the
opponents it beats plus those it ties with: 0 to 1,980, so that the strengths of all river hands together are one short
histogram.
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.games.cards.card import STANDARD, CardError
from equiform.games.cards.colex import colex_index
from equiform.games.cards.evaluator import N_CARDS, fill_board
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.games.cards.rounds.sweep import Progress, board_rows, river_class_outcomes, run_in_threads
from equiform.games.cards.showdown import OPPONENTS, RIVER_HANDS, pair_places, river_outcomes, river_space
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import jit

#: The score of a hand that no other can beat or tie.
HIGHEST = 2 * OPPONENTS
#: From how many hands on a board it pays to sort them all.
MANY = 8


@jit
def _score(hand: int, strengths: NDArray[np.int16], places: IntArray) -> int:
    """Return the score of one hand, by comparing it with every hand that shares no card with it."""
    low, high, own = places[hand, 0], places[hand, 1], strengths[hand]
    score = 0
    for other in range(RIVER_HANDS):
        a, b = places[other, 0], places[other, 1]
        if a != low and a != high and b != low and b != high:
            if strengths[other] < own:
                score += 2
            elif strengths[other] == own:
                score += 1
    return score


@jit
def _fill_scores(
    deals: IntArray,
    boards: IntArray,
    order: IntArray,
    tables: RankTables,
    places: IntArray,
    out: IntArray,
) -> None:
    """Fill in the scores of deals, visited so that equal boards follow each other: each board is ranked once."""
    place = np.empty(N_CARDS, np.int64)
    rest, outcomes, scratch, strengths = river_space()
    begin = 0
    while begin < order.size:
        end = begin
        while end < order.size and boards[order[end]] == boards[order[begin]]:
            end += 1
        board = deals[order[begin], 2:]
        many = end - begin >= MANY
        if many:
            river_outcomes(board, tables, places, rest, outcomes, scratch, strengths)
        else:
            fill_board(board, tables, strengths, rest)
        for i in range(N_CARDS - 5):
            place[rest[i]] = i
        for row in order[begin:end]:
            low, high = place[deals[row, 0]], place[deals[row, 1]]
            if low > high:
                low, high = high, low
            hand = high * (high - 1) // 2 + low
            out[row] = 2 * outcomes[hand, 0] + outcomes[hand, 1] if many else _score(hand, strengths, places)
        begin = end


def river_scores(deals: ArrayLike, *, threads: int | None = None) -> IntArray:
    """Return the scores of river hands, given as rows of two private and five public cards.

    Deals on the same board share its work.

    >>> from equiform.games.cards.card import parse
    >>> river_scores([parse("KcQc7dQh4h2s3c"), parse("AsKsQsJsTs2h3d")]).tolist()
    [1694, 1980]
    """
    rows = require_integers(deals, "deals", "river hands", error=CardError)
    if rows.ndim != 2 or rows.shape[1] != 7:
        raise CardError(
            "river hands are rows of seven cards", where=f"shape {rows.shape}", fix="hand first, then board"
        )
    ordered = np.sort(rows, axis=1)
    wrong = (ordered[:, 0] < 0) | (ordered[:, -1] >= N_CARDS) | (np.diff(ordered, axis=1) == 0).any(axis=1)
    if wrong.any():
        STANDARD.cards(rows[wrong.argmax()])  # says what is wrong with them
    boards = colex_index(rows[:, 2:])
    order = np.argsort(boards, kind="stable")
    out = np.empty(len(rows), dtype=np.int64)
    fixed = rank_tables(), pair_places(), out

    def work(begin: int, end: int) -> None:
        _fill_scores(rows, boards, order[begin:end], *fixed)

    run_in_threads(work, len(rows), "river hands", threads, None)
    return out


@jit
def _count_scores(
    which: IntArray,
    boards: IntArray,
    orbits: IntArray,
    tables: RankTables,
    places: IntArray,
    counts: IntArray,
) -> None:
    space = river_space()
    outcomes = space[1]
    for b in which:
        river_class_outcomes(b, boards, tables, places, space)
        for h in range(RIVER_HANDS):
            counts[2 * outcomes[h, 0] + outcomes[h, 1]] += orbits[b]


def river_score_counts(
    boards: ArrayLike | None = None, *, threads: int | None = None, progress: Progress | None = None
) -> IntArray:
    """Return how many of the C(52,5) · 1,081 river deals have each score, from one sweep of the canonical boards.

    With ``boards`` only those classes of boards are counted.
    """
    which, indexer = board_rows(boards, 5), hand_indexer(5)
    orbits = indexer.orbits(indexer.deals(0, np.arange(indexer.sizes[0])))
    total, lock = np.zeros(HIGHEST + 1, dtype=np.int64), Lock()

    def work(begin: int, end: int) -> None:
        counts = np.zeros(HIGHEST + 1, dtype=np.int64)
        _count_scores(which[begin:end], indexer.tables[0], orbits, rank_tables(), pair_places(), counts)
        with lock:
            np.add(total, counts, out=total)

    run_in_threads(work, len(which), "river boards", threads, progress)
    return total
