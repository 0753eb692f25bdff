r"""Potential-aware abstraction with imperfect recall: thesis Algorithm 1.

S. Ganzfried, PhD thesis (CMU 2015), §5.2; Ganzfried and Sandholm, AAAI 2014. Two hands may end the game with the same
distribution of strength and yet get there by different routes. So a hand is described by where chance sends it *next*:
from the last abstracted round backwards, round n clusters the histograms :math:`H^n(x)` over the buckets of round n + 1
with the earth mover's distance, whose ground distance is the distance of those buckets' means under the metric of round
n + 1. Hands are clustered without regard to what was known before: a player may forget.

The last round is clustered by any other method: here by its equity histograms (distribution-aware, earth mover's
distance on a line), or by equity alone.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.clustering.histogram_spaces import BucketSpace, LineSpace
from equiform.abstraction.clustering.kmeans import HistogramSpace, kmeans, require_runs
from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import OneCardGame
from equiform.games.cards.rounds.sweep import Progress, thread_count
from equiform.games.cards.rounds.tables import histogram_table
from equiform.games.cards.rounds.transitions import transition_histograms
from equiform.models.common.arguments import require_all, require_count, require_counts, require_kind
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import ParameterError

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class RoundBuckets:
    """One round's abstraction: a bucket for every hand class, and how far apart the buckets' means are."""

    indexer: HandIndexer = field(repr=False)  # its last round's classes
    labels: Int32Array = field(repr=False)
    distances: FloatArray = field(repr=False)
    inertia: float
    """Mean squared distance of a hand from its bucket's mean."""
    seconds: float = 0.0

    @property
    def n_buckets(self) -> int:
        """How many buckets there are."""
        return len(self.distances)

    def buckets(self, deals: ArrayLike) -> Int32Array:
        """Return the buckets of deals (rows of cards)."""
        return self.labels[self.indexer.index(deals)]


def class_weights(indexer: HandIndexer) -> FloatArray:
    """Return how many deals each class of the last round stands for."""
    require_kind(indexer, HandIndexer, "indexer", "hand classes")
    deals = indexer.deals(len(indexer.rounds) - 1, np.arange(indexer.sizes[-1]))
    return indexer.orbits(deals).astype(np.float64)


def by_equity(indexer: HandIndexer, ehs: ArrayLike, k: int) -> RoundBuckets:
    """Cluster hands by expected hand strength, optimally; buckets are as far apart as their means.

    Parameters
    ----------
    indexer
        Numbers the round's hands.
    ehs
        Expected hand strength, one number per class.
    k
        The number of buckets.
    """
    started = time.perf_counter()
    weights = class_weights(indexer)
    values = require_numbers(ehs, "strengths", "hands by equity", shape=weights.shape)
    found = kmeans_line(values, k, weights)
    means = found.means(found.most)
    labels = found.labels(found.most, values).astype(np.int32)
    inertia = float(found.errors[-1] / weights.sum())
    return RoundBuckets(indexer, labels, np.abs(means[:, None] - means), inertia, time.perf_counter() - started)


class RunOptions(TypedDict, total=False):
    """How k-means is run, as keywords of the functions below: fields of :class:`_Runs`."""

    sample: int | None
    restarts: int
    iterations: int
    seed: int
    threads: int | None


@dataclass(frozen=True)
class _Runs:
    """How k-means is run on one round's hands."""

    sample: int | None = None
    restarts: int = 1
    iterations: int = 10
    seed: int = 0
    threads: int | None = None

    def check(self, indexer: HandIndexer, k: int) -> None:
        """Check the arguments for a round before its histograms are collected."""
        where = "k-means of hands"
        require_kind(indexer, HandIndexer, "indexer", where)
        require_count(k, "k", where)
        if self.sample is not None:
            require_count(self.sample, "sample", where)
            size = min(self.sample, indexer.sizes[-1])
            if min(k, indexer.sizes[-1]) > size:
                raise ParameterError(
                    f"a sample of {size:,} hands cannot make {k:,} clusters",
                    where=where,
                    fix="raise sample, or lower k",
                )
        require_runs(self.restarts, self.iterations, self.seed)
        thread_count(self.threads, where)

    def cluster(self, indexer: HandIndexer, space: HistogramSpace, k: int, started: float) -> RoundBuckets:
        """Find means on all hands or on a random sample of them, and send every hand to the nearest."""
        deals = space.weights.sum()
        few = space
        if self.sample is not None and self.sample < space.size:
            rng = np.random.default_rng(self.seed)
            few = space.sampled(np.sort(rng.choice(space.size, self.sample, p=space.weights / deals, replace=False)))
        found = kmeans(few, k, restarts=self.restarts, iterations=self.iterations, seed=self.seed)
        labels, inertia = found.labels, found.inertia
        if few is not space:
            labels, distances = space.assign(found.centres, space.first_guess(found.centres))
            inertia = float(space.weights @ distances**2)
        return RoundBuckets(
            indexer,
            labels.astype(np.int32),
            space.distances(found.centres),
            inertia / deals,
            time.perf_counter() - started,
        )


