r"""What the leaves of a bucketed game pay: a few matrices over pairs of buckets, mixed leaf by leaf.

Where hands are compared, or where a game is cut off, leaf z pays player 0, times the number of deals of the pair,

.. math:: L_z = \sum_k c_{zk} M_k .

At a showdown there is one matrix, wins minus losses, and :math:`c_z` is the stake. A rollout of the cards that are
missing has the same form. If the last round's betting is simulated with frequencies that depend on the hands alone, the
chips put in before it multiply one matrix and those put in during it are another. A solved last round pays by a matrix
per leaf.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import GameError
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import TERMINAL


@dataclass(frozen=True, eq=False)
class LeafPayoffs:
    """Matrices over pairs of histories of the last round, and how every leaf mixes them.

    Attributes
    ----------
    matrices
        :math:`M_k`: payoffs to player 0 times counts of deals.
    weights
        :math:`c_{zk}`: a row per leaf, in the order of :func:`leaf_nodes`; a column per matrix.
    kind
        ``showdown``, or how the cut-off rounds were estimated.
    error
        The standard error of each matrix divided by the number of deals, if deals were sampled.
    """

    matrices: tuple[FloatArray, ...] = field(repr=False)
    weights: FloatArray = field(repr=False)
    kind: str = "showdown"
    error: tuple[FloatArray, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        shapes = {m.shape for m in self.matrices}
        if len(shapes) != 1 or self.weights.shape != (len(self.weights), len(self.matrices)):
            raise GameError(
                "the payoffs of leaves need matrices of one shape and a weight for each",
                where=f"{len(self.matrices)} matrices of shapes {sorted(shapes)}, weights {self.weights.shape}",
            )

    def at(self, leaf: int) -> FloatArray:
        """Return what a leaf pays to player 0, times the number of deals, for every pair of histories."""
        found: FloatArray = sum(c * m for c, m in zip(self.weights[leaf], self.matrices, strict=True) if c)
        return found if isinstance(found, np.ndarray) else np.zeros_like(self.matrices[0])


def leaf_nodes(betting: BettingTree) -> IntArray:
    """Return the terminal nodes at which hands decide, in the order of the tree."""
    found: IntArray = np.flatnonzero((betting.turn == TERMINAL) & (betting.winner == SHOWDOWN))
    return found


def showdown_leaves(betting: BettingTree, margin: FloatArray, *, error: FloatArray | None = None) -> LeafPayoffs:
    """Return leaves that compare hands: ``margin`` counts wins minus losses for every pair of histories."""
    stakes = betting.stake[leaf_nodes(betting)][:, None]
    return LeafPayoffs((margin,), stakes, "showdown", () if error is None else (error,))
