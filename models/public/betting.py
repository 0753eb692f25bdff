r"""The moves of a public game: one betting tree that every board walks through.

What may be bet depends on the betting so far and not on the cards. A node belongs to a *street*; a CHANCE node has one
child, on the next street, and stands for all the boards that chance may deal there. The public tree is this tree times
the tree of boards.

Each player's moves on a street are numbered: *column* j of street s is one move, and the moves of one decision have
consecutive columns. With n hands on a board the player's sequences there form a table of n rows and ``width(s)``
columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import GameError, ParameterError
from equiform.models.rules import CHANCE, TERMINAL

#: The winner of a terminal node at which the hands are compared.
SHOWDOWN = -1
#: The street of a move that does not exist: the player has not moved yet.
NO_MOVE = -1


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A tree of public moves, parents before children, the children of a node in the order of its moves.

    Attributes
    ----------
    parent
        The node above each node; -1 for the root, which is node 0.
    turn
        Whose move it is (0 or 1), CHANCE or TERMINAL.
    street
        The street of each node, from 0; it rises by one below a CHANCE node and nowhere else.
    move
        The label of the move that leads to each node; empty for the root and below chance.
    winner
        At a terminal node who wins whatever the hands are, or ``SHOWDOWN``; elsewhere ``SHOWDOWN``.
    stake
        At a terminal node what the loser pays to the winner; elsewhere 0.
    """

    parent: IntArray = field(repr=False)
    turn: IntArray = field(repr=False)
    street: IntArray = field(repr=False)
    move: tuple[str, ...] = field(repr=False)
    winner: IntArray = field(repr=False)
    stake: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        n = len(self.parent)
        sizes = {len(a) for a in (self.turn, self.street, self.move, self.winner, self.stake)}
        if sizes != {n} or n == 0 or self.parent[0] != -1 or (self.parent[1:] >= np.arange(1, n)).any():
            raise GameError(
                "the arrays do not describe a tree", where="betting tree", fix="list parents before children"
            )
        counts = np.bincount(self.parent[1:], minlength=n)
        wrong = (counts > 0) == (self.turn == TERMINAL)
        wrong |= (self.turn == CHANCE) & (counts != 1)
        wrong[1:] |= self.street[1:] != self.street[self.parent[1:]] + (self.turn[self.parent[1:]] == CHANCE)
        wrong |= (self.turn == TERMINAL) & ((self.stake < 0) | ~np.isfinite(self.stake))
        wrong |= (self.turn == TERMINAL) & (self.winner == SHOWDOWN) & (self.street != self.street.max())
        if wrong.any():
            node = int(np.argmax(wrong))
            raise GameError(
                "a node is neither a decision, nor a deal with one child, nor an end with a stake",
                where=f"betting tree, node {node} ({self.history(node) or 'root'})",
                fix="showdowns stand on the last street: deal the cards that are missing before an all-in is settled",
            )

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def num_streets(self) -> int:
        """Count the streets."""
        return int(self.street.max()) + 1

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, in the order of its moves."""
        below: list[list[int]] = [[] for _ in range(len(self))]
        for node, above in enumerate(self.parent[1:].tolist(), 1):
            below[above].append(node)
        return tuple(map(tuple, below))

    def actions(self, node: int) -> tuple[str, ...]:
        """Return the moves at a node."""
        return tuple(self.move[child] for child in self.children[node])

    def history(self, node: int) -> str:
        """Spell the moves that lead to a node: joined by "–", streets by "/"."""
        words: list[str] = []
        while node > 0:
            above = int(self.parent[node])
            words.append("/" if self.turn[above] == CHANCE else self.move[node])
            node = above
        text = "–".join(reversed(words))
        return text.replace("–/–", "/").replace("–/", "/").replace("/–", "/")

    def find(self, history: str) -> int:
        """Return the node with this history, in the words of :meth:`history`; the root is the empty text."""
        number = self._by_history.get(history)
        if number is None:
            raise GameError(
                f"there is no node {history!r}",
                where="betting tree",
                fix=f"histories look like {', '.join(map(repr, list(self._by_history)[1:5]))}",
            )
        return number

    def decision(self, history: str) -> tuple[int, int]:
        """Return the node with this history and the player who moves there."""
        node = self.find(history)
        player = int(self.turn[node])
        if player < 0:
            raise ParameterError(f"nobody moves after {history!r}", where="betting tree", fix="name a decision")
        return node, player

    @cached_property
    def _by_history(self) -> dict[str, int]:
        return {self.history(node): node for node in reversed(range(len(self))) if self.turn[node] != CHANCE}

    @cached_property
    def seats(self) -> tuple[SeatMoves, SeatMoves]:
        """Each player's moves, by street."""
        return _seat_moves(self, 0), _seat_moves(self, 1)

    @cached_property
    def terminals(self) -> tuple[IntArray, ...]:
        """The terminal nodes of each street: folds first, then showdowns."""
        found = []
        for street in range(self.num_streets):
            nodes = np.flatnonzero((self.turn == TERMINAL) & (self.street == street))
            found.append(nodes[np.argsort(self.winner[nodes] == SHOWDOWN, kind="stable")])
        return tuple(found)


@dataclass(frozen=True, eq=False)
class SeatMoves:
    """One player's moves in a betting tree."""

    player: int
    width: IntArray
    """How many columns (moves) the player has on each street."""
    decisions: tuple[IntArray, ...] = field(repr=False)
    """The nodes at which the player decides, by street."""
    first: tuple[IntArray, ...] = field(repr=False)
    """The first column of each of these decisions."""
    size: tuple[IntArray, ...] = field(repr=False)
    """How many moves each decision has."""
    column: IntArray = field(repr=False)
    """The column of the move that leads to each node; -1 where another made it."""
    last_street: IntArray = field(repr=False)
    """The street of the player's last move at or before each node; ``NO_MOVE`` if there is none."""
    last_column: IntArray = field(repr=False)
    """The column of that move."""


def _seat_moves(tree: BettingTree, player: int) -> SeatMoves:
    """Number a player's moves street by street, in the order of the tree."""
    streets = tree.num_streets
    width = np.zeros(streets, dtype=np.int64)
    column = np.full(len(tree), -1, dtype=np.int64)
    decisions: list[list[int]] = [[] for _ in range(streets)]
    for node in np.flatnonzero(tree.turn == player).tolist():
        street = int(tree.street[node])
        decisions[street].append(node)
        for child in tree.children[node]:
            column[child] = width[street]
            width[street] += 1
    last_street, last_column = np.full(len(tree), NO_MOVE, dtype=np.int64), np.full(len(tree), -1, dtype=np.int64)
    for node in range(1, len(tree)):
        above = int(tree.parent[node])
        own = column[node] >= 0
        last_street[node] = tree.street[above] if own else last_street[above]
        last_column[node] = column[node] if own else last_column[above]
    lists = tuple(np.array(nodes, dtype=np.int64) for nodes in decisions)
    size = tuple(np.array([len(tree.children[n]) for n in nodes], dtype=np.int64) for nodes in decisions)
    first = tuple(np.cumsum(s) - s for s in size)
    return SeatMoves(player, width, lists, first, size, column, last_street, last_column)
