r"""An equilibrium strategy with the fewest moves: the one that is easiest to remember.

S. Ganzfried, PhD thesis (CMU 2015), chapter 16, asks for equilibria of small support. With the value v known, being an
equilibrium strategy is linear, and a binary variable per sequence says whether it is played at all:

.. math::

    \min_{x, q, z}\; \sum_s z_s \quad \text{s.t.} \quad Ex = e,\; x \ge 0, \qquad
    A^\top x - F^\top q \ge 0, \qquad q_0 \ge v, \qquad x_s \le z_s,\; z \in \{0, 1\}^S .

A realization plan is at most 1, so that no larger constant is needed. The empty sequence is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import Record
from equiform.models.game import Game, as_sequence_form
from equiform.models.strategy import Strategy

_SLACK = 1e-9  # the value is known only up to a solver's rounding
_PLAYED = 1e-7


@dataclass(frozen=True, eq=False)
class MinimalSupport(Record):
    """An equilibrium strategy of one player that plays as few sequences as possible."""

    game: str
    player: int
    support: int
    """How many sequences are played, the empty one not counted."""
    bound: float
    """No equilibrium strategy plays fewer: the solver's bound."""
    strategy: Strategy = field(repr=False)
    plan: FloatArray = field(repr=False)
    solution: Solution = field(repr=False)


def build(game: Game, *, value: float, player: int = 0) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    value
        The game's value for the first player.
    player
        The player whose strategy is to be small, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` and ``guarantee``, the choices ``z`` and the ``objective``.
    """
    game = as_sequence_form(game)
    treeplex = game.treeplexes[require_player(player, 2, game.name)]
    n = treeplex.num_sequences
    floor = (value if player == 0 else -value) - _SLACK
    model = safe_response.build(game, np.zeros(n), floor=floor, player=player)
    model.name = f"smallest equilibrium strategy of {treeplex.player} in {game.name}"
    model.del_component(model.objective)
    model.z = vector_var(n, lower=0.0, upper=1.0, domain=pyo.Binary)
    below = sp.hstack([sp.eye_array(n), -sp.eye_array(n)], format="csr")
    model.plays = MatrixConstraint(below, [*model.plan.x.values(), *model.z.values()], upper=0.0)
    model.z[0].fix(1)
    model.objective = pyo.Objective(expr=sum(model.z[s] for s in range(1, n)), sense=pyo.minimize)
    return model


def solve(game: Game, *, player: int = 0, solver: SolverOptions = DEFAULT) -> MinimalSupport:
    """Find an equilibrium strategy with the fewest sequences.

    Raises
    ------
    CapabilityError
        If the backend cannot handle binary variables.
    SolveError
        If a solver stops before it proves optimality.
    """
    form = as_sequence_form(game)
    value = sequence_form_lp.solve(form, solver=SolverOptions(time_limit=solver.time_limit)).value
    model = build(form, value=value, player=player)
    solution = solve_model(model, solver).require_optimal()
    plan = plan_values(solution, model.plan)
    plan = np.where(plan < _PLAYED, 0.0, plan)
    treeplex = form.treeplexes[player]
    support = int((plan[1:] > 0).sum())
    bound = float(support if solution.bound is None else solution.bound)
    return MinimalSupport(
        form.name, player, support, bound, Strategy(treeplex, treeplex.behavior(plan)), plan, solution
    )
