r"""The worst among good endgame strategies: how much can an opponent collect who comes with other hands?

A strategy within δ of an endgame's value is good against the opponent whom the trunk promises. This program finds, of
all of these, the one that loses the most to an opponent who enters with the classes S instead.

Sets
    classes c of the opponent, a subset :math:`S` of them; sequences of the player (:math:`x`); information sets h and
    sequences t of the opponent below S.
Data
    :math:`r` and :math:`y`: the weights with which the trunk strategies enter; :math:`f`, what x must be worth.
Variables
    :math:`x \ge 0`; :math:`w` conceded by x; :math:`z_t` binary, the opponent's choice; :math:`V_h`, what h is worth
    to the opponent.

.. math::

    \max\; & \sum_{c \in S} \Big( {-(A^\top x)_c} + \sum_{h \in C(c)} V_h \Big) \\
    \text{s.t. } & x \text{ enters with } r,\quad w \text{ is conceded by } x,\quad y^\top w \ge f && \text{(near)} \\
    & V_h \le -(A^\top x)_t + \sum_{h' \in C(t)} V_{h'} + M_t (1 - z_t),\quad \sum_{t \in h} z_t = 1
      && \text{(choice, one)}

A best response maximises and so does the program, so a choice of z is a pure strategy of the opponent. The
:math:`M_t` are the widest differences that :math:`0 \le x_s \le r_c`, c the class above s, leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.endgames.blocks import endgame_model, num_classes, require_per_class
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


def build(
    form: SequenceForm,
    weights: FloatArray,
    opponent_weights: FloatArray,
    classes: BoolArray,
    *,
    floor: float | None,
    player: int = 0,
) -> pyo.ConcreteModel:
    """Build the program on an entry form: ``plan``, ``conceded``, ``near``, ``V``, ``z``, ``choice``, ``objective``.

    Parameters
    ----------
    form
        The endgame as an entry form.
    weights, opponent_weights
        How the trunk strategies of the player and of the opponent arrive, one number per class.
    classes
        Which classes the opponent comes with.
    floor
        What the play must be worth against ``opponent_weights``; ``None`` allows any play.
    player
        Whose play is sought.
    """
    seat = for_player(form, player)
    opponent = seat.treeplexes[1]
    faced = require_per_class(opponent, opponent_weights, "weights")
    model = endgame_model(f"worst good play in {form.name}", seat, weights)
    if floor is not None:
        model.near = pyo.Constraint(expr=dot(faced, model.conceded.w) >= floor)
    k = num_classes(opponent)
    open_sequences = _below(opponent, np.append(True, classes))
    open_infosets = np.flatnonzero(open_sequences[opponent.parent[1:]]) + 1
    _add_choice(model, seat, weights, open_sequences, open_infosets)
    counted = np.flatnonzero(classes) + 1
    direct = np.asarray(seat.A[:, counted].sum(axis=1)).ravel()
    first = [h for h in open_infosets.tolist() if opponent.parent[h] <= k]
    model.objective = pyo.Objective(
        expr=pyo.quicksum(model.V[h] for h in first) - dot(direct, model.plan.x), sense=pyo.maximize
    )
    return model


def solve(
    form: SequenceForm,
    weights: FloatArray,
    opponent_weights: FloatArray,
    classes: BoolArray,
    *,
    floor: float | None,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Find the most that classes of the opponent can collect from play that is good against the expected ones."""
    model = build(form, weights, opponent_weights, classes, floor=floor, player=player)
    return EndgameResult.read("worst play", player, model, solve_model(model, solver))


def _below(treeplex: Treeplex, first: BoolArray) -> BoolArray:
    """Mark the sequences at and below marked first ones."""
    marked = np.zeros(treeplex.num_sequences, dtype=bool)
    marked[: len(first)] = first
    for h in range(1, treeplex.num_infosets):
        marked[treeplex.start[h] : treeplex.start[h + 1]] = marked[treeplex.parent[h]]
    return marked


def _add_choice(
    model: Any,
    seat: SequenceForm,
    weights: FloatArray,
    open_sequences: BoolArray,
    open_infosets: IntArray,
) -> None:
    """Let the opponent choose below the open classes: values V, binaries z and the rows between them."""
    opponent = seat.treeplexes[1]
    highest, slack = _spans(seat, weights)
    moves = np.flatnonzero(open_sequences & (opponent.infoset_of >= 1))
    model.V = vector_var(open_infosets.tolist(), upper=highest[open_infosets])
    model.z = pyo.Var(moves.tolist(), domain=pyo.Binary)
    prices = opponent.E[1 + open_infosets][:, moves]
    matrix = sp.hstack([seat.matrix_payoff.transpose[moves], prices.T, sp.diags_array(slack[moves])])
    columns = [*model.plan.x.values(), *model.V.values(), *model.z.values()]
    model.choice = MatrixConstraint(sp.csr_array(matrix), columns, upper=slack[moves])
    model.one = MatrixConstraint(sp.csr_array((prices > 0).astype(np.float64)), model.z, lower=1.0, upper=1.0)


def _spans(seat: SequenceForm, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return an upper bound of every V and a sufficient M for every sequence of the opponent."""
    own, opponent = seat.treeplexes
    most = np.zeros(own.num_sequences)
    most[1 : 1 + len(weights)] = weights
    for h in range(1, own.num_infosets):
        most[own.start[h] : own.start[h + 1]] = most[own.parent[h]]
    gains = -seat.A.T
    high, low = gains.maximum(0) @ most, gains.minimum(0) @ most
    top = np.zeros(opponent.num_infosets)
    for h in range(opponent.num_infosets - 1, 0, -1):
        moves = slice(opponent.start[h], opponent.start[h + 1])
        top[h] = high[moves].max()
        high[opponent.parent[h]] += top[h]
        low[opponent.parent[h]] += low[moves].max()
    return top, np.append(0.0, top[opponent.infoset_of[1:]] - low[1:])
