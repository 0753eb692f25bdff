r"""k-means on a line, to the global optimum, for all k in one pass.

Sorted points :math:`x_1 \le \dots \le x_n` with weights :math:`w`: optimal clusters are intervals, so that the least
weighted sum of squares of the first j points in k clusters obeys

.. math:: D_k(j) = \min_{i \le j} \; D_{k-1}(i - 1) + \sum_{t=i}^{j} w_t (x_t - \mu_{ij})^2 .

The smallest minimiser i grows with j, which makes each row a divide-and-conquer of :math:`O(n \log n)` steps (Wang and
Song 2011; Grønlund et al. 2017). The errors for 1, …, k clusters come out on the way: they are the
:math:`c_{ik}` of GS2 (Gilpin and Sandholm, AAMAS 2007, §4), which ran k-means again for every k and could stop at a
local optimum. Interval costs obey the quadrangle inequality, hence the errors are convex in k.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.arguments import require_count
from equiform.models.common.array_arguments import LARGEST, require_array, require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit


@jit
def _cost(w: FloatArray, s: FloatArray, q: FloatArray, i: int, j: int) -> float:
    """Return the weighted sum of squares of points i … j-1 around their mean, by prefix sums."""
    mass = w[j] - w[i]
    if mass <= 0.0:
        return 0.0
    total = s[j] - s[i]
    return max(0.0, q[j] - q[i] - total * total / mass)


@jit
def _next_row(
    before: FloatArray,
    k: int,
    w: FloatArray,
    s: FloatArray,
    q: FloatArray,
    now: FloatArray,
    cut: Int32Array,
) -> None:
    """Fill in the errors of the first j points in k + 1 clusters, and where the last cluster begins."""
    n = len(w) - 1
    # A stack of (first j, last j, first i, last i): solve the middle j, then both halves.
    stack = np.empty((128, 4), np.int64)
    stack[0] = k + 1, n, k, n - 1
    top = 1
    while top > 0:
        top -= 1
        low, high, first, last = stack[top]
        if low > high:
            continue
        j = (low + high) // 2
        best, arg = np.inf, first
        for i in range(first, min(last, j - 1) + 1):
            value = before[i] + _cost(w, s, q, i, j)
            if value < best:
                best, arg = value, i
        now[j] = best
        cut[j] = arg
        stack[top] = low, j - 1, first, arg
        stack[top + 1] = j + 1, high, arg, last
        top += 2


@jit
def _all_rows(w: FloatArray, s: FloatArray, q: FloatArray, most: int) -> tuple[FloatArray, Int32Array]:
    n = len(w) - 1
    errors = np.empty(most)
    cuts = np.zeros((most, n + 1), np.int32)
    before = np.zeros(n + 1)
    now = np.zeros(n + 1)
    for j in range(n + 1):
        before[j] = _cost(w, s, q, 0, j)
    errors[0] = before[n]
    for k in range(1, most):
        _next_row(before, k, w, s, q, now, cuts[k])
        before, now = now, before
        errors[k] = before[n]
    return errors, cuts


@dataclass(frozen=True, eq=False)
class LineClusterings:
    """Optimal clusterings of weighted points on a line into 1, 2, … clusters."""

    points: FloatArray = field(repr=False)  # distinct, ascending
    weights: FloatArray = field(repr=False)
    errors: FloatArray  # [k - 1]: weighted sum of squares with k clusters
    _cuts: Int32Array = field(repr=False)

    @property
    def most(self) -> int:
        """The largest k."""
        return len(self.errors)

    def starts(self, k: int) -> IntArray:
        """Return the numbers of the points that begin each of the k clusters, ascending; the first is 0."""
        require_count(k, "k", "clusterings on a line", most=self.most)
        starts = np.zeros(k, dtype=np.int64)
        end = len(self.points)
        for c in range(k - 1, 0, -1):
            end = starts[c] = self._cuts[c, end]
        return starts

    def means(self, k: int) -> FloatArray:
        """Return the weighted mean of every cluster, ascending."""
        starts = self.starts(k)
        mass = np.add.reduceat(self.weights, starts)
        return np.add.reduceat(self.weights * self.points, starts) / mass

    def labels(self, k: int, values: ArrayLike) -> IntArray:
        """Return the cluster of each value: that of the nearest point at or below it."""
        lower = self.points[self.starts(k)]
        given = require_array(values, "values", "clusterings on a line")
        return np.maximum(np.searchsorted(lower, given, side="right") - 1, 0)


def kmeans_line(values: ArrayLike, most: int, weights: ArrayLike | None = None) -> LineClusterings:
    """Cluster values on a line optimally, for every number of clusters up to a largest one.

    Parameters
    ----------
    values
        The points.
    most
        The largest number of clusters, no more than there are distinct values.
    weights
        How much each point counts; equally much by default.

    Returns
    -------
    LineClusterings
        Optimal clusterings into 1, …, ``most`` clusters.

    Examples
    --------
    >>> found = kmeans_line([0.0, 0.1, 0.5, 0.9, 1.0], 3)
    >>> found.labels(3, [0.0, 0.1, 0.5, 0.9, 1.0]).tolist()
    [0, 0, 1, 2, 2]
    >>> [round(float(e), 3) for e in found.errors]
    [0.82, 0.145, 0.01]
    """
    where = "clustering on a line"
    x = require_numbers(values, "values", where, shape=(None,), empty=False, least=-LARGEST, most=LARGEST)
    mass = np.ones_like(x)
    if weights is not None:
        mass = require_numbers(weights, "weights", where, shape=x.shape, least=0.0, most=LARGEST)
    require_count(most, "clusters", where)
    if not mass.any():
        raise ParameterError("all weights are 0", where=where, fix="let some weight be positive")
    points, inverse = np.unique(x[mass > 0], return_inverse=True)
    grouped = np.bincount(inverse, weights=mass[mass > 0]).astype(np.float64)
    # Squares are taken around the mean: prefix sums of uncentred ones would lose digits.
    centred = points - (grouped @ points) / grouped.sum()
    w, s, q = (np.concatenate([[0.0], np.cumsum(grouped * centred**power)]) for power in range(3))
    errors, cuts = _all_rows(w, s, q, min(most, len(points)))
    return LineClusterings(points, grouped, errors, cuts)
