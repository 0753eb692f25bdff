r"""What each action is worth where it is played, against the strategies of the others.

With the gradient :math:`g` (what a sequence earns per unit of its own weight) and the behavioural strategy :math:`b`,
the counterfactual value of a sequence is

.. math:: v_s = g_s + \sum_{h:\,\sigma_h = s} \sum_{a \in h} b_{ha} v_{ha}.

Divided by the probability with which the others and chance let play come to :math:`h`, it is the expected payoff of
:math:`a` to somebody who finds themselves at :math:`h`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.jit import jit
from equiform.models.evaluation import reach_probabilities, sequence_gradient
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy


@dataclass(frozen=True, eq=False)
class ActionValues:
    """One player's view of a profile."""

    values: FloatArray
    """The expected payoff of each sequence's last action at its information set; NaN where play cannot come."""
    own_reach: FloatArray
    """The player's own probability of playing to each information set."""
    others_reach: FloatArray
    """What the others and chance contribute; NaN for a game that exists as an operator only."""


def action_values(game: Game, strategies: Sequence[Strategy], player: int) -> ActionValues:
    """Evaluate every action of a player in a profile.

    In a game that exists as a payoff operator only, nobody knows how often play comes to an information set; there the
    values are counterfactual, that is, weighted with that probability.
    """
    strategy = strategies[player]
    treeplex, behavior = strategy.treeplex, strategy.floats
    own = strategy.plan[treeplex.parent]
    if isinstance(game, ExtensiveGame):
        behaviors = [s.floats for s in strategies]
        gradient = sequence_gradient(game, behaviors, player)
        others = _others_reach(game, behaviors, player)
    elif isinstance(game, NormalForm):
        gradient = np.append(0.0, game.action_values(player, [s.floats[1:] for s in strategies]))
        others = np.ones(1)
    else:
        gradient = game.gradient(player, strategies[1 - player].plan)
        others = np.full(treeplex.num_infosets, np.nan)
    values = _counterfactual(treeplex.parent, treeplex.start, behavior, np.ascontiguousarray(gradient, np.float64))
    weight = np.where(np.isnan(others), 1.0, others)[treeplex.infoset_of[1:]]
    conditional = np.full(len(values), np.nan)
    conditional[0] = values[0]
    np.divide(values[1:], weight, out=conditional[1:], where=weight > 0)
    return ActionValues(conditional, own, others)


def _others_reach(game: ExtensiveGame, behaviors: Sequence[FloatArray], player: int) -> FloatArray:
    reach = np.delete(reach_probabilities(game, behaviors), player, axis=0).prod(axis=0)
    nodes = np.flatnonzero(game.turn == player)
    sums = np.bincount(game.infoset[nodes], weights=reach[nodes], minlength=game.num_infosets)
    return sums[game.infosets_of[player]].astype(np.float64)


@jit
def _counterfactual(parent: Int32Array, start: Int32Array, behavior: FloatArray, gradient: FloatArray) -> FloatArray:
    """Add up from the last information set to the first."""
    values = gradient.copy()
    for h in range(len(parent) - 1, -1, -1):
        for s in range(start[h], start[h + 1]):
            values[parent[h]] += behavior[s] * values[s]
    return values
