r"""Where the trunk ends: the endgames of a game tree.

S. Ganzfried, PhD thesis (CMU 2015), §10.1, Definition 1. An endgame is a set of nodes that holds, with a node, all of
its children and all nodes of its information set. So a cut is given by its *entries*: the first nodes, on the way down
from the root, at which a condition holds. All that lies below an entry must not share an information set with what lies
above. The endgames are the connected components of "lies below the same entry", "shares an information set", and, for
a player who does not move again, "looks back on the same moves".

What a player knows on entering is an *augmented information set*: entries that lead the player into a common
information set cannot be told apart. It is needed also for the player who moves second in the endgame and has no
information set at the entry itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from equiform.models.common.arguments import require_callable, require_count, require_kind
from equiform.models.common.array_types import BoolArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.event_histories import event_histories
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL

#: Says whether an endgame begins at a node (or began above it).
Condition = Callable[[int], bool]


@dataclass(frozen=True, eq=False)
class Cut:
    """A game in two parts: the trunk, and below it endgames numbered from 0."""

    game: ExtensiveGame = field(repr=False)
    entries: IntArray = field(repr=False)
    """The nodes at which endgames begin, in order."""
    endgame_of_entry: IntArray = field(repr=False)
    entry_of_node: IntArray = field(repr=False)
    """The entry above (or at) each node, as an index into ``entries``; -1 in the trunk."""

    @property
    def num_endgames(self) -> int:
        """Count the endgames."""
        return int(self.endgame_of_entry.max(initial=-1)) + 1

    @cached_property
    def endgame_of_node(self) -> IntArray:
        """The endgame of each node; -1 in the trunk."""
        return np.where(self.entry_of_node >= 0, self.endgame_of_entry[self.entry_of_node], -1)

    @cached_property
    def endgame_of_infoset(self) -> IntArray:
        """The endgame of each information set of any player; -1 in the trunk."""
        place = np.full(self.game.num_infosets, -1, dtype=np.int64)
        nodes = np.flatnonzero(self.game.turn >= 0)
        place[self.game.infoset[nodes]] = self.endgame_of_node[nodes]
        return place

    @cached_property
    def classes(self) -> tuple[IntArray, ...]:
        """What each player knows on entering: for every entry the number of the player's augmented information set.

        Numbers count within an endgame, from 0. A player who never moves in an endgame only remembers what came before.
        """
        return tuple(self._classes(p) for p in range(len(self.game.players)))

    def trunk_sequences(self, player: int) -> BoolArray:
        """Mark a player's sequences that end in the trunk, the empty one included."""
        treeplex = self.game.treeplexes[player]
        outside = self.endgame_of_infoset[self.game.infosets_of[player]] < 0
        return np.append(True, np.repeat(outside, np.diff(treeplex.start)))

    def name(self, endgame: int) -> str:
        """Name an endgame by the moves that all of its entries have in common; a dot stands for the others."""
        paths = [self.game.path(int(e)).split(" > ") for e in self.entries[self.endgame_of_entry == endgame]]
        length = min(map(len, paths))
        steps = [p[k] if all(q[k] == p[k] for q in paths) else "·" for p in paths[:1] for k in range(length)]
        return " > ".join(steps)

    def _classes(self, player: int) -> IntArray:
        rows, columns = _links(self.game, player, self.entries, self.entry_of_node, self.endgame_of_entry)
        return _within(self.endgame_of_entry, _components(len(self.entries), rows, columns))


