r"""The loop of external sampling.

It visits few nodes of a large tree in an unforeseeable order, so that its speed is that of the memory. A node is one
record of 16 bytes, payoffs are looked up among the game's few distinct ones, and the strategy that regret matching
yields is kept beside the regrets: it is computed where regrets change and only read where moves are drawn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL
from equiform.solvers_iterative.kernels.rng import uniform
from equiform.solvers_iterative.kernels.rows import Index, signed, unsigned
from equiform.solvers_iterative.kernels.sampling import Alias
from equiform.solvers_iterative.kernels.tree import Tree

#: Turns of nodes that are no player's, as unsigned numbers.
_CHANCE, _EVEN_CHANCE, _END = 253, 254, 255


class Records(NamedTuple):
    """A tree, a record per node, and what ends are worth.

    A record holds whose turn it is, the first child, how many children there are, and the slot of the first child's
    move; that of a terminal node holds the row of its payoffs instead of a child.
    """

    node: NDArray[np.uint32]  # [node, 4]
    payoff: FloatArray  # [outcome, player]


class Sampled(NamedTuple):
    """Scratch of one traversal, level by level."""

    queue: Index
    below: Index  # where a queued node's children stand
    value: FloatArray


def tree_records(game: ExtensiveGame, tree: Tree) -> Records:
    """Lay a game out in records."""
    node = np.zeros((game.num_nodes, 4), dtype=np.uint32)
    turn = game.turn.astype(np.int64)
    node[:, 0] = np.where(turn == TERMINAL, _END, np.where(turn == CHANCE, _CHANCE, turn))
    node[:, 1] = tree.first_child
    node[:, 2] = tree.num_children
    node[:, 3] = tree.slot[tree.first_child]
    node[game.terminals, 1] = game.outcome[game.terminals]
    deals = np.flatnonzero(turn == CHANCE)
    if len(deals):
        order = np.argsort(tree.first_child[deals])
        deals = deals[order]
        first = tree.first_child[deals].astype(np.int64)
        ends = first + tree.num_children[deals]
        bounds = np.stack([first, ends], axis=1).ravel()
        odds = np.append(tree.chance, tree.chance[-1:])
        low, high = np.minimum.reduceat(odds, bounds)[::2], np.maximum.reduceat(odds, bounds)[::2]
        node[deals[low == high], 0] = _EVEN_CHANCE
    return Records(node, np.ascontiguousarray(game.payoff_floats))


@jit
def match_regrets(starts: Index, stops: Index, regret: FloatArray, strategy: FloatArray) -> None:
    """Compute the whole strategy from the regrets."""
    for h in range(len(starts)):
        _match(regret, strategy, starts[h], stops[h])


@jit
def _match(regret: FloatArray, strategy: FloatArray, low: int, high: int) -> None:
    mass = 0.0
    for s in range(low, high):
        mass += max(regret[s], 0.0)
    if mass > 0.0:
        scale = 1.0 / mass
        for s in range(low, high):
            strategy[s] = max(regret[s], 0.0) * scale
    else:
        for s in range(low, high):
            strategy[s] = 1.0 / (high - low)


@jit
def run_external(
    records: Records,
    alias: Alias,
    regret: FloatArray,
    total: FloatArray,
    random: NDArray[np.uint64],
    strategy: FloatArray,
    sampled: Sampled,
    count: int,
) -> None:
    """Run iterations: one traversal for each player in turn."""
    nodes, queue, below, value = records.node, sampled.queue, sampled.below, sampled.value
    players = records.payoff.shape[1]
    for _ in range(count):
        for p in range(players):
            averaged = (p + 1) % players
            # down: the queue holds player p's nodes and the terminal ones; what lies between is drawn at once
            queue[0] = _draw_to(nodes, alias, total, random, strategy, p, averaged, unsigned(0))
            head, tail = 0, 1
            while head < tail:
                node = queue[head]
                if nodes[node, 0] == p:
                    below[head] = tail
                    first = nodes[node, 1]
                    for child in range(first, first + nodes[node, 2]):
                        queue[tail] = _draw_to(nodes, alias, total, random, strategy, p, averaged, child)
                        tail += 1
                head += 1
            # up: values, and regrets at player p's nodes
            for i in range(tail - 1, -1, -1):
                node = queue[i]
                if nodes[node, 0] != p:
                    value[i] = records.payoff[nodes[node, 1], p]
                    continue
                low, size, start = signed(nodes[node, 3]), signed(nodes[node, 2]), signed(below[i])
                expected = 0.0
                for k in range(size):
                    expected += strategy[low + k] * value[start + k]
                for k in range(size):
                    regret[low + k] += value[start + k] - expected
                _match(regret, strategy, low, low + size)
                value[i] = expected


@jit
def _draw_to(
    nodes: NDArray[np.uint32],
    alias: Alias,
    total: FloatArray,
    random: NDArray[np.uint64],
    strategy: FloatArray,
    p: int,
    averaged: int,
    node: int,
) -> int:
    """Draw moves of chance and of the others until player p is to move or the game ends."""
    while True:
        turn = nodes[node, 0]
        if turn in (p, _END):
            return node
        first = nodes[node, 1]
        if turn >= _CHANCE:
            spot = uniform(random) * nodes[node, 2]
            cell = unsigned(spot)
            node = first + cell
            if turn == _CHANCE and spot - cell >= alias.keep[node]:
                node = alias.other[node]
            continue
        low, size = signed(nodes[node, 3]), signed(nodes[node, 2])
        if turn == averaged:
            for s in range(low, low + size):
                total[s] += strategy[s]
        left = uniform(random)
        pick = 0
        for k in range(size - 1):
            left -= strategy[low + k]
            if left < 0.0:
                break
            pick += 1
        node = first + unsigned(pick)
