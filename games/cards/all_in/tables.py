r"""The all-in tables of the 169 starting hands: computed once, kept on disk, exact.

Two players: ``[169, 169, 3]`` deals won, lost and tied by the first. Three players: 818,805 multisets of classes times
13 weak orders, numbered by :func:`~equiform.games.cards.colex.multiset_index` (thesis §9.7.2 prints 881,805). Counts
are deals of concrete cards: all disjoint hands of the classes times all boards. They fit into 32 bits; the largest
possible is :math:`12^3 \binom{46}{5}`. Classes are in the order of :func:`~equiform.games.cards.charts.starting_hands`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from equiform.games.cards.all_in.boards import GHOST, N_PAIRS, RANK_PAIRS, AllInBoards, boards
from equiform.games.cards.all_in.counting import N_ORDERS, ORDERS, count_orders
from equiform.games.cards.card import STANDARD
from equiform.games.cards.charts import starting_hands
from equiform.games.cards.colex import multiset_index
from equiform.games.cards.rank_tables import fingerprint, rank_tables
from equiform.games.cards.rounds.cache import cache_dir, cached_array, new_array, require_writable
from equiform.games.cards.rounds.sweep import Progress, run_in_threads
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.jit import jit

#: Raise it when the layout of a table or the numbering of hands changes.
VERSION = 1
N_CLASSES = 169
N_TRIPLES = comb(N_CLASSES + 2, 3)
#: Boards that are left when two or three hands are dealt.
BOARDS_AFTER_TWO, BOARDS_AFTER_THREE = comb(48, 5), comb(46, 5)
#: Hands that two hands and a board leave for a third player.
THIRD_HANDS = comb(43, 2)


@cache
def _class_of() -> NDArray[np.int64]:
    """The class of a pair of ranks, ``[pair, suited or not]``; pairs of one rank have no suited class."""
    names = starting_hands()
    found = np.full((N_PAIRS, 2), -1, dtype=np.int64)
    for k, (high, low) in enumerate(RANK_PAIRS):
        ranks = STANDARD.ranks[high] + STANDARD.ranks[low]
        if high == low:
            found[k, 0] = names.index(ranks)
        else:
            found[k] = names.index(ranks + "o"), names.index(ranks + "s")
    return found


@cache
def order_after(places: tuple[int, int, int]) -> NDArray[np.int64]:
    """Number the orders of players who sit in other places: ``ORDERS[result[o]][k] == ORDERS[o][places[k]]``.

    >>> ORDERS[order_after((2, 0, 1))[0]]
    (2, 0, 1)
    """
    return np.array([ORDERS.index((o[places[0]], o[places[1]], o[places[2]])) for o in ORDERS], dtype=np.int64)


_PERMUTATIONS = np.array(list(permutations(range(3))), dtype=np.int64)


@jit
def _fill(
    begin: int,
    end: int,
    triples: NDArray[np.int64],
    rank_pairs: NDArray[np.int64],
    boards_: AllInBoards,
    class_of: NDArray[np.int64],
    permutations_: NDArray[np.int64],
    renumbered: NDArray[np.int64],
    out: NDArray[np.uint32],
) -> None:
    """Count the triples of rank pairs from ``begin`` to ``end`` and put each class triple into its row."""
    counts = np.zeros((8, N_ORDERS), dtype=np.int64)
    classes = np.zeros(3, dtype=np.int64)
    for k in range(begin, end):
        count_orders(triples[k], rank_pairs, boards_, counts)
        for combo in range(8):
            good = True
            for hand in range(3):
                classes[hand] = class_of[triples[k, hand], combo >> hand & 1]
                good = good and classes[hand] >= 0
            if not good:
                continue
            for permutation in range(6):
                a, b, c = classes[permutations_[permutation]]
                if a <= b <= c:
                    row = a + b * (b + 1) // 2 + c * (c + 1) * (c + 2) // 6
                    for order in range(N_ORDERS):
                        out[row, renumbered[permutation, order]] = counts[combo, order]
                    break


@dataclass(frozen=True)
class ThreeWayTable:
    """How often three starting hands come in each order."""

    counts: NDArray[np.uint32]  # [multiset of classes, order], memory-mapped

    def orders(self, first: int, second: int, third: int) -> NDArray[np.int64]:
        """Count the deals of three classes by order (of :data:`ORDERS`), for the players as given."""
        classes = require_integers([first, second, third], "classes", "all-in table", least=0, most=N_CLASSES - 1)
        places = np.argsort(classes, kind="stable")
        row = self.counts[multiset_index(classes[places].reshape(1, 3))[0]]
        return row[order_after(tuple(places.tolist()))].astype(np.int64)

    def dense(self, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Spread the table over all ordered triples: ``[order, first, second, third]``, 250 MB in single precision."""
        out: NDArray[Any] = np.empty((N_ORDERS, N_CLASSES, N_CLASSES, N_CLASSES), dtype=dtype)
        grid = np.indices((N_CLASSES, N_CLASSES), dtype=np.int64)
        for first in range(N_CLASSES):
            triples = np.stack([np.full(N_CLASSES**2, first), grid[0].ravel(), grid[1].ravel()], axis=1)
            places = np.argsort(triples, axis=1, kind="stable")
            rows = multiset_index(np.take_along_axis(triples, places, axis=1))
            order = np.stack([order_after(tuple(p.tolist())) for p in _PERMUTATIONS])
            permutation = (places[:, None] == _PERMUTATIONS).all(axis=2).argmax(axis=1)
            spread = np.take_along_axis(self.counts[rows], order[permutation], axis=1)
            out[:, first] = spread.T.reshape(N_ORDERS, N_CLASSES, N_CLASSES)
        return out


