r"""Primal–dual hybrid gradient on the two treeplexes, restarted: linear convergence to the limits of floats.

A. Chambolle and T. Pock, *A first-order primal-dual algorithm for convex problems*, JMIV 40 (2011); D. Applegate,
O. Hinder, H. Lu and M. Lubin, *Faster first-order primal-dual methods for linear programming using restarts and
sharpness*, Mathematical Programming 201 (2023).

The saddle point :math:`\max_x \min_y x^\top A y` over two treeplexes, with exact projections :math:`\Pi`
(:mod:`equiform.solvers_iterative.first_order.projection`):

.. math::

    x^{k+1} = \Pi_X\bigl(x^k + \tfrac{\eta}{\omega} A y^k\bigr), \qquad
    y^{k+1} = \Pi_Y\bigl(y^k - \eta \omega A^\top (2 x^{k+1} - x^k)\bigr), \qquad \eta < 1 / \lVert A \rVert .

The average of the iterates converges like 1/k, wherever one starts. But the nash_conv is piecewise linear, hence
*sharp*: it bounds the distance from the equilibria. So the average is a better place to start from, and starting again
there whenever the gap has fallen by a fixed factor makes a geometric sequence. Restarts happen at the better of the
last iterate and the average, once its gap is

* at most 0.3 of that at the last restart, or
* at most 0.8 of it and rising, or
* whatever it is, when the stage is longer than 0.36 of all iterations.

At a restart the primal weight :math:`\omega` moves halfway (in logarithms) towards the ratio of the distances that y
and x have travelled. One matrix product and one projection per player and iteration; no matrix is needed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm
from equiform.solvers_iterative.first_order.best_so_far import ProjectingSolver
from equiform.solvers_iterative.kernels.rows import numbered_arrays

SUFFICIENT, NECESSARY, ARTIFICIAL = 0.3, 0.8, 0.36
_POWER_STEPS = 200
_SAFETY = 0.95  # of the longest step that theory allows; the norm is an estimate from below
_WEIGHT, _LENGTH, _START_GAP, _LAST_GAP, _BEST_GAP, _RESTARTS = range(6)


class PDHG(ProjectingSolver):
    """Restarted primal–dual hybrid gradient; the gap is looked at every ``check_every`` iterations.

    Parameters
    ----------
    game
        A two-player zero-sum game with any payoff operator.
    check_every
        How often the gap is computed for restarts (one product and one best response per player and profile).
    norm
        The spectral norm of the payoff; found by power iteration unless given.
    threads
        For the products of a written-out payoff.
    """

    def __init__(
        self, game: SequenceForm, *, check_every: int = 32, norm: float | None = None, threads: int = 1
    ) -> None:
        super().__init__("pdhg", game, threads=threads)
        self.check_every = require_count(check_every, "check_every", "pdhg")
        self._given_norm = None if norm is None else require_number(norm, "norm", "pdhg", least=1e-300)
        self.norm = self._spectral_norm() if self._given_norm is None else self._given_norm
        self._points, self._origin, self._best = (self._uniform_plans() for _ in range(3))
        self._sums = [np.zeros_like(p) for p in self._points]
        # before the first iteration every gap counts as infinite
        self._scalars = np.array([1.0, 0.0, math.inf, math.inf, math.inf, 0.0])

    @property
    def options(self) -> dict[str, Any]:
        """How often the gap is looked at, the norm if it was given, and the number of threads."""
        return {"check_every": self.check_every, "norm": self._given_norm, "threads": self.threads}

    @property
    def restarts(self) -> int:
        """How often the run has started again from a better place."""
        return int(self._scalars[_RESTARTS])

    def _state(self) -> dict[str, NDArray[Any]]:
        groups = {"point": self._points, "origin": self._origin, "best": self._best, "sum": self._sums}
        return {**numbered_arrays(groups), "scalars": self._scalars}

    def _advance(self, count: int) -> None:
        if count == 0:  # compile on scratch
            for project, point in zip(self._project, self._points, strict=True):
                project(point)
            self._gap(self._points)
        for k in range(self._iteration, self._iteration + count):
            if self.norm > 0.0:
                self._step()
            if (k + 1) % self.check_every == 0:
                self._look(k + 1)

    def _step(self) -> None:
        size, weight = _SAFETY / self.norm, float(self._scalars[_WEIGHT])
        x, y = self._points
        ahead = self._project[0](x + (size / weight) * self._gradient(0, y))
        lower = self._project[1](y + (size * weight) * self._gradient(1, 2.0 * ahead - x))
        x[:], y[:] = ahead, lower
        self._sums[0] += x
        self._sums[1] += y
        self._scalars[_LENGTH] += 1.0

    def _gap(self, plans: list[FloatArray]) -> float:
        return sum(t.best_value(self._gradient(p, plans[1 - p])) for p, t in enumerate(self.game.treeplexes))

    def _look(self, iteration: int) -> None:
        """Measure the last iterate and the average of the stage; keep the better, and restart there if it is time."""
        s = self._scalars
        average = [total / max(s[_LENGTH], 1.0) for total in self._sums]
        gaps = [self._gap(self._points), self._gap(average)]
        candidate, gap = (self._points, gaps[0]) if gaps[0] <= gaps[1] else (average, gaps[1])
        if gap < s[_BEST_GAP]:
            s[_BEST_GAP] = gap
            for p in (0, 1):
                self._best[p][:] = candidate[p]
        fallen = gap <= SUFFICIENT * s[_START_GAP] or (NECESSARY * s[_START_GAP] >= gap > s[_LAST_GAP])
        s[_LAST_GAP] = gap
        if fallen or s[_LENGTH] >= ARTIFICIAL * iteration:
            self._restart(candidate, gap)

    def _restart(self, candidate: list[FloatArray], gap: float) -> None:
        s = self._scalars
        travelled = [float(np.linalg.norm(candidate[p] - self._origin[p])) for p in (0, 1)]
        if min(travelled) > 1e-12:
            s[_WEIGHT] = math.sqrt(s[_WEIGHT] * travelled[1] / travelled[0])
        for p in (0, 1):
            self._points[p][:] = candidate[p]
            self._origin[p][:] = candidate[p]
            self._sums[p][:] = 0.0
        s[_LENGTH], s[_START_GAP], s[_LAST_GAP] = 0.0, gap, gap
        s[_RESTARTS] += 1.0

    def _spectral_norm(self) -> float:
        """Estimate the largest singular value of the payoff by power iteration from a fixed start."""
        vector = np.random.default_rng(0).standard_normal(self.game.treeplexes[1].num_sequences)
        norm = 0.0
        for _ in range(_POWER_STEPS):
            length = float(np.linalg.norm(vector))
            if length == 0.0:
                return 0.0
            image = self._gradient(0, vector / length)
            found = float(np.linalg.norm(image))
            if abs(found - norm) <= 1e-6 * found:
                return found
            norm, vector = found, -self._gradient(1, image)
        return norm
