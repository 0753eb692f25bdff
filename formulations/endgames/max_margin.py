r"""Max-margin re-solving: improve on the old strategy by as much as possible in every class at once.

M. Moravčík, M. Schmid, K. Ha, M. Hladík and S. Gaukrodger, *Refining subgames in large imperfect information games*,
AAAI 2016.

Sets
    classes c of the opponent, sequences of the player (:math:`x`), information sets of the opponent (:math:`q`).
Data
    :math:`r`, the weights of the player's trunk strategy; :math:`\bar w_c`, what the old strategy gets at least out of
    class c; :math:`\rho_c`, the probability that chance and the player's trunk strategy lead there.
Variables
    :math:`x \ge 0`; :math:`w_c` conceded by class c; the margin :math:`m`; :math:`q` free.

.. math::

    \max_{x, w, q, m}\; m \quad \text{s.t.} \quad w_c - \rho_c m \ge \bar w_c \quad (\text{margin}), \qquad
    x \text{ enters with } r, \qquad w \text{ is conceded by } x .

The old strategy has margin 0, so the optimum is at least 0 and safe; a class that is never entered
(:math:`\rho_c = 0`) sets no margin. As a game: the opponent chooses a class, chance deals what is compatible with it,
and payoffs are counted from what the old strategy concedes there.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.endgames.blocks import endgame_model, require_per_class
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.sequence_form import SequenceForm


def build(
    form: SequenceForm, weights: FloatArray, old: FloatArray, reach: FloatArray, *, player: int = 0
) -> pyo.ConcreteModel:
    """Build the program on an entry form: blocks ``plan`` and ``conceded``, ``m``, ``margin`` and the ``objective``.

    Parameters
    ----------
    form
        The endgame as an entry form.
    weights
        How the player's trunk strategy arrives, one number per class of the player.
    old
        What the old strategy gets at least out of each class of the opponent.
    reach
        The probability of each class of the opponent without the opponent's own part in it.
    player
        Whose play is sought.
    """
    seat = for_player(form, player)
    floor = require_per_class(seat.treeplexes[1], old, "values")
    share = require_per_class(seat.treeplexes[1], reach, "probabilities")
    if not share.max(initial=0.0) > 0.0 or share.min() < 0.0:
        raise ParameterError(
            "no class of the opponent has a positive probability",
            where=form.name,
            fix="keep the old strategy in an endgame that the player never enters",
        )
    model = endgame_model(f"max-margin re-solving of {form.name}", seat, weights)
    model.m = pyo.Var()
    model.margin = pyo.Constraint(
        [c for c in range(len(share)) if share[c] > 0.0],
        rule=lambda m, c: m.conceded.w[c] - float(share[c]) * m.m >= float(floor[c]),
    )
    model.objective = pyo.Objective(expr=model.m, sense=pyo.maximize)
    return model


def solve(
    form: SequenceForm,
    weights: FloatArray,
    old: FloatArray,
    reach: FloatArray,
    *,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Find the play whose smallest gain over the old strategy, over the opponent's classes, is largest."""
    model = build(form, weights, old, reach, player=player)
    return EndgameResult.read("max-margin", player, model, solve_model(model, solver))
