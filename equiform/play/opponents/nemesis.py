r"""The nemesis: an opponent who responds best, as far as what was seen of his play allows.

For a plan x of ours let V(h) be what the opponent can still get from his information set h on, and Q(ha) what the move
a gets there, both weighted by chance and us. An opponent who is known to have played the sequence σ, and may have done
anything elsewhere, gets at most (Ganzfried 2015, Algorithms 26 and 27)

.. math::

    V_0 - \ell(\sigma), \qquad \ell(\sigma) = \sum_{(h, a) \text{ on the way to } \sigma} \bigl(V(h) - Q(ha)\bigr) ,

since forcing a move costs V − Q at its information set and nothing elsewhere. One backward pass gives V₀ and V − Q, one
forward pass the losses ℓ of all sequences. In a matrix game ℓ(a) is what action a leaves on the table, and
:math:`k_{t+1} = k_t + u(\pi^t, \tau^t) - v` is Algorithm 23's update; where his cards stay hidden, only the least loss
over all that he may have held is certain (§13.6.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.jit import jit
from equiform.play.seat import Seat


@dataclass(frozen=True, eq=False)
class Nemesis:
    """What each of several plans guarantees, and how much more each sequence of the opponent concedes to it."""

    guarantees: FloatArray
    losses: FloatArray = field(repr=False)
    """One row per plan, one column per sequence of the opponent: what playing it costs the opponent at the least."""
    values: FloatArray = field(repr=False)
    """One row per plan, one column per information set of the opponent: V(h)."""


def nemesis(seat: Seat, plans: FloatArray) -> Nemesis:
    """Find the nemesis of each plan.

    Parameters
    ----------
    seat
        Our place at the game.
    plans
        Our realization plans, one per row.

    Examples
    --------
    >>> from equiform.play.seat import take_seat
    >>> paper = np.array([[1.0, 0.0, 1.0, 0.0]])
    >>> found = nemesis(take_seat("rps"), paper)
    >>> found.guarantees.tolist(), found.losses.tolist()  # scissors loses nothing
    ([-1.0], [[0.0, 2.0, 1.0, 0.0]])
    """
    opponent = seat.opponent
    gradients = seat.opponent_gradients(plans)
    losses = np.zeros_like(gradients)
    values = np.zeros((len(plans), opponent.num_infosets))
    best = np.zeros(len(plans))
    _losses(opponent.parent, opponent.start, gradients, losses, values, best)
    return Nemesis(-best, losses, values)


@jit
def _losses(
    parent: Int32Array,
    start: Int32Array,
    gradients: FloatArray,
    losses: FloatArray,
    values: FloatArray,
    best: FloatArray,
) -> None:
    for row in range(len(gradients)):
        value, loss = gradients[row], losses[row]
        for h in range(len(parent) - 1, -1, -1):
            top = value[start[h]]
            for s in range(start[h] + 1, start[h + 1]):
                top = max(top, value[s])
            for s in range(start[h], start[h + 1]):
                loss[s] = top - value[s]
            values[row, h] = top
            value[parent[h]] += top
        for h in range(len(parent)):
            for s in range(start[h], start[h + 1]):
                loss[s] += loss[parent[h]]
        best[row] = value[0]
