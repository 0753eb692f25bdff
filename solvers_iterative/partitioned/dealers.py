"""Dealers: the cards of a partitioned game. What a member needs of them are buckets, showdowns and counts.

Public cards do not depend on how anybody plays, so that all cards of a level are dealt at once, for a whole batch.

A *path* names a member: () is the head, (c,) its child for cluster c of the next public cards, (c, d) the child of that
one for cluster d of those that follow, and so on. Clusters of one level are disjoint, and every deal belongs to one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import BettingTree

Path = tuple[int, ...]
CardRows = NDArray[np.uint8]


class Dealing(NamedTuple):
    """A batch: cards with those that the level added, and what is needed of them."""

    cards: CardRows
    buckets: Int32Array
    """[row, street of the level, player]."""
    sign: NDArray[np.int8]
    """Of the showdown: 1 if player 0 wins, -1 if player 1 does, 0 for a tie and before the last level."""
    outcomes: FloatArray
    """How many outcomes the first public cards were drawn from; 0 if the cluster has none left, 1 for the head."""


class Dealer(Protocol):
    """Deals the cards of a game whose public cards are partitioned."""

    name: str
    tree: BettingTree
    levels: tuple[tuple[int, ...], ...]
    """The streets of each level, the head's first."""

    def clusters(self, path: Path) -> int:
        """Count the members below one; 0 on the last level."""

    def buckets(self, path: Path) -> tuple[int, ...]:
        """Return how many buckets of private information a member has on each street of its level."""

    def deal(self, path: Path, cards: CardRows, rng: np.random.Generator) -> Dealing:
        """Deal the cards of a member's level to rows of cards: from its cluster, and among those evenly.

        A row holds player 0's private cards, player 1's, and the public cards in the order of the streets. The head
        gets rows without cards and deals the private ones.
        """

    def fingerprint(self) -> str:
        """Identify cards, clusters and buckets."""


def root_members(dealer: Dealer) -> tuple[Path, ...]:
    """Return the paths of all members, a level after the other.

    Raises
    ------
    ParameterError
        If the levels are not the streets of the game in order.
    """
    if [s for level in dealer.levels for s in level] != list(range(dealer.tree.num_streets)) or () in dealer.levels:
        raise ParameterError(
            f"the levels {dealer.levels} do not cover the streets in order",
            where=dealer.name,
            fix=f"split the streets 0 to {dealer.tree.num_streets - 1} into consecutive levels",
        )
    found: list[Path] = [()]
    below: list[Path] = [()]
    for _ in dealer.levels[1:]:
        below = [(*path, c) for path in below for c in range(dealer.clusters(path))]
        found += below
    return tuple(found)
