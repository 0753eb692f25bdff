r"""How large a partitioned hold'em game is, without building it.

Two betting states with the same street, player to act, chips and raises have the same subtree, so that trees of any
size are counted from their distinct states. A member stores two numbers of eight bytes for every information set and
move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from equiform.games.cards.indexing import hand_indexer
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError

#: Two tables of 64-bit floats.
BYTES_PER_MOVE = 16
_STREETS = 4


class BettingSize(NamedTuple):
    """Counts of a betting tree, by street."""

    decisions: tuple[int, ...]
    moves: tuple[int, ...]
    nodes: int
    """All nodes but chance's, leaves included, as the literature counts."""


def betting_size(betting: HoldemBetting) -> BettingSize:
    """Count a betting tree.

    >>> betting_size(HoldemBetting()).decisions[0]
    8
    """
    # a row: decisions by street, moves by street, leaves
    unit = np.eye(2 * _STREETS + 1)

    @cache
    def settled(street: int, level: int) -> FloatArray:
        if street == betting.rounds - 1:
            return unit[-1]
        if level == betting.stack:
            return settled(street + 1, level)
        return decide(street + 1, 1, (level, level), betting.blinds[1], 0, False)

    @cache
    def decide(street: int, who: int, spent: tuple[int, int], step: int, raises: int, acted: bool) -> FloatArray:
        mine, theirs = spent[who], spent[1 - who]
        level, total, moves = (theirs, theirs), unit[street].copy(), 1
        if theirs > mine:
            total += unit[-1]
            moves += 1
            closes = acted or theirs == betting.stack or street > 0
            total += settled(street, theirs) if closes else decide(street, 1 - who, level, step, raises, True)
        elif acted:
            total += settled(street, theirs)
        else:
            total += decide(street, 1 - who, level, step, raises, True)
        for to in betting.targets(street, theirs, step, raises):
            then = (to, theirs) if who == 0 else (theirs, to)
            total += decide(street, 1 - who, then, max(step, to - theirs), raises + 1, True)
            moves += 1
        total[_STREETS + street] += moves
        return total

    try:
        counts = decide(0, 0, betting.blinds, betting.blinds[1], 0, False)
    except RecursionError:
        raise ParameterError(
            "so many raises are allowed that the betting cannot be counted", where=str(betting), fix="cap the raises"
        ) from None
    decisions = tuple(int(n) for n in counts[:_STREETS])
    moves = tuple(int(n) for n in counts[_STREETS:-1])
    return BettingSize(decisions, moves, sum(decisions) + int(counts[-1]))


@dataclass(frozen=True)
class PartitionSize:
    """What a partitioned game needs.

    Attributes
    ----------
    nodes
        Nodes of the betting tree.
    infosets, moves
        Of both players, in all members together.
    head_bytes, member_bytes
        The tables of the head, and of each member.
    members
        How many members there are below the head.
    """

    nodes: int
    infosets: int
    moves: int
    head_bytes: int
    member_bytes: int
    members: int

    @property
    def total_bytes(self) -> int:
        """All tables together."""
        return self.head_bytes + self.members * self.member_bytes

    @property
    def bytes_per_infoset(self) -> float:
        """Memory per information set."""
        return self.total_bytes / self.infosets

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "total_bytes": self.total_bytes, "bytes_per_infoset": self.bytes_per_infoset}


def partition_size(clusters: int, buckets: tuple[int, int, int], betting: HoldemBetting) -> PartitionSize:
    """Count a game of so many clusters and private buckets per cluster, without building anything.

    >>> partition_size(60, (500, 500, 500), HoldemBetting()).members
    60
    """
    size = betting_size(betting)
    first = hand_indexer(2).sizes[0]
    below = sum(n * b for n, b in zip(size.decisions[1:], buckets, strict=True))
    moves = sum(n * b for n, b in zip(size.moves[1:], buckets, strict=True))
    return PartitionSize(
        size.nodes,
        first * size.decisions[0] + clusters * below,
        first * size.moves[0] + clusters * moves,
        BYTES_PER_MOVE * first * size.moves[0],
        BYTES_PER_MOVE * moves,
        clusters,
    )
