r"""The two blocks that every sequence-form program is made of.

* :func:`realization_plan`: a player's plan :math:`x \ge 0,\; Ex = e`.
* :func:`guarantee`: the opponent's best-response value as linear constraints. The opponent's problem
  :math:`\min_y \{(A^\top x)^\top y : Fy = f,\; y \ge 0\}` has the dual
  :math:`\max_q \{f^\top q : F^\top q \le A^\top x\}`, so whatever :math:`q` is feasible, :math:`q_0` is an amount
  that :math:`x` guarantees.

Nash maximises :math:`q_0`; a safe best response bounds it; a refinement fixes it and optimises something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.models.payoffs.factored import FactoredPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


def realization_plan(treeplex: Treeplex) -> Any:
    """Return a block with the plan ``x`` (one variable per sequence) and its ``flow`` equations."""
    block = pyo.Block(concrete=True)
    block.x = vector_var(treeplex.num_sequences, lower=0.0)
    block.flow = MatrixConstraint(treeplex.E, block.x, lower=treeplex.e, upper=treeplex.e)
    block.labels = {"x": treeplex.sequence_label, "flow": _infosets(treeplex)}
    return block


def guarantee(plan: Any, game: SequenceForm) -> Any:
    """Return a block with the prices ``q`` of the opponent's information sets; ``q[0]`` is what ``plan`` guarantees.

    ``plan`` belongs to player 0 of ``game`` (flip the game for the other seat). The rows ``response``,
    :math:`A^\\top x - F^\\top q \\ge 0`, have the opponent's best response as their duals. A payoff in factors
    (:mod:`equiform.models.payoffs.factored`) adds its sums ``u`` and their rows ``sums``, :math:`Bu - Gx = 0`, and the
    response rows read :math:`Sx + Ru - F^\\top q \\ge 0`.
    """
    opponent = game.treeplexes[1]
    block = pyo.Block(concrete=True)
    block.q = vector_var(opponent.num_infosets + 1)
    size = game.payoff_size
    if isinstance(game.payoff, FactoredPayoff):
        factors = game.payoff.factors()
        size /= max(1, int((opponent.parent == 0).sum()))  # a row speaks of one of the opponent's hands, not of all
        block.u = vector_var(factors.num_sums)
        gathered = sp.hstack([-factors.gather, factors.sums], format="csr")
        block.sums = MatrixConstraint(gathered, [*plan.x.values(), *block.u.values()], lower=0.0, upper=0.0)
        matrix = sp.hstack([factors.direct, factors.combine, -opponent.E.T], format="csr")
        columns = [*plan.x.values(), *block.u.values(), *block.q.values()]
    else:
        matrix = sp.hstack([game.matrix_payoff.transpose, -opponent.E.T], format="csr")
        columns = [*plan.x.values(), *block.q.values()]
    block.response = MatrixConstraint(matrix, columns, lower=0.0)
    declare_unit(block, unit_of(size), block.q, block.response)
    block.labels = {"q": _infosets(opponent), "response": opponent.sequence_label}
    return block


def _infosets(treeplex: Treeplex) -> Callable[[int], str]:
    """Return the words for the information sets, after the root's at 0: what rows and columns are named by."""
    return lambda index: "start" if index == 0 else treeplex.infoset_label(index - 1)


def plan_values(solution: Any, plan: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Read a realization plan off a solution."""
    values: np.ndarray[Any, np.dtype[np.float64]] = solution.values(plan.x)
    return values