def by_distribution(indexer: HandIndexer, histograms: ArrayLike, k: int, **options: Unpack[RunOptions]) -> RoundBuckets:
    """Cluster hands by their equity histograms (distribution-aware: Johanson et al. 2013, Gilpin et al. 2007).

    Parameters
    ----------
    indexer
        Numbers the round's hands; classes are weighted by the deals that they stand for.
    histograms
        A row per class.
    k
        The number of buckets.
    **options
        ``sample``: find means on that many random hands only (drawn by their weight), then send every hand to the
        nearest; ``restarts`` and ``iterations`` (1 and 25) of k-means, its ``seed``, and the number of ``threads``.
    """
    started = time.perf_counter()
    wanted: RunOptions = {"iterations": 25, **options}
    runs = _Runs(**wanted)
    runs.check(indexer, k)
    return runs.cluster(indexer, LineSpace(histograms, class_weights(indexer), threads=runs.threads), k, started)


def by_potential(
    indexer: HandIndexer,
    following: RoundBuckets,
    k: int,
    *,
    progress: Progress | None = None,
    **options: Unpack[RunOptions],
) -> RoundBuckets:
    """Cluster hands by where chance sends them: one step of Algorithm 1.

    Parameters
    ----------
    indexer
        Numbers the round's hands.
    following
        The buckets of the next round.
    k
        The number of buckets.
    progress
        Called as ``progress(stage, done, total)``.
    **options
        As for :func:`by_distribution`, with 10 iterations.
    """
    started = time.perf_counter()
    runs = _Runs(**options)
    runs.check(indexer, k)
    require_kind(following, RoundBuckets, "following", "hands by potential")
    moves = transition_histograms(
        indexer,
        following.indexer,
        following.labels,
        n_buckets=following.n_buckets,
        threads=runs.threads,
        progress=progress,
    ).counts
    space = BucketSpace(moves, following.distances, class_weights(indexer), threads=runs.threads)
    return runs.cluster(indexer, space, min(k, space.size), started)


def potential_aware(
    indexers: Sequence[HandIndexer],
    last: RoundBuckets,
    clusters: Sequence[int],
    *,
    progress: Progress | None = None,
    **options: Unpack[RunOptions],
) -> tuple[RoundBuckets, ...]:
    """Run Algorithm 1: given the last round's buckets, abstract the earlier rounds, from the last to the first.

    Parameters
    ----------
    indexers
        The earlier rounds' hands, first round first.
    last
        The buckets of the last round.
    clusters
        A number of buckets per earlier round; a round with as many as it has classes is not abstracted at all.
    progress
        Called as ``progress(stage, done, total)``.
    **options
        As for :func:`by_distribution`, with 10 iterations.

    Returns
    -------
    tuple of RoundBuckets
        One per round, ``last`` at the end.
    """
    rounds = require_all(indexers, HandIndexer, "indexers", "earlier rounds")
    numbers = require_counts(clusters, "clusters", "earlier rounds", length=len(rounds))
    require_kind(last, RoundBuckets, "last", "the last round")
    for indexer, k in zip(rounds, numbers, strict=True):
        _Runs(**options).check(indexer, k)
    found = [last]
    for indexer, k in zip(reversed(rounds), reversed(numbers), strict=True):
        found.append(by_potential(indexer, found[-1], k, progress=progress, **options))
        log.info("%s: %d buckets in %.1f s", indexer.rounds, found[-1].n_buckets, found[-1].seconds)
    return tuple(reversed(found))


def texas_potential_aware(
    clusters: Sequence[int] = (169, 200, 200), *, progress: Progress | None = None, **options: Unpack[RunOptions]
) -> tuple[RoundBuckets, ...]:
    """Abstract preflop, flop and turn of Texas hold'em: turn by river histograms, flop and preflop by potential.

    Minutes of work; the tables of river histograms are built (once) if they are not cached yet.

    Parameters
    ----------
    clusters
        How many buckets preflop, flop and turn have.
    progress
        Called as ``progress(stage, done, total)``.
    **options
        As for :func:`by_distribution`, with 10 iterations and a sample of 100,000 hands.
    """
    wanted: RunOptions = {"sample": 100_000, "iterations": 10, **options}
    rounds = hand_indexer(2), hand_indexer(2, 3), hand_indexer(2, 4)
    require_counts(clusters, "clusters", "preflop, flop and turn", length=3)
    for hands, k in zip(rounds, clusters, strict=True):
        _Runs(**wanted).check(hands, k)
    histograms = histogram_table("turn-unordered", threads=wanted.get("threads"), progress=progress)
    turn = by_distribution(histograms.indexer, histograms.counts, clusters[2], **wanted)
    return potential_aware(rounds[:2], turn, clusters[:2], progress=progress, **wanted)


def one_card_potential_aware(
    game: OneCardGame, clusters: Sequence[int], *, restarts: int = 1, seed: int = 0
) -> tuple[RoundBuckets, ...]:
    """Abstract a game with one private card: the last round by equity, the others by potential.

    Parameters
    ----------
    game
        The game's cards.
    clusters
        A number of buckets per round.
    restarts, seed
        How k-means is run.

    Examples
    --------
    >>> from equiform.games.cards.one_card import LEDUC
    >>> [level.n_buckets for level in one_card_potential_aware(LEDUC, (2, 3))]
    [2, 3]
    """
    require_kind(game, OneCardGame, "game", "potential-aware abstraction")
    require_counts(clusters, "clusters", f"rounds of {game.name}", length=game.public_rounds + 1)
    require_runs(restarts, 1, seed)
    last = by_equity(game.indexer, game.equities[-1].ehs, clusters[-1])
    indexers = [HandIndexer((1,) * (r + 1), game.deck) for r in range(game.public_rounds)]
    return potential_aware(indexers, last, clusters[:-1], restarts=restarts, seed=seed)
