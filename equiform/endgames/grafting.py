"""A new top on an old tree: chance moves, decisions and leaves above parts of a game.

The nodes of the old game are copied by index arithmetic, those of the new top are few and written one by one. In the
end all of them stand in breadth-first order, as :class:`~equiform.models.extensive.ExtensiveGame` wants them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.models.common.array_types import BoolArray, IntArray
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL


@dataclass(frozen=True)
class HeadKey:
    """The key of an information set in the new top."""

    key: Hashable
    words: str = field(compare=False)


@dataclass
class _Node:
    parent: int
    branch: int
    turn: int
    moves: int = -1
    infoset: int = -1
    edge: int = -1
    outcome: int = -1


@dataclass
class Head:
    """The new top while it is written; parents come before their children."""

    game: ExtensiveGame
    nodes: list[_Node] = field(default_factory=list)
    attached: list[tuple[int, int, int]] = field(default_factory=list)
    """(node of the top, its branch, node of the old game)."""
    entry_edges: dict[int, int] = field(default_factory=dict)
    shifts: dict[int, tuple[Fraction, ...]] = field(default_factory=dict)
    """What is added to all payoffs below an old node."""
    chance_values: list[Fraction] = field(default_factory=list)
    move_sets: list[tuple[str, ...]] = field(default_factory=list)
    payoffs: list[tuple[Fraction, ...]] = field(default_factory=list)
    keys: dict[HeadKey, tuple[int, int, int]] = field(default_factory=dict)
    """Information sets of the top: number, player and moves."""
    odds: dict[int, Sequence[Fraction]] = field(default_factory=dict)

    @staticmethod
    def of(game: ExtensiveGame) -> Head:
        """Begin a top for parts of a game."""
        return Head(
            game,
            chance_values=list(game.chance_values),
            move_sets=list(game.move_sets),
            payoffs=list(game.zero_sum().payoff_table),
        )

    def chance(self, parent: int, branch: int, labels: tuple[str, ...], odds: Sequence[Fraction]) -> int:
        """Add a chance node (below ``parent``, or as the root with -1)."""
        number = self._add(_Node(parent, branch, CHANCE, self._moves(labels)))
        self.odds[number] = odds
        return number

    def decision(
        self, parent: int, branch: int, player: int, key: Hashable, words: str, labels: tuple[str, ...]
    ) -> int:
        """Add a player's node; equal keys are one information set."""
        moves = self._moves(labels)
        infoset = self.keys.setdefault(HeadKey(key, words), (self.game.num_infosets + len(self.keys), player, moves))
        return self._add(_Node(parent, branch, player, moves, infoset[0]))

    def leaf(self, parent: int, branch: int, payoffs: tuple[Fraction, ...]) -> None:
        """Add an end of the game."""
        self.payoffs.append(payoffs)
        self._add(_Node(parent, branch, TERMINAL, outcome=len(self.payoffs) - 1))

    def attach(self, parent: int, nodes: IntArray, *, shift: tuple[Fraction, ...] | None = None) -> None:
        """Hang parts of the old game below a node of the top, in the order of its moves."""
        for branch, node in enumerate(nodes.tolist()):
            self.attach_one(parent, branch, node)
            if shift is not None:
                self.shifts[node] = shift

    def attach_one(self, parent: int, branch: int, node: int) -> None:
        """Hang one part of the old game below a move of the top."""
        self.attached.append((parent, branch, node))
        self.entry_edges[node] = self._edge(parent, branch)

    def _edge(self, parent: int, branch: int) -> int:
        if parent < 0 or self.nodes[parent].turn != CHANCE:
            return -1
        self.chance_values.append(self.odds[parent][branch])
        return len(self.chance_values) - 1

    def _add(self, node: _Node) -> int:
        node.edge = self._edge(node.parent, node.branch)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _moves(self, labels: tuple[str, ...]) -> int:
        self.move_sets.append(labels)
        return len(self.move_sets) - 1


def graft(head: Head, inside: BoolArray, entry_of_node: IntArray, name: str) -> tuple[ExtensiveGame, IntArray]:
    """Return the game made of a top and the attached parts, and the old number of each information set (or -1).

    Parameters
    ----------
    head
        The new top with the old nodes that hang below it.
    inside
        Which nodes of the old game belong to the parts, attached or not.
    entry_of_node
        For each of these the index of the part it lies in; only whole parts are taken.
    name
        What to call the new game.
    """
    game = head.game
    roots = np.array([node for _, _, node in head.attached], dtype=np.int64)
    inner = np.flatnonzero(inside & np.isin(entry_of_node, entry_of_node[roots]))
    top = len(head.nodes)
    columns = {f: np.array([getattr(n, f) for n in head.nodes], dtype=np.int64) for f in _Node.__dataclass_fields__}
    parent = top + np.searchsorted(inner, game.parent[inner])
    branch, edge = game.branch[inner].astype(np.int64), game.edge[inner].astype(np.int64)
    at = np.searchsorted(inner, roots)
    parent[at] = [above for above, _, _ in head.attached]
    branch[at] = [move for _, move, _ in head.attached]
    edge[at] = [head.entry_edges[node] for node in roots.tolist()]
    outcome, payoffs = _shifted(head, inner, entry_of_node)
    table: dict[str, Any] = {
        "parent": np.append(columns["parent"], parent),
        "branch": np.append(columns["branch"], branch),
        "turn": np.append(columns["turn"], game.turn[inner]),
        "infoset": np.append(columns["infoset"], game.infoset[inner]),
        "edge": np.append(columns["edge"], edge),
        "outcome": np.append(columns["outcome"], outcome),
        "move_set": np.append(columns["moves"], game.move_set[inner]),
    }
    return _assemble(head, table, payoffs, name)


