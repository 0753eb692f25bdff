r"""The boards of a public game, and the hands that are alive on each.

Boards form a tree, street by street. On every board a player holds one of n *hands*: private cards up to the symmetries
that are left, or buckets. Two lists describe them.

- *Hands* are what a player can tell apart: an information set is a decision on a board and a hand. Hand h has a parent
  ``up[h]`` among the hands of the board above, and a representative with its cards, its rank and its ``scale``, the
  weight of all the private cards that it stands for.
- *Members* are the private cards themselves, each with its weight in the player's range and the hand it belongs to.
  What the opponent's hands meet are members.

Both are sorted by rank on boards of the last street. With :math:`m_i` the plan of member i times its weight, hand h
with cards a and b meets, on a board with the chance weight f,

.. math:: \text{fold: } f\,\Bigl(\sum_i m_i - \sum_{i \ni a} m_i - \sum_{i \ni b} m_i + m_{\text{twin}(h)}\Bigr),
   \qquad \text{showdown: } f\,\bigl(D(h) - D_a(h) - D_b(h)\bigr),

where D is the mass of the members ranked below h minus that of those ranked above, and :math:`D_c` the same over the
members that hold card c. Both times ``scale[h]`` and the stake are entries of the payoff gradient. These sums are all
that a payoff operator, or a linear program with prefix sums as variables, needs to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import GameError

CardTable = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class HandTable:
    """One player's hands and members on all boards, board after board.

    A hand of one card, or without cards, has dummies in ``cards``: members write their sums to card ``deck`` (which
    nobody reads), hands read card ``deck + 1`` (which nobody writes).
    """

    start: IntArray = field(repr=False)
    """The hands of board b are ``start[b]:start[b + 1]``."""
    up: Int32Array = field(repr=False)
    """The place of each hand's parent among the hands of the board above; 0 on the first board."""
    cards: CardTable = field(repr=False)
    scale: FloatArray = field(repr=False)
    rank: Int32Array = field(repr=False)
    """Higher beats lower, equal ranks tie; comparable between the players; 0 before the last street."""
    twin: Int32Array = field(repr=False)
    """The opponent's member, by its place on the board, with the same private cards; -1 if there is none."""
    member_start: IntArray = field(repr=False)
    member_hand: Int32Array = field(repr=False)
    """The place of each member's hand among the hands of its board."""
    member_cards: CardTable = field(repr=False)
    member_weight: FloatArray = field(repr=False)
    member_rank: Int32Array = field(repr=False)
    member_private: Int32Array = field(repr=False)
    """Which of the player's private holdings (``names``) a member is."""
    names: tuple[str, ...] = field(repr=False)
    """What the private holdings are called."""

    def num_hands(self, board: int) -> int:
        """Count the hands on a board."""
        return int(self.start[board + 1] - self.start[board])

    def hand_names(self, board: int) -> list[str]:
        """Name the hands on a board by their first members."""
        low, high = int(self.member_start[board]), int(self.member_start[board + 1])
        hands, first = np.unique(self.member_hand[low:high], return_index=True)
        assert len(hands) == self.num_hands(board)
        return [self.names[p] for p in self.member_private[low:high][first].tolist()]


@dataclass(frozen=True, eq=False)
class BucketMatrices:
    """The payoffs of a board whose hands are buckets.

    Attributes
    ----------
    joint
        The probability of each pair of buckets, player 0's by row; the boards' chance weights do not apply.
    wins
        The same times the probability that player 0 wins minus that of losing.
    """

    joint: FloatArray = field(repr=False)
    wins: FloatArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Boards:
    """All boards, those of earlier streets first, with the hands of both players."""

    street: IntArray = field(repr=False)
    parent: IntArray = field(repr=False)
    """The board above; -1 for the first."""
    factor: FloatArray = field(repr=False)
    """The probability that chance deals a board (and those isomorphic to it) to a pair of disjoint hands, divided by
    the weight of all such pairs."""
    names: tuple[str, ...] = field(repr=False)
    hands: tuple[HandTable, HandTable] = field(repr=False)
    deck: int
    """How many cards there are; 0 where hands have none."""
    matrices: tuple[BucketMatrices | None, ...] = field(default=(), repr=False)
    """For each board its bucket matrices, or nothing; empty for a game of cards."""

    def __post_init__(self) -> None:
        count = len(self.street)
        if not count or len(self.parent) != count or len(self.factor) != count or len(self.names) != count:
            raise GameError("boards need a street, a parent, a weight and a name each", where="boards")
        if (np.diff(self.street) < 0).any() or (self.parent >= np.arange(count)).any():
            raise GameError("boards are not in order", where="boards", fix="list them street by street")
        if any(np.isnan(t.scale).any() or (np.diff(t.start) < 1).any() for t in self.hands):
            raise GameError("a board has no hands", where="boards", fix="leave it out")
        for board, pair in enumerate(self.matrices):
            shape = tuple(t.num_hands(board) for t in self.hands)
            if pair is not None and (pair.joint.shape != shape or pair.wins.shape != shape):
                raise GameError(f"bucket matrices do not have the shape {shape}", where=f"board {self.names[board]}")

    def __len__(self) -> int:
        return len(self.street)

    def of_street(self, street: int) -> range:
        """Return the boards of a street."""
        low, high = np.searchsorted(self.street, [street, street + 1])
        return range(int(low), int(high))


def bucket_hands(labels: Sequence[Sequence[str]], up: Sequence[Int32Array] = ()) -> HandTable:
    """Return hands that are buckets: the names of those on each board, and their parents on the board above."""
    counts = [len(names) for names in labels]
    start = np.append(0, np.cumsum(counts))
    total = int(start[-1])
    none, zero, one = np.zeros((total, 2), dtype=np.int16), np.zeros(total, dtype=np.int32), np.ones(total)
    place = np.concatenate([np.arange(n, dtype=np.int32) for n in counts])
    above = np.concatenate([np.zeros(counts[0], dtype=np.int32), *up]).astype(np.int32)
    every = np.arange(total, dtype=np.int32)
    flat = tuple(name for names in labels for name in names)
    return HandTable(start, above, none + 1, one, zero, zero - 1, start, place, none, one, zero, every, flat)


def bucket_boards(matrices: BucketMatrices, names: tuple[Sequence[str], Sequence[str]], *, board: str = "") -> Boards:
    """Return a single board on which both players hold buckets."""
    for seat, labels in enumerate(names):
        if len(labels) != matrices.joint.shape[seat]:
            raise GameError(f"{len(labels)} names for {matrices.joint.shape[seat]} buckets", where="buckets")
    first, second = (bucket_hands([labels]) for labels in names)
    return Boards(np.zeros(1, dtype=np.int64), np.full(1, -1), np.ones(1), (board,), (first, second), 0, (matrices,))
