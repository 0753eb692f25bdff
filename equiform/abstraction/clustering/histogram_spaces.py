r"""Two spaces of histograms for k-means: on a line, and over buckets with a ground distance.

On a line (equity intervals) the distance is the L1 distance of cumulated histograms, a metric: with u the distance of a
point from the mean a that it starts with, mean b cannot be nearer than the best so far if :math:`d(a, b) \ge u +
\text{best}` (Elkan 2003), and the means by their distance from a are walked until that holds.

Over buckets the distance is thesis Algorithm 2, which does not obey the triangle inequality. But it is never below the
exact earth mover's distance, and that is at least :math:`|\sum_i \varphi_i (p_i - q_i)|` for every 1-Lipschitz
:math:`\varphi` (Kantorovich and Rubinstein). Distances from a few *anchor* buckets are such functions: they prune most
pairs and change no assignment.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from equiform.abstraction.clustering.emd import greedy_cost, nearest_first, neighbours
from equiform.abstraction.clustering.kmeans import HistogramSpace
from equiform.games.cards.rounds.sweep import run_in_threads, thread_count
from equiform.models.common.arguments import require_count
from equiform.models.common.array_arguments import LARGEST, require_array, require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

_WORTH_A_THREAD = 20_000


def _in_pieces(work: Callable[[int, int], None], total: int, threads: int | None) -> None:
    """Do ``work(begin, end)`` on several threads where that pays."""
    if total < _WORTH_A_THREAD:
        work(0, total)
    else:
        run_in_threads(work, total, "k-means", threads, None)


@jit
def _l1(a: FloatArray, b: FloatArray) -> float:
    """Sum of absolute differences; four sums side by side keep the processor busy without reordering by fast-math."""
    s0 = s1 = s2 = s3 = 0.0
    n = len(a)
    for i in range(0, n - 3, 4):
        s0 += abs(a[i] - b[i])
        s1 += abs(a[i + 1] - b[i + 1])
        s2 += abs(a[i + 2] - b[i + 2])
        s3 += abs(a[i + 3] - b[i + 3])
    for i in range(n - n % 4, n):
        s0 += abs(a[i] - b[i])
    return s0 + s1 + s2 + s3


@jit
def _cumulate(counts: NDArray[np.generic], total: float, out: FloatArray) -> None:
    run = 0.0
    for i in range(len(out)):
        run += counts[i]
        out[i] = run / total


@jit
def _line_assign(
    counts: NDArray[np.generic],
    total: float,
    centres: FloatArray,
    order: Int32Array,
    between: FloatArray,
    labels: IntArray,
    distances: FloatArray,
) -> None:
    k = len(centres)
    point = np.empty(centres.shape[1])
    for x in range(len(counts)):
        _cumulate(counts[x], total, point)
        start = labels[x]
        own = _l1(point, centres[start])
        best, nearest = own, start
        for i in range(k):
            other = order[start, i]
            if between[start, other] >= own + best:
                break
            if other != start:
                d = _l1(point, centres[other])
                if d < best or (d == best and other < nearest):
                    best, nearest = d, other
        labels[x] = nearest
        distances[x] = best


@jit
def _line_improve(
    counts: NDArray[np.generic],
    total: float,
    centre: FloatArray,
    number: int,
    between: FloatArray,
    labels: IntArray,
    best: FloatArray,
) -> None:
    point = np.empty(len(centre))
    for x in range(len(counts)):
        if number > 0 and between[labels[x]] >= 2.0 * best[x]:
            continue
        _cumulate(counts[x], total, point)
        d = _l1(point, centre)
        if d < best[x]:
            best[x] = d
            labels[x] = number


@jit
def _line_sums(
    counts: NDArray[np.generic], total: float, weights: FloatArray, labels: IntArray, sums: FloatArray, mass: FloatArray
) -> None:
    point = np.empty(sums.shape[1])
    for x in range(len(counts)):
        _cumulate(counts[x], total, point)
        mass[labels[x]] += weights[x]
        for i in range(len(point)):
            sums[labels[x], i] += weights[x] * point[i]


class LineSpace(HistogramSpace):
    """Histograms over equal intervals of a line; distances are in intervals. Means are cumulated histograms."""

    def __init__(self, counts: ArrayLike, weights: ArrayLike | None = None, *, threads: int | None = None) -> None:
        where = "histograms on a line"
        self.counts: NDArray[np.generic] = require_array(
            counts, "histograms", where, shape=(None, None), empty=False, least=0, most=LARGEST
        )
        totals = self.counts[:1].sum(dtype=np.float64)
        sums = self.counts.sum(axis=1, dtype=np.float64)
        if totals <= 0 or not np.allclose(sums, totals, rtol=1e-9, atol=0.0):
            raise ParameterError(
                "all histograms must have the same positive mass", where=where, fix="normalise the rows"
            )
        self.total = float(totals)
        self.weights = _weights(weights, len(self.counts), where)
        thread_count(threads, where)
        self.threads = threads

    def points(self, which: IntArray) -> FloatArray:
        """Return cumulated histograms."""
        return np.cumsum(self.counts[which], axis=1, dtype=np.float64) / self.total

    def improve(self, centres: FloatArray, number: int, labels: IntArray, best: FloatArray) -> None:
        """Move points to a new mean."""
        between = np.abs(centres - centres[number]).sum(axis=1)

        def work(begin: int, end: int) -> None:
            rows = slice(begin, end)
            _line_improve(self.counts[rows], self.total, centres[number], number, between, labels[rows], best[rows])

        _in_pieces(work, self.size, self.threads)

    def assign(self, centres: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray]:
        """Find the nearest means, walking outwards from the ones in ``labels``."""
        found, distances = labels.copy(), np.empty(self.size)
        between = self.distances(centres)
        order = nearest_first(between)

        def work(begin: int, end: int) -> None:
            rows = slice(begin, end)
            _line_assign(self.counts[rows], self.total, centres, order, between, found[rows], distances[rows])

        _in_pieces(work, self.size, self.threads)
        return found, distances

    def sampled(self, rows: IntArray) -> LineSpace:
        """Return some of the histograms."""
        return LineSpace(self.counts[rows], threads=self.threads)

    def first_guess(self, centres: FloatArray) -> IntArray:
        """Begin with the mean that has the closest expectation."""
        steps = np.arange(self.counts.shape[1], 0.0, -1.0)
        centre_area = centres.sum(axis=1)
        order = np.argsort(centre_area)
        middle = (centre_area[order][1:] + centre_area[order][:-1]) / 2
        guess = np.empty(self.size, dtype=np.int64)
        for begin in range(0, self.size, 1 << 20):
            rows = slice(begin, begin + (1 << 20))
            guess[rows] = order[np.searchsorted(middle, self.counts[rows].astype(np.float64) @ steps / self.total)]
        return guess

    def means(self, labels: IntArray, k: int) -> FloatArray:
        """Average cumulated histograms."""
        sums, mass = np.zeros((k, self.counts.shape[1])), np.zeros(k)
        _line_sums(self.counts, self.total, self.weights, labels, sums, mass)
        return sums / mass[:, None]

    def distances(self, centres: FloatArray) -> FloatArray:
        """Return the pairwise L1 distances of cumulated histograms."""
        return np.stack([np.abs(centres - centre).sum(axis=1) for centre in centres])


@jit
def _improve(
    starts: IntArray,
    buckets: Int32Array,
    masses: FloatArray,
    widest: int,
    marks: FloatArray,
    mark: FloatArray,
    slack: float,
    support_mass: FloatArray,
    order: Int32Array,
    distance: FloatArray,
    number: int,
    own: bool,
    labels: IntArray,
    best: FloatArray,
) -> None:
    """Try mean ``number`` on all points that the bounds do not exclude; ``own``: on its present members only."""
    left = np.empty(len(support_mass))
    wanted = np.empty(widest)
    active = np.empty(widest, np.int32)
    for x in range(len(starts) - 1):
        if own:
            if labels[x] != number:
                continue
        else:
            if labels[x] == number and best[x] < np.inf:
                continue
            skip = False
            for a in range(len(mark)):
                if abs(marks[x, a] - mark[a]) >= best[x] + slack:
                    skip = True
                    break
            if skip:
                continue
        row = slice(starts[x], starts[x + 1])
        d = greedy_cost(
            buckets[row], masses[row], support_mass, order, distance, left, wanted, active, np.inf if own else best[x]
        )
        if own or d < best[x]:
            best[x] = d
            labels[x] = number


class BucketSpace(HistogramSpace):
    """Sparse histograms over the buckets of the next round; distances by thesis Algorithm 2. Means are dense rows."""

    def __init__(
        self,
        histograms: csr_array,
        ground: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        anchors: int = 16,
        threads: int | None = None,
    ) -> None:
        where = "histograms over buckets"
        rows = _sparse_rows(histograms, where)
        n_buckets = rows.shape[1]
        self.ground = require_numbers(
            ground, "ground distances", where, shape=(n_buckets, n_buckets), least=0.0, most=LARGEST
        )
        require_count(anchors, "anchors", where)
        thread_count(threads, where)
        self.histograms = csr_array(rows / rows.sum(axis=1)[:, None])
        self.weights = _weights(weights, rows.shape[0], where)
        self.threads = threads
        self._starts = self.histograms.indptr.astype(np.int64)
        self._buckets = self.histograms.indices.astype(np.int32)
        self._nearest = nearest_first(self.ground)
        self._anchors = self.ground[:, _spread_out(self.ground, min(anchors, n_buckets))]
        self._marks = np.ascontiguousarray(self.histograms @ self._anchors)
        # Rounding must not let a bound exclude a mean that is exactly as near.
        self._slack = 1e-12 * max(1.0, float(self.ground.max()))

    def points(self, which: IntArray) -> FloatArray:
        """Return dense histograms."""
        return np.asarray(self.histograms[which].toarray())

    def improve(self, centres: FloatArray, number: int, labels: IntArray, best: FloatArray) -> None:
        """Move points to a mean."""
        self._try(centres[number], number, labels, best, own=False)

    def _try(self, centre: FloatArray, number: int, labels: IntArray, best: FloatArray, *, own: bool) -> None:
        support = np.flatnonzero(centre > 0)
        order = np.empty((len(self.ground), len(support)), dtype=np.int32)
        distance = np.empty(order.shape)
        neighbours(self._nearest, self.ground, support, order, distance)
        mark = centre @ self._anchors
        widest = int(np.diff(self._starts).max())

        def work(begin: int, end: int) -> None:
            _improve(
                self._starts[begin : end + 1],
                self._buckets,
                self.histograms.data,
                widest,
                self._marks[begin:end],
                mark,
                self._slack,
                centre[support],
                order,
                distance,
                number,
                own,
                labels[begin:end],
                best[begin:end],
            )

        _in_pieces(work, self.size, self.threads)

    def sampled(self, rows: IntArray) -> BucketSpace:
        """Return some of the histograms."""
        return BucketSpace(self.histograms[rows], self.ground, threads=self.threads)

    def assign(self, centres: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray]:
        """Find the nearest means: the present one first, then all that the bounds do not exclude."""
        found, best = labels.copy(), np.full(self.size, np.inf)
        for number, centre in enumerate(centres):
            self._try(centre, number, found, best, own=True)
        for number, centre in enumerate(centres):
            self._try(centre, number, found, best, own=False)
        return found, best

    def means(self, labels: IntArray, k: int) -> FloatArray:
        """Average dense histograms."""
        members = csr_array((self.weights, (labels, np.arange(self.size))), shape=(k, self.size))
        sums = (members @ self.histograms).toarray()
        return np.asarray(sums / sums.sum(axis=1)[:, None])

    def distances(self, centres: FloatArray) -> FloatArray:
        """Return the pairwise distances, made symmetric by the lesser of the two directions (both are upper bounds)."""
        space = BucketSpace(csr_array(centres), self.ground, threads=self.threads, anchors=1)
        matrix = np.empty((len(centres), len(centres)))
        for number in range(len(centres)):
            best = np.full(len(centres), np.inf)
            space.improve(centres, number, np.full(len(centres), -1, dtype=np.int64), best)
            matrix[:, number] = best
        matrix = np.minimum(matrix, matrix.T)
        np.fill_diagonal(matrix, 0.0)
        return matrix


def _weights(weights: ArrayLike | None, size: int, where: str) -> FloatArray:
    """Return the weights of the histograms, equal by default."""
    if weights is None:
        return np.ones(size)
    checked = require_numbers(weights, "weights", where, shape=(size,), least=0.0, most=LARGEST)
    if not checked.all():  # a cluster of weight 0 has no mean
        raise ParameterError("a weight is 0", where=where, fix="leave out points of weight 0")
    return checked


def _sparse_rows(histograms: csr_array, where: str) -> csr_array:
    """Return the histograms as sparse rows of floats, none negative and none without mass."""
    if not issparse(histograms):
        require_array(histograms, "histograms", where, shape=(None, None))
    rows = csr_array(histograms, dtype=np.float64)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ParameterError(f"histograms of shape {rows.shape}", where=where, fix="pass one row per histogram")
    require_array(rows.data, "histograms", where, least=0, most=LARGEST)
    mass = rows.sum(axis=1)
    if not (mass > 0).all():
        row = int(np.argmin(mass > 0))
        raise ParameterError("a histogram has no mass", where=f"{where}, row {row}", fix="leave it out")
    rows.eliminate_zeros()
    return rows


def _spread_out(ground: FloatArray, count: int) -> IntArray:
    """Return buckets far from each other: each is the farthest from the previous ones."""
    chosen = [int(ground.sum(axis=1).argmax())]
    nearest = ground[chosen[0]].copy()
    for _ in range(count - 1):
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, ground[chosen[-1]])
    return np.array(chosen)
