r"""Fictitious play and value iteration, a step of each in turn.

VI-FP solves every stage to the end before it looks at the values again. That is wasted: the values are still wrong.
Here each iteration moves all strategies once towards best responses,

.. math:: \sigma \leftarrow (1 - \alpha_t)\,\sigma + \alpha_t\,\mathrm{BR}(\sigma), \qquad
          \alpha_t = \frac{4}{t + 3},

and the values once, :math:`v \leftarrow` stage values of :math:`\sigma`. Both share one evaluation of the stage games.
The step gives strategy t the weight :math:`t^3`, roughly; 1/t would remember the first, clueless strategies for too
long. With ``restart``, t goes back to ``resume_at`` after so many iterations, and again after as many more: what was
learnt remains in the values and in the strategies, and old mistakes are forgotten faster.
"""

from __future__ import annotations

from typing import Any

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative.stochastic.base import StochasticSolver


class Interleaved(StochasticSolver):
    """One step of fictitious play and one of value iteration in turn."""

    name = "interleaved"

    def __init__(
        self,
        game: StochasticGame,
        *,
        values: FloatArray | None = None,
        weight: float = 4.0,
        restart: int = 0,
        resume_at: int = 20,
    ) -> None:
        super().__init__(game, values=values)
        self.weight = require_number(weight, "weight", self.name, least=1.0, most=100.0)
        self.restart = require_count(restart, "restart", self.name, least=0)
        self.resume_at = require_count(resume_at, "resume_at", self.name)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {"weight": self.weight, "restart": self.restart, "resume_at": self.resume_at}

    def _step(self, iteration: int) -> float:
        t = iteration
        if self.restart and iteration > self.restart:
            t = self.resume_at + (iteration - 1) % self.restart
        return min(1.0, self.weight / (t + self.weight - 1))

    def _iterate(self, iteration: int) -> None:
        prospects = self.game.stages.prospects(tuple(self._profile))
        payoffs = self.game.payoffs(self.values)
        probabilities = prospects[0].probabilities(self._profile[0])
        self._mix(prospects, payoffs, self._step(iteration))
        self.values[...] = self.game.outcomes.stage_values(probabilities, payoffs)
