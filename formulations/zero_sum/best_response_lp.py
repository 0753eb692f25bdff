r"""Best response to a known strategy, as a linear program (Koller, Megiddo and von Stengel 1996).

.. math:: \max_x\; (Ay)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0 \quad (\text{flow}).

A backward pass solves this faster; the program is for those who want to add constraints to it.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.blocks import realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import dot
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result, one_sided
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.game import Game, as_sequence_form


def build(game: Game, opponent_plan: FloatArray, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the best-response program of ``player``.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    opponent_plan
        The opponent's realization plan.
    player
        The player who responds, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the block ``plan`` and the ``objective``.
    """
    game = as_sequence_form(game)
    seat = for_player(game, player)
    model = pyo.ConcreteModel(name=f"best response in {game.name} of {seat.treeplexes[0].player}")
    model.plan = realization_plan(seat.treeplexes[0])
    model.objective = pyo.Objective(expr=dot(game.gradient(player, opponent_plan), model.plan.x), sense=pyo.maximize)
    return model


def solve(
    game: Game,
    opponent_plan: FloatArray,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> Result:
    """Compute a pure best response to a realization plan of the opponent.

    Parameters
    ----------
    game, opponent_plan, player
        As for :func:`build`.
    solver
        The backend and how to run it.

    Returns
    -------
    Result
        The strategy and plan of ``player`` (``None`` for the opponent).

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    model, built = timed(build, game, opponent_plan, player=player)
    solution = solve_model(  # a vertex: a best response is pure, and an average of them is not
        model, solver=solver, symmetry=False
    ).require_optimal()
    return one_sided(game, "best response", player, model, (solution,), built)
