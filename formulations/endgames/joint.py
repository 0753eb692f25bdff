r"""The best that endgame solving can do: all endgames in one program, the trunk fixed.

Sets
    sequences of the player (:math:`x`), those in the trunk :math:`T`; information sets of the opponent (:math:`q`).
Data
    :math:`\bar x`, the player's plan in the trunk.
Variables
    :math:`x \ge 0` realization plan; :math:`q` prices of the opponent's information sets, in trunk and endgames.

.. math::

    \max_{x, q}\; q_0 \quad \text{s.t.} \quad Ex = e,\; x \ge 0 \quad (\text{flow}), \qquad
    A^\top x - F^\top q \ge 0 \quad (\text{response}), \qquad x_s = \bar x_s \;\; (s \in T) \quad (\text{trunk}).

No way of choosing the play below this trunk, endgame by endgame or together, guarantees more. Its distance from the
game's value is what the trunk costs; the distance of another method from it is what that method leaves on the table.
With an empty trunk it is the sequence-form program of the game.
"""

from __future__ import annotations

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import guarantee, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.result import Result, one_sided
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.game import Game, as_sequence_form


def build(game: Game, plan: FloatArray, trunk: BoolArray, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the program: blocks ``plan`` and ``guarantee``, the ``trunk`` rows and the ``objective``.

    Parameters
    ----------
    game
        The whole game.
    plan
        A realization plan of the player; only its part in the trunk counts.
    trunk
        Which of the player's sequences belong to the trunk.
    player
        Whose play is sought.
    """
    form = as_sequence_form(game)
    seat = for_player(form, player)
    own = seat.treeplexes[0]
    own.require_vector(plan)
    fixed = np.flatnonzero(trunk)
    if np.shape(trunk) != (own.num_sequences,):
        raise ParameterError(
            f"a trunk of shape {np.shape(trunk)} does not fit {own.num_sequences} sequences",
            where=own.player,
            fix="mark every sequence true or false, the empty one first",
        )
    model = pyo.ConcreteModel(name=f"all endgames of {form.name} for {own.player}")
    model.plan = realization_plan(own)
    model.guarantee = guarantee(model.plan, seat)
    picked = sp.csr_array((np.ones(len(fixed)), (np.arange(len(fixed)), fixed)), shape=(len(fixed), own.num_sequences))
    model.trunk = MatrixConstraint(picked, model.plan.x, lower=plan[fixed], upper=plan[fixed])
    model.objective = pyo.Objective(expr=model.guarantee.q[0], sense=pyo.maximize)
    return model


def solve(
    game: Game,
    plan: FloatArray,
    trunk: BoolArray,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> Result:
    """Find the least exploitable play below a fixed trunk; the result's value is what it guarantees (to player 0)."""
    form = as_sequence_form(game)
    model = build(form, plan, trunk, player=player)
    solution = solve_model(model, solver)
    return one_sided(form, "joint endgames", player, model, (solution.require_optimal(),), 0.0)
