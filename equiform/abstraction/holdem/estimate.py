r"""From a card abstraction of Texas hold'em to the deals of a bucketed game: one sweep over boards.

Canonical flops come with the number of flops that each stands for; on each of them all 49 turn cards are dealt and, per
turn board, some or all of the 48 river cards. Pairs of hands are added up by bucket
(:mod:`equiform.abstraction.holdem.counting`).

- The counts of a game that ends on the turn are exact if all flops are swept: whole numbers of deals.
- Wins and losses after the last card, and the counts of river buckets, are exact with all flops and all rivers.

Otherwise flops or rivers are drawn, in two independent halves. The sum of both is the estimate, and half the absolute
difference of their shares the standard error of each entry. With exact counts and drawn rivers, the margin is the
counts times the drawn deals' share of wins minus losses, so that it never exceeds what can be won.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import NamedTuple

import numpy as np

from equiform.abstraction.holdem.counting import add_pairs, space
from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS, HandBuckets, all_pairs
from equiform.abstraction.holdem.histories import Histories, find_histories
from equiform.games.cards.evaluator import N_CARDS, N_HANDS, strengths
from equiform.games.cards.indexing import hand_indexer
from equiform.models.bucketed.deals import BucketDeals
from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.runs.progress import Listener, Progress, silent


class Sweep(NamedTuple):
    """Which boards are dealt."""

    flops: int = 0
    """How many flops are drawn, at random; 0 for all of them."""
    rivers: int = 2
    """How many river cards are drawn per turn board; 48 are all."""
    seed: int = 0

    @property
    def exact_turns(self) -> bool:
        """Whether every flop and every turn card is dealt."""
        return self.flops == 0

    @property
    def exact_rivers(self) -> bool:
        """Whether every board is dealt."""
        return self.flops == 0 and self.rivers == N_CARDS - 4


@dataclass(frozen=True, eq=False)
class HoldemDeals:
    """The deals of a bucketed game of hold'em, and what hands are worth at its last round if nobody bets any more.

    Attributes
    ----------
    deals
        Pairs of histories on the last round.
    margin
        Wins minus losses after all five cards, in deals, for every pair.
    margin_error
        The standard error of every entry of ``margin / deals.total``; nothing if it is exact.
    sweep
        Which boards were dealt.
    """

    deals: BucketDeals
    margin: FloatArray = field(repr=False)
    margin_error: FloatArray | None = field(repr=False)
    sweep: Sweep
    histories: Histories = field(repr=False)

    @property
    def rounds(self) -> int:
        """Count the rounds."""
        return self.deals.rounds


class BoardHands(NamedTuple):
    """The hands of one board in ascending order of their ranks (all equal before the river)."""

    hands: IntArray
    which: IntArray  # their numbers among all 1,326
    ranks: IntArray


def estimate_deals(buckets: HandBuckets, sweep: Sweep = Sweep(), *, progress: Listener = silent) -> HoldemDeals:  # noqa: B008
    """Count how often pairs of hands fall into pairs of buckets, and who wins.

    Parameters
    ----------
    buckets
        The abstraction, and how many of its rounds the game has (2 to 4).
    sweep
        Which boards are dealt.
    progress
        Called with events.
    """
    _require(buckets, sweep)
    last = buckets.rounds - 1
    number = find_histories(buckets, _last_boards(sweep, last))
    n = number.sizes[-1]
    joint, drawn, margin = np.zeros((2, n, n)), np.zeros((2, n, n)), np.zeros((2, n, n))
    room, one = space(n), np.ones(N_HANDS)
    flops = list(flops_of(sweep))
    for done, (flop, weight, half) in enumerate(flops, 1):
        for board, part in _boards(flop, sweep, last):
            full = len(board) == 5
            target = half if part < 0 else part
            hands = hands_on(board, ranked=full)
            histories = number.on(board[: BOARD_CARDS[last]])[hands.which].astype(np.int64)
            counted = drawn if full and last < 3 else joint
            x, factors = one[: len(histories)], (weight, weight if full else 0.0)
            add_pairs(
                hands.hands, histories, hands.ranks, x, x, factors, room, counted[target], margin[target]
            )  # fmt: skip
        progress(Progress("boards", done, len(flops), 0.0))
    return _assembled(number, sweep, buckets.rounds, joint, drawn, margin)


def _require(buckets: HandBuckets, sweep: Sweep) -> None:
    where = "estimation of hold'em buckets"
    if buckets.rounds < 2:
        raise ParameterError("a game of one round needs no boards", where=where, fix="use 2 to 4 rounds")
    require_count(sweep.flops, "flops", where, least=0)
    require_count(sweep.rivers, "rivers", where, most=N_CARDS - 4)
    require_seed(sweep.seed, where)
    if sweep.flops == 1 or (not sweep.flops and sweep.rivers == 1):
        raise ParameterError("one draw says nothing about its error", where=where, fix="draw two or more")


def flops_of(sweep: Sweep) -> Iterator[tuple[tuple[int, ...], float, int]]:
    """Yield flops, the number of flops that each stands for, and the half of the draw that it belongs to."""
    indexer = hand_indexer(3)
    every = indexer.deals(0, np.arange(indexer.sizes[0]))
    weights = indexer.orbits(every)
    if not sweep.flops:
        for flop, weight in zip(every.tolist(), weights.tolist(), strict=True):
            yield tuple(flop), float(weight), 0
        return
    rng = np.random.default_rng([sweep.seed, 3])
    chosen = rng.choice(len(every), size=sweep.flops, p=weights / weights.sum())
    for k, number in enumerate(chosen.tolist()):
        yield tuple(every[number].tolist()), 1.0, k % 2


def _boards(flop: tuple[int, ...], sweep: Sweep, last: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the boards over a flop: their cards, and the half they belong to, or −1 for that of the flop.

    Boards of the last round count pairs of buckets; full boards say who wins (on the river they are the same).
    """
    rng = np.random.default_rng([sweep.seed, *flop])
    rest = [c for c in range(N_CARDS) if c not in flop]
    if last == 1:
        yield flop, -1
    for turn in rest:
        board = (*flop, turn)
        if last == 2:
            yield board, -1
        left = [c for c in rest if c != turn]
        rivers = left if sweep.rivers == len(left) else rng.choice(left, size=sweep.rivers, replace=False).tolist()
        for k, river in enumerate(rivers):
            yield (*board, river), -1 if sweep.flops else k % 2


