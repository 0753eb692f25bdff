"""Histories of buckets: what a player of an abstract game of hold'em knows, numbered round by round.

Where buckets remember, a history is a bucket. Otherwise it is the sequence of buckets so far; those that occur are
found by dealing boards, and numbered in the order of their buckets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS, HandBuckets
from equiform.games.cards.evaluator import N_HANDS
from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.errors import ParameterError

#: Histories beyond this number make matrices that no machine at hand holds.
MOST_HISTORIES = 30_000


@dataclass(frozen=True, eq=False)
class Histories:
    """The histories of every round of an abstraction.

    Attributes
    ----------
    buckets
        The abstraction.
    codes
        For each round the codes of its histories, ascending, where some round forgets; else nothing.
    """

    buckets: HandBuckets
    codes: tuple[IntArray, ...] = field(default=(), repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Count the histories by round."""
        return tuple(map(len, self.codes)) if self.codes else self.buckets.n_buckets

    @property
    def up(self) -> tuple[Int32Array, ...]:
        """The parents of the histories of every round but the first."""
        if not self.codes:
            return tuple(self.buckets.up(s) for s in range(1, self.buckets.rounds))
        pairs = zip(self.codes, self.codes[1:], self.buckets.n_buckets[1:], strict=False)
        return tuple(np.searchsorted(above, codes // n).astype(np.int32) for above, codes, n in pairs)

    @property
    def shown(self) -> tuple[Int32Array, ...] | None:
        """The bucket of every history, where players forget."""
        if not self.codes:
            return None
        return tuple((c % n).astype(np.int32) for c, n in zip(self.codes, self.buckets.n_buckets, strict=True))

    def on(self, board: Sequence[int]) -> Int32Array:
        """Return the history of every hand on a board, −1 where blocked."""
        if not self.codes:
            return self.buckets.on(board)
        found, free = path_codes(self.buckets, board)
        keys = self.codes[BOARD_CARDS.index(len(board))]
        place = np.searchsorted(keys, found).clip(0, len(keys) - 1)
        # a path that no dealt board had shares the strategy of its neighbour in the order of buckets
        return np.where(free, place, -1).astype(np.int32)


def find_histories(buckets: HandBuckets, boards: Iterable[Sequence[int]]) -> Histories:
    """Return the histories of an abstraction; those of one that forgets are collected on boards of the last round."""
    if buckets.perfect_recall:
        _require_few(buckets.n_buckets[-1])
        return Histories(buckets)
    codes = np.zeros(0, dtype=np.int64)
    for board in boards:
        found, free = path_codes(buckets, board)
        codes = np.union1d(codes, found[free])
        _require_few(len(codes))
    every = [codes]
    for n in reversed(buckets.n_buckets[1:]):
        every.append(np.unique(every[-1] // n))
    return Histories(buckets, tuple(every[::-1]))


def path_codes(
    buckets: HandBuckets, board: Sequence[int]
) -> tuple[IntArray, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Return a number for every hand's buckets on each round up to a board, and which hands the board leaves."""
    code = np.zeros(N_HANDS, dtype=np.int64)
    last = np.zeros(N_HANDS, dtype=np.int32)
    for n, last in zip(buckets.n_buckets, buckets.path(board), strict=False):
        code = code * n + np.maximum(last, 0)
    return code, last >= 0


def _require_few(count: int) -> None:
    if count > MOST_HISTORIES:
        raise ParameterError(
            f"{count:,} histories of buckets need matrices of {8 * count**2 / 1e9:.0f} GB each",
            where="bucketed hold'em",
            fix="use fewer buckets, or buckets that remember",
        )
