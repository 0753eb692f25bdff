"""River equity histograms of whole rounds: what distribution-aware abstraction clusters (thesis ch. 5).

For every hand class of a round, how many completions of the board end in each interval of river equity. River equities
come from :func:`~equiform.games.cards.rounds.sweep.river_table`; a board's completions are looked up there as in the
sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.games.cards.equity import score_bins
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.isomorphism import ENDS, N_WORK, ORDER, canonical_deal, canonical_index
from equiform.games.cards.rounds.sweep import (
    Progress,
    board_rows,
    renamed_cards,
    renamed_hand,
    require_table,
    run_in_threads,
)
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit


@jit
def _add_completion(
    board: IntArray,
    river_boards: IntArray,
    river: NDArray[np.uint16],
    bin_of: IntArray,
    renamed: IntArray,
    work: IntArray,
    counts: IntArray,
) -> None:
    """Add one to the interval of every hand on a full board."""
    row = river[canonical_index(board, river_boards, work)]
    renamed_cards(work[ORDER], renamed)
    dead = 0
    for card in board:
        dead |= 1 << card
    for high in range(1, N_CARDS):
        if dead >> high & 1:
            continue
        first = high * (high - 1) // 2
        for low in range(high):
            if not dead >> low & 1:
                hand = renamed_hand(low, high, renamed)
                counts[first + low, bin_of[2 * int(row[hand, 0]) + int(row[hand, 1])]] += 1


@jit
def _fill_histograms(
    which: IntArray,
    boards: IntArray,
    river_boards: IntArray,
    hands: IntArray,
    river: NDArray[np.uint16],
    bin_of: IntArray,
    out: NDArray[Any],
) -> None:
    """Return the histograms of the hand classes of canonical boards of three or four cards."""
    size = boards[boards[ENDS]]
    board = np.empty(5, np.int64)
    deal = np.empty(size + 2, np.int64)
    work = np.empty((N_WORK, 4), np.int64)
    renamed = np.empty(N_CARDS, np.int64)
    counts = np.empty((N_HANDS, out.shape[1]), np.int64)
    for b in which:
        canonical_deal(b, boards, board[:size], work)
        deal[2:] = board[:size]
        dead = 0
        for card in deal[2:]:
            dead |= 1 << card
        counts[:] = 0
        for card in range(N_CARDS):
            if dead >> card & 1:
                continue
            board[size] = card
            if size == 4:
                _add_completion(board, river_boards, river, bin_of, renamed, work, counts)
            else:
                for other in range(card):
                    if not dead >> other & 1:
                        board[4] = other
                        _add_completion(board, river_boards, river, bin_of, renamed, work, counts)
        for high in range(1, N_CARDS):
            for low in range(high):
                if not (dead >> high | dead >> low) & 1:
                    deal[0], deal[1] = low, high
                    out[canonical_index(deal, hands, work)] = counts[high * (high - 1) // 2 + low]


@jit
def _fill_preflop(
    weights: IntArray,
    boards: IntArray,
    river: NDArray[np.uint16],
    bin_of: IntArray,
    class_of: IntArray,
    out: IntArray,
) -> None:
    """Add every river board, as often as it occurs, to the histograms of the starting hands."""
    board = np.empty(5, np.int64)
    work = np.empty((N_WORK, 4), np.int64)
    for b in range(weights.size):
        canonical_deal(b, boards, board, work)
        dead = 0
        for i in range(5):
            dead |= 1 << board[i]
        for high in range(1, N_CARDS):
            for low in range(high):
                if not (dead >> high | dead >> low) & 1:
                    hand = high * (high - 1) // 2 + low
                    score = 2 * int(river[b, hand, 0]) + int(river[b, hand, 1])
                    out[class_of[hand], bin_of[score]] += weights[b]


def preflop_histograms(river: NDArray[np.uint16], bins: int) -> IntArray:
    """Return ``[class, interval]``: how many of the C(50,5) boards lead each starting hand to that river equity."""
    boards, hands = hand_indexer(5), hand_indexer(2)
    require_table(river, (boards.sizes[0], N_HANDS, 2), "river boards")
    bin_of = score_bins(bins)
    weights = boards.orbits(boards.deals(0, np.arange(boards.sizes[0])))
    high, low = np.tril_indices(N_CARDS, -1)
    class_of = hands.index(np.stack([low, high], axis=1))
    sums = np.zeros((hands.sizes[0], bins), dtype=np.int64)
    _fill_preflop(weights, boards.tables[0], river, bin_of, class_of, sums)
    return sums // np.bincount(class_of)[:, None]


def fill_histograms(
    river: NDArray[np.uint16],
    rounds: tuple[int, int],
    out: NDArray[Any],
    boards: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Fill ``out[class, interval]`` for the hand classes of (2, 3) or (2, 4), or of some canonical boards only."""
    if tuple(rounds) not in ((2, 3), (2, 4)):
        raise ParameterError(f"rounds are {rounds}"[:200], where="histograms", fix="use (2, 3) or (2, 4)")
    require_table(river, (hand_indexer(5).sizes[0], N_HANDS, 2), "river boards")
    require_table(out, (hand_indexer(*rounds).sizes[-1], *np.shape(out)[1:2]), "hand classes")
    which = board_rows(boards, rounds[1])
    tables = hand_indexer(rounds[1]).tables[0], hand_indexer(5).tables[0], hand_indexer(*rounds).tables[1]
    fixed = *tables, river, score_bins(out.shape[1]), out

    def work(begin: int, end: int) -> None:
        _fill_histograms(which[begin:end], *fixed)

    run_in_threads(work, len(which), "histograms", threads, progress)