def _shifted(head: Head, inner: IntArray, entry_of_node: IntArray) -> tuple[IntArray, list[tuple[Fraction, ...]]]:
    """Return the outcomes of old nodes, with what is added to the payoffs of each part."""
    outcome = head.game.outcome[inner].astype(np.int64)
    payoffs = list(head.payoffs)
    base = head.game.zero_sum().payoff_table
    shift_of: dict[tuple[Fraction, ...], list[int]] = {}
    for node, shift in head.shifts.items():
        shift_of.setdefault(shift, []).append(int(entry_of_node[node]))
    for shift, parts in shift_of.items():
        here = np.isin(entry_of_node[inner], parts) & (outcome >= 0)
        outcome[here] += len(payoffs)
        payoffs += [tuple(u + s for u, s in zip(row, shift, strict=True)) for row in base]
    return outcome, payoffs


def _assemble(
    head: Head, table: dict[str, Any], payoffs: list[tuple[Fraction, ...]], name: str
) -> tuple[ExtensiveGame, IntArray]:
    order, layers, first, counts = _breadth_first(table["parent"], table["branch"])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    ordered = {what: column[order] for what, column in table.items()}
    numbers = ordered["infoset"]
    shown, at = np.unique(numbers[numbers >= 0], return_index=True)
    appearance = shown[np.argsort(at)]  # information sets in the order in which nodes show them
    rank = np.full(head.game.num_infosets + len(head.keys), -1, dtype=np.int64)
    rank[appearance] = np.arange(len(appearance))
    game = head.game
    added = {number: (key, player, moves) for key, (number, player, moves) in head.keys.items()}
    own = [h < game.num_infosets for h in appearance.tolist()]
    result = ExtensiveGame(
        name=name,
        players=game.players,
        layers=layers,
        turn=ordered["turn"].astype(np.int16),
        parent=np.append(-1, place[ordered["parent"][1:]]).astype(np.int32),
        branch=ordered["branch"].astype(np.int32),
        first_child=first.astype(np.int32),
        num_children=counts[order].astype(np.int32),
        infoset=np.where(numbers >= 0, rank[numbers], -1).astype(np.int32),
        edge=ordered["edge"].astype(np.int32),
        outcome=ordered["outcome"].astype(np.int32),
        move_set=ordered["move_set"].astype(np.int32),
        chance_values=tuple(head.chance_values),
        payoff_table=tuple(payoffs),
        move_sets=tuple(head.move_sets),
        infoset_player=np.array(
            [game.infoset_player[h] if old else added[h][1] for h, old in zip(appearance.tolist(), own, strict=True)],
            dtype=np.int16,
        ),
        infoset_moves=np.array(
            [game.infoset_moves[h] if old else added[h][2] for h, old in zip(appearance.tolist(), own, strict=True)],
            dtype=np.int32,
        ),
        infoset_keys=tuple(
            game.infoset_keys[h] if old else added[h][0] for h, old in zip(appearance.tolist(), own, strict=True)
        ),
        describe=_describe(game),
    )
    return result, np.where(own, appearance, -1)


def _breadth_first(parent: IntArray, branch: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Order nodes by depth, then parent, then move: the order, the depths' ranges, first children and their counts."""
    children = np.lexsort((branch, parent))[1:]  # the root, below -1, comes first
    counts = np.bincount(parent[children], minlength=len(parent))
    start = np.cumsum(counts) - counts
    depths = [np.flatnonzero(parent < 0)]
    while True:
        above = depths[-1][counts[depths[-1]] > 0]
        if not len(above):
            break
        sizes = counts[above]
        offset = np.repeat(start[above] - np.cumsum(sizes) + sizes, sizes)
        depths.append(children[offset + np.arange(sizes.sum())])
    order = np.concatenate(depths)
    own = counts[order]
    first = np.where(own > 0, 1 + np.cumsum(own) - own, -1)
    return order, np.cumsum([0, *map(len, depths)], dtype=np.int64), first, counts


def _describe(game: ExtensiveGame) -> Any:
    return lambda key: key.words if isinstance(key, HeadKey) else game.describe(key)
