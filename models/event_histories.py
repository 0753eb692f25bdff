r"""Histories of public events: what everybody at the table has seen on the way to a node.

The players' moves are public events here, identified by their labels; :mod:`equiform.models.public_histories` refuses
games where that is not so. A move of chance is public as far as it is common knowledge. Two outcomes can be confused if
some information set, there or further down, has nodes below both: a player who cannot tell them apart later cannot do
so now. The connected components of that relation are what all players can tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import BoolArray, IntArray
from equiform.models.extensive import ExtensiveGame

GROUPINGS = {
    "public": "histories of the players' moves and of the public moves of chance",
    "moves": "histories of the players' moves alone",
}


@dataclass(frozen=True, eq=False)
class EventHistories:
    """A tree of histories, numbered from the top; history 0 has no events."""

    of_node: IntArray = field(repr=False)
    """The history of each node of the game."""
    parents: list[int] = field(repr=False)
    events: list[str] = field(repr=False)
    """The last event of each history."""

    def words(self, history: int) -> str:
        """Return the events of a history, joined by "–"."""
        words: list[str] = []
        while history > 0:
            words.append(self.events[history])
            history = self.parents[history]
        return "–".join(reversed(words))


def event_histories(game: ExtensiveGame, grouping: str = "public") -> EventHistories:
    """Number the histories of a game: nodes that follow the same public events have the same number.

    Parameters
    ----------
    game
        A game tree.
    grouping
        One of :data:`GROUPINGS`.

    Examples
    --------
    >>> from equiform.games.registry import load_game
    >>> leduc = load_game("leduc")
    >>> node = next(n for n in leduc.terminals.tolist() if leduc.path(n) == "JQ > bet > call > K > check > check")
    >>> for grouping in GROUPINGS:
    ...     histories = event_histories(leduc, grouping)
    ...     print(histories.words(int(histories.of_node[node])))
    bet–call–K–check–check
    bet–call–check–check
    """
    require_name(grouping, GROUPINGS, "grouping", game.name)
    names, label = _labels(game)
    outcome = _public_outcomes(game) if grouping == "public" else np.full(game.num_nodes, -1, dtype=np.int64)
    history = np.zeros(game.num_nodes, dtype=np.int64)
    parents, events = [-1], [""]
    for d in range(1, len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        above = game.parent[nodes]
        history[nodes] = history[above]
        moved = nodes[game.turn[above] >= 0]
        for told, key in ((moved, label), (_told(game, nodes, outcome, history), outcome)):
            if not len(told):
                continue
            pairs = np.stack([history[game.parent[told]], key[told]], axis=1)
            _, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
            history[told] = len(parents) + inverse.ravel()
            parents += pairs[first, 0].tolist()
            events += _names_of(told, label, inverse.ravel(), first, names)
    return EventHistories(history, parents, events)


def _labels(game: ExtensiveGame) -> tuple[list[str], IntArray]:
    """Number the names of moves, and find the number of the move into each node (-1 at the root)."""
    numbers: dict[str, int] = {}
    codes = [np.array([numbers.setdefault(m, len(numbers)) for m in moves], dtype=np.int64) for moves in game.move_sets]
    first = np.append(0, np.cumsum([len(c) for c in codes]))
    flat = np.concatenate([*codes, np.zeros(0, dtype=np.int64)])
    label = np.full(game.num_nodes, -1, dtype=np.int64)
    nodes = np.arange(1, game.num_nodes)
    label[nodes] = flat[first[game.move_set[game.parent[nodes]]] + game.branch[nodes]]
    return list(numbers), label


def _names_of(told: IntArray, label: IntArray, group: IntArray, first: IntArray, names: list[str]) -> list[str]:
    """Name groups of nodes by the move into them; a group that hides which move it was gets a number."""
    moves = label[told]
    same = np.ones(len(first), dtype=bool)
    same[group[moves != moves[first][group]]] = False
    return [names[moves[k]] if one else f"outcome {n + 1}" for n, (k, one) in enumerate(zip(first, same, strict=True))]


def _told(game: ExtensiveGame, nodes: IntArray, outcome: IntArray, history: IntArray) -> IntArray:
    """Select the nodes after moves of chance that tell everybody something: several outcomes after one history."""
    dealt = nodes[(game.turn[game.parent[nodes]] < 0) & (outcome[nodes] >= 0)]
    pairs = np.unique(np.stack([history[dealt], outcome[dealt]], axis=1), axis=0)
    several = np.bincount(pairs[:, 0], minlength=1) > 1
    return dealt[several[history[dealt]]] if len(dealt) else dealt


def _public_outcomes(game: ExtensiveGame) -> IntArray:
    """Return the component of each node that a move of chance leads to; -1 elsewhere, and where nobody moves below."""
    above = _latest_deals(game)
    nodes = np.flatnonzero(game.turn >= 0)
    order = np.argsort(game.infoset[nodes], kind="stable")
    nodes = nodes[order]
    leader = nodes[np.searchsorted(game.infoset[nodes], game.infoset[nodes])]  # the first node of each information set
    ends: list[IntArray] = []
    others: list[IntArray] = []
    a, b = above[leader], above[nodes]
    while ((a >= 0) & (b >= 0)).any():
        both = (a >= 0) & (b >= 0)
        a, b = a[both], b[both]
        ends.append(a)
        others.append(b)
        a, b = _before(game, above, a), _before(game, above, b)
    size = game.num_nodes
    joined = [np.concatenate([*x, np.zeros(0, dtype=np.int64)]) for x in (ends, others)]
    graph = sp.coo_array((np.ones(len(joined[0])), (joined[0], joined[1])), shape=(size, size))
    component = connected_components(graph, directed=False)[1].astype(np.int64)
    known: BoolArray = np.zeros(size, dtype=bool)
    known[joined[0]] = known[joined[1]] = True
    return np.where(known, component, -1)


def _latest_deals(game: ExtensiveGame) -> IntArray:
    """Find, for every node, the last node on its path that a move of chance led to; -1 if there is none."""
    latest = np.full(game.num_nodes, -1, dtype=np.int64)
    for d in range(1, len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        parent = game.parent[nodes]
        latest[nodes] = np.where(game.turn[parent] == -1, nodes, latest[parent])
    return latest


def _before(game: ExtensiveGame, latest: IntArray, deals: IntArray) -> IntArray:
    """Find the deal before each deal."""
    before: IntArray = latest[game.parent[deals]]
    return before