def cut(game: ExtensiveGame, condition: Condition) -> Cut:
    """Cut a game where a condition on nodes first holds.

    Parameters
    ----------
    game
        A game of two or more players with perfect recall.
    condition
        Called with node numbers from the root down; an endgame begins where it is true for the first time.
        :func:`after_chance`, :func:`after_moves` and :func:`after_history` make such conditions. Below a true node it
        is not called again.

    Raises
    ------
    ParameterError
        If the condition holds nowhere, or only where nobody moves any more.
    UnsupportedGameError
        If an information set lies on both sides of the cut.

    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> kuhn = compile_rules(Kuhn())
    >>> found = cut(kuhn, after_moves(kuhn, 1))
    >>> found.num_endgames, found.name(0), found.name(1)
    (2, '· > check', '· > bet')
    """
    require_kind(game, ExtensiveGame, "game", "cut")
    require_callable(condition, "condition", "cut")
    entries: list[int] = []
    entry_of_node = np.full(game.num_nodes, -1, dtype=np.int64)
    for d in range(len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        if d:
            entry_of_node[nodes] = entry_of_node[game.parent[nodes]]
        for node in nodes[entry_of_node[nodes] < 0].tolist():
            if game.turn[node] != TERMINAL and condition(node):
                entry_of_node[node] = len(entries)
                entries.append(node)
    found = _drop_idle(game, np.array(entries, dtype=np.int64), entry_of_node)
    _check_closed(game, found[1])
    first, inside = found
    links = [_links(game, p, first, inside, np.zeros(len(first), dtype=np.int64)) for p in range(len(game.players))]
    offset = np.cumsum([0, *(int(columns.max(initial=-1)) + 1 for _, columns in links)])
    rows = np.concatenate([rows for rows, _ in links])
    columns = np.concatenate([columns + start for (_, columns), start in zip(links, offset, strict=False)])
    _, at, number = np.unique(_components(len(first), rows, columns), return_index=True, return_inverse=True)
    return Cut(game, first, np.argsort(np.argsort(at))[number], inside)


def after_chance(game: ExtensiveGame, count: int) -> Condition:
    """Begin endgames once chance has moved ``count`` times: in Leduc, 2 is after the public card."""
    return _after(game, CHANCE, require_count(count, "count", "after_chance"))


def after_moves(game: ExtensiveGame, count: int) -> Condition:
    """Begin endgames once the players together have moved ``count`` times."""
    return _after(game, None, require_count(count, "count", "after_moves"))


def after_history(game: ExtensiveGame, words: str) -> Condition:
    """Begin endgames at a public history: the events that everybody saw, joined by "–", such as ``bet–call–K``."""
    histories = event_histories(game)
    known = {histories.words(k): k for k in range(len(histories.events))}
    if words not in known:
        raise ParameterError(
            f"there is no history {words!r}",
            where=game.name,
            fix=f"one of {', '.join(map(repr, list(known)[1:6]))} …",
        )
    wanted = known[words]
    return lambda node: bool(histories.of_node[node] == wanted)


def _after(game: ExtensiveGame, who: int | None, count: int) -> Condition:
    """Count the moves above each node: chance's, or all players'."""
    moved = np.zeros(game.num_nodes, dtype=np.int64)
    for d in range(1, len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        above = game.parent[nodes]
        counts = game.turn[above] >= 0 if who is None else game.turn[above] == who
        moved[nodes] = moved[above] + counts
    return lambda node: bool(moved[node] >= count)


def _drop_idle(game: ExtensiveGame, entries: IntArray, entry_of_node: IntArray) -> tuple[IntArray, IntArray]:
    """Leave to the trunk what holds no decision."""
    decided = np.zeros(len(entries), dtype=bool)
    decided[entry_of_node[(game.turn >= 0) & (entry_of_node >= 0)]] = True
    if not decided.any():
        raise ParameterError(
            "the cut leaves no endgame in which somebody moves",
            where=game.name,
            fix="cut earlier, or check the condition",
        )
    number = np.append(np.where(decided, np.cumsum(decided) - 1, -1), -1)
    return entries[decided], number[entry_of_node]


def _check_closed(game: ExtensiveGame, entry_of_node: IntArray) -> None:
    """Refuse a cut through an information set (Definition 1, property 3)."""
    nodes = np.flatnonzero(game.turn >= 0)
    inside = entry_of_node[nodes] >= 0
    held = np.bincount(game.infoset[nodes], weights=inside, minlength=game.num_infosets)
    size = np.bincount(game.infoset[nodes], minlength=game.num_infosets)
    torn = np.flatnonzero((held > 0) & (held < size))
    if len(torn):
        h = int(torn[0])
        where = int(nodes[(game.infoset[nodes] == h) & inside][0])
        raise UnsupportedGameError(
            "the cut goes through an information set: some of its nodes are in the trunk, others in an endgame",
            where=f"{game.describe(game.infoset_keys[h])!r} of {game.players[game.infoset_player[h]]}, "
            f"node {game.path(where)!r}",
            fix="cut at public histories: what tells the two sides apart must be known to the player",
        )


def _links(
    game: ExtensiveGame, player: int, entries: IntArray, entry_of_node: IntArray, group: IntArray
) -> tuple[IntArray, IntArray]:
    """Connect entries with what a player knows: the information sets below, or the past of one who moves no more."""
    nodes = np.flatnonzero((game.turn == player) & (entry_of_node >= 0))
    moves = np.zeros(len(entries), dtype=bool)
    moves[entry_of_node[nodes]] = True
    idle = np.flatnonzero(~moves)
    past = group[idle] * game.num_sequences(player) + game.sequences[player, entries[idle]]
    _, same = np.unique(past, return_inverse=True)
    rows = np.concatenate([entry_of_node[nodes], idle])
    return rows, np.concatenate([game.infoset[nodes], game.num_infosets + same])


def _components(count: int, rows: IntArray, columns: IntArray) -> Int32Array:
    """Connect entries that have a column in common."""
    _, packed = np.unique(columns, return_inverse=True)
    size = count + int(packed.max(initial=-1)) + 1
    graph = sp.coo_array((np.ones(len(rows)), (rows, count + packed)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    return label[:count]


def _within(group: IntArray, label: Int32Array) -> IntArray:
    """Number labels from 0 within each group, in order of appearance."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    order = np.lexsort((first, group[first]))
    owner = group[first][order]
    start = np.searchsorted(owner, owner)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - start
    return rank[inverse]
