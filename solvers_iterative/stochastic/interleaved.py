r"""Fictitious play and value iteration, a step of each in turn.

VI-FP solves every stage to the end before it looks at the values again. That is wasted: the values are still wrong.
Here each iteration moves all strategies once towards best responses,

.. math:: \sigma \leftarrow (1 - \alpha_t)\,\sigma + \alpha_t\,\mathrm{BR}(\sigma), \qquad
          \alpha_t = \frac{w}{t + w - 1},

and the values once, :math:`v \leftarrow` stage values of :math:`\sigma`. Both share one evaluation of the stage games.
The step gives the best response of iteration t a weight of order :math:`t^{w-1}`: the plain average (w = 1) would
remember the first, clueless strategies for too long. The same step serves from the first iteration to the last.

Where stage games are dear, they are evaluated exactly every ``refresh`` iterations and cheaply in between, near the
last exact profile (:mod:`equiform.solvers_iterative.stochastic.anchor`).
"""

from __future__ import annotations

from typing import Any

from equiform.models.common.arguments import require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative.stochastic.anchor import AnchoredSolver


class Interleaved(AnchoredSolver):
    """One step of fictitious play and one of value iteration in turn.

    Parameters
    ----------
    game, values
        As for all solvers of stochastic games.
    weight
        The weight w of the step, at least 1.
    refresh
        Iterations between two exact evaluations of the stage games; with 1 all are exact.
    """

    name = "interleaved"

    def __init__(
        self, game: StochasticGame, *, values: FloatArray | None = None, weight: float = 4.0, refresh: int = 40
    ) -> None:
        super().__init__(game, values=values, refresh=refresh)
        self.weight = require_number(weight, "weight", self.name, least=1.0, most=100.0)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {**super().options, "weight": self.weight}

    def _iterate(self, iteration: int) -> None:
        prospects = self._anchor.prospects(iteration, self._profile)
        payoffs = self.game.payoffs(self.values)
        probabilities = prospects[0].probabilities(self._profile[0])
        self._mix(prospects, payoffs, min(1.0, self.weight / (iteration + self.weight - 1)))
        self.values[...] = self.game.outcomes.stage_values(probabilities, payoffs)
