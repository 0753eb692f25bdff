r"""Hierarchical abstraction: cluster what is public first, then the private hands of every public cluster.

S. Ganzfried, PhD thesis (CMU 2015), §6.1, Algorithms 3 to 5 (Brown, Ganzfried and Sandholm, AAMAS 2015). Public
clusters cut the game into pieces that never meet again, so that each can be solved on its own machine; players
remember their public cluster and may forget everything else.

*Algorithm 4* measures public states by a base abstraction A: with :math:`T_{ib}` the number of private hands that
public state i sends into bucket b of A, and V private hands per state,

.. math:: d_{ij} = \frac{V - \sum_b \min(T_{ib}, T_{jb})}{V},

the share of private hands that i and j do not send into the same bucket. It is not a metric (different states may have
distance 0), so *Algorithm 5* clusters by pairwise distances only: seeds by k-means++, then every state moves to the
cluster with the least total distance from it, until nothing moves. *Algorithm 3* then abstracts private hands for each
cluster and round apart.

The listing moves all states at once. The least total distance favours small clusters, so that all may move into the
smallest one at once: with a base of 5,000 equity buckets the 1,755 flops end in a single cluster. Here states move one
after the other by default. Then every move lowers the sum of the distances within clusters, a state finds an emptied
cluster free to take, and the end is a local minimum with clusters of like size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.cards.potential_aware import class_weights
from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.rounds.sweep import run_in_threads, thread_count
from equiform.models.common.arguments import (
    require_all,
    require_callable,
    require_count,
    require_counts,
    require_kind,
    require_seed,
    require_sequence,
)
from equiform.models.common.array_arguments import require_integers, require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

_MOST_ENTRIES = 10**8  # of a table of public states and buckets: 800 MB
_MOST_STATES = 20_000  # whose distances fit into 3.2 GB

#: Clusters the hands with these numbers (of a round's classes) into at most so many buckets: labels from 0.
PrivateClustering = Callable[[int, IntArray, int], IntArray]


@dataclass(frozen=True, eq=False)
class PublicClusters:
    """Clusters of public states."""

    labels: IntArray = field(repr=False)
    cost: float
    """Sum of the distances between members of the same cluster."""
    iterations: int
    converged: bool


@dataclass(frozen=True, eq=False)
class HierarchicalRound:
    """A round's buckets: ``labels[class]`` counts from 0 in the public cluster ``public[class]``."""

    indexer: HandIndexer = field(repr=False)
    public: IntArray = field(repr=False)
    labels: IntArray = field(repr=False)
    sizes: tuple[int, ...]
    """How many private buckets every public cluster has."""


def transition_table(
    hands: HandIndexer, boards: HandIndexer, buckets: ArrayLike, n_buckets: int | None = None
) -> IntArray:
    """Return how many private hands each public state sends into each bucket of a base abstraction.

    Parameters
    ----------
    hands
        Numbers the deals of private and public cards.
    boards
        Numbers the deals of the public cards alone.
    buckets
        The base abstraction: a bucket per class of ``hands``.
    n_buckets
        How many buckets there are; by default the highest one in use decides.

    Returns
    -------
    IntArray
        ``T[i, b]``, a row per public state.

    Raises
    ------
    ParameterError
        If the boards are not part of the hands, or if the table would be too large.

    Examples
    --------
    >>> table = transition_table(hand_indexer(2, 3), hand_indexer(3), np.zeros(1286792, dtype=int))
    >>> table.shape, int(table.min()), int(table.max())
    ((1755, 1), 1176, 1176)
    """
    where = "hands of public states"
    require_kind(hands, HandIndexer, "hands", where)
    require_kind(boards, HandIndexer, "boards", where)
    if n_buckets is not None:
        require_count(n_buckets, "n_buckets", where)
    most = None if n_buckets is None else n_buckets - 1
    labels = require_integers(buckets, "buckets", where, shape=(hands.sizes[-1],), least=0, most=most, flags=True)
    size = int(labels.max()) + 1 if n_buckets is None else n_buckets
    if boards.sizes[-1] * size > _MOST_ENTRIES:
        raise ParameterError(
            f"{boards.sizes[-1]:,} public states and {size:,} buckets make too large a table",
            where=where,
            fix=f"number the buckets without gaps; {_MOST_ENTRIES // boards.sizes[-1]:,} fit",
        )
    board_of, weights = public_states(hands, boards)
    # A class stands for `weights` deals, spread evenly over the deals of its board.
    states = boards.deals(len(boards.rounds) - 1, np.arange(boards.sizes[-1]))
    per_deal = weights // boards.orbits(states)[board_of]
    counts = np.bincount(board_of * size + labels, weights=per_deal, minlength=boards.sizes[-1] * size)
    return np.rint(counts).astype(np.int64).reshape(boards.sizes[-1], size)


