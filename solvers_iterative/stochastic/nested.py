"""VI-FP and PI-FP (thesis Algorithms 7 and 10): fictitious play inside, values or policies outside.

An iteration is one turn of the outer loop. Inside, fictitious play runs from uniform strategies until no player gains
more than ``inner_tolerance`` in any stage, the values of what follows being fixed (or until ``inner_limit`` steps are
done: fictitious play need not converge with three players).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import Prospects, StochasticGame
from equiform.solvers_iterative.stochastic.anchor import Anchor
from equiform.solvers_iterative.stochastic.base import StochasticSolver
from equiform.solvers_iterative.stochastic.policy_iteration import profile_values


class ViFp(StochasticSolver):
    """Value iteration outside (Algorithm 7). Its limit may be no equilibrium: have it checked.

    Parameters
    ----------
    game, values
        As for all solvers of stochastic games.
    inner_tolerance, inner_limit
        When fictitious play ends: the largest gain in any stage, and the largest number of steps.
    refresh
        Steps between two exact evaluations of the stage games; with 1 all are exact.
    """

    name = "vi-fp"

    def __init__(
        self,
        game: StochasticGame,
        *,
        values: FloatArray | None = None,
        inner_tolerance: float = 0.05,
        inner_limit: int = 1000,
        refresh: int = 40,
    ) -> None:
        super().__init__(game, values=values)
        self.inner_tolerance = require_number(inner_tolerance, "inner_tolerance", self.name)
        self.inner_limit = require_count(inner_limit, "inner_limit", self.name)
        self.refresh = require_count(refresh, "refresh", self.name)
        self.inner_steps = 0
        """Steps of fictitious play in the last outer loop."""

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {"inner_tolerance": self.inner_tolerance, "inner_limit": self.inner_limit, "refresh": self.refresh}

    def _iterate(self, iteration: int) -> None:
        payoffs = self.game.payoffs(self.values)
        for seat, strategy in enumerate(self.game.start()):
            self._profile[seat][...] = strategy
        anchor = Anchor(self.game.stages, self._profile, self.refresh)
        for step in range(1, self.inner_limit + 1):
            prospects = anchor.prospects(step, self._profile)
            self.inner_steps = step
            if self._stage_regret(prospects, payoffs) <= self.inner_tolerance:
                break
            self._mix(prospects, payoffs, 1.0 / step)
        self.values[...] = self._new_values(self.game.stages.prospects(tuple(self._profile)), payoffs)

    def _stage_regret(self, prospects: tuple[Prospects, ...], payoffs: FloatArray) -> float:
        first, worst = self.game.outcomes.first[:-1], 0.0
        for seat, own in enumerate(prospects):
            worth = payoffs[:, seat]
            gained = own.probabilities(own.respond(worth)) - own.probabilities(self._profile[seat])
            worst = max(worst, float(np.add.reduceat(gained * worth, first).max()))
        return worst

    def _new_values(self, prospects: tuple[Prospects, ...], payoffs: FloatArray) -> FloatArray:
        return self.game.outcomes.stage_values(prospects[0].probabilities(self._profile[0]), payoffs)


class PiFp(ViFp):
    """Policy evaluation outside (Algorithm 10): if it converges, then to an equilibrium."""

    name = "pi-fp"

    def _new_values(self, prospects: tuple[Prospects, ...], payoffs: FloatArray) -> FloatArray:
        return profile_values(self.game, prospects, self._profile)
