r"""Extensive-form games in flat arrays.

A game is written as a small *rules object* (:class:`Rules`): state → whose turn → actions → next state → payoffs, and
an information-set key. :func:`compile_rules` walks its tree once, breadth first, into an :class:`ExtensiveGame`: arrays
indexed by node, in which each depth is one contiguous range and so are the children of a node. Everything downstream
(sequences, reach probabilities, payoff matrices) is then a vectorised sweep over depths.

Games may have any number of players and any payoffs here. Perfect recall is checked when a treeplex is asked for.
"""

from __future__ import annotations

import dataclasses
import gc
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import (
    ActionMismatchError,
    ChanceError,
    EmptyNodeError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    PayoffError,
    UnsupportedGameError,
)
from equiform.models.common.rational import Number, as_fraction, exact_text, payoffs_in_floats
from equiform.models.treeplex import Treeplex

CHANCE = -1
TERMINAL = -2


class Rules(Protocol):
    """What a game must answer. States can be anything; tuples are fastest."""

    @property
    def name(self) -> str:
        """What to call the game; a plain attribute will do."""

    @property
    def players(self) -> Sequence[str]:
        """The players' names; a plain attribute will do."""

    def initial(self) -> Any:
        """Return the root state."""

    def turn(self, state: Any) -> int:
        """Return the player to move (from 0), ``CHANCE`` or ``TERMINAL``."""

    def actions(self, state: Any) -> Sequence[str]:
        """Return the labels of the moves at a player's or chance's node."""

    def probabilities(self, state: Any) -> Sequence[Number]:
        """Return chance's distribution over ``actions(state)``."""

    def next(self, state: Any, action: str) -> Any:
        """Return the state after a move."""

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return each player's payoff at a terminal state."""

    def infoset(self, state: Any) -> Hashable:
        """Return what the player to move knows: equal keys are one information set of that player."""

    def describe(self, key: Any) -> str:
        """Put an information-set key into words; must tell a player's information sets apart."""


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
        """Chance's probability of each node, exactly: an index a node into a tuple of distinct fractions."""
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
        """One treeplex a player; raises :class:`ImperfectRecallError` where a player forgets."""
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
                "moves of the player's own",
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
        """The payoff table in floats: a row an outcome, a column a player."""
        return payoffs_in_floats(np.array(self.payoff_table, dtype=object), self._payoff_place)

    def _payoff_place(self, outcome: int, player: int) -> str:
        node = int(np.flatnonzero(self.outcome == outcome)[0])
        return f"{self.name}, {self.players[player]} at {self.path(node)!r}"

    def zero_sum(self) -> ExtensiveGame:
        """Give the same two-player game with the constant taken from player 1; player 0's payoffs stay."""
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


def compile_rules(rules: Rules, *, max_nodes: int = 50_000_000) -> ExtensiveGame:
    """Walk the whole tree of ``rules`` into arrays, checking it on the way.

    Raises a :class:`GameError` that names the node for chance that does not sum to one, a nonterminal without moves,
    moves that differ inside an information set, and payoffs that are missing or not finite.
    """
    require_rules(rules)
    record = TreeRecord(rules.name, rules.players, rules.describe)
    with collector_paused():
        layer, depth, size = [rules.initial()], 0, 0
        while layer:
            depth, size = depth + 1, size + len(layer)
            if size > max_nodes:
                raise GameError(
                    f"the tree of {rules.name!r} has more than {max_nodes:,} nodes",
                    where=f"depth {depth}",
                    fix="raise max_nodes, or describe the game by a structured payoff operator instead of a tree",
                )
            layer = _expand(rules, record, layer)
        return record.game()