def public_states(hands: HandIndexer, boards: HandIndexer) -> tuple[IntArray, IntArray]:
    """Return the public state of every hand class, and how many deals the class stands for."""
    require_kind(hands, HandIndexer, "hands", "public states")
    require_kind(boards, HandIndexer, "boards", "public states")
    held, shown = hands.rounds[0], sum(boards.rounds)
    if hands.deck != boards.deck or held + shown > sum(hands.rounds):
        raise ParameterError(
            "the hands do not show the cards of the boards",
            where=f"{hands.rounds} of {hands.deck.name}, {boards.rounds} of {boards.deck.name}",
            fix="use hands that begin with private cards and continue with all cards of the boards, from one deck",
        )
    if not {held + end for end in boards.ends} <= set(hands.ends):
        # cards of one round have no order, so that it is undefined which of them the board shows
        raise ParameterError(
            "the boards end within a round of the hands",
            where=f"hands {hands.rounds}, boards {boards.rounds}",
            fix="use boards whose rounds are rounds of the hands",
        )
    deals = hands.deals(len(hands.rounds) - 1, np.arange(hands.sizes[-1]))
    return boards.index(deals[:, held : held + shown]), hands.orbits(deals)


@jit
def _overlaps(table: Int32Array, first: int, last: int, out: FloatArray, total: float) -> None:
    n, b = table.shape
    for i in range(first, last):
        for j in range(i + 1, n):
            same = 0
            for k in range(b):
                same += min(table[i, k], table[j, k])
            out[i, j] = out[j, i] = (total - same) / total


