"""One sweep over all river boards, and the equities of earlier rounds by addition.

Up to a renaming of suits there are 134,459 river boards. :func:`river_table` finds wins and ties of all hands on each
of them once. A turn board with its 48 river cards then needs no evaluation: each full board is looked up by its
canonical index, and the suit permutation that brings it there is applied to the hands. The same step goes from turn to
flop; since every pair of turn and river card then comes twice, sums are halved. All sums are integers, so the tables
are exact.

Rows of a board table are canonical boards without order; columns are the 1,326 hands in colexicographic order of the 52
cards, zero where hand and board share a card.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.isomorphism import ENDS, N_WORK, ORDER, canonical_deal, canonical_index
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.games.cards.showdown import RIVER_HANDS, RiverSpace, pair_places, river_outcomes, river_space
from equiform.models.common.arguments import require_callable, require_count, require_kind, require_workers
from equiform.models.common.array_arguments import require_array, require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

#: Called as ``progress(stage, done, total)`` from the thread that requested the table.
Progress: TypeAlias = Callable[[str, int, int], None]
#: Enough for the number of wins of a hand: 990 on the river, 46 · 990 on the turn, 1081 · 990 on the flop.
BOARD_DTYPES: dict[int, DTypeLike] = {5: np.uint16, 4: np.uint16, 3: np.uint32}
_SPREADS = ((3, (2, 3)), (4, (2, 4)), (4, (2, 3, 1)))  # size of the boards, rounds of the hands


@jit
def river_class_outcomes(b: int, boards: IntArray, tables: RankTables, places: IntArray, space: RiverSpace) -> None:
    """Deal the canonical board of class b, and fill ``space`` with wins and ties of all hands on it."""
    board = np.empty(5, np.int64)
    canonical_deal(b, boards, board, np.empty((N_WORK, 4), np.int64))
    rest, outcomes, scratch, strengths = space
    river_outcomes(board, tables, places, rest, outcomes, scratch, strengths)


@jit
def _fill_river(
    which: IntArray,
    boards: IntArray,
    tables: RankTables,
    places: IntArray,
    out: NDArray[Any],
) -> None:
    space = river_space()
    rest, outcomes = space[0], space[1]
    for b in which:
        river_class_outcomes(b, boards, tables, places, space)
        for h in range(RIVER_HANDS):
            low, high = rest[places[h, 0]], rest[places[h, 1]]
            hand = high * (high - 1) // 2 + low
            out[b, hand, 0] = outcomes[h, 0]
            out[b, hand, 1] = outcomes[h, 1]


@jit
def renamed_cards(order: IntArray, cards: IntArray) -> None:
    """Fill in where a renaming of the suits sends each card."""
    for card in range(N_CARDS):
        cards[card] = (card & ~3) | order[card & 3]


@jit
def renamed_hand(low: int, high: int, cards: IntArray) -> int:
    """Return the colexicographic index of a hand after the renaming."""
    a, b = cards[low], cards[high]
    if a > b:
        a, b = b, a
    return b * (b - 1) // 2 + a


@jit
def _fill_earlier(
    which: IntArray,
    boards: IntArray,
    next_boards: IntArray,
    later: NDArray[Any],
    out: NDArray[Any],
    repeats: int,
) -> None:
    """Sum the table of boards with one more card over that card."""
    size = boards[boards[ENDS]]  # of the only round
    board = np.empty(size + 1, np.int64)
    work = np.empty((N_WORK, 4), np.int64)
    renamed = np.empty(N_CARDS, np.int64)
    live = np.empty(N_CARDS, np.int64)
    sums = np.empty((N_HANDS, 2), np.int64)
    for b in which:
        canonical_deal(b, boards, board, work)
        sums[:] = 0
        dead = 0
        for i in range(size):
            dead |= 1 << board[i]
        for card in range(N_CARDS):
            if dead >> card & 1:
                continue
            board[size] = card
            row = later[canonical_index(board, next_boards, work)]
            renamed_cards(work[ORDER], renamed)
            n = 0
            for other in range(N_CARDS):
                if other != card and not dead >> other & 1:
                    live[n] = other
                    n += 1
            for i in range(1, n):
                first = live[i] * (live[i] - 1) // 2
                for j in range(i):
                    hand = renamed_hand(live[j], live[i], renamed)
                    sums[first + live[j], 0] += row[hand, 0]
                    sums[first + live[j], 1] += row[hand, 1]
        for h in range(N_HANDS):
            out[b, h, 0] = sums[h, 0] // repeats
            out[b, h, 1] = sums[h, 1] // repeats


@jit
def _spread(
    which: IntArray,
    boards: IntArray,
    hands: IntArray,
    orders: int,
    table: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Copy rows of boards to the classes of (hand, board); each of the first ``orders`` board cards may come last."""
    size = boards[boards[ENDS]]
    board = np.empty(size, np.int64)
    deal = np.empty(size + 2, np.int64)
    work = np.empty((N_WORK, 4), np.int64)
    for b in which:
        canonical_deal(b, boards, board, work)
        dead = 0
        for card in board:
            dead |= 1 << card
        for last in range(orders):
            for i in range(size):
                deal[2 + i] = board[i]
            deal[2 + last], deal[1 + size] = board[size - 1], board[last]
            for high in range(1, N_CARDS):
                for low in range(high):
                    if not (dead >> high | dead >> low) & 1:
                        deal[0], deal[1] = low, high
                        index = canonical_index(deal, hands, work)
                        for k in range(out.shape[1]):
                            out[index, k] = table[b, high * (high - 1) // 2 + low, k]


def thread_count(threads: int | None, where: str) -> int:
    """Check a number of threads; None means one per processor."""
    return (os.cpu_count() or 1) if threads is None else require_workers(threads, "threads", where)


def require_table(table: NDArray[Any], shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Check the shape of a table that compiled loops read or fill without looking at its bounds."""
    require_kind(table, np.ndarray, name, "sweep")
    return require_array(table, name, "sweep", shape=shape)


def run_in_threads(
    work: Callable[[int, int], None], total: int, stage: str, threads: int | None, progress: Progress | None
) -> None:
    """Run ``work(begin, end)`` over 0 … total-1 in pieces, on several threads (compiled loops release the GIL)."""
    n_threads = thread_count(threads, stage)
    if progress is not None:
        require_callable(progress, "progress", stage)
    piece = max(1, total // (64 * n_threads))
    begins = range(0, total, piece)
    if n_threads == 1 and progress is None:
        for begin in begins:
            work(begin, min(begin + piece, total))
        return
    with ThreadPoolExecutor(n_threads) as pool:
        jobs = [pool.submit(work, begin, min(begin + piece, total)) for begin in begins]
        try:
            for done, job in enumerate(jobs, start=1):
                job.result()
                if progress:
                    progress(stage, min(done * piece, total), total)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def board_rows(boards: ArrayLike | None, size: int) -> IntArray:
    """Return the given canonical boards of ``size`` cards, or all of them."""
    n = hand_indexer(size).sizes[0]
    if boards is None:
        return np.arange(n)
    return require_integers(boards, "boards", f"canonical boards of {size} cards", shape=(None,), least=0, most=n - 1)


def river_table(
    boards: ArrayLike | None = None, *, threads: int | None = None, progress: Progress | None = None
) -> NDArray[np.uint16]:
    """Return ``[board, hand, (wins, ties)]`` of all canonical river boards: 713 MB, a few seconds.

    With ``boards`` only those rows are computed and the others stay zero, here and below.
    """
    which = board_rows(boards, 5)
    indexer = hand_indexer(5)
    out = np.zeros((indexer.sizes[0], N_HANDS, 2), dtype=np.uint16)
    fixed = indexer.tables[0], rank_tables(), pair_places(), out

    def work(begin: int, end: int) -> None:
        _fill_river(which[begin:end], *fixed)

    run_in_threads(work, len(which), "river boards", threads, progress)
    return out


def earlier_table(
    later: NDArray[Any],
    size: int,
    boards: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """Return the table of boards of ``size`` cards (4, then 3), from the one with one more card."""
    require_count(size, "size", "boards of an earlier round", least=3, most=4)
    require_table(later, (hand_indexer(size + 1).sizes[0], N_HANDS, 2), f"boards of {size + 1} cards")
    which = board_rows(boards, size)
    indexer = hand_indexer(size)
    out = np.zeros((indexer.sizes[0], N_HANDS, 2), dtype=BOARD_DTYPES[size])
    fixed = indexer.tables[0], hand_indexer(size + 1).tables[0], later, out, 5 - size

    def work(begin: int, end: int) -> None:
        _fill_earlier(which[begin:end], *fixed)

    run_in_threads(work, len(which), "turn boards" if size == 4 else "flop boards", threads, progress)
    return out


def spread_table(
    table: NDArray[Any],
    size: int,
    rounds: tuple[int, ...],
    out: NDArray[Any],
    boards: ArrayLike | None = None,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Fill a table by hand classes of ``rounds``: (2, 3), (2, 4) or (2, 3, 1), from one by boards of ``size`` cards."""
    if (size, tuple(rounds)) not in _SPREADS:
        raise ParameterError(
            f"boards of {size} cards are not those of rounds {rounds}",
            where="table of hand classes",
            fix=f"use one of {', '.join(map(str, _SPREADS))}",
        )
    require_table(table, (hand_indexer(size).sizes[0], N_HANDS, *np.shape(table)[2:]), f"boards of {size} cards")
    require_table(out, (hand_indexer(*rounds).sizes[-1], *np.shape(table)[2:]), "hand classes")
    which = board_rows(boards, size)
    orders = size if len(rounds) == 3 else 1
    fixed = hand_indexer(size).tables[0], hand_indexer(*rounds).tables[-1], orders, table, out

    def work(begin: int, end: int) -> None:
        _spread(which[begin:end], *fixed)

    run_in_threads(work, len(which), "hand classes", threads, progress)


def preflop_table(flops: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return ``[class, (wins, ties)]`` of the 169 starting hands, from the table by flops."""
    flop_cards = hand_indexer(3)
    require_table(flops, (flop_cards.sizes[0], N_HANDS, 2), "flops")
    weights = flop_cards.orbits(flop_cards.deals(0, np.arange(len(flops))))
    by_hand = np.einsum("b,bhk->hk", weights, flops.astype(np.int64))
    high, low = np.tril_indices(N_CARDS, -1)
    classes = hand_indexer(2).index(np.stack([low, high], axis=1))
    # Canonical flops treat the hands of a class differently, but their sum over the class counts every flop in full.
    # Each board of five cards then came once for each of its C(5,3) flops.
    sums = np.zeros((hand_indexer(2).sizes[0], 2), dtype=np.int64)
    np.add.at(sums, classes, by_hand)
    return (sums // (comb(5, 3) * np.bincount(classes))[:, None]).astype(np.uint32)