def require_rules(rules: Any) -> None:
    """Say what rules lack before a walk does, somewhere in the tree."""
    if isinstance(rules, type):
        raise GameError(
            f"{rules.__name__} is a class of rules", where="rules", fix=f"give an object: {rules.__name__}(…)"
        )
    asked = ("name", "players", "initial", "turn", "actions", "next", "payoffs", "infoset", "describe")
    missing = [what for what in asked if not hasattr(rules, what)]
    if missing:
        raise GameError(
            f"the rules have no {', '.join(missing)}",
            where=type(rules).__name__,
            fix="define what equiform.models.Rules asks for",
        )


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic collector: a walk allocates millions of tuples and no cycles, and it would rescan them all."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _expand(rules: Rules, record: TreeRecord, layer: list[Any]) -> list[Any]:
    """Visit one depth and return the states of the next. Local names: this loop sets the compile speed."""
    num_players = len(record.players)
    turn, actions, step, payoffs, key_of = rules.turn, rules.actions, rules.next, rules.payoffs, rules.infoset
    turns, outcomes, edges = record.turns, record.outcomes, record.edges
    expanded, offers = record.expanded, record.offers
    payoff_number, move_number, infoset_number = record.payoff_number, record.move_number, record.infoset_number
    infoset_moves = record.infoset_moves
    below: list[Any] = []
    for node, state in enumerate(layer, len(turns)):
        who = turn(state)
        turns.append(who)
        if who == TERMINAL:
            pay = tuple(payoffs(state))
            number = payoff_number.get(pay)
            outcomes.append(record.new_payoffs(pay, node) if number is None else number)
            continue
        moves = tuple(actions(state))
        moves_id = move_number.get(moves)
        if moves_id is None:
            moves_id = record.new_moves(moves, node)
        if who == CHANCE:
            offers.append(~moves_id)
            edges += record.distribution(tuple(rules.probabilities(state)), len(moves), node)
        elif 0 <= who < num_players:
            key = key_of(state)
            infoset = infoset_number[who].get(key)
            if infoset is None:
                infoset = record.new_infoset(who, key, moves_id)
            elif infoset_moves[infoset] != moves_id:
                expected = list(move_number)[infoset_moves[infoset]]
                raise ActionMismatchError(
                    f"two nodes of one information set offer different moves: {expected} and {moves}",
                    where=f"{rules.describe(key)!r} of {record.players[who]}, node {record.where(node)}",
                    fix="give the nodes different information-set keys, or the same moves in the same order",
                )
            offers.append(infoset)
        else:
            raise GameError(
                f"turn() returned {who!r}; there are {num_players} players",
                where=record.where(node),
                fix="return a player's number from 0, CHANCE or TERMINAL",
            )
        expanded.append(node)
        for move in moves:
            below.append(step(state, move))
    return below


class TreeRecord:
    """What a walk of a tree writes down, in any order in which parents come first and siblings together.

    Nodes are numbered as they are made. Repeated things (distributions, payoffs, move lists) are stored once, checked
    when they are new. :meth:`game` puts all of it in breadth-first order.
    """

    def __init__(self, name: str, players: Sequence[str], describe: Callable[[Any], str]) -> None:
        self.name = name
        self.players = tuple(players)
        self.describe = describe
        if not self.players:
            raise GameError("the game has no players", where=repr(name), fix="list at least one in `players`")
        self.turns: list[int] = []  # one a node
        self.outcomes: list[int] = []  # one a leaf
        self.expanded: list[int] = []  # the other nodes, in the order in which their children were made
        self.offers: list[int] = []  # for each of these its information set, and for chance ~(number of its moves)
        self.edges: list[int] = []  # one a child of chance
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
                f"the moves {moves} are not distinct", where=self.where(node), fix="give every move its own label"
            )
        if not all(isinstance(move, str) for move in moves):
            raise GameError(
                f"the moves {moves} are not words",
                where=self.where(node),
                fix="give labels, as str",
            )
        number = self.move_number[moves] = len(self.move_number)
        return number

    def new_payoffs(self, pay: tuple[Number, ...], node: int) -> int:
        """Check and number the payoffs of a leaf."""
        if len(pay) != len(self.players):
            raise PayoffError(
                f"a terminal node has {len(pay)} payoffs for {len(self.players)} players",
                where=self.where(node),
                fix="return one number a player",
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
        """Check chance's distribution and give the numbers of its probabilities."""
        known = self.distributions.get((raw, count))
        if known is not None:
            return known
        if len(raw) != count:
            raise ChanceError(
                f"chance has {count} moves and {len(raw)} probabilities",
                where=self.where(node),
                fix="return one probability a move",
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
        """Give the finished tree."""
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
    """Order nodes by depth, then by parent, then by move; give the order and the range of each depth in it."""
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
    """Renumber information sets in the order in which nodes show them; give also the old numbers in that order."""
    first = np.full(size + 1, len(numbers), dtype=np.int64)  # the last entry is for nodes that show none
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    appearance = np.argsort(first[:size], kind="stable")
    rank = np.full(size + 1, -1, dtype=np.int32)
    rank[appearance] = np.arange(size, dtype=np.int32)
    return rank[numbers], appearance


def require_two_player_constant_sum(num_players: int, is_constant_sum: bool, name: str) -> None:
    """Refuse what the two-player zero-sum programs cannot take."""
    if num_players != 2:
        raise UnsupportedGameError(
            f"{name} has {num_players} players and this program needs two",
            fix="use mip_nash (`equiform mip-nash`), or fictitious play or CFR without a guarantee of convergence",
        )
    if not is_constant_sum:
        raise UnsupportedGameError(
            f"{name} is not zero-sum: its payoffs do not have a constant sum, and this program needs that",
            fix="use mip_nash, or mip_nash_extensive for a game tree (`equiform mip-nash` takes both)",
        )


def require_player(player: int, num_players: int, name: str) -> int:
    """Check a player's number; true and false are no numbers, and -1 is not the last player."""
    whole = isinstance(player, int | np.integer) and not isinstance(player, bool)
    if not whole or not 0 <= player < num_players:
        raise ParameterError(
            f"there is no player {player!r}",
            where=f"{name} has {num_players} players",
            fix=f"use a whole number from 0 to {num_players - 1}",
        )
    return player
