r"""Iterated smoothing: :math:`O(\kappa \ln 1/\varepsilon)` iterations (Gilpin, Peña and Sandholm 2012).

The nash_conv :math:`F(x, y) = \max_u u^\top A y - \min_v x^\top A v` is convex and piecewise linear, hence *sharp*:
:math:`F(z) \ge \delta \operatorname{dist}(z, Z^*)` for some :math:`\delta(A) > 0`. Stage i starts from the profile
:math:`z_i`, aims at :math:`\varepsilon = F(z_i)/\gamma`, and minimises the smoothed

.. math:: F_\mu(x, y) = \max_u \Bigl\{ u^\top A y - \tfrac\mu2 \lVert u - x_i \rVert^2 \Bigr\}
   - \min_v \Bigl\{ x^\top A v + \tfrac\mu2 \lVert v - y_i \rVert^2 \Bigr\}, \qquad \mu = \frac{\varepsilon}{2D},

by accelerated projected gradients (Nesterov 1983; Beck and Teboulle 2009) started at :math:`z_i`. Here
:math:`D = \max_{u, v} \tfrac12 \lVert (u, v) - z_i \rVert^2`, so :math:`F_\mu \le F \le F_\mu + \varepsilon/2`, and the
gradient of :math:`F_\mu` is Lipschitz with :math:`L^2/\mu`, L the spectral norm of A. After k steps
:math:`F_\mu(z) \le 2 L^2 \operatorname{dist}(z_i, Z^*)^2 / (\mu (k+1)^2)`, so the stage ends within

.. math:: k + 1 = \frac{2 \sqrt 2 \, L \sqrt D \, \operatorname{dist}(z_i, Z^*)}{\varepsilon}
   \le \frac{2 \sqrt 2 \, \gamma \, L \sqrt D}{\delta} \quad\text{steps,}

a constant of the game: the gap falls by the factor :math:`\gamma` for a fixed price, where a single smoothing would pay
O(1/ε). The constant is a condition number and can be large. All projections are exact
(:mod:`equiform.solvers_iterative.first_order.projection`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex
from equiform.solvers_iterative.first_order.best_so_far import ProjectingSolver
from equiform.solvers_iterative.first_order.prox import operator_norm
from equiform.solvers_iterative.kernels.rows import numbered_arrays

#: Stages whose lengths are remembered: each divides the gap by gamma.
MAX_STAGES = 512
_TARGET, _MU, _MOMENTUM, _STAGE, _BEST = range(5)


class IteratedSmoothing(ProjectingSolver):
    """Smoothing restarted around ever better profiles.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    gamma
        The factor by which a stage improves the gap.
    norm
        A bound of the payoff operator's spectral norm; computed by default.
    threads
        How many threads multiply by the payoff matrix.

    Raises
    ------
    ParameterError
        If an argument is out of range, or if the payoff operator does not report its magnitude and no norm is given.
    """

    def __init__(
        self, game: SequenceForm, *, gamma: float = math.e, norm: float | None = None, threads: int = 1
    ) -> None:
        super().__init__("iterated-smoothing", game, threads=threads)
        if not 1.0 < gamma <= 1e6:  # a target below all roundings would divide by zero
            raise ParameterError(
                "a stage must improve the gap", where=f"gamma={gamma}", fix="use a number above 1 and up to a million"
            )
        if norm is not None and not 0.0 < norm < math.inf:
            raise ParameterError("the norm is not positive", where=f"norm={norm}", fix="leave it out, or use a bound")
        found = operator_norm(game, "euclidean") if norm is None else norm
        if found is None:
            raise ParameterError(
                f"the payoff operator of {game.name} does not report its magnitude",
                where=type(game.payoff).__name__,
                fix="add a magnitude() method to the operator, or pass norm=, a bound on its spectral norm",
            )
        self.gamma, self.norm, self._given_norm = gamma, found, norm
        self._points, self._ahead, self._centers, self._best = (self._uniform_plans() for _ in range(4))
        self._scalars = np.array([math.inf, 0.0, 1.0, -1.0, math.inf])
        self._lengths = np.zeros(MAX_STAGES, dtype=np.int64)

    @property
    def options(self) -> dict[str, Any]:
        """The factor per stage, the norm if it was given, and the number of threads."""
        return {"gamma": self.gamma, "norm": self._given_norm, "threads": self.threads}

    @property
    def stage_lengths(self) -> tuple[int, ...]:
        """Iterations of each finished stage."""
        return tuple(self._lengths[: max(0, int(self._scalars[_STAGE]))].tolist())

    def _state(self) -> dict[str, NDArray[Any]]:
        groups = {"point": self._points, "ahead": self._ahead, "center": self._centers, "best": self._best}
        return {**numbered_arrays(groups), "scalars": self._scalars, "lengths": self._lengths}

    def _advance(self, count: int) -> None:
        if count == 0:
            for project, point in zip(self._project, self._points, strict=True):
                project(point)
        for _ in range(count):
            if self._scalars[_STAGE] < 0:
                self._scalars[_BEST] = self._gap(self._points)
                self._new_stage()
            if self._scalars[_BEST] > 0.0:
                self._step()

    def _gap(self, points: list[FloatArray]) -> float:
        return sum(t.best_value(self._gradient(p, points[1 - p])) for p, t in enumerate(self.game.treeplexes))

    def _new_stage(self) -> None:
        """Center everything on the best profile and aim at its gap over gamma."""
        for p in (0, 1):
            for vector in (self._points[p], self._ahead[p], self._centers[p]):
                vector[:] = self._best[p]
        spread = sum(_half_squared_radius(t, c) for t, c in zip(self.game.treeplexes, self._centers, strict=True))
        s = self._scalars
        s[_TARGET] = s[_BEST] / self.gamma
        s[_MU] = s[_TARGET] / (2.0 * spread) if spread > 0.0 else 0.0
        s[_MOMENTUM] = 1.0
        s[_STAGE] += 1.0

    def _step(self) -> None:
        """Take one accelerated projected gradient step on :math:`F_\\mu`."""
        s = self._scalars
        mu, stage = s[_MU], int(s[_STAGE])
        if mu < np.finfo(float).tiny / np.finfo(float).eps:
            return  # nothing left to gain in floats
        size = mu / self.norm**2
        # u answers y, v answers x; F rises with y along A^T u and falls with x along A v
        replies = [self._project[p](self._centers[p] + self._gradient(p, self._ahead[1 - p]) / mu) for p in (0, 1)]
        momentum = (1.0 + math.sqrt(1.0 + 4.0 * s[_MOMENTUM] ** 2)) / 2.0
        push = (s[_MOMENTUM] - 1.0) / momentum
        for p in (0, 1):
            new = self._project[p](self._ahead[p] + size * self._gradient(p, replies[1 - p]))
            self._ahead[p][:] = new + push * (new - self._points[p])
            self._points[p][:] = new
        s[_MOMENTUM] = momentum
        self._lengths[min(stage, MAX_STAGES - 1)] += 1
        gap = self._gap(self._points)
        if gap < s[_BEST]:
            s[_BEST] = gap
            for p in (0, 1):
                self._best[p][:] = self._points[p]
        if s[_BEST] <= s[_TARGET]:
            self._new_stage()


def _half_squared_radius(treeplex: Treeplex, center: FloatArray) -> float:
    """Return half the largest squared distance from the center: linear in u, as pure plans have :math:`u_s^2 = u_s`."""
    return 0.5 * (treeplex.best_value(1.0 - 2.0 * center) + float(center @ center))