def _last_boards(sweep: Sweep, last: int) -> Iterator[tuple[int, ...]]:
    """Yield the boards of the last round, each once per flop."""
    for flop, _, _ in flops_of(sweep):
        yield from {board[: BOARD_CARDS[last]] for board, _ in _boards(flop, sweep, last)}


def full_boards(flop: tuple[int, ...], sweep: Sweep) -> Iterator[tuple[int, ...]]:
    """Yield the boards of five cards over a flop that a sweep deals."""
    return (board for board, _ in _boards(flop, sweep, 3))


def hands_on(board: Sequence[int], *, ranked: bool) -> BoardHands:
    """Return the hands that a board leaves, weakest first if they are ranked."""
    which = np.flatnonzero(_free(board))
    hands = _PAIRS[which]
    if not ranked:
        return BoardHands(hands, which, np.zeros(len(which), dtype=np.int64))
    ranks = strengths(np.hstack([hands, np.tile(np.array(board), (len(hands), 1))])).astype(np.int64)
    order = np.argsort(ranks, kind="stable")
    return BoardHands(hands[order], which[order], ranks[order])


def _free(board: Sequence[int]) -> BoolArray:
    dead = np.zeros(N_CARDS, dtype=bool)
    dead[list(board)] = True
    found: BoolArray = ~(dead[_PAIRS[:, 0]] | dead[_PAIRS[:, 1]])
    return found


_PAIRS = all_pairs()


def _assembled(
    number: Histories, sweep: Sweep, rounds: int, joint: FloatArray, drawn: FloatArray, margin: FloatArray
) -> HoldemDeals:
    counts = joint.sum(axis=0)
    exact = sweep.exact_rivers if rounds == 4 else sweep.exact_turns
    shown = None if number.shown is None else (number.shown, number.shown)
    ups = (number.up, number.up)
    deals = BucketDeals(counts, ups, shown, None if exact else _halves(joint, joint))
    if rounds == 4:
        return HoldemDeals(deals, margin.sum(axis=0), None if exact else _halves(margin, joint), sweep, number)
    met = drawn.sum(axis=0)
    share = np.divide(margin.sum(axis=0), met, out=np.zeros_like(met), where=met > 0)
    error = None
    if not sweep.exact_rivers:
        parts = [np.divide(m, d, out=np.zeros_like(d), where=d > 0) for m, d in zip(margin, drawn, strict=True)]
        error = np.abs(parts[0] - parts[1]) / 2 * counts / deals.total
    return HoldemDeals(deals, counts * share, error, sweep, number)


def _halves(parts: FloatArray, counted: FloatArray) -> FloatArray:
    """Return the standard errors of the mean of two halves."""
    first, second = (p / c.sum() for p, c in zip(parts, counted, strict=True))
    found: FloatArray = np.abs(first - second) / 2
    return found


def dealt_in_all(rounds: int) -> float:
    """Count the deals of two hands and the board of a round, flops unordered."""
    board = (1, comb(48, 3), comb(48, 3) * 45, comb(48, 3) * 45 * 44)[rounds - 1]
    return float(comb(52, 2) * comb(50, 2) * board)
