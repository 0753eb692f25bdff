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
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from equiform.models.errors import (
    ActionMismatchError,
    ChanceError,
    EmptyNodeError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    PayoffError,
    UnsupportedGameError,
)
from equiform.models.rational import Number, as_fraction, require_payoff
from equiform.models.treeplex import Treeplex

CHANCE = -1
TERMINAL = -2

IntArray = NDArray[np.int32]


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
    layers: NDArray[np.int64] = field(repr=False)  # depth d is the node range layers[d]:layers[d + 1]
    turn: NDArray[np.int16] = field(repr=False)  # player, CHANCE or TERMINAL
    parent: IntArray = field(repr=False)
    branch: IntArray = field(repr=False)  # which of its parent's moves leads here
    first_child: IntArray = field(repr=False)
    num_children: IntArray = field(repr=False)
    infoset: IntArray = field(repr=False)  # numbered over all players in order of appearance; -1 elsewhere
    edge: IntArray = field(repr=False)  # chance move leading here, an index into chance_values; -1 for players' moves
    outcome: IntArray = field(repr=False)  # index into payoff_table; -1 unless terminal
    move_set: IntArray = field(repr=False)  # index into move_sets; -1 if terminal
    chance_values: tuple[Fraction, ...] = field(repr=False)
    payoff_table: tuple[tuple[Fraction, ...], ...] = field(repr=False)
    move_sets: tuple[tuple[str, ...], ...] = field(repr=False)
    infoset_player: NDArray[np.int16] = field(repr=False)
    infoset_moves: IntArray = field(repr=False)  # index into move_sets
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
    def terminals(self) -> NDArray[np.int64]:
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
    def infosets_of(self) -> tuple[NDArray[np.int64], ...]:
        """Each player's information sets (global numbers) in treeplex order."""
        return tuple(np.flatnonzero(self.infoset_player == p) for p in range(len(self.players)))

    @cached_property
    def first_sequence(self) -> IntArray:
        """The number of each information set's first move among its player's sequences."""
        sizes = np.array([len(m) for m in self.move_sets], dtype=np.int32)
        first = np.zeros(self.num_infosets, dtype=np.int32)
        for own in self.infosets_of:
            counts = sizes[self.infoset_moves[own]]
            first[own] = 1 + np.cumsum(counts) - counts
        return first

    @cached_property
    def move(self) -> IntArray:
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
    def sequences(self) -> IntArray:
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
    def chance_reach(self) -> tuple[NDArray[np.int32], tuple[Fraction, ...]]:
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
    def payoff_floats(self) -> NDArray[np.float64]:
        """The payoff table in floats: a row an outcome, a column a player."""
        return np.array(
            [
                [require_payoff(v, partial(self._payoff_place, k, p)) for p, v in enumerate(row)]
                for k, row in enumerate(self.payoff_table)
            ]
        )

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
    # a walk allocates millions of tuples and no cycles: the cyclic collector would only rescan them
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Walk(rules, max_nodes).run()
    finally:
        if collecting:
            gc.enable()


