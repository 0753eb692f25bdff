r"""Re-solving an endgame with a gadget: no class of the opponent may gain against the old strategy.

N. Burch, M. Johanson and M. Bowling, *Solving imperfect information games using decomposition*, AAAI 2014 (CFR-D).

Before the endgame the opponent may, in each class c, *terminate* the game and take what a best response to the old
strategy would have brought there, or *follow* into it. Let :math:`\bar w_c` be what the old strategy gets at least out
of class c. The player then gets :math:`\min(\bar w_c, w_c)` out of it:

Sets
    classes c of the opponent, sequences of the player (:math:`x`), information sets of the opponent (:math:`q`).
Data
    :math:`r`, the weights of the player's trunk strategy; :math:`\bar w`.
Variables
    :math:`x \ge 0`; :math:`w_c` conceded by class c; :math:`g_c` what the gadget leaves of it; :math:`q` free.

.. math::

    \max_{x, w, q, g}\; \sum_c g_c \quad \text{s.t.} \quad g_c \le w_c \;(\text{follow}), \quad
    g_c \le \bar w_c \;(\text{terminate}), \quad x \text{ enters with } r, \quad w \text{ is conceded by } x .

The old strategy attains the bound :math:`\sum_c \bar w_c`; so every optimum has :math:`w \ge \bar w`, and the new
strategy is nowhere more exploitable than the old. Which optimum one gets is the solver's choice: the gadget asks for
safety, not for improvement.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.endgames.blocks import endgame_model, require_per_class
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm


def build(form: SequenceForm, weights: FloatArray, old: FloatArray, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the program on an entry form: blocks ``plan`` and ``conceded``, ``gadget``, ``follow``, ``objective``.

    Parameters
    ----------
    form
        The endgame as an entry form.
    weights
        How the player's trunk strategy arrives, one number per class of the player.
    old
        What the old strategy gets at least out of each class of the opponent.
    player
        Whose play is sought.
    """
    seat = for_player(form, player)
    floor = require_per_class(seat.treeplexes[1], old, "values")
    model = endgame_model(f"re-solving {form.name}", seat, weights)
    model.gadget = pyo.Var(range(len(floor)), bounds=lambda _, c: (None, float(floor[c])))
    model.follow = pyo.Constraint(range(len(floor)), rule=lambda m, c: m.gadget[c] <= m.conceded.w[c])
    model.objective = pyo.Objective(expr=pyo.quicksum(model.gadget.values()), sense=pyo.maximize)
    return model


def solve(
    form: SequenceForm,
    weights: FloatArray,
    old: FloatArray,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Find play that concedes to no class of the opponent more than the old strategy did."""
    model = build(form, weights, old, player=player)
    return EndgameResult.read("resolve", player, model, solve_model(model, solver))
