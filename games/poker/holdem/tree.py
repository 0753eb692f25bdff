"""The betting of heads-up Texas hold'em from the blinds on, as a public tree.

Player 0 posts the small blind and acts first before the flop; player 1, the big blind, acts first on every later
street. Labels are ``fold``, ``check``, ``call``, ``bet``, ``raise`` in limit games; in no-limit games bets and raises
carry the chips that the player has then put in during the hand: ``raise 300``. :func:`line_of` and :func:`node_at`
speak the notation of the computer poker competition (``rc/crrc/``; ``r300c/``), whose seat 1 is player 0 here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_count, require_counts, require_number
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import CHANCE, TERMINAL

STREETS = ("preflop", "flop", "turn", "river")
#: Larger trees are refused.
MAX_NODES = 2_000_000
_LETTERS = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}


@dataclass
class _Nodes:
    """A betting tree while it is written."""

    parent: list[int] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    street: list[int] = field(default_factory=list)
    move: list[str] = field(default_factory=list)
    winner: list[int] = field(default_factory=list)
    stake: list[float] = field(default_factory=list)

    def add(self, above: int, turn: int, street: int, move: str, winner: int = SHOWDOWN, stake: float = 0.0) -> int:
        if len(self.parent) >= MAX_NODES:
            raise ParameterError(
                f"the betting has more than {MAX_NODES:,} nodes", where="hold'em betting", fix="allow fewer sizes"
            )
        for column, value in zip(vars(self).values(), (above, turn, street, move, winner, stake), strict=True):
            column.append(value)
        return len(self.parent) - 1

    def tree(self) -> BettingTree:
        numbers = (np.array(self.parent), np.array(self.turn), np.array(self.street))
        return BettingTree(*numbers, tuple(self.move), np.array(self.winner), np.array(self.stake))


@dataclass(frozen=True)
class HoldemBetting:
    """What may be bet from the blinds on.

    Attributes
    ----------
    rounds
        How many streets are played; a game of fewer than four ends where the next card would come.
    blinds
        Of player 0 (small) and of player 1 (big).
    bets
        Limit: the size of bets and raises by street. Empty for no-limit.
    raises
        How many bets and raises each street allows, the blinds not counted.
    stack
        No-limit: the chips that each player has.
    sizes
        No-limit: bets and raises as shares of the pot after calling. All-in is always offered.
    """

    rounds: int = 4
    blinds: tuple[int, int] = (1, 2)
    bets: tuple[int, ...] = (2, 2, 4, 4)
    raises: tuple[int, ...] = (3, 4, 4, 4)
    stack: int = 0
    sizes: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        where = "hold'em betting"
        require_count(self.rounds, "rounds", where, most=len(STREETS))
        require_counts(self.blinds, "blinds", where, length=2)
        require_counts(self.raises, "raises", where, length=len(STREETS), least=0)
        if self.blinds[0] > self.blinds[1]:
            raise ParameterError(f"blinds are {self.blinds}", where=where, fix="the small blind comes first")
        if self.bets:
            require_counts(self.bets, "bets", where, length=len(STREETS))
            if self.stack or self.sizes:
                raise ParameterError(
                    "stack and sizes belong to no-limit games", where=where, fix="leave out stack and sizes"
                )
            return
        require_count(self.stack, "stack", where, least=self.blinds[1] + 1)
        for size in self.sizes:
            if require_number(size, "size", where) <= 0:
                raise ParameterError(f"a bet of {size:g} of the pot", where=where, fix="use positive shares")

    @property
    def small_bet(self) -> int:
        """What results are stated in: the first street's bet, or the big blind of no-limit."""
        return self.bets[0] if self.bets else self.blinds[1]

    def tree(self) -> BettingTree:
        """Build the tree.

        >>> len(HoldemBetting().tree().terminals[0]), HoldemBetting().tree().num_streets
        (7, 4)
        """
        nodes = _Nodes()
        self._decide(nodes, -1, "", 0, 0, self.blinds, self.blinds[1], 0, False)
        return nodes.tree()

    def _decide(
        self,
        nodes: _Nodes,
        above: int,
        move: str,
        street: int,
        who: int,
        spent: Sequence[int],
        step: int,
        raises: int,
        acted: bool,
    ) -> None:
        """Write a decision and what lies below; ``acted``: the other player has acted on this street."""
        node = nodes.add(above, who, street, move)
        mine, theirs = spent[who], spent[1 - who]
        level = (theirs, theirs)
        if theirs > mine:
            nodes.add(node, TERMINAL, street, "fold", 1 - who, float(mine))
            if acted or theirs == self.stack or street > 0:
                self._settle(nodes, node, "call", street, level)
            else:  # the small blind calls and the big blind may still raise
                self._decide(nodes, node, "call", street, 1 - who, level, step, raises, True)
        elif acted:
            self._settle(nodes, node, "check", street, level)
        else:
            self._decide(nodes, node, "check", street, 1 - who, level, step, raises, True)
        word = "raise" if theirs > mine or street == 0 else "bet"
        for to in self.targets(street, theirs, step, raises):
            label = word if self.bets else f"{word} {to}"
            then = (to, theirs) if who == 0 else (theirs, to)
            self._decide(nodes, node, label, street, 1 - who, then, max(step, to - theirs), raises + 1, True)

    def _settle(self, nodes: _Nodes, above: int, move: str, street: int, level: tuple[int, int]) -> None:
        """Close a street: deal the next one, or compare hands."""
        if street == self.rounds - 1:
            nodes.add(above, TERMINAL, street, move, SHOWDOWN, float(level[0]))
            return
        node = nodes.add(above, CHANCE, street, move)
        if level[0] == self.stack:
            self._settle(nodes, node, "", street + 1, level)
        else:
            self._decide(nodes, node, "", street + 1, 1, level, self.blinds[1], 0, False)

    def targets(self, street: int, level: int, step: int, raises: int) -> list[int]:
        """Return the chips in the hand that a bet or raise may go up to."""
        if raises >= self.raises[street]:
            return []
        if self.bets:
            return [level + self.bets[street]]
        if level >= self.stack:
            return []
        wanted = (level + max(step, round(share * 2 * level)) for share in self.sizes)
        return sorted({min(to, self.stack) for to in wanted} | {self.stack})