def two_way_table(*, folder: Path | None = None) -> NDArray[np.int64]:
    """Deals that the first of two starting hands wins, loses and ties: ``[169, 169, 3]``; seconds, then cached.

    >>> aces = starting_hands().index("AA")
    >>> int(two_way_table()[aces, aces].sum()) == 6 * comb(48, 5)    # one way to hold the other two aces
    True
    """
    path = _path("two-way", folder)
    table: NDArray[np.int64] = cached_array(path, (N_CLASSES, N_CLASSES, 3), np.int64, lambda: _build_two_way(path))
    return table


def three_way_table(
    *, threads: int | None = None, progress: Progress | None = None, folder: Path | None = None
) -> ThreeWayTable:
    """Count all orders of three starting hands; minutes on one core, then cached (43 MB)."""
    path = _path("three-way", folder)
    counts = cached_array(path, (N_TRIPLES, N_ORDERS), np.uint32, lambda: _build_three_way(path, threads, progress))
    return ThreeWayTable(counts)


def _path(name: str, folder: Path | None) -> Path:
    root = cache_dir() if folder is None else Path(folder)
    return root / "cards" / f"all-in-{name}-v{VERSION}-{fingerprint(rank_tables())[:12]}.npy"


def _build_two_way(path: Path) -> None:
    require_writable(path)
    class_of, layout = _class_of(), boards()
    counts = np.zeros((8, N_ORDERS), dtype=np.int64)
    with new_array(path, (N_CLASSES, N_CLASSES, 3), np.int64) as out:
        for p in range(N_PAIRS):
            for q in range(p + 1):
                count_orders(np.array([p, q, GHOST]), RANK_PAIRS, layout, counts)
                for combo in range(4):
                    a, b = class_of[p, combo & 1], class_of[q, combo >> 1]
                    if a < 0 or b < 0:
                        continue
                    # Two players and somebody who is always last: three of the orders occur.
                    won, lost, tied = (counts[combo, ORDERS.index(o)] for o in ((0, 1, 2), (1, 0, 2), (0, 0, 2)))
                    out[a, b] = won, lost, tied
                    out[b, a] = lost, won, tied


def _build_three_way(path: Path, threads: int | None, progress: Progress | None) -> None:
    require_writable(path)
    triples = np.array([(a, b, c) for c in range(N_PAIRS) for b in range(c + 1) for a in range(b + 1)], dtype=np.int64)
    # Those with many equal ranks are quick: spread them evenly.
    triples = triples[np.random.default_rng(0).permutation(len(triples))]
    renumbered = np.array([order_after(tuple(p.tolist())) for p in _PERMUTATIONS])
    class_of, layout = _class_of(), boards()
    with new_array(path, (N_TRIPLES, N_ORDERS), np.uint32) as out:

        def work(begin: int, end: int) -> None:
            _fill(begin, end, triples, RANK_PAIRS, layout, class_of, _PERMUTATIONS, renumbered, out)

        run_in_threads(work, len(triples), "all-in orders", threads, progress)
