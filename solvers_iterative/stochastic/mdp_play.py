"""FP-MDP and FTPL-MDP (thesis Algorithms 11 and 12): fictitious play outside, a decision process solved inside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from equiform.models.common.arguments import require_number, require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative.stochastic.anchor import AnchoredSolver
from equiform.solvers_iterative.stochastic.policy_iteration import BestResponses, best_responses


class FpMdp(AnchoredSolver):
    """Average the best responses in the whole game (Algorithm 11)."""

    name = "fp-mdp"

    def _iterate(self, iteration: int) -> None:
        found = self._responses(iteration)
        for strategy, answer in zip(self._profile, found.policies, strict=True):
            strategy += (answer - strategy) / iteration
        self.values[...] = found.values

    def _responses(self, iteration: int) -> BestResponses:
        return best_responses(self.game, self._profile, self._anchor.prospects(iteration, self._profile))


class FtplMdp(FpMdp):
    r"""Follow the perturbed leader (Algorithm 12).

    Before the best responses are computed, every strategy is mixed with a random pure one, with weight
    :math:`\eta / \sqrt t`. The draw depends on the seed and on the number of the iteration alone, so that a resumed run
    draws what an uninterrupted one would.
    """

    name = "ftpl-mdp"

    def __init__(
        self,
        game: StochasticGame,
        *,
        values: FloatArray | None = None,
        refresh: int = 40,
        noise: float = 0.2,
        seed: int = 0,
    ) -> None:
        super().__init__(game, values=values, refresh=refresh)
        self.noise = require_number(noise, "noise", self.name, most=1.0)
        self.seed = require_seed(seed, self.name)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {**super().options, "noise": self.noise, "seed": self.seed}

    def _responses(self, iteration: int) -> BestResponses:
        rng = np.random.default_rng([self.seed, iteration])
        weight = self.noise / math.sqrt(iteration)
        prospects = self._anchor.prospects(iteration, self._profile)
        perturbed = []
        for strategy, own in zip(self._profile, prospects, strict=True):
            whim = own.respond(rng.normal(size=len(self.game.outcomes.rewards)))
            perturbed.append(strategy + weight * (whim - strategy))
        return best_responses(self.game, perturbed, self._anchor.near(perturbed))
