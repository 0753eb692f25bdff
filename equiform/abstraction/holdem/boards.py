"""Which boards of Texas hold'em are dealt: canonical ones, with the number of boards that each stands for.

Boards that renaming suits turns into each other have the same buckets and the same winners. One of each class is dealt:
1,755 flops stand for 22,100, and with a turn card 63,193 boards for 1,082,900, and with a river card 2,554,656 for
51,979,200 (flop, turn and river told apart).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from equiform.abstraction.holdem.hand_buckets import all_pairs
from equiform.games.cards.evaluator import N_CARDS, strengths
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.array_types import BoolArray, IntArray

#: River cards over a turn board.
ALL_RIVERS = N_CARDS - 4


class Sweep(NamedTuple):
    """Which boards are dealt."""

    flops: int = 0
    """How many flops are drawn, at random; 0 for all of them."""
    rivers: int = ALL_RIVERS
    """How many river cards are drawn per turn board; 48 are all."""
    seed: int = 0

    @classmethod
    def of_rounds(cls, rounds: int, *, flops: int = 0, rivers: int = 0, seed: int = 0) -> Sweep:
        """Return the sweep of a game; ``rivers=0``: all of them, or two per turn if they have buckets of their own."""
        return cls(flops, rivers or (ALL_RIVERS if rounds < 4 else 2), seed)

    @property
    def every_flop(self) -> bool:
        """Whether every flop and every turn card is dealt."""
        return self.flops == 0

    @property
    def every_river(self) -> bool:
        """Whether every river card is dealt over the turn boards."""
        return self.rivers == ALL_RIVERS

    @property
    def exact(self) -> bool:
        """Whether every board is dealt."""
        return self.every_flop and self.every_river


def flops_of(sweep: Sweep) -> Iterator[tuple[tuple[int, ...], float, int]]:
    """Yield flops, the number of flops that each stands for, and the half of the draw that it belongs to."""
    indexer = hand_indexer(3)
    every = indexer.deals(0, np.arange(indexer.sizes[0]))
    weights = indexer.orbits(every)
    if sweep.every_flop:
        for flop, weight in zip(every.tolist(), weights.tolist(), strict=True):
            yield tuple(flop), float(weight), 0
        return
    rng = np.random.default_rng([sweep.seed, 3])
    chosen = rng.choice(len(every), size=sweep.flops, p=weights / weights.sum())
    for k, number in enumerate(chosen.tolist()):
        yield tuple(every[number].tolist()), 1.0, k % 2


def next_boards(board: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return one board per class of those with another card, and how many cards lead to its class."""
    cards = np.setdiff1d(np.arange(N_CARDS), np.array(board))
    boards = np.hstack([np.tile(np.array(board, dtype=np.int64), (len(cards), 1)), cards[:, None]])
    classes = hand_indexer(3, *(1,) * (len(board) - 2)).index(boards)
    _, first, counts = np.unique(classes, return_index=True, return_counts=True)
    order = np.argsort(first)
    return boards[first[order]], counts[order].astype(np.int64)


def drawn_rivers(board: Sequence[int], sweep: Sweep) -> tuple[IntArray, IntArray]:
    """Return the boards of five cards that a sweep deals over a turn board, and how often each counts."""
    if sweep.every_river:
        return next_boards(board)
    rng = np.random.default_rng([sweep.seed, *board])
    left = np.setdiff1d(np.arange(N_CARDS), np.array(board))
    rivers = rng.choice(left, size=sweep.rivers, replace=False)
    boards = np.hstack([np.tile(np.array(board, dtype=np.int64), (len(rivers), 1)), rivers[:, None]])
    return boards, np.ones(len(rivers), dtype=np.int64)


def full_boards(flop: Sequence[int], sweep: Sweep) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the boards of five cards over a flop that a sweep deals, how often each counts, and its number."""
    for turn, times in zip(*next_boards(flop), strict=True):
        boards, counts = drawn_rivers(turn.tolist(), sweep)
        for k, (board, count) in enumerate(zip(boards.tolist(), counts.tolist(), strict=True)):
            yield tuple(board), int(times) * count, k


class BoardHands(NamedTuple):
    """The hands of one board in ascending order of their ranks (all equal before the river)."""

    hands: IntArray
    which: IntArray  # their numbers among all 1,326
    ranks: IntArray


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
