"""Histograms compared bin by bin: the Euclidean distance of GS3's potential-aware abstraction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.clustering.kmeans import HistogramSpace
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray, IntArray


class EuclideanSpace(HistogramSpace):
    """Rows of numbers and their Euclidean distance; bins have no order."""

    def __init__(self, rows: ArrayLike, weights: ArrayLike) -> None:
        where = "histograms bin by bin"
        self.rows = require_numbers(rows, "rows", where, shape=(None, None), empty=False)
        self.weights = require_numbers(weights, "weights", where, shape=(len(self.rows),), least=0.0)

    def _squares(self, centres: FloatArray) -> FloatArray:
        found: FloatArray = ((self.rows[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        return found

    def points(self, which: IntArray) -> FloatArray:
        """Return histograms as means (rows)."""
        return self.rows[which]

    def improve(self, centres: FloatArray, number: int, labels: IntArray, best: FloatArray) -> None:
        """Move the points that are closer to mean ``number`` than ``best`` there."""
        distance = np.sqrt(self._squares(centres[number : number + 1])[:, 0])
        closer = distance < best
        labels[closer], best[closer] = number, distance[closer]

    def assign(self, centres: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray]:
        """Find every point's nearest mean and its distance."""
        squares = self._squares(centres)
        nearest = squares.argmin(axis=1)
        return nearest, np.sqrt(squares[np.arange(len(squares)), nearest])

    def means(self, labels: IntArray, k: int) -> FloatArray:
        """Average each cluster."""
        mass = np.bincount(labels, weights=self.weights, minlength=k)
        sums = np.zeros((k, self.rows.shape[1]))
        np.add.at(sums, labels, self.weights[:, None] * self.rows)
        return np.asarray(sums / np.maximum(mass, 1e-300)[:, None])

    def sampled(self, rows: IntArray) -> EuclideanSpace:
        """Return some of the histograms, all of equal weight."""
        return EuclideanSpace(self.rows[rows], np.ones(len(rows)))

    def distances(self, centres: FloatArray) -> FloatArray:
        """Return the distance between each pair of means."""
        found: FloatArray = np.sqrt(((centres[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2))
        return found
