r"""Abstraction trees of Rhode Island hold'em: buckets of hands that remember the bucket before.

A tree is built from the first round down (Gilpin, Sandholm and Sørensen, AAAI 2007; Gilpin and Sandholm, AAAI 2008; the
slides). Each bucket of a round splits the hands that it holds into :math:`k_i` children, and an integer program divides
the round's budget, :math:`\sum_i k_i \le K`, so that the expected error is least. The methods differ in what they
compare on the flop.

* ``eb``: the expected hand strength (wins plus half the ties, all cards to come dealt).
* ``eb2``: the expected square of the strength after the turn.
* ``pa``, potential-aware: the histogram over clusters of turn hands. For each first-round bucket the turn hands that
  are compatible with it are first clustered by strength; flop hands are then clustered by k-means in the Euclidean
  distance of their histograms, from a seed.
* ``counted``: GameShrink with leaves compared by wins and ties, 13, 205 and 1,774 classes of the standard deck.
* ``mutual``: GameShrink that is lossless for certain.

On the turn all of the first three compare strength (``eb2`` its square): nothing is to come.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.abstraction.cards.expectation import (
    ExpectationAbstraction,
    expectation_abstraction,
    split_level,
)
from equiform.abstraction.cards.lossless.one_card_shrink import counted_shrink, mutual_shrink, one_card_signals
from equiform.abstraction.cards.scored_rounds import ScoredRound, one_card_rounds
from equiform.abstraction.clustering.euclidean import EuclideanSpace
from equiform.abstraction.clustering.kmeans import kmeans
from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.formulations.abstraction import abstraction_ip
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.common.arguments import require_counts, require_name, require_seed
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError

METHODS = ("eb", "eb2", "pa", "counted", "mutual")
#: The paper's bound on the children of a bucket.
MOST_CHILDREN = 200
_RESTARTS = 3


@dataclass(frozen=True, eq=False)
class HandBuckets:
    """A bucket for every class of hands of each round (classes of the game's indexer)."""

    rules: RhodeIsland
    method: str
    labels: tuple[IntArray, ...] = field(repr=False)

    def __post_init__(self) -> None:
        sizes = self.rules.cards.indexer.sizes
        if tuple(len(label) for label in self.labels) != sizes:
            raise ParameterError(
                f"buckets for {[len(label) for label in self.labels]} classes of hands",
                where=self.rules.spec,
                fix=f"label all {', '.join(map(str, sizes))} classes of this game",
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Count the buckets of each round."""
        return tuple(len(np.unique(label)) for label in self.labels)


def rhode_island_buckets(
    rules: RhodeIsland, method: str, sizes: Sequence[int] = (), *, seed: int = 0, restarts: int = _RESTARTS
) -> HandBuckets:
    """Build an abstraction tree.

    Parameters
    ----------
    rules
        The game.
    method
        ``eb``, ``eb2``, ``pa``, or without sizes ``counted`` or ``mutual``.
    sizes
        At most so many buckets per round.
    seed, restarts
        Of the k-means of ``pa``; the other methods cluster on a line, to the optimum.

    Examples
    --------
    >>> rhode_island_buckets(RhodeIsland(ranks=4), "eb", (4, 8, 20)).sizes
    (4, 8, 20)
    """
    require_name(method, METHODS, "method", "rhode-island buckets")
    require_seed(seed, "rhode-island buckets")
    game = rules.cards
    if method in ("counted", "mutual"):
        if sizes:
            raise ParameterError(f"{method} finds its own number of buckets", fix="leave the sizes out")
        shrunk = counted_shrink(game) if method == "counted" else mutual_shrink(game)
        return HandBuckets(rules, method, shrunk.classes)
    numbers = require_counts(sizes, "sizes", f"{method} of {rules.spec}", length=3)
    rounds = one_card_rounds(game)
    if method == "pa":
        return HandBuckets(rules, method, _potential(rules, rounds, numbers, seed, restarts))
    if method == "eb2":
        rounds = _squared(rules, rounds)
    tree = expectation_abstraction(rounds, numbers, most_children=MOST_CHILDREN, threads=1)
    return HandBuckets(rules, method, _labels(tree, rounds))


def _labels(tree: ExpectationAbstraction, rounds: Sequence[ScoredRound]) -> tuple[IntArray, ...]:
    return tuple(tree.buckets(stage.representatives) for stage in rounds)


def _squared(rules: RhodeIsland, rounds: Sequence[ScoredRound]) -> tuple[ScoredRound, ...]:
    """Score the flop by the sum over the turns of the squared score, and the turn by its square."""
    signals = one_card_signals(rules.cards)
    first, flop, turn = rounds
    squares = turn.scores**2
    after = np.bincount(signals.parent[2], signals.weight[2] * squares, len(flop.scores)).astype(np.int64)
    turns = int(signals.weight[2][signals.parent[2] == 0].sum())
    return (
        first,
        ScoredRound(flop.indexer, after, turns * turn.highest**2),
        ScoredRound(turn.indexer, squares, turn.highest**2),
    )


def _potential(
    rules: RhodeIsland, rounds: Sequence[ScoredRound], sizes: Sequence[int], seed: int, restarts: int
) -> tuple[IntArray, ...]:
    first, _, turn = rounds
    signals = one_card_signals(rules.cards)
    weights = [stage.indexer.orbits(stage.representatives).astype(np.float64) for stage in rounds]
    top = kmeans_line(first.scores / first.highest, sizes[0], weights[0])
    labels = [top.labels(top.most, first.scores / first.highest)]
    parents = labels[0][signals.parent[1]]
    labels.append(_by_histograms(rules, turn, parents, weights[1:], sizes, seed, restarts))
    above = labels[1][signals.parent[2]]
    n, budget = int(labels[1].max()) + 1, sizes[2]
    masses = (above, turn.scores, weights[2])
    level = split_level(
        masses, turn.highest, n, budget, min(MOST_CHILDREN, budget), backend="highs", threads=1,
        started=time.perf_counter(),
    )  # fmt: skip
    labels.append(level.cuts.buckets(above, turn.scores))
    return tuple(labels)


def _by_histograms(
    rules: RhodeIsland,
    turn: ScoredRound,
    parents: IntArray,
    weights: Sequence[FloatArray],
    sizes: Sequence[int],
    seed: int,
    restarts: int,
) -> IntArray:
    """Cluster the flop hands of every first-round bucket by their histograms over turn clusters."""
    signals = one_card_signals(rules.cards)
    above = signals.parent[2]
    n = int(parents.max()) + 1
    bins = max(2, round(sizes[2] / n))
    hands = [np.flatnonzero(parents == p) for p in range(n)]
    most = max(map(len, hands))
    mass = np.array([weights[0][h].sum() for h in hands])
    errors, found = np.full((n, most), np.inf), []
    for p, flops in enumerate(hands):
        below = np.flatnonzero(parents[above] == p)
        strength = turn.scores[below] / turn.highest
        line = kmeans_line(strength, bins, weights[1][below])
        histograms = np.zeros((len(parents), line.most))
        np.add.at(histograms, (above[below], line.labels(line.most, strength)), signals.weight[2][below])
        rows = histograms[flops] / histograms[flops].sum(axis=1, keepdims=True)
        space = EuclideanSpace(rows, weights[0][flops])
        distinct = len(np.unique(rows.round(12), axis=0))
        runs = [kmeans(space, k, restarts=restarts, seed=seed) for k in range(1, distinct + 1)]
        errors[p, :distinct] = np.minimum.accumulate([r.inertia / mass[p] for r in runs])
        found.append(runs)
    allocation = abstraction_ip.solve(errors, mass / mass.sum(), sizes[1])
    labels, begin = np.zeros(len(parents), dtype=np.int64), 0
    for flops, runs, k in zip(hands, found, allocation.children, strict=True):
        best = min(runs[:k], key=lambda r: r.inertia)
        _, place = np.unique(best.labels, return_inverse=True)
        labels[flops] = begin + place.ravel()
        begin = int(labels[flops].max()) + 1
    return labels
