r"""The n-player sequence form: what a profile of realization plans earns, without walking the tree.

The terminal nodes with one tuple of last moves :math:`(s_1, \dots, s_n)` are merged into one *leaf* with the payoffs
:math:`w_p = \sum_z \pi_c(z) u_p(z)`. Player p's gradient against the other plans is then

.. math:: g_p[s] = \sum_{\text{leaves with } s_p = s} w_p \prod_{j \ne p} x_j[s_j].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame
from equiform.solvers_iterative.kernels.rows import Index


class Leaves(NamedTuple):
    """Merged terminal nodes: ``slot[leaf, p]`` is player p's last move in one vector over all players' sequences."""

    slot: Index
    payoff: FloatArray  # [leaf, player], weighted by chance


def merged_leaves(game: ExtensiveGame) -> Leaves:
    """Merge terminal nodes that no player can tell apart by their own moves."""
    reach_index, reach_values = game.chance_reach
    chance = np.array([float(v) for v in reach_values])[reach_index[game.terminals]]
    payoffs = game.payoff_floats[game.outcome[game.terminals]]
    moves = game.sequences[:, game.terminals].T
    distinct, inverse = np.unique(moves, axis=0, return_inverse=True)
    merged = np.zeros((len(distinct), payoffs.shape[1]))
    np.add.at(merged, inverse.ravel(), payoffs * chance[:, None])
    counts = [game.num_sequences(p) for p in range(len(game.players))]
    offsets = np.concatenate(([0], np.cumsum(counts)[:-1]))
    return Leaves((distinct + offsets).astype(np.uint32), merged)


@jit
def leaf_gradient(leaves: Leaves, plans: FloatArray, p: int, out: FloatArray) -> None:
    """Add up what each sequence of player p earns; entries of ``out`` outside player p's range stay as they are."""
    players = leaves.slot.shape[1]
    for leaf in range(len(leaves.payoff)):
        weight = leaves.payoff[leaf, p]
        for j in range(players):
            if j != p:
                weight *= plans[leaves.slot[leaf, j]]
        out[leaves.slot[leaf, p]] += weight
