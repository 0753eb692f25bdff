r"""Fictitious play and value iteration, a step of each in turn.

VI-FP solves every stage to the end before it looks at the values again. That is wasted: the values are still wrong.
Here each iteration moves all strategies once towards best responses,

.. math:: \sigma \leftarrow (1 - \alpha_t)\,\sigma + \alpha_t\,\mathrm{BR}(\sigma), \qquad
          \alpha_t = \frac{4}{t + 3},

and the values once, :math:`v \leftarrow` stage values of :math:`\sigma`. Both share one evaluation of the stage games.
The step gives strategy t the weight :math:`t^3`, roughly; 1/t would remember the first, clueless strategies for too
long. Later the step itself is the trouble: a strategy that mixes swings by it from one iteration to the next. So after
``settle`` iterations, when the beginning is forgotten, :math:`\alpha_t = 1/t`.
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
        settle: int = 100,
    ) -> None:
        super().__init__(game, values=values)
        self.weight = require_number(weight, "weight", self.name, least=1.0, most=100.0)
        self.settle = require_count(settle, "settle", self.name, least=0)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {"weight": self.weight, "settle": self.settle}

    def _step(self, iteration: int) -> float:
        if iteration > self.settle:
            return 1.0 / iteration
        return min(1.0, self.weight / (iteration + self.weight - 1))

    def _iterate(self, iteration: int) -> None:
        prospects = self.game.stages.prospects(tuple(self._profile))
        payoffs = self.game.payoffs(self.values)
        probabilities = prospects[0].probabilities(self._profile[0])
        self._mix(prospects, payoffs, self._step(iteration))
        self.values[...] = self.game.outcomes.stage_values(probabilities, payoffs)
