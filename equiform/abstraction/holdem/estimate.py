r"""From a card abstraction of Texas hold'em to the deals of a bucketed game: one sweep over boards.

On every flop all 49 turn cards are dealt and, per turn board, some or all of the 48 river cards, up to renaming suits
(:mod:`equiform.abstraction.holdem.boards`). Pairs of hands are added up by bucket
(:mod:`equiform.abstraction.holdem.counting`, and :mod:`equiform.abstraction.holdem.rivers` for all rivers at once).

- The counts of a game that ends on the turn are exact if all flops are swept: whole numbers of deals.
- Wins and losses after the last card, and the counts of river buckets, are exact with all flops and all rivers.

Otherwise flops or rivers are drawn, in two independent halves. The sum of both is the estimate, and half the absolute
difference of their shares the standard error of each entry. The margin is the counts times the dealt rivers' share of
wins minus losses, so that it never exceeds what can be won.

A sweep can keep what it has counted, and goes on from there bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from equiform.abstraction.holdem.boards import (
    ALL_RIVERS,
    Sweep,
    drawn_rivers,
    flops_of,
    full_boards,
    hands_on,
    next_boards,
)
from equiform.abstraction.holdem.counting import Space, add_pairs, space
from equiform.abstraction.holdem.deals import HoldemDeals, PartialSums
from equiform.abstraction.holdem.files import read_sums, write_sums
from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS, HandBuckets
from equiform.abstraction.holdem.histories import Histories, find_histories
from equiform.abstraction.holdem.rivers import RiverSpace, add_rivers, river_space
from equiform.games.cards.evaluator import N_HANDS
from equiform.games.cards.rank_tables import rank_tables
from equiform.models.bucketed.deals import BucketDeals
from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.runs.progress import Listener, Progress, silent

#: A sweep keeps its sums about as often as this, in seconds.
SAVE_SECONDS = 20.0


class Keep(NamedTuple):
    """Where a sweep keeps its sums, and what identifies the abstraction that they belong to."""

    path: Path
    key: str


def estimate_deals(
    buckets: HandBuckets,
    sweep: Sweep | None = None,
    *,
    keep: Keep | None = None,
    progress: Listener = silent,
) -> HoldemDeals:
    """Count how often pairs of hands fall into pairs of buckets, and who wins.

    Parameters
    ----------
    buckets
        The abstraction, and how many of its rounds the game has (2 to 4).
    sweep
        Which boards are dealt; by default every board, or two rivers per turn if the river has buckets.
    keep
        A file for the sums so far. If it is there, the sweep goes on from it; it is deleted at the end.
    progress
        Called with events.

    Raises
    ------
    FormatError
        If the file belongs to another abstraction or sweep.
    """
    dealt = Sweep.of_rounds(buckets.rounds) if sweep is None else sweep
    _require(buckets, dealt)
    number = find_histories(buckets, _last_boards(dealt, buckets.rounds - 1))
    sums = PartialSums.start(number.sizes[-1])
    if keep is not None and keep.path.exists():
        sums = read_sums(keep.path, keep.key, number, dealt)
    counter = _Counter(number, dealt, sums)
    flops, wait, saved = list(flops_of(dealt)), SAVE_SECONDS, time.monotonic()
    for flop, weight, half in flops[sums.done :]:
        counter.add(flop, weight, half)
        progress(Progress("boards", sums.done, len(flops), 0.0))
        now = time.monotonic()
        if keep is not None and now - saved >= wait:
            write_sums(keep.path, keep.key, number, dealt, sums)
            saved = time.monotonic()
            wait = max(SAVE_SECONDS, 20 * (saved - now))  # large matrices take a while to write
    found = counter.deals()
    if keep is not None:
        keep.path.unlink(missing_ok=True)
    return found


def _require(buckets: HandBuckets, sweep: Sweep) -> None:
    where = "estimation of hold'em buckets"
    if buckets.rounds < 2:
        raise ParameterError("a game of one round needs no boards", where=where, fix="use 2 to 4 rounds")
    require_count(sweep.flops, "flops", where, least=0)
    require_count(sweep.rivers, "rivers", where, most=ALL_RIVERS)
    require_seed(sweep.seed, where)
    if sweep.flops == 1 or (not sweep.flops and sweep.rivers == 1):
        raise ParameterError("one draw says nothing about its error", where=where, fix="draw two or more")


def _last_boards(sweep: Sweep, last: int) -> Iterator[tuple[int, ...]]:
    """Yield the boards of the last round, each once per flop."""
    for flop, _, _ in flops_of(sweep):
        if last == 1:
            yield flop
        elif last == 2:
            yield from (tuple(b) for b in next_boards(flop)[0].tolist())
        else:
            yield from (board for board, _, _ in full_boards(flop, sweep))


class _Counter:
    """The sums of a sweep, and one more flop after another."""

    def __init__(self, number: Histories, sweep: Sweep, sums: PartialSums) -> None:
        self.number, self.sweep, self.sums = number, sweep, sums
        self._last = number.buckets.rounds - 1
        n = number.sizes[-1]
        self._room: Space = space(n)
        self._rivers: RiverSpace = river_space(n)
        self._one = np.ones(N_HANDS)

    def add(self, flop: Sequence[int], weight: float, half: int) -> None:
        """Deal a flop, all turns and the sweep's rivers; a half of the drawn flops, or of the drawn rivers of all."""
        if self._last == 1:
            self._pairs(flop, (weight, 0.0), half)
        for turn, times in zip(*next_boards(flop), strict=True):
            board, factor = turn.tolist(), weight * float(times)
            if self._last == 2:
                self._pairs(board, (factor, 0.0), half)
            boards, counts = drawn_rivers(board, self.sweep)
            if self._last < 3 and self.sweep.every_river:
                histories = self.number.on(tuple(board[: BOARD_CARDS[self._last]]))
                add_rivers(boards, counts, histories, rank_tables(), factor, self._rivers, self.sums.margin[half])
                continue
            for k, (full, count) in enumerate(zip(boards.tolist(), counts.tolist(), strict=True)):
                both = factor * count
                self._pairs(full, (both, both), k % 2 if self.sweep.every_flop else half)
        self.sums.done += 1

    def _pairs(self, board: Sequence[int], factors: tuple[float, float], half: int) -> None:
        """Count the pairs of hands on one board, and who wins if it is full."""
        full = len(board) == 5
        joint = self.sums.drawn if full and self._last < 3 else self.sums.joint
        on = hands_on(board, ranked=full)
        histories = self.number.on(tuple(board[: BOARD_CARDS[self._last]]))[on.which].astype(np.int64)
        x = self._one[: len(histories)]
        add_pairs(
            on.hands, histories, on.ranks, x, x, factors, self._room, joint[half], self.sums.margin[half]
        )  # fmt: skip

    def deals(self) -> HoldemDeals:
        """Return what the sums say."""
        sweep, joint, margin = self.sweep, self.sums.joint, self.sums.margin
        counts = joint.sum(axis=0)
        river = self._last == 3
        exact = sweep.exact if river else sweep.every_flop
        shown = None if self.number.shown is None else (self.number.shown, self.number.shown)
        deals = BucketDeals(counts, (self.number.up,) * 2, shown, None if exact else _halves(joint, joint))
        if river:
            error = None if exact else _halves(margin, joint)
            return HoldemDeals(deals, margin.sum(axis=0), error, sweep, self.number)
        # on all rivers every pair of hands meets equally often: 44 times per turn, 45 · 44 times per flop
        runouts = 44.0 if self._last == 2 else 1980.0
        met = joint * runouts if sweep.every_river else self.sums.drawn
        shares = _shares(margin, met)
        error = None if sweep.exact else np.abs(shares[0] - shares[1]) / 2 * counts / deals.total
        won = margin.sum(axis=0)
        worth = won / runouts if sweep.every_river else counts * _shares(won, met.sum(axis=0))
        return HoldemDeals(deals, worth, error, sweep, self.number)


def _shares(margin: FloatArray, met: FloatArray) -> FloatArray:
    found: FloatArray = np.divide(margin, met, out=np.zeros_like(margin), where=met > 0)
    return found


def _halves(parts: FloatArray, counted: FloatArray) -> FloatArray:
    """Return the standard errors of the mean of two halves."""
    first, second = (p / c.sum() for p, c in zip(parts, counted, strict=True))
    found: FloatArray = np.abs(first - second) / 2
    return found
