r"""How chance deals buckets: pairs of histories counted on the last round, and everything that follows by addition.

A player's *history* on round s is what the cards told them up to then. With perfect recall a history is a bucket, which
remembers the bucket before; a player who forgets is shown only ``shown[history]``. Histories form a tree per player:
``up[s]`` names the parents. Let :math:`N_{ij}` count the deals in which player 0 arrives at history i of the last round
and player 1 at j. Adding up the children of i and of j gives the counts of every earlier pair of rounds, so that the
transition probabilities

.. math:: P(i' j' \mid i j) = N_{i'j'} / N_{ij}

sum to one. Counts are whole numbers held in floats, exact up to 2⁵³, or sums of weights where hands are not equally
likely; those from a sample come with standard errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import GameError

#: Whole numbers up to here are exact in floats.
EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class BucketDeals:
    """The joint distribution of both players' histories.

    Attributes
    ----------
    counts
        A row per history of player 0 on the last round, a column per history of player 1: how many deals lead there.
    up
        For each player and each round after the first the parent of every history.
    shown
        For each player and round the bucket of every history, where players forget; empty for perfect recall.
    error
        The standard error of every entry of ``counts / total``, if deals were sampled.
    """

    counts: FloatArray = field(repr=False)
    up: tuple[tuple[Int32Array, ...], tuple[Int32Array, ...]] = field(repr=False)
    shown: tuple[tuple[Int32Array, ...], tuple[Int32Array, ...]] | None = field(default=None, repr=False)
    error: FloatArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.counts.ndim != 2 or not np.isfinite(self.counts).all() or (self.counts < 0).any():
            raise GameError("pairs of buckets need finite counts from 0", where="bucket deals", fix="pass a matrix")
        if not 0 < self.total <= EXACT:
            raise GameError(
                f"counts add up to {self.total:g}", where="bucket deals", fix="pass some deals, and at most 2^53"
            )
        if len(self.up[0]) != len(self.up[1]):
            raise GameError("the players see different numbers of rounds", where="bucket deals")
        for player in range(2):
            for s, above in enumerate(self.up[player], 1):
                n, parents = self.sizes(player)[s], self.sizes(player)[s - 1]
                if above.shape != (n,) or set(np.unique(above)) != set(range(parents)):
                    raise GameError(
                        f"the {n} histories of round {s + 1} do not cover the {parents} before",
                        where=f"bucket deals, player {player + 1}",
                        fix="every history needs a parent, and every parent a child",
                    )
            for s, bucket in enumerate(self.shown[player] if self.shown else ()):
                if bucket.shape != (self.sizes(player)[s],) or (bucket < 0).any():
                    raise GameError("every history shows a bucket", where=f"bucket deals, round {s + 1}")

    @property
    def rounds(self) -> int:
        """Count the rounds."""
        return len(self.up[0]) + 1

    @cached_property
    def total(self) -> float:
        """Count the deals."""
        return float(self.counts.sum())

    @property
    def perfect_recall(self) -> bool:
        """Whether buckets remember: every history shows a bucket of its own."""
        if self.shown is None:
            return True
        return all(len(np.unique(b)) == len(b) for buckets in self.shown for b in buckets)

    def sizes(self, player: int) -> tuple[int, ...]:
        """Count a player's histories by round."""
        ups = self.up[player]
        return (*(int(a.max(initial=-1)) + 1 for a in ups), self.counts.shape[player])

    def buckets(self, player: int, round_: int) -> Int32Array:
        """Return the bucket that each history of a round shows."""
        if self.shown is None:
            return np.arange(self.sizes(player)[round_], dtype=np.int32)
        return self.shown[player][round_]

    def ancestors(self, player: int, below: int, round_: int) -> IntArray:
        """Return for each history of a round its ancestor on an earlier one; zeros for round −1, before any card."""
        place: IntArray = np.arange(self.sizes(player)[below])
        if round_ < 0:
            return np.zeros_like(place)
        for s in range(below, round_, -1):
            place = self.up[player][s - 1][place].astype(np.int64)
        return place

    def summed(self, matrix: FloatArray, rounds: tuple[int, int]) -> FloatArray:
        """Add up a matrix over pairs of histories of the last round to pairs of earlier rounds, one per player."""
        last = self.rounds - 1
        if rounds == (last, last):
            return matrix
        first, second = (_indicator(self.ancestors(p, last, r)) for p, r in enumerate(rounds))
        return np.ascontiguousarray((second @ (first @ matrix).T).T)

    def joint(self, round_: int) -> FloatArray:
        """Return the counts of pairs of histories of a round."""
        return self.summed(self.counts, (round_, round_))

    def transition(self, player: int, round_: int) -> FloatArray:
        """Return a player's probabilities of the histories of a round, given the one before: rows sum to one."""
        mass = self.joint(round_).sum(axis=1 - player)
        above = self.ancestors(player, round_, round_ - 1)
        before = np.bincount(above, weights=mass)
        out = np.zeros((len(before), len(mass)))
        out[above, np.arange(len(mass))] = mass / np.where(before > 0, before, 1.0)[above]
        return out


def _indicator(parents: IntArray) -> sp.csr_array:
    """Return the matrix that adds up the children of every parent."""
    n = len(parents)
    return sp.csr_array((np.ones(n), (parents, np.arange(n))), shape=(int(parents.max()) + 1, n))


def remembered(paths: Sequence[IntArray]) -> tuple[list[IntArray], list[Int32Array], list[Int32Array]]:
    """Turn buckets along many deals into histories: their numbers, their parents and the buckets that they show.

    ``paths[s]`` holds the bucket of every deal on round s. Histories are numbered in the order of their buckets.
    """
    numbers: list[IntArray] = []
    ups: list[Int32Array] = []
    shown: list[Int32Array] = []
    for buckets in paths:
        before = numbers[-1] if numbers else np.zeros(len(buckets), dtype=np.int64)
        width = int(buckets.max()) + 1
        keys, number = np.unique(before * width + buckets, return_inverse=True)
        if numbers:
            ups.append((keys // width).astype(np.int32))
        shown.append((keys % width).astype(np.int32))
        numbers.append(number.astype(np.int64))
    return numbers, ups, shown


def deals_from_paths(
    paths: tuple[Sequence[IntArray], Sequence[IntArray]], outcome: IntArray
) -> tuple[BucketDeals, FloatArray]:
    """Count deals that are listed one by one, all equally likely.

    Parameters
    ----------
    paths
        For each player and round the bucket of every deal.
    outcome
        For every deal 1 if player 0 has the better hand, −1 if player 1 has, 0 if they tie.

    Returns
    -------
    tuple
        The deals, and wins minus losses for every pair of histories.
    """
    numbers, ups, shown = zip(*(remembered(p) for p in paths), strict=True)
    last = tuple(n[-1] for n in numbers)
    counts = np.zeros(tuple(len(s[-1]) for s in shown))
    margin = np.zeros_like(counts)
    np.add.at(counts, last, 1.0)
    np.add.at(margin, last, outcome.astype(np.float64))
    return BucketDeals(counts, (tuple(ups[0]), tuple(ups[1])), (tuple(shown[0]), tuple(shown[1]))), margin
