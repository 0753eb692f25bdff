r"""What policies are worth in the long run: the smallest solution of :math:`v = r + \gamma P v` (thesis Algorithm 8).

A *node* is a state and a seat. When every seat plays a strategy, a player moves from node to node as in a Markov chain
(and changes seats on the way). With :math:`\gamma < 1` the values are unique. With :math:`\gamma = 1` they are where
the game ends with probability one. A set of nodes that is never left adds nothing to what the equations say about it:
any constant solves them. The value is then the total reward: zero if nothing is paid there (the minimal non-negative
solution, Puterman 1994, §7.2), and none at all if something is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import GameError
from equiform.models.stochastic.outcomes import Outcomes

_LEAK = 1e-12  # a node that ends the game less often than this does not end it
_ROUNDING = 1e-9  # of the largest reward


@dataclass(frozen=True, eq=False)
class NodeChain:
    """Rewards and moves of all nodes under given strategies."""

    rewards: FloatArray = field(repr=False)  # [state, seat]
    moves: sp.csr_array = field(repr=False)  # [state * seats + seat, state * seats + seat]
    discount: float

    def values(self) -> FloatArray:
        """Solve for the values, ``[state, seat]``: the smallest solution where there are several."""
        n = self.rewards.size
        forever = self._never_ending() if self.discount == 1 else np.zeros(n, dtype=bool)
        rewards = self.rewards.ravel()
        paid = forever & (np.abs(rewards) > _ROUNDING * max(1.0, float(np.abs(rewards).max())))
        if paid.any():
            node = int(np.flatnonzero(paid)[0])
            state, seat = divmod(node, self.rewards.shape[1])
            raise GameError(
                "the game goes on for ever and its total reward does not exist",
                where=f"state {state}, seat {seat + 1}",
                fix="use a discount below one, or pay only when the game ends",
            )
        found = np.zeros(n)
        rest = np.flatnonzero(~forever)
        if len(rest):
            moves = self.moves[rest][:, rest]
            system = sp.csc_array(sp.eye_array(len(rest), format="csc") - self.discount * moves)
            found[rest] = splu(system).solve(rewards[rest])
        return found.reshape(self.rewards.shape)

    def _never_ending(self) -> BoolArray:
        """Mark the nodes of closed classes from which the game cannot end."""
        _, label = connected_components(self.moves, directed=True, connection="strong")
        coo = self.moves.tocoo()
        leaves = np.zeros(label.max() + 1, dtype=bool)
        crossing = (label[coo.row] != label[coo.col]) & (coo.data > _LEAK)
        leaves[label[coo.row[crossing]]] = True
        leak = 1.0 - np.asarray(self.moves.sum(axis=1)).ravel()
        leaves[label[leak > _LEAK]] = True
        return ~leaves[label]


def node_chain(outcomes: Outcomes, probabilities: Sequence[FloatArray], discount: float) -> NodeChain:
    """Build the chain in which a player in seat ``i`` meets the outcomes with ``probabilities[i]``.

    For a profile all seats see the same probabilities; for best responses each seat sees those of its own deviation.
    """
    seats, n = outcomes.num_seats, len(outcomes.rewards)
    state = outcomes.state
    rows = (state[:, None] * seats + np.arange(seats)).ravel()
    weights = np.stack(probabilities, axis=1).ravel()
    chooser = sp.csr_array((weights, (rows, np.arange(n * seats))), shape=(outcomes.num_states * seats, n * seats))
    rewards = (chooser @ outcomes.rewards.ravel()).reshape(-1, seats)
    return NodeChain(rewards, sp.csr_array(chooser @ outcomes.successors), discount)