def below(tree: BettingTree, root: int) -> tuple[BettingTree, IntArray]:
    """Return the betting from a node on as a tree of its own, and which node of the whole each of its nodes is."""
    kept = np.zeros(len(tree), dtype=bool)
    kept[root] = True
    for node in range(root + 1, len(tree)):
        kept[node] = kept[tree.parent[node]]
    nodes = np.flatnonzero(kept)
    place = np.cumsum(kept) - 1
    parent = np.append(-1, place[tree.parent[nodes[1:]]])
    street = tree.street[nodes] - tree.street[root]
    move = ("", *(tree.move[n] for n in nodes[1:].tolist()))
    return BettingTree(parent, tree.turn[nodes], street, move, tree.winner[nodes], tree.stake[nodes]), nodes


def line_of(tree: BettingTree, node: int) -> str:
    """Spell a node in the competition's notation.

    >>> tree = HoldemBetting().tree()
    >>> line_of(tree, node_at(tree, "rrc/r"))
    'rrc/r'
    """
    letters: list[str] = []
    while node > 0:
        if tree.turn[tree.parent[node]] == CHANCE:
            letters.append("/")
        else:
            word, _, chips = tree.move[node].partition(" ")
            letters.append(_LETTERS[word] + chips)
        node = int(tree.parent[node])
    return "".join(reversed(letters))


def node_at(tree: BettingTree, line: str) -> int:
    """Return the node that a line in the competition's notation leads to; a line that ends a street needs no slash."""
    node, at = 0, 0
    for token in re.findall(r"/|[fc]|r\d*|.", line):
        at += len(token)
        if token == "/":
            if tree.turn[node] != CHANCE:
                raise _no_line(tree, line, at, node)
            node = tree.children[node][0]
            continue
        below = [c for c in tree.children[node] if tree.turn[node] != CHANCE and _letter(tree, c) == token]
        if not below:
            raise _no_line(tree, line, at, node)
        node = below[0]
    return node


def _letter(tree: BettingTree, node: int) -> str:
    word, _, chips = tree.move[node].partition(" ")
    return _LETTERS[word] + chips


def _no_line(tree: BettingTree, line: str, at: int, node: int) -> ParameterError:
    there = ["/"] if tree.turn[node] == CHANCE else [_letter(tree, c) for c in tree.children[node]]
    return ParameterError(
        f"the betting tree has no line {line!r}"[:200],
        where=f"after {line[: max(at - 1, 0)]!r}",
        fix=f"go on with {', '.join(there)}" if there and node else "lines look like rrc/crc/, with r300 in no-limit",
    )
