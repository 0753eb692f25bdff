r"""Which equilibrium? The best and the worst that an equilibrium strategy can earn against a given opponent.

The equilibria of a zero-sum game earn the same against each other, but not against other opponents. What a solver
reports then depends on the vertex at which it stopped; the attainable interval does not. S. Ganzfried, PhD thesis (CMU
2015): *best equilibrium*, §13.4.3. Each end of the interval is one LP.

.. math::

    \max_{x, q} \text{ and } \min_{x, q}\; g^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0, \qquad
    A^\top x - F^\top q \ge 0, \qquad q_0 \ge v .

With :math:`g = Ay` the functional is the payoff against the plan y; any other vector over the player's sequences (the
probability of an action, for instance) works as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyomo.core as pyo

from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result, one_sided
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import Record
from equiform.models.game import Game, as_sequence_form


@dataclass(frozen=True, eq=False)
class Selection(Record):
    """The attainable interval of a linear functional over a player's equilibrium strategies."""

    player: int
    game_value: float
    """The game's value for player 0."""
    best: Result
    worst: Result

    @property
    def interval(self) -> tuple[float, float]:
        """The functional's lowest and highest value (the player's own payoff, if it is a payoff)."""
        sign = 1.0 if self.player == 0 else -1.0
        return sign * self.worst.value, sign * self.best.value

    def contains(self, value: float, *, tolerance: float = 1e-9) -> bool:
        """Whether some equilibrium attains this value."""
        lowest, highest = self.interval
        return lowest - tolerance <= value <= highest + tolerance


def build(
    game: Game, functional: FloatArray, *, value: float, player: int = 0, sense: Any = pyo.maximize
) -> pyo.ConcreteModel:
    """Build the program over a player's equilibrium strategies.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    functional
        One coefficient per sequence of ``player``.
    value
        The game's value for the first player.
    player
        The player whose equilibrium strategies are searched, 0 or 1.
    sense
        ``pyomo.environ.maximize`` or ``minimize``.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` and ``guarantee`` and the ``objective``.
    """
    return safe_response.build(game, functional, floor=value if player == 0 else -value, player=player, sense=sense)


def solve(
    game: Game,
    opponent_plan: FloatArray,
    *,
    player: int = 0,
    value: float | None = None,
    solver: SolverOptions = DEFAULT,
) -> Selection:
    """Find the best and the worst equilibrium strategy of a player against a plan of the opponent.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    opponent_plan
        The opponent's realization plan.
    player
        The player whose equilibrium strategies are searched, 0 or 1.
    value
        The game's value for the first player; computed if omitted.
    solver
        The backend and how to run it.

    Returns
    -------
    Selection
        Both ends of the attainable interval, with a strategy for each.

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    return solve_functional(
        game,
        game.gradient(player, opponent_plan),
        player=player,
        value=value,
        solver=solver,
    )


def solve_functional(
    game: Game,
    functional: FloatArray,
    *,
    player: int = 0,
    value: float | None = None,
    solver: SolverOptions = DEFAULT,
) -> Selection:
    """Find the lowest and the highest value of ``functional @ x`` over a player's equilibrium plans x.

    Parameters and errors are those of :func:`solve`, with one coefficient per sequence of ``player`` in place of the
    opponent's plan.
    """
    game = as_sequence_form(game)
    if value is None:
        value = sequence_form_lp.solve(game, player=player, solver=solver).require_optimal().value
    ends: list[Result] = []
    for concept, sense in (("best equilibrium", pyo.maximize), ("worst equilibrium", pyo.minimize)):
        model, built = timed(build, game, functional, value=value, player=player, sense=sense)
        solution = solve_model(model, solver).require_optimal()
        ends.append(one_sided(game, concept, player, model, (solution,), built))
    return Selection(player, value, *ends)
