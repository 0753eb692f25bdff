r"""Using a gift before the hand is over.

Ganzfried (2015), §13.6.3 and Figures 13.7–13.9: an opponent who errs early in a hand can be punished later in the same
hand without risk. Let π be the plan for the hand, and H a public history of moves that has been reached. The opponent's
moves into H forwent, against π, what the nemesis would have got (:mod:`equiform.play.opponents.nemesis`). So the rest
of our plan may become worse for us, up to that amount, and no opponent can profit: the program

.. math::

    \max_{x, q}\; (A \hat y)^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0,\; A^\top x - F^\top q \ge 0, \qquad
    x_s = \pi_s \text{ for all moves not after } H, \qquad q_h \ge -V_h(\pi) \text{ for all } h \text{ not after } H

keeps what every earlier information set h of the opponent is worth to him at or below its value against π. Then all
information sets keep their values whichever histories we do this after, so that the hands that we might have held and
the histories that might have come never spend the same gift twice; a bound on the guarantee alone would not do. The
model ŷ is conditional on H: where it holds H impossible, chance alone says what the opponent holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.models.common.array_types import BoolArray, FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.event_histories import event_histories
from equiform.play.opponents.nemesis import nemesis
from equiform.play.seat import Seat


@dataclass(frozen=True, eq=False)
class Continuation:
    """A plan for the rest of a hand."""

    plan: FloatArray = field(repr=False)
    gift: float
    """What the opponent surely lost on the way: the least loss of the sequences he may have played."""
    gain: float
    """What the new plan adds against the model, given that the hand has come this far."""


def continue_hand(seat: Seat, plan: FloatArray, node: int, model: FloatArray) -> Continuation:
    """Respond again, at no more risk than ``plan``, after the public moves that lead to ``node``.

    All nodes with the same moves count as possible, whatever was dealt, so that the answer is the plan for every hand
    that we might hold.

    Parameters
    ----------
    seat
        Our place at the game.
    plan
        Our realization plan for the hand.
    node
        A node of the tree that has been reached.
    model
        A behavioural strategy of the opponent.

    Raises
    ------
    ParameterError
        If there is no such node.
    StrategyError
        If the model is not a strategy of the opponent.
    """
    if not 0 <= node < seat.game.num_nodes:
        raise ParameterError(f"there is no node {node}", where=seat.name, fix=f"use 0 to {seat.game.num_nodes - 1}")
    seat.opponent.check_behavior(model)
    after = _below(seat, node)
    before = nemesis(seat, plan[None, :])
    entered = np.unique(seat.opponent_sequence[_alike(seat, node)])
    gradient = seat.form.gradient(0, _conditional(seat, model, entered))
    program = safe_response.build(seat.form, gradient, floor=float(before.guarantees[0]))
    free = _infosets_inside(seat, after, seat.player)
    infoset_of = seat.own.infoset_of
    for s, x in enumerate(program.plan.x.values()):
        if s == 0 or not free[infoset_of[s]]:
            x.fix(float(plan[s]))
    later = _infosets_inside(seat, after, 1 - seat.player)
    for h in np.flatnonzero(~later).tolist():
        program.guarantee.q[h + 1].setlb(-float(before.values[0, h]))
    solution = solve_model(program).require_optimal()
    found = np.maximum(plan_values(solution, program.plan), 0.0)
    gift = float(before.losses[0, entered].min())
    return Continuation(found, gift, float(gradient @ (found - plan)))


def _alike(seat: Seat, node: int) -> IntArray:
    """Return the nodes with the same moves of the players."""
    history = event_histories(seat.game).of_node
    return np.flatnonzero(history == history[node])


def _below(seat: Seat, node: int) -> BoolArray:
    """Mark the nodes at or below those with the same moves."""
    game = seat.game
    inside = np.zeros(game.num_nodes, dtype=bool)
    inside[_alike(seat, node)] = True
    for d in range(1, len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        inside[nodes] |= inside[game.parent[nodes]]
    return inside


def _infosets_inside(seat: Seat, inside: BoolArray, player: int) -> BoolArray:
    """Mark a player's information sets all of whose nodes are inside."""
    game = seat.game
    nodes = np.flatnonzero(game.turn == player)
    whole = np.ones(game.num_infosets, dtype=bool)
    whole[game.infoset[nodes[~inside[nodes]]]] = False
    return whole[game.infosets_of[player]]


def _conditional(seat: Seat, model: FloatArray, entered: Int32Array) -> FloatArray:
    """Return the model's plan; if it never plays one of the entered sequences, as if it always did."""
    opponent = seat.opponent
    plan = opponent.realization(model)
    if plan[entered].sum() > 0:
        return plan
    forced = np.array(model, dtype=np.float64)
    for s in entered.tolist():
        while s > 0:
            h = int(opponent.infoset_of[s])
            forced[int(opponent.start[h]) : int(opponent.start[h + 1])] = 0.0
            forced[s] = 1.0
            s = int(opponent.parent[h])
    return opponent.realization(forced)
