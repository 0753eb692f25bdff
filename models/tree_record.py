"""The record of a walk through a game tree, and how it becomes an :class:`ExtensiveGame`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.errors import ChanceError, EmptyNodeError, GameError, ParameterError, PayoffError
from equiform.models.common.rational import Number, as_fraction, exact_text
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL


class TreeRecord:
    """The record of a walk through a tree, in any order that keeps parents first and siblings together.

    Nodes are numbered as they are made. Repeated things (distributions, payoffs, move lists) are stored once, checked
    when they are new. :meth:`game` puts all of it in breadth-first order.
    """

    def __init__(self, name: str, players: Sequence[str], describe: Callable[[Any], str]) -> None:
        self.name = name
        self.players = tuple(players)
        self.describe = describe
        if not self.players:
            raise GameError("the game has no players", where=repr(name), fix="list at least one in `players`")
        self.turns: list[int] = []  # one per node
        self.outcomes: list[int] = []  # one per leaf
        self.expanded: list[int] = []  # the other nodes, in the order in which their children were made
        self.offers: list[int] = []  # for each of these its information set, and for chance ~(number of its moves)
        self.edges: list[int] = []  # one per child of chance
        self.chance_number: dict[Fraction, int] = {}
        self.distributions: dict[tuple[tuple[Number, ...], int], list[int]] = {}
        self.payoff_number: dict[tuple[Number, ...], int] = {}
        self.move_number: dict[tuple[str, ...], int] = {}
        self.infoset_number: list[dict[Hashable, int]] = [{} for _ in self.players]
        self.infoset_player: list[int] = []
        self.infoset_moves: list[int] = []
        self.infoset_keys: list[Hashable] = []

    def new_infoset(self, player: int, key: Hashable, moves: int) -> int:
        """Number an information set."""
        number = self.infoset_number[player][key] = len(self.infoset_moves)
        self.infoset_moves.append(moves)
        self.infoset_player.append(player)
        self.infoset_keys.append(key)
        return number

    def new_moves(self, moves: tuple[str, ...], node: int) -> int:
        """Check and number a list of moves."""
        if not moves:
            raise EmptyNodeError(
                "a node that is not terminal has no moves",
                where=self.where(node),
                fix="return TERMINAL from turn() there, or offer at least one action",
            )
        if len(set(moves)) != len(moves):
            raise GameError(
                f"the moves {moves} are not distinct",
                where=self.where(node),
                fix="use a different label for every move",
            )
        if not all(isinstance(move, str) for move in moves):
            raise GameError(
                f"the moves {moves} are not strings",
                where=self.where(node),
                fix="use strings as labels",
            )
        number = self.move_number[moves] = len(self.move_number)
        return number

    def new_payoffs(self, pay: tuple[Number, ...], node: int) -> int:
        """Check and number the payoffs of a leaf."""
        if len(pay) != len(self.players):
            raise PayoffError(
                f"a terminal node has {len(pay)} payoffs for {len(self.players)} players",
                where=self.where(node),
                fix="return one number per player",
            )
        try:
            for x in pay:
                as_fraction(x)
        except ParameterError:
            raise PayoffError(
                f"the payoffs {pay} are not finite numbers", where=self.where(node), fix="use int, Fraction or float"
            ) from None
        number = self.payoff_number[pay] = len(self.payoff_number)
        return number

    def distribution(self, raw: tuple[Number, ...], count: int, node: int) -> list[int]:
        """Check chance's distribution and return the numbers of its probabilities."""
        known = self.distributions.get((raw, count))
        if known is not None:
            return known
        if len(raw) != count:
            raise ChanceError(
                f"chance has {count} moves and {len(raw)} probabilities",
                where=self.where(node),
                fix="return one probability per move",
            )
        try:
            exact = [as_fraction(p) for p in raw]
        except ParameterError as error:
            raise ChanceError(
                f"a chance probability is wrong: {error.what}",
                where=self.where(node),
                fix="use int, Fraction or float",
            ) from None
        total = sum(exact, Fraction(0))
        if total != 1 or any(p < 0 for p in exact):
            raise ChanceError(
                f"chance probabilities {', '.join(map(exact_text, exact[:8]))}{' …' if count > 8 else ''} "
                f"sum to {exact_text(total)}"
                if total != 1
                else f"a chance probability is negative: {exact_text(min(exact))}",
                where=self.where(node),
                fix="return non-negative numbers that sum to one; Fractions avoid rounding",
            )
        number = self.chance_number
        codes = [number.setdefault(p, len(number)) for p in exact]
        self.distributions[raw, count] = codes
        return codes

    def where(self, node: int) -> str:
        """Name a node of the unfinished walk by its path."""
        move_sets = list(self.move_number)
        offered = [move_sets[self.infoset_moves[h] if h >= 0 else ~h] for h in self.offers]
        first = list(accumulate(map(len, offered), initial=1))  # each expanded node's first child
        steps: list[str] = []
        while node > 0:
            above = bisect_right(first, node) - 1
            steps.append(str(offered[above][node - first[above]]))
            node = self.expanded[above]
        return repr(" > ".join(reversed(steps)) or "the root")

    def game(self) -> ExtensiveGame:
        """Return the finished tree."""
        size = len(self.turns)
        made = np.array(self.expanded, dtype=np.int32)
        offers = np.array(self.offers, dtype=np.int32)
        infoset_moves = np.array(self.infoset_moves, dtype=np.int32)
        moves = ~offers
        moves[offers >= 0] = infoset_moves[offers[offers >= 0]]
        own_counts = np.array([len(m) for m in self.move_number], dtype=np.int32)[moves]
        turn = np.array(self.turns, dtype=np.int16)
        counts = np.zeros(size, dtype=np.int32)
        counts[made] = own_counts
        first_child = np.full(size, -1, dtype=np.int32)
        first_child[made] = 1 + np.cumsum(own_counts) - own_counts
        infoset = np.full(size, -1, dtype=np.int32)
        infoset[made] = np.maximum(offers, -1)
        move_set = np.full(size, -1, dtype=np.int32)
        move_set[made] = moves
        outcome = np.full(size, -1, dtype=np.int32)
        outcome[turn == TERMINAL] = self.outcomes
        edge = np.full(size, -1, dtype=np.int32)
        edge[1:][np.repeat(turn[made] == CHANCE, own_counts)] = self.edges
        order, layers = _breadth_first(first_child, counts)
        counts = counts[order]
        parent = np.repeat(np.arange(size, dtype=np.int32), counts)
        first_child = (1 + np.cumsum(counts) - counts).astype(np.int32)
        branch = np.zeros(size, dtype=np.int32)
        branch[1:] = np.arange(1, size) - first_child[parent]
        first_child[counts == 0] = -1
        infoset, appearance = _by_appearance(infoset[order], len(self.infoset_keys))
        return ExtensiveGame(
            name=self.name,
            players=self.players,
            layers=layers,
            turn=turn[order],
            parent=np.append(np.int32(-1), parent),
            branch=branch,
            first_child=first_child,
            num_children=counts,
            infoset=infoset,
            edge=edge[order],
            outcome=outcome[order],
            move_set=move_set[order],
            chance_values=tuple(self.chance_number),
            payoff_table=tuple(tuple(as_fraction(x) for x in pay) for pay in self.payoff_number),
            move_sets=tuple(self.move_number),
            infoset_player=np.array(self.infoset_player, dtype=np.int16)[appearance],
            infoset_moves=infoset_moves[appearance],
            infoset_keys=tuple(map(self.infoset_keys.__getitem__, appearance.tolist())),
            describe=self.describe,
        )


def _breadth_first(first_child: Int32Array, counts: Int32Array) -> tuple[IntArray, IntArray]:
    """Order nodes by depth, then by parent, then by move; return the order and the range of each depth in it."""
    depths = [np.zeros(1, dtype=np.int64)]
    while True:
        above = depths[-1][counts[depths[-1]] > 0]
        if not len(above):
            break
        sizes = counts[above]
        starts = first_child[above] - np.cumsum(sizes) + sizes
        depths.append(np.repeat(starts, sizes) + np.arange(sizes.sum(), dtype=np.int64))
    layers = np.cumsum([0, *map(len, depths)], dtype=np.int64)
    return np.concatenate(depths), layers


def _by_appearance(numbers: Int32Array, size: int) -> tuple[Int32Array, IntArray]:
    """Renumber information sets in order of appearance; also return the old numbers in that order."""
    first = np.full(size + 1, len(numbers), dtype=np.int64)  # the last entry is for nodes without one
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    appearance = np.argsort(first[:size], kind="stable")
    rank = np.full(size + 1, -1, dtype=np.int32)
    rank[appearance] = np.arange(size, dtype=np.int32)
    return rank[numbers], appearance
