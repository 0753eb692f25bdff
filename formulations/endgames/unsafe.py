r"""Endgame solving as published: play the endgame as if both trunk strategies had been followed.

S. Ganzfried and T. Sandholm, *Endgame solving in large imperfect-information games*, AAMAS 2015; S. Ganzfried, PhD
thesis (CMU 2015), §10.1, Definition 1 and Proposition 10.

Sets
    classes c of the opponent, sequences of the player (:math:`x`), information sets of the opponent (:math:`q`).
Data
    :math:`r` and :math:`y`: the weights with which the trunk strategies of player and opponent enter their classes.
Variables
    :math:`x \ge 0`; :math:`w_c`, what class c concedes to the player; :math:`q` free.

.. math::

    \max_{x, w, q}\; \sum_c y_c w_c \quad \text{s.t.} \quad
    x \text{ enters with } r \;(\text{entry, flow}), \qquad w \text{ is conceded by } x \;(\text{response}).

Divided by the probability of the endgame the objective is its value. A class with :math:`y_c = 0` does not count at
all: what x does against it is left to chance, and an opponent who deviates in the trunk collects. A *reach floor*
replaces the weights by :math:`\max(r, \phi)` and :math:`\max(y, \phi)`.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.endgames.blocks import endgame_model, require_per_class
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import dot
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm


def build(
    form: SequenceForm, weights: FloatArray, opponent_weights: FloatArray, *, player: int = 0
) -> pyo.ConcreteModel:
    """Build the program on an entry form: blocks ``plan`` and ``conceded``, and the ``objective``.

    Parameters
    ----------
    form
        The endgame as an entry form.
    weights, opponent_weights
        One number per class: how the trunk strategies of the player and of the opponent arrive.
    player
        Whose play is sought.
    """
    seat = for_player(form, player)
    faced = require_per_class(seat.treeplexes[1], opponent_weights, "weights")
    model = endgame_model(f"unsafe endgame of {form.name}", seat, weights)
    model.objective = pyo.Objective(expr=dot(faced, model.conceded.w), sense=pyo.maximize)
    return model


def solve(
    form: SequenceForm,
    weights: FloatArray,
    opponent_weights: FloatArray,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Find the player's equilibrium play in the endgame that the trunk strategies induce."""
    model = build(form, weights, opponent_weights, player=player)
    return EndgameResult.read("unsafe", player, model, solve_model(model, solver))
