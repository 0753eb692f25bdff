r"""Safe best response: earn the most against a known opponent while guaranteeing the value minus ε.

S. Ganzfried, PhD thesis (CMU 2015), §13.7.3; M. Johanson, M. Zinkevich and M. Bowling, *Computing robust
counter-strategies*, NIPS 2007.

Sets
    sequences of the player (:math:`x`) and information sets of the opponent (:math:`q`).
Variables
    :math:`x \ge 0` realization plan; :math:`q` prices of the opponent's information sets, :math:`q_0` the guarantee.

.. math::

    \max_{x, q}\; (Ay)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0 \quad (\text{flow}), \qquad
    A^\top x - F^\top q \ge 0 \quad (\text{response}), \qquad q_0 \ge v - \varepsilon \quad (\text{floor}).

With :math:`\varepsilon = 0` it ranges over all equilibrium strategies: against a fully mixed y it is the second step of
Algorithm 18 (:mod:`equiform.formulations.zero_sum.undominated`), in both senses it is equilibrium selection
(:mod:`equiform.formulations.zero_sum.selection`). For repeated responses in the same game, see
:mod:`equiform.formulations.opponents.safe_responder`; for all ε at once,
:mod:`equiform.formulations.opponents.tradeoff`.
"""

from __future__ import annotations

from typing import Any

import pyomo.core as pyo

from equiform.formulations.blocks import guarantee, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import dot
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result, one_sided
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.arguments import require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.game import Game, as_sequence_form


def build(
    game: Game, gradient: FloatArray, *, floor: float, player: int = 0, sense: Any = pyo.maximize
) -> pyo.ConcreteModel:
    """Build the program of one player.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    gradient
        What each sequence of the player earns: ``game.gradient(player, y)`` against a plan y.
    floor
        The payoff that the player's strategy must guarantee.
    player
        The player who responds, 0 or 1.
    sense
        ``pyomo.environ.maximize`` or ``minimize``.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` and ``guarantee`` (with ``q[0] >= floor``) and the ``objective``.
    """
    game = as_sequence_form(game)
    seat = for_player(game, player)
    model = pyo.ConcreteModel(name=f"safe response in {game.name} of {seat.treeplexes[0].player}")
    model.plan = realization_plan(seat.treeplexes[0])
    model.guarantee = guarantee(model.plan, seat)
    model.guarantee.q[0].setlb(floor)
    model.objective = pyo.Objective(expr=dot(gradient, model.plan.x), sense=sense)
    return model


def solve(
    game: Game,
    opponent_plan: FloatArray,
    *,
    epsilon: float,
    player: int = 0,
    value: float | None = None,
    solver: SolverOptions = DEFAULT,
) -> Result:
    """Respond best to the opponent's plan among the strategies whose guarantee is within ``epsilon`` of the value.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    opponent_plan
        The opponent's realization plan.
    epsilon
        How far below the value the guarantee may lie.
    player
        The player who responds, 0 or 1.
    value
        The game's value for the first player; computed if omitted.
    solver
        The backend and how to run it.

    Returns
    -------
    Result
        The strategy and plan of ``player`` (``None`` for the opponent).

    Raises
    ------
    ParameterError
        If ``epsilon`` is negative or not a number.
    SolveError
        If a solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    epsilon = require_number(epsilon, "epsilon", "safe best response")
    before: tuple[Solution, ...] = ()
    if value is None:
        nash = sequence_form_lp.solve(game, player=player, solver=solver)
        value, before = nash.value, nash.solutions
    floor = (value if player == 0 else -value) - epsilon
    model, built = timed(build, game, game.gradient(player, opponent_plan), floor=floor, player=player)
    solution = solve_model(model, solver).require_optimal()
    return one_sided(game, f"{epsilon:g}-safe best response", player, model, (*before, solution), built)
