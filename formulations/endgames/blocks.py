r"""The two blocks that every program of an endgame is made of.

An endgame is given as an *entry form*: a sequence form in which the first information set of either player lists what
that player may know on entering, the player's *classes* (:mod:`equiform.endgames.entry_form` makes one of any game).
Nobody chooses among one's classes. So its weights are data for the player whose play is sought, and for the opponent
each class has a price of its own.

* :func:`entered_plan`: :math:`x \ge 0` with :math:`x_c = r_c` for every class c of the player, :math:`r_c` the weight
  with which the trunk strategy arrives, and the flow equations below.
* :func:`conceded`: :math:`w_c`, what the player gets at least out of the opponent's class c (weighted by chance and by
  r, not by the opponent's trunk strategy), with the prices q of the opponent's information sets below,

.. math:: (A^\top x)_c + \sum_{h \in C(c)} q_h \ge w_c , \qquad (A^\top x)_t + \sum_{h \in C(t)} q_h \ge q_{h(t)} .

The programs differ only in what they ask of w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


def num_classes(treeplex: Treeplex) -> int:
    """Count the moves of the first information set: what the player may know on entering."""
    return int(treeplex.start[1] - treeplex.start[0])


def require_per_class(treeplex: Treeplex, numbers: FloatArray, what: str) -> FloatArray:
    """Check that there is one finite number per class of a player."""
    vector = np.asarray(numbers, dtype=np.float64)
    if vector.shape != (num_classes(treeplex),) or not np.isfinite(vector).all():
        raise ParameterError(
            f"{what} of shape {vector.shape} do not fit",
            where=treeplex.player,
            fix=f"use {num_classes(treeplex)} finite numbers, one per class",
        )
    return vector


def entered_plan(treeplex: Treeplex, weights: FloatArray) -> Any:
    """Return a block with the plan ``x``, its ``entry`` rows (a class has its weight) and its ``flow`` below."""
    arriving = require_per_class(treeplex, weights, "weights")
    block = pyo.Block(concrete=True)
    block.x = vector_var(treeplex.num_sequences, lower=0.0)
    block.x[0].fix(1.0)
    entry = sp.eye_array(num_classes(treeplex), treeplex.num_sequences, k=1, format="csr")
    block.entry = MatrixConstraint(entry, block.x, lower=arriving, upper=arriving)
    if treeplex.num_infosets > 1:
        block.flow = MatrixConstraint(treeplex.E[2:], block.x, lower=0.0, upper=0.0)
    return block


def conceded(variables: Sequence[Any], form: SequenceForm) -> Any:
    """Return a block with ``w`` (one per class of the opponent), the prices ``q`` below, and the ``response`` rows.

    ``variables`` are the weights of player 0's sequences in ``form`` (flip the form for the other seat).
    """
    opponent = form.treeplexes[1]
    block = pyo.Block(concrete=True)
    block.w = vector_var(num_classes(opponent))
    block.q = vector_var(opponent.num_infosets - 1)
    classes = sp.eye_array(num_classes(opponent), opponent.num_sequences, k=1)
    prices = sp.vstack([classes, opponent.E[2:]]).T
    matrix = sp.csr_array(sp.hstack([form.matrix_payoff.transpose, -prices]))[1:]
    columns = [*variables, *block.w.values(), *block.q.values()]
    block.response = MatrixConstraint(matrix, columns, lower=0.0)
    return block


def endgame_model(name: str, seat: SequenceForm, weights: FloatArray) -> pyo.ConcreteModel:
    """Return a model with both blocks: the ``plan`` of player 0 of ``seat``, and what is ``conceded`` to it."""
    model = pyo.ConcreteModel(name=f"{name} for {seat.treeplexes[0].player}")
    model.plan = entered_plan(seat.treeplexes[0], weights)
    model.conceded = conceded(list(model.plan.x.values()), seat)
    return model
