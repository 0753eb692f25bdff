r"""The equilibrium conditions that both MIP Nash programs share: a move is among the best, or it is not played.

.. math:: v \ge u_a, \qquad v - u_a \le U_i b_a + \varepsilon,

for every move a of player i, where v is the value of the best one, :math:`u_a` the interpolated value of a, :math:`U_i`
the range of the player's payoffs and :math:`b_a` one if a is not played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

import numpy as np
import pyomo.core as pyo

from equiform.formulations.general_sum.refinement import Key
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray

Objective = Literal["any", "welfare", "regret"]


class BestOrUnplayed:
    """Adds the conditions to a model, in each player's own unit, and the objective that chooses among equilibria.

    The model needs its binaries ``unplayed`` by move; it gets ``epsilon``, ``best`` and ``played_is_best``.
    """

    def __init__(
        self, model: Any, game_name: str, payoffs: FloatArray, objective: Objective, epsilon: float | None
    ) -> None:
        require_name(objective, get_args(Objective), "objective", game_name)
        self.model, self.objective, self.epsilon = model, objective, epsilon
        self.ranges = np.ptp(payoffs, axis=1)
        self.units = [unit_of(float(size)) for size in np.abs(payoffs).max(axis=1)]
        self.allowed = 0.0
        """The most that a player may gain, by slack and interpolation error (without the variable ε)."""
        model.epsilon = pyo.Var(bounds=(0, None if objective == "regret" else 0), initialize=0)
        declare_unit(model, max(self.units), model.epsilon)
        model.best = pyo.ConstraintList()
        model.played_is_best = pyo.ConstraintList()

    def add(self, move: Key, best: Any, value: Any, error: float) -> None:
        """State that a move, whose value is off by at most ``error``, is as good as the ``best`` or is not played."""
        model, player = self.model, move[0]
        least = self.objective == "regret"
        slack = 0.0 if least else 2 * error if self.epsilon is None else self.epsilon
        self.allowed = max(self.allowed, slack + 2 * error)
        large = float(self.ranges[player]) + 2 * error
        rows = (
            model.best.add(best >= value),
            model.played_is_best.add(
                best - value <= large * model.unplayed[move] + slack + (model.epsilon if least else 0.0)
            ),
        )
        declare_unit(model, self.units[player], *rows)

    def choose(self, payoffs: Callable[[], Iterable[Any]]) -> None:
        """Set the objective: the sum of the players' ``payoffs`` for welfare, otherwise the least ε."""
        if self.objective == "welfare":
            self.model.objective = pyo.Objective(expr=sum(payoffs()), sense=pyo.maximize)
        else:
            self.model.objective = pyo.Objective(expr=1.0 * self.model.epsilon)
