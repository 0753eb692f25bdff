r"""Equilibrium of a matrix game: von Neumann's linear program.

.. math:: \max_{p, v}\; v \quad \text{s.t.} \quad M^\top p \ge v \mathbf 1 \quad (\text{columns}), \qquad
          \mathbf 1^\top p = 1,\; p \ge 0 \quad (\text{simplex}).

The duals of the column rows are the column player's mixed strategy (Dantzig 1951). It is the sequence-form program of a
game with one information set per player, written separately because this is the form that everybody knows.
"""

from __future__ import annotations

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result
from equiform.models.common.errors import SolveError
from equiform.models.extensive import require_two_player_constant_sum
from equiform.models.game import require_normal_form
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy


def build(game: NormalForm) -> pyo.ConcreteModel:
    """Build the row player's program.

    Parameters
    ----------
    game
        A two-player zero-sum game in normal form.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the mixed strategy ``p``, the value ``v``, the rows ``columns`` and ``simplex``, and the
        ``objective``.

    Raises
    ------
    UnsupportedGameError
        If the game is not a two-player constant-sum game in normal form.
    """
    require_normal_form(game, "sequence_form_lp, or reduced_normal_form first")
    require_two_player_constant_sum(len(game.players), game.is_constant_sum, game.name)
    payoff = game.payoff_floats[0]
    m, n = payoff.shape
    model = pyo.ConcreteModel(name=f"matrix game {game.name}")
    model.p = vector_var(m, lower=0.0)
    model.v = pyo.Var()
    columns = sp.csr_array(np.hstack([payoff.T, -np.ones((n, 1))]))
    model.columns = MatrixConstraint(columns, [*model.p.values(), model.v], lower=0.0)
    declare_unit(model, unit_of(float(np.abs(payoff).max())), model.v, model.columns)
    model.simplex = pyo.Constraint(expr=sum(model.p.values()) == 1)
    model.objective = pyo.Objective(expr=model.v, sense=pyo.maximize)
    return model


def solve(
    game: NormalForm,
    *,
    solver: SolverOptions = DEFAULT,
) -> Result:
    """Solve a two-player zero-sum matrix game.

    Parameters
    ----------
    game
        A two-player zero-sum game in normal form.
    solver
        The backend, which must return duals, and how to run it.

    Returns
    -------
    Result
        The value and both players' strategies.

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality, or returns no duals.
    """
    model, built = timed(build, game)
    solution = solve_model(model, solver)
    solution.require_optimal()
    if solution.duals is None:
        raise SolveError(
            "the backend returned no duals, from which the column player's strategy is read",
            where=solution.summary(),
            fix="use highs, scipy, cbc or clarabel, or the sequence-form program",
        )
    row = np.append(1.0, solution.values(model.p))
    column = np.append(1.0, -solution.dual_values(model.columns))
    first, second = game.treeplexes
    return Result(
        game=game.name,
        concept="nash",
        value=solution.objective_value,
        strategies=(Strategy.from_plan(first, row), Strategy.from_plan(second, column)),
        plans=(row, column),
        solutions=(solution,),
        build_seconds=built,
    )
