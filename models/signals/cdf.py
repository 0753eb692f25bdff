r"""Distributions of a private signal: finite, piecewise linear, and any other CDF by a bounded approximation.

A *continuous piecewise-linear* CDF is a list of points and the probability up to each (Ganzfried 2015, §11.7.1). Any
other CDF is replaced by its interpolation; a CDF is monotone, so on a piece :math:`[a, b]` the interpolation is off by
at most :math:`F(b) - F(a)`, which is proved without knowing anything else about :math:`F`; if
:math:`|F''| \le L` is known, also by at most :math:`L (b - a)^2 / 8`. :func:`payoff_error` says what an error in the
CDFs costs in the game.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ChanceError, ParameterError

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PiecewiseLinearCdf:
    """A continuous CDF that is linear between its points; it is 0 at the first point and 1 at the last.

    >>> F = PiecewiseLinearCdf.from_masses([0, 0.5, 1], [0.2, 0.8])
    >>> F(0.25), F.quantile(0.6)
    (0.1, 0.75)
    """

    points: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)
        values = np.array(self.values, dtype=np.float64)
        fits = points.ndim == 1 and points.shape == values.shape and len(points) >= 2
        if not fits or not np.isfinite(points).all() or not np.isfinite(values).all() or (np.diff(points) <= 0).any():
            raise ChanceError(
                "the points of a CDF are not an increasing list with one value each",
                where=f"points {points.tolist()}",
                fix="pass at least two increasing points and the probability up to each",
            )
        if abs(values[0]) > _TOLERANCE or abs(values[-1] - 1) > _TOLERANCE or (np.diff(values) < -_TOLERANCE).any():
            raise ChanceError(
                "the values of a CDF do not rise from 0 to 1",
                where=f"values {values.tolist()}",
                fix="start at 0, end at 1, and never fall",
            )
        values = np.maximum.accumulate(np.clip(values, 0.0, 1.0))
        values[-1] = 1.0
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "values", values)

    @staticmethod
    def uniform(low: float = 0.0, high: float = 1.0) -> PiecewiseLinearCdf:
        """Spread the signal evenly over an interval."""
        return PiecewiseLinearCdf(np.array([low, high]), np.array([0.0, 1.0]))

    @staticmethod
    def from_masses(points: ArrayLike, masses: ArrayLike) -> PiecewiseLinearCdf:
        """Build the CDF from the probability of each interval between neighbouring points."""
        weights = probabilities(masses)
        return PiecewiseLinearCdf(np.asarray(points, dtype=np.float64), np.append(0.0, np.cumsum(weights)))

    @staticmethod
    def random(
        rng: np.random.Generator, pieces: int, *, concentration: float = 1.0, low: float = 0.0, high: float = 1.0
    ) -> PiecewiseLinearCdf:
        """Draw the masses of equally long pieces from a symmetric Dirichlet distribution."""
        require_count(pieces, "the number of pieces", "a random CDF", most=100_000)
        if not 0 < concentration < math.inf:
            raise ParameterError(
                f"the concentration is {concentration}", where="a random CDF", fix="use a positive number such as 1"
            )
        masses = rng.dirichlet(np.full(pieces, concentration))
        return PiecewiseLinearCdf.from_masses(np.linspace(low, high, pieces + 1), masses)

    def __call__(self, x: float) -> float:
        """Return the probability of a signal up to x."""
        return float(np.interp(x, self.points, self.values))

    def at(self, x: ArrayLike) -> FloatArray:
        """Evaluate the CDF at many signals."""
        return np.interp(np.asarray(x, dtype=np.float64), self.points, self.values)

    def quantile(self, q: float) -> float:
        """Return the lowest signal with at least this probability up to it."""
        k = min(max(int(np.searchsorted(self.values, q, side="left")), 1), len(self.values) - 1)
        low, high = self.values[k - 1], self.values[k]
        share = (q - low) / (high - low) if high > low else 0.0
        return float(self.points[k - 1] + min(max(share, 0.0), 1.0) * (self.points[k] - self.points[k - 1]))


@dataclass(frozen=True)
class CdfApproximation:
    """A piecewise-linear stand-in and a proved bound on ``max |F - approximation|``."""

    cdf: PiecewiseLinearCdf
    error: float


def approximate_cdf(
    cdf: Callable[[float], float],
    *,
    low: float,
    high: float,
    error: float = 1e-2,
    curvature: float = math.inf,
    max_pieces: int = 2_000,
) -> CdfApproximation:
    """Interpolate a continuous CDF with all its mass on ``[low, high]``, halving pieces until the bound is met.

    ``curvature`` bounds the second derivative, if you know such a bound; far fewer pieces are needed then.

    >>> approximation = approximate_cdf(lambda x: x * x, low=0, high=1, error=0.05)
    >>> approximation.error <= 0.05
    True
    """
    if not high > low or not error > 0:
        raise ParameterError(
            "an approximation needs an interval and a positive error",
            where=f"low={low}, high={high}, error={error}",
            fix="use low < high and an error such as 0.01",
        )
    known = {low: 0.0, high: 1.0}

    def bound(a: float, b: float) -> float:
        rise = known[b] - known[a]
        return min(rise, curvature * (b - a) ** 2 / 8)

    stack, points = [(low, high)], [low]
    while stack:
        a, b = stack.pop()
        if bound(a, b) <= error:
            points.append(b)
            continue
        if len(points) + len(stack) >= max_pieces or not a < (a + b) / 2 < b:
            raise ParameterError(
                f"the CDF is not within {error} of {max_pieces} pieces",
                where=f"between {a} and {b} it rises by {known[b] - known[a]:.3g}",
                fix="allow a larger error or more pieces; a jump belongs in a finite signal",
            )
        middle = (a + b) / 2
        known[middle] = float(cdf(middle))
        stack += [(middle, b), (a, middle)]
    values = np.array([known[x] for x in points])
    stand_in = PiecewiseLinearCdf(np.array(points), values)
    return CdfApproximation(stand_in, max(bound(a, b) for a, b in itertools.pairwise(points)))


def payoff_error(error: float, *, payoff_range: float, thresholds: Sequence[int]) -> float:
    r"""Bound what CDF errors add to the ε of a threshold profile, at every signal.

    Against an opponent with :math:`T` thresholds a plan's payoff is a step function of their signal with at most
    :math:`T + 1` steps (one more where the better signal changes hands) of at most :math:`M`, so a CDF error
    :math:`\delta` moves it by at most :math:`\delta M (T + 1)`; the difference of two plans moves twice as far.
    ``thresholds`` lists :math:`T` for each opponent.
    """
    return 2.0 * error * payoff_range * sum(t + 1 for t in thresholds)


def probabilities(masses: ArrayLike) -> FloatArray:
    """Check a distribution and return it as floats that sum to one."""
    weights = np.array(masses, dtype=np.float64)
    if (
        weights.size == 0
        or not np.isfinite(weights).all()
        or (weights < 0).any()
        or abs(weights.sum() - 1) > _TOLERANCE
    ):
        raise ChanceError(
            "the probabilities of the signals are not a distribution",
            where=f"sum {weights.sum():.12g}, lowest {weights.min() if weights.size else 'none'}",
            fix="pass finite numbers of at least 0 that sum to 1",
        )
    return weights / weights.sum()
