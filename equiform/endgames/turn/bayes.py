r"""Hand probabilities by Bayes' rule: what a betting line says about a player's cards.

If the players bet by known strategies, the cards h of player 0 and h' of player 1 have, after a line, a probability
proportional to chance's of dealing them times each player's own probability of making the moves of the line,

.. math:: P(h, h' \mid \text{line}) \propto P(h, h')\, \pi_0(h)\, \pi_1(h').

One weight per hand and player is all that is needed; cards that meet are chance's part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.abstraction.holdem.blueprint import HoldemBlueprint
from equiform.abstraction.holdem.hand_buckets import BOARD_CARDS
from equiform.games.cards.evaluator import N_CARDS, N_HANDS
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import StrategyError


def line_weights(
    strategy: BucketStrategy, node: int, histories: Sequence[IntArray] | Sequence[Int32Array]
) -> FloatArray:
    """Return a player's own probability of the moves that lead to a node.

    Parameters
    ----------
    strategy
        What the player does.
    node
        Where the line ends.
    histories
        For every round up to the node's the history of each hand.
    """
    tree = strategy.betting
    weights = np.ones(len(histories[0]))
    while node > 0:
        above = int(tree.parent[node])
        if tree.turn[above] == strategy.player:
            column = tree.children[above].index(node)
            weights *= strategy.at(above)[histories[int(tree.street[above])], column]
        node = above
    return weights


def hand_weights(blueprint: HoldemBlueprint, board: Sequence[int], node: int) -> tuple[FloatArray, FloatArray]:
    """Return both players' weights of all 1,326 hands after a line of a blueprint, at most 1; 0 where blocked.

    ``board`` may go on beyond the rounds that the line needs.

    Raises
    ------
    StrategyError
        If no hand of a player makes these moves: the blueprint rules the line out.
    """
    street = int(blueprint.tree.street[node])
    rounds = [blueprint.histories.on(board[: BOARD_CARDS[s]]) for s in range(street + 1)]
    low, high = np.tril_indices(N_CARDS, -1)[::-1]
    free = ~(np.isin(low, list(board)) | np.isin(high, list(board)))
    found = []
    for strategy in blueprint.strategies:
        weights = np.zeros(N_HANDS)
        weights[free] = line_weights(strategy, node, [r[free] for r in rounds])
        if not weights.any():
            raise StrategyError(
                f"player {strategy.player + 1} never plays {blueprint.tree.history(node)}",
                where="Bayes' rule",
                fix="choose a line that the blueprint plays",
            )
        found.append(weights / weights.max())
    return found[0], found[1]
