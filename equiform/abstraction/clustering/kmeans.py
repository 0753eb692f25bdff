r"""k-means over histograms with an earth mover's distance.

The algorithm of S. Ganzfried, PhD thesis (CMU 2015), ch. 5: choose seeds by k-means++ (Arthur and Vassilvitskii 2007),
send points to their nearest mean and recompute the means, until nothing moves. Of several restarts the one with the
lowest within-cluster sum of squares wins. A :class:`HistogramSpace` knows what a distance is and how to avoid computing
most of them (:mod:`equiform.abstraction.clustering.histogram_spaces`).

The mean of histograms does not minimise the sum of squared earth mover's distances, so that an iteration may make
matters slightly worse; the best iterate is kept.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_count, require_kind, require_seed
from equiform.models.common.array_types import FloatArray, IntArray

log = logging.getLogger(__name__)


class HistogramSpace(ABC):
    """Weighted histograms and a distance between them and means of them."""

    weights: FloatArray

    @property
    def size(self) -> int:
        """How many histograms there are."""
        return len(self.weights)

    @abstractmethod
    def points(self, which: IntArray) -> FloatArray:
        """Return histograms as means (rows)."""

    @abstractmethod
    def improve(self, centres: FloatArray, number: int, labels: IntArray, best: FloatArray) -> None:
        """Move the points that are closer to mean ``number`` than ``best`` there; earlier means are in ``centres``."""

    @abstractmethod
    def assign(self, centres: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray]:
        """Find every point's nearest mean and its distance; ``labels`` is where to begin."""

    @abstractmethod
    def means(self, labels: IntArray, k: int) -> FloatArray:
        """Average each cluster."""

    @abstractmethod
    def sampled(self, rows: IntArray) -> HistogramSpace:
        """Return some of the histograms, all of equal weight."""

    def first_guess(self, centres: FloatArray) -> IntArray:
        """Say where :meth:`assign` should begin for points that have no label yet."""
        return np.zeros(self.size, dtype=np.int64)

    @abstractmethod
    def distances(self, centres: FloatArray) -> FloatArray:
        """Return the distance between each pair of means: the next round's ground distance."""


@dataclass(frozen=True, eq=False)
class HistogramClusters:
    """Clusters of histograms: labels, means, and how good they are."""

    labels: IntArray = field(repr=False)
    centres: FloatArray = field(repr=False)
    inertia: float
    """Weighted within-cluster sum of squared distances."""
    iterations: int
    restarts: tuple[float, ...]
    """The inertia of every restart."""

    @property
    def k(self) -> int:
        """How many clusters there are."""
        return len(self.centres)


def kmeans(
    space: HistogramSpace, k: int, *, restarts: int = 1, iterations: int = 25, seed: int = 0
) -> HistogramClusters:
    """Cluster histograms.

    Parameters
    ----------
    space
        The histograms and their distance.
    k
        The number of clusters.
    restarts
        How many runs to choose the best of (the thesis runs 25).
    iterations
        How many times a run recomputes its means at most.
    seed
        The same seed gives the same clusters.
    """
    require_kind(space, HistogramSpace, "space", "k-means")  # type: ignore[type-abstract]
    require_count(k, "k", f"k-means of {space.size:,} histograms", most=space.size)
    require_runs(restarts, iterations, seed)
    rng = np.random.default_rng(seed)
    runs = [_one_run(space, k, iterations, rng) for _ in range(restarts)]
    best = min(runs, key=lambda run: run.inertia)
    return HistogramClusters(
        best.labels, best.centres, best.inertia, best.iterations, tuple(run.inertia for run in runs)
    )


def require_runs(restarts: int, iterations: int, seed: int) -> None:
    """Check how often and how long k-means runs."""
    require_count(restarts, "restarts", "k-means", most=100_000)
    require_count(iterations, "iterations", "k-means")
    require_seed(seed, "k-means")


def _one_run(space: HistogramSpace, k: int, iterations: int, rng: np.random.Generator) -> HistogramClusters:
    centres, labels = plus_plus(space, k, rng)
    labels, distances = space.assign(centres, labels)
    best = HistogramClusters(labels, centres, _inertia(space, distances), 0, ())
    for t in range(1, iterations + 1):
        centres = space.means(_fill_empty(labels, distances, k), k)
        moved, distances = space.assign(centres, labels)
        changed = int((moved != labels).sum())
        labels = moved
        inertia = _inertia(space, distances)
        log.info("k-means, iteration %d: inertia %.6g, %d moved", t, inertia, changed)
        if inertia < best.inertia:
            best = HistogramClusters(labels, centres, inertia, t, ())
        if changed == 0:
            break
    return best


def plus_plus(space: HistogramSpace, k: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Seed with points drawn by squared distance from the seeds so far; also return every point's nearest seed."""
    labels, best = np.zeros(space.size, dtype=np.int64), np.full(space.size, np.inf)
    chosen = [int(rng.choice(space.size, p=space.weights / space.weights.sum()))]
    centres = space.points(np.array(chosen))
    space.improve(centres, 0, labels, best)
    for number in range(1, k):
        odds = space.weights * best**2
        total = odds.sum()
        if total <= 0:  # fewer distinct histograms than clusters: any point not chosen yet
            left = np.setdiff1d(np.arange(space.size), chosen)
            chosen.append(int(rng.choice(left)))
        else:
            chosen.append(int(rng.choice(space.size, p=odds / total)))
        centres = np.vstack([centres, space.points(np.array(chosen[-1:]))])
        space.improve(centres, number, labels, best)
    return centres, labels


def _fill_empty(labels: IntArray, distances: FloatArray, k: int) -> IntArray:
    """Move the points farthest from their means into the empty clusters, one each."""
    empty = np.flatnonzero(np.bincount(labels, minlength=k) == 0)
    if not len(empty):
        return labels
    filled = labels.copy()
    counts = np.bincount(labels, minlength=k)
    for point in np.argsort(-distances, kind="stable"):
        if not len(empty):
            break
        if counts[filled[point]] > 1:
            counts[filled[point]] -= 1
            filled[point], empty = empty[0], empty[1:]
    return filled


def _inertia(space: HistogramSpace, distances: FloatArray) -> float:
    return float(space.weights @ distances**2)