def public_distances(table: ArrayLike, *, threads: int | None = None) -> FloatArray:
    """Return the distances of Algorithm 4 between public states.

    >>> public_distances([[4, 0, 2], [1, 3, 2]]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    where = "public states"
    most = int(np.iinfo(np.int32).max)
    numbers = require_integers(table, "table", where, shape=(None, None), empty=False, least=0, most=most)
    totals = numbers.sum(axis=1)
    if (totals != totals[0]).any() or totals[0] == 0:
        raise ParameterError(
            "every public state needs the same positive number of private hands",
            where=f"{totals.min():,} to {totals.max():,} hands",
            fix="compute the table with transition_table",
        )
    require_count(len(numbers), "the number of public states", where, most=_MOST_STATES)
    counts = numbers.astype(np.int32)
    out = np.zeros((len(counts), len(counts)))
    run_in_threads(
        lambda begin, end: _overlaps(counts, begin, end, out, float(totals[0])), len(counts), "distances", threads, None
    )
    return out


@jit
def _move_in_turn(d: FloatArray, totals: FloatArray, labels: IntArray) -> int:
    """Move each state to the cluster with the least total distance; return how many moved."""
    moves = 0
    for i in range(len(d)):
        old = labels[i]
        new = np.argmin(totals[i])
        if totals[i, new] < totals[i, old] - 1e-12:  # a tie is not a reason to move
            labels[i] = new
            moves += 1
            for j in range(len(d)):
                totals[j, old] -= d[j, i]
                totals[j, new] += d[j, i]
    return moves


def cluster_public(
    distances: ArrayLike, k: int, *, at_once: bool = False, iterations: int = 100, seed: int = 0
) -> PublicClusters:
    """Cluster by pairwise distances alone (Algorithm 5); ``at_once`` moves all states together, as the listing does."""
    where = "public clusters"
    d = require_numbers(distances, "distances", where, shape=(None, None), empty=False, least=0.0)
    n = len(d)
    if d.shape != (n, n) or not np.allclose(d, d.T) or d.diagonal().any():
        raise ParameterError(
            "distances between public states must be symmetric, and 0 from each state to itself",
            where=f"{where}, shape {d.shape}",
            fix="compute them with public_distances",
        )
    require_count(k, "k", f"{where} of {n:,} states", most=n)
    require_count(iterations, "iterations", where)
    require_seed(seed, where)
    labels = _seed_labels(d, k, np.random.default_rng(seed))
    moves, done = -1, 0
    while done < iterations and moves != 0:
        done += 1
        members = np.zeros((n, k))
        members[np.arange(n), labels] = 1.0
        totals = d @ members
        if at_once:
            totals[:, members.sum(axis=0) == 0] = np.inf  # an emptied cluster would attract everybody
            better = totals.min(axis=1) < totals[np.arange(n), labels]
            labels = np.where(better, totals.argmin(axis=1), labels)
            moves = int(better.sum())
        else:
            moves = _move_in_turn(d, totals, labels)
    _, labels = np.unique(labels, return_inverse=True)
    same = labels[:, None] == labels[None]
    return PublicClusters(labels.ravel(), float(d[same].sum() / 2), done, moves == 0)


def _seed_labels(d: FloatArray, k: int, rng: np.random.Generator) -> IntArray:
    """Seed by k-means++ on the given distances, then assign every state to its nearest seed."""
    chosen = [int(rng.integers(len(d)))]
    nearest = d[chosen[0]].copy()
    for _ in range(k - 1):
        odds = nearest**2
        odds[chosen] = 0.0
        if odds.sum() <= 0:
            odds = np.ones(len(d))
            odds[chosen] = 0.0
        chosen.append(int(rng.choice(len(d), p=odds / odds.sum())))
        nearest = np.minimum(nearest, d[chosen[-1]])
    labels = d[:, chosen].argmin(axis=1)
    labels[chosen] = np.arange(k)
    return labels


def hierarchical(
    rounds: Sequence[HandIndexer],
    boards: HandIndexer,
    clusters: PublicClusters,
    private_buckets: Sequence[int],
    clustering: PrivateClustering,
) -> tuple[HierarchicalRound, ...]:
    """Run Algorithm 3 from the round of the public clusters on: abstract each cluster's hands in each round separately.

    Parameters
    ----------
    rounds
        The rounds' hand indexers; the first is that of ``boards``.
    boards
        Numbers the public states.
    clusters
        The public clusters, a label per public state.
    private_buckets
        How many private buckets a public cluster may have in each round.
    clustering
        Any method: ``clustering(round, classes, k)`` returns a bucket in 0 … k - 1 for each of the classes.

    Returns
    -------
    tuple of HierarchicalRound
        One per round.

    Raises
    ------
    ParameterError
        If the clusters do not belong to the boards, or if a clustering returns anything else.
    """
    where = "hierarchical abstraction"
    stages = require_all(rounds, HandIndexer, "rounds", where)
    budgets = require_counts(private_buckets, "private_buckets", where, length=len(stages))
    require_kind(boards, HandIndexer, "boards", where)
    require_kind(clusters, PublicClusters, "clusters", where)
    require_callable(clustering, "clustering", where)
    require_integers(clusters.labels, "labels of the clusters", where, shape=(boards.sizes[-1],), least=0)
    found = []
    for r, (hands, k) in enumerate(zip(stages, budgets, strict=True)):
        public = clusters.labels[public_states(hands, boards)[0]]
        labels = np.zeros(hands.sizes[-1], dtype=np.int64)
        sizes = []
        for c in range(int(clusters.labels.max()) + 1):
            classes = np.flatnonzero(public == c)
            labels[classes] = require_integers(
                clustering(r, classes, k), "private buckets", where, shape=(len(classes),), least=0, most=k - 1
            )
            sizes.append(int(labels[classes].max()) + 1)
        found.append(HierarchicalRound(hands, public, labels, tuple(sizes)))
    return tuple(found)


def by_strength(rounds: Sequence[HandIndexer], ehs: Sequence[ArrayLike]) -> PrivateClustering:
    """Cluster private hands by expected hand strength, optimally: the simplest method for Algorithm 3.

    Parameters
    ----------
    rounds
        The rounds' hand indexers.
    ehs
        Expected hand strengths: one array per round, one entry per class.

    Returns
    -------
    PrivateClustering
        The ``clustering`` argument of :func:`hierarchical`.
    """
    where = "private hands by strength"
    stages = require_all(rounds, HandIndexer, "rounds", where)
    given = require_sequence(ehs, "ehs", where)
    if len(given) != len(stages):
        raise ParameterError(f"{len(given)} rows of strengths", where=where, fix=f"pass {len(stages)}, one per round")
    values = [
        require_numbers(v, "strengths", where, shape=(hands.sizes[-1],)) for v, hands in zip(given, stages, strict=True)
    ]
    weights = [class_weights(hands) for hands in stages]

    def clustering(r: int, classes: IntArray, k: int) -> IntArray:
        found = kmeans_line(values[r][classes], k, weights[r][classes])
        return found.labels(found.most, values[r][classes])

    return clustering


@dataclass(frozen=True, eq=False)
class FlopClusters:
    """Texas hold'em's 1,755 flops in public clusters, and the seconds for the table, the distances, the clusters."""

    clusters: PublicClusters
    distances: FloatArray = field(repr=False)
    seconds: tuple[float, float, float]


def cluster_flops(buckets: ArrayLike, k: int = 60, *, seed: int = 0, threads: int | None = None) -> FlopClusters:
    """Cluster the flops by a base abstraction of the flop hands (the thesis: 60 clusters, a base of 5,000 buckets)."""
    require_count(k, "k", "clusters of flops", most=hand_indexer(3).sizes[0])
    require_seed(seed, "clusters of flops")
    thread_count(threads, "clusters of flops")
    t0 = time.perf_counter()
    table = transition_table(hand_indexer(2, 3), hand_indexer(3), buckets)
    t1 = time.perf_counter()
    distances = public_distances(table, threads=threads)
    t2 = time.perf_counter()
    clusters = cluster_public(distances, k, seed=seed)
    return FlopClusters(clusters, distances, (t1 - t0, t2 - t1, time.perf_counter() - t2))