class _Walk:
    """The walk's growing lists. Repeated things (distributions, payoffs, move lists) are stored once."""

    def __init__(self, rules: Rules, max_nodes: int) -> None:
        self.rules = rules
        self.max_nodes = max_nodes
        self.players = tuple(rules.players)
        if not self.players:
            raise GameError("the game has no players", where=repr(rules.name), fix="list at least one in `players`")
        self.turns: list[int] = []
        self.parents: list[int] = [-1]
        self.counts: list[int] = []
        self.infosets: list[int] = []
        self.outcomes: list[int] = []
        self.node_moves: list[int] = []
        self.edges: list[int] = [-1]
        self.chance_number: dict[Fraction, int] = {}
        self.distributions: dict[tuple[tuple[Number, ...], int], list[int]] = {}
        self.payoff_number: dict[tuple[Number, ...], int] = {}
        self.move_number: dict[tuple[str, ...], int] = {}
        self.infoset_number: list[dict[Hashable, int]] = [{} for _ in self.players]
        self.infoset_player: list[int] = []
        self.infoset_moves: list[int] = []
        self.infoset_keys: list[Hashable] = []

    def run(self) -> ExtensiveGame:
        layers = [0]
        layer: list[Any] = [self.rules.initial()]
        while layer:
            layers.append(layers[-1] + len(layer))
            if layers[-1] > self.max_nodes:
                raise GameError(
                    f"the tree of {self.rules.name!r} has more than {self.max_nodes:,} nodes",
                    where=f"depth {len(layers) - 1}",
                    fix="raise max_nodes, or describe the game by a structured payoff operator instead of a tree",
                )
            layer = self._expand(layer, layers[-2])
        counts = np.array(self.counts, dtype=np.int32)
        first_child = (1 + np.cumsum(counts) - counts).astype(np.int32)
        first_child[counts == 0] = -1
        parent = np.array(self.parents, dtype=np.int32)
        branch = np.zeros(len(parent), dtype=np.int32)
        branch[1:] = np.arange(1, len(parent)) - first_child[parent[1:]]
        return ExtensiveGame(
            name=self.rules.name,
            players=self.players,
            layers=np.array(layers, dtype=np.int64),
            turn=np.array(self.turns, dtype=np.int16),
            parent=parent,
            branch=branch,
            first_child=first_child,
            num_children=counts,
            infoset=np.array(self.infosets, dtype=np.int32),
            edge=np.array(self.edges, dtype=np.int32),
            outcome=np.array(self.outcomes, dtype=np.int32),
            move_set=np.array(self.node_moves, dtype=np.int32),
            chance_values=tuple(self.chance_number),
            payoff_table=self._payoff_table(),
            move_sets=tuple(self.move_number),
            infoset_player=np.array(self.infoset_player, dtype=np.int16),
            infoset_moves=np.array(self.infoset_moves, dtype=np.int32),
            infoset_keys=tuple(self.infoset_keys),
            describe=self.rules.describe,
        )

    def _expand(self, layer: list[Any], base: int) -> list[Any]:
        """Visit one depth and return the states of the next. Local names: this loop sets the compile speed."""
        rules, num_players = self.rules, len(self.players)
        turn, actions, step, payoffs, key_of = rules.turn, rules.actions, rules.next, rules.payoffs, rules.infoset
        turns, counts, infosets, outcomes = self.turns, self.counts, self.infosets, self.outcomes
        node_moves, parents, edges = self.node_moves, self.parents, self.edges
        payoff_number, move_number, infoset_number = self.payoff_number, self.move_number, self.infoset_number
        infoset_moves = self.infoset_moves
        below: list[Any] = []
        for node, state in enumerate(layer, base):
            who = turn(state)
            turns.append(who)
            if who == TERMINAL:
                pay = tuple(payoffs(state))
                number = payoff_number.get(pay)
                if number is None:
                    number = payoff_number[pay] = len(payoff_number)
                    if len(pay) != num_players:
                        raise PayoffError(
                            f"a terminal node has {len(pay)} payoffs for {num_players} players",
                            where=self._where(node),
                            fix="return one number a player",
                        )
                    self._check_payoffs(pay, node)
                outcomes.append(number)
                counts.append(0)
                infosets.append(-1)
                node_moves.append(-1)
                continue
            moves = tuple(actions(state))
            moves_id = move_number.get(moves)
            if moves_id is None:
                moves_id = self._new_moves(moves, node)
            count = len(moves)
            counts.append(count)
            outcomes.append(-1)
            node_moves.append(moves_id)
            parents += [node] * count
            if who == CHANCE:
                infosets.append(-1)
                edges += self._distribution(tuple(rules.probabilities(state)), count, node)
            elif 0 <= who < num_players:
                key = key_of(state)
                known = infoset_number[who]
                infoset = known.get(key)
                if infoset is None:
                    infoset = known[key] = len(infoset_moves)
                    infoset_moves.append(moves_id)
                    self.infoset_player.append(who)
                    self.infoset_keys.append(key)
                elif infoset_moves[infoset] != moves_id:
                    expected = list(self.move_number)[infoset_moves[infoset]]
                    raise ActionMismatchError(
                        f"two nodes of one information set offer different moves: {expected} and {moves}",
                        where=f"{rules.describe(key)!r} of {self.players[who]}, node {self._where(node)}",
                        fix="give the nodes different information-set keys, or the same moves in the same order",
                    )
                infosets.append(infoset)
                edges += [-1] * count
            else:
                raise GameError(
                    f"turn() returned {who!r}; there are {num_players} players",
                    where=self._where(node),
                    fix="return a player's number from 0, CHANCE or TERMINAL",
                )
            for move in moves:
                below.append(step(state, move))
        return below

    def _new_moves(self, moves: tuple[str, ...], node: int) -> int:
        if not moves:
            raise EmptyNodeError(
                "a node that is not terminal has no moves",
                where=self._where(node),
                fix="return TERMINAL from turn() there, or offer at least one action",
            )
        if len(set(moves)) != len(moves):
            raise GameError(
                f"the moves {moves} are not distinct", where=self._where(node), fix="give every move its own label"
            )
        self.move_number[moves] = len(self.move_number)
        return self.move_number[moves]

    def _distribution(self, raw: tuple[Number, ...], count: int, node: int) -> list[int]:
        known = self.distributions.get((raw, count))
        if known is not None:
            return known
        if len(raw) != count:
            raise ChanceError(
                f"chance has {count} moves and {len(raw)} probabilities",
                where=self._where(node),
                fix="return one probability a move",
            )
        try:
            exact = [as_fraction(p) for p in raw]
        except ParameterError as error:
            raise ChanceError(
                f"a chance probability is wrong: {error.what}",
                where=self._where(node),
                fix="use int, Fraction or float",
            ) from None
        total = sum(exact)
        if total != 1 or any(p < 0 for p in exact):
            raise ChanceError(
                f"chance probabilities {', '.join(map(str, exact[:8]))}{' …' if count > 8 else ''} sum to {total}"
                if total != 1
                else f"a chance probability is negative: {min(exact)}",
                where=self._where(node),
                fix="return non-negative numbers that sum to one; Fractions avoid rounding",
            )
        number = self.chance_number
        codes = [number.setdefault(p, len(number)) for p in exact]
        self.distributions[raw, count] = codes
        return codes

    def _check_payoffs(self, pay: tuple[Number, ...], node: int) -> None:
        try:
            for x in pay:
                as_fraction(x)
        except ParameterError:
            raise PayoffError(
                f"the payoffs {pay} are not finite numbers", where=self._where(node), fix="use int, Fraction or float"
            ) from None

    def _payoff_table(self) -> tuple[tuple[Fraction, ...], ...]:
        return tuple(tuple(as_fraction(x) for x in pay) for pay in self.payoff_number)

    def _where(self, node: int) -> str:
        """Name a node of the unfinished walk by its path."""
        all_moves = list(self.move_number)
        steps: list[str] = []
        while node > 0:
            above = self.parents[node]
            first = node
            while first > 0 and self.parents[first - 1] == above:
                first -= 1
            steps.append(str(all_moves[self.node_moves[above]][node - first]))
            node = above
        return repr(" > ".join(reversed(steps)) or "the root")


def require_two_player_constant_sum(num_players: int, is_constant_sum: bool, name: str) -> None:
    """Refuse what the two-player zero-sum programs cannot take."""
    if num_players != 2:
        raise UnsupportedGameError(
            f"{name} has {num_players} players and this program needs two",
            fix="use fictitious play or CFR, which take any number, without a guarantee of convergence for more",
        )
    if not is_constant_sum:
        raise UnsupportedGameError(
            f"{name} is not zero-sum: its payoffs do not have a constant sum, and this program needs that",
            fix="use mip_nash or mip_nash_extensive for general payoffs",
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
