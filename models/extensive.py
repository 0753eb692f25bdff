r"""Extensive-form games in flat arrays.

:func:`equiform.models.compile_rules` walks the tree of a :class:`~equiform.models.Rules` object once into an
:class:`ExtensiveGame`: arrays indexed by node, in which each depth is one contiguous range and so are the children of
a node. Everything downstream (sequences, reach probabilities, payoff matrices) is then a vectorised sweep over depths.

Games may have any number of players and any payoffs here. Perfect recall is checked when the treeplexes are built.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import (
    ImperfectRecallError,
    UnsupportedGameError,
)
from equiform.models.common.html import EXPLORE, html_facts
from equiform.models.common.rational import payoffs_in_floats
from equiform.models.rules import TERMINAL
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class ExtensiveGame:
    """A game tree in arrays indexed by node; node 0 is the root and parents come before their children."""

    name: str
    players: tuple[str, ...]
    layers: IntArray = field(repr=False)  # depth d is the node range layers[d]:layers[d + 1]
    turn: NDArray[np.int16] = field(repr=False)  # player, CHANCE or TERMINAL
    parent: Int32Array = field(repr=False)
    branch: Int32Array = field(repr=False)  # which of its parent's moves leads here
    first_child: Int32Array = field(repr=False)
    num_children: Int32Array = field(repr=False)
    infoset: Int32Array = field(repr=False)  # numbered over all players in order of appearance; -1 elsewhere
    edge: Int32Array = field(repr=False)  # chance move leading here, an index into chance_values; -1 for players' moves
    outcome: Int32Array = field(repr=False)  # index into payoff_table; -1 unless terminal
    move_set: Int32Array = field(repr=False)  # index into move_sets; -1 if terminal
    chance_values: tuple[Fraction, ...] = field(repr=False)
    payoff_table: tuple[tuple[Fraction, ...], ...] = field(repr=False)
    move_sets: tuple[tuple[str, ...], ...] = field(repr=False)
    infoset_player: NDArray[np.int16] = field(repr=False)
    infoset_moves: Int32Array = field(repr=False)  # index into move_sets
    infoset_keys: tuple[Hashable, ...] = field(repr=False)
    describe: Callable[[Any], str] = field(default=str, repr=False)

    @property
    def num_nodes(self) -> int:
        """Count all nodes, terminal ones included."""
        return len(self.turn)

    @property
    def num_infosets(self) -> int:
        """Count the information sets of all players."""
        return len(self.infoset_keys)

    @cached_property
    def terminals(self) -> IntArray:
        """Terminal nodes in order."""
        return np.flatnonzero(self.turn == TERMINAL)

    def path(self, node: int) -> str:
        """Name a node by the moves that lead to it."""
        moves: list[str] = []
        while node > 0:
            above = int(self.parent[node])
            moves.append(self.move_sets[self.move_set[above]][self.branch[node]])
            node = above
        return " > ".join(reversed(moves)) or "the root"

    def _repr_html_(self) -> str:
        facts = {
            "players": ", ".join(self.players),
            "nodes": f"{self.num_nodes:,}",
            "information sets": ", ".join(f"{len(own):,}" for own in self.infosets_of),
            "payoffs": "zero-sum" if self.is_zero_sum else "general-sum",
        }
        return html_facts(f"Game {self.name}", facts, EXPLORE)

    # -- numbering: each player's moves, from 1; 0 is the empty sequence ----------------------------------------------

    @cached_property
    def infosets_of(self) -> tuple[IntArray, ...]:
        """Each player's information sets (global numbers) in treeplex order."""
        return tuple(np.flatnonzero(self.infoset_player == p) for p in range(len(self.players)))

    @cached_property
    def first_sequence(self) -> Int32Array:
        """The number of each information set's first move among its player's sequences."""
        sizes = np.array([len(m) for m in self.move_sets], dtype=np.int32)
        first = np.zeros(self.num_infosets, dtype=np.int32)
        for own in self.infosets_of:
            counts = sizes[self.infoset_moves[own]]
            first[own] = 1 + np.cumsum(counts) - counts
        return first

    @cached_property
    def move(self) -> Int32Array:
        """For each node reached by a player's move, that move's number among the player's sequences; else -1."""
        numbers = np.full(self.num_nodes, -1, dtype=np.int32)
        above = self.parent[1:]
        of_player = self.turn[above] >= 0
        children = 1 + np.flatnonzero(of_player)
        numbers[children] = self.first_sequence[self.infoset[above[of_player]]] + self.branch[children]
        return numbers

    def num_sequences(self, player: int) -> int:
        """Count a player's sequences, the empty one included."""
        own = self.infosets_of[require_player(player, len(self.players), self.name)]
        if not len(own):
            return 1
        return int(self.first_sequence[own[-1]]) + len(self.move_sets[self.infoset_moves[own[-1]]])

    @cached_property
    def sequences(self) -> Int32Array:
        """``sequences[p, node]``: the last move of player p above a node (0: none yet)."""
        seq = np.zeros((len(self.players), self.num_nodes), dtype=np.int32)
        for d in range(1, len(self.layers) - 1):
            nodes = slice(self.layers[d], self.layers[d + 1])
            above = self.parent[nodes]
            seq[:, nodes] = seq[:, above]
            for p in range(len(self.players)):
                seq[p, nodes] = np.where(self.turn[above] == p, self.move[nodes], seq[p, nodes])
        return seq

    @cached_property
    def chance_reach(self) -> tuple[Int32Array, tuple[Fraction, ...]]:
        """Chance's probability of each node, exactly: one index per node into a tuple of distinct fractions."""
        index = np.zeros(self.num_nodes, dtype=np.int32)
        values: list[Fraction] = [Fraction(1)]
        number: dict[Fraction, int] = {Fraction(1): 0}
        for d in range(1, len(self.layers) - 1):
            nodes = slice(self.layers[d], self.layers[d + 1])
            above = index[self.parent[nodes]]
            edge = self.edge[nodes]
            # few distinct (reach so far, chance move) pairs stand for many nodes
            pairs, inverse = np.unique(above.astype(np.int64) << 32 | (edge + 1), return_inverse=True)
            codes = np.empty(len(pairs), dtype=np.int32)
            for k, pair in enumerate(pairs.tolist()):
                so_far, move = values[pair >> 32], (pair & 0xFFFFFFFF) - 1
                product = so_far if move < 0 else so_far * self.chance_values[move]
                if product not in number:
                    number[product] = len(values)
                    values.append(product)
                codes[k] = number[product]
            index[nodes] = codes[inverse]
        return index, tuple(values)

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, ...]:
        """One treeplex per player; raises :class:`ImperfectRecallError` where a player forgets."""
        return tuple(self._treeplex(p) for p in range(len(self.players)))

    def _treeplex(self, player: int) -> Treeplex:
        own = self.infosets_of[player]
        nodes = np.flatnonzero(self.turn == player)
        parent = np.full(self.num_infosets, -1, dtype=np.int32)
        at = self.sequences[player, nodes]
        parent[self.infoset[nodes][::-1]] = at[::-1]  # the first node of each information set wins
        forgets = np.flatnonzero(parent[self.infoset[nodes]] != at)
        if len(forgets):
            node = int(nodes[forgets[0]])
            label = self.describe(self.infoset_keys[self.infoset[node]])
            raise ImperfectRecallError(
                f"{self.players[player]} has imperfect recall: the nodes of one information set follow different "
                "moves of that player",
                where=f"information set {label!r}, node {self.path(node)!r}",
                fix="let the information-set key contain the player's own past moves and observations",
            )
        starts = np.append(self.first_sequence[own], self.num_sequences(player)).astype(np.int32)
        return Treeplex(
            player=self.players[player],
            parent=parent[own],
            start=starts,
            infosets=tuple(self.infoset_keys[h] for h in own),
            actions=tuple(self.move_sets[m] for m in self.infoset_moves[own]),
            describe=self.describe,
        )

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs of every outcome sum to zero."""
        return all(sum(row) == 0 for row in self.payoff_table)

    @cached_property
    def is_constant_sum(self) -> bool:
        """Whether the payoffs of every outcome have the same sum."""
        return len({sum(row) for row in self.payoff_table}) <= 1

    @cached_property
    def payoff_floats(self) -> FloatArray:
        """The payoff table in floats: one row per outcome, one column per player."""
        return payoffs_in_floats(np.array(self.payoff_table, dtype=object), self._payoff_place)

    def _payoff_place(self, outcome: int, player: int) -> str:
        node = int(np.flatnonzero(self.outcome == outcome)[0])
        return f"{self.name}, {self.players[player]} at {self.path(node)!r}"

    def zero_sum(self) -> ExtensiveGame:
        """Return the same two-player game with the constant taken from player 2; player 1's payoffs stay."""
        require_two_player_constant_sum(len(self.players), self.is_constant_sum, self.name)
        if self.is_zero_sum:
            return self
        return dataclasses.replace(self, payoff_table=tuple((own, -own) for own, _ in self.payoff_table))

    @cached_property
    def has_perfect_recall(self) -> bool:
        """Whether no player forgets."""
        try:
            return bool(self.treeplexes)
        except ImperfectRecallError:
            return False


def require_two_player_constant_sum(num_players: int, is_constant_sum: bool, name: str) -> None:
    """Refuse games that the two-player zero-sum programs cannot take."""
    if num_players != 2:
        raise UnsupportedGameError(
            f"{name} has {num_players} players and this program needs two",
            fix="use `equiform mip-nash` for a table or a small tree, and `equiform iterate --algorithm tree-cfr+` for "
            "other trees: it takes seconds, converges without a guarantee, and shows the regrets",
        )
    if not is_constant_sum:
        raise UnsupportedGameError(
            f"{name} is not zero-sum: its payoffs do not have a constant sum, and this program needs one",
            fix="use mip_nash, or mip_nash_extensive for a game tree (`equiform mip-nash` takes both)",
        )
