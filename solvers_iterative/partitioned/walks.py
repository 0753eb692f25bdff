"""External sampling within a region: down the tree, drawing the opponent's moves, and back up with values.

Going down fills a queue with the traversing player's decisions, terminal nodes and exits (where the next level's cards
come); what lies between is drawn at once. Going up computes values and regrets. A member without levels below does both
for one deal after the other. One with levels below goes down for all deals, waits for the values of the exits, and goes
up for all: within a batch its strategy stands still.

A member sees every state that comes from above, although the next public cards would fall into its cluster only now and
then, and more rarely the more of them the private cards hold. Hence the weight: regrets and averages count a deal by
the number of public outcomes that it leaves in the cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.jit import jit
from equiform.models.public.betting import SHOWDOWN
from equiform.models.rules import CHANCE, TERMINAL
from equiform.solvers_iterative.kernels.rows import signed
from equiform.solvers_iterative.kernels.sampling import draw_move, matched, positive_mass
from equiform.solvers_iterative.partitioned.regions import Moves, Region


class Tables(NamedTuple):
    """What a member learns."""

    regret: FloatArray
    total: FloatArray  # weights of the average
    touched: IntArray  # one entry: nodes visited so far


class Entries(NamedTuple):
    """Where a region is entered: with which deal, at which node. One deal may enter at several."""

    deal: Int32Array
    node: Int32Array


class Deals(NamedTuple):
    """A batch of deals in a region."""

    buckets: Int32Array  # [deal, street of the level, player]
    sign: NDArray[np.int8]  # of the showdown: 1 if player 0 wins, -1 if player 1 does, 0 for a tie
    outcomes: FloatArray  # how many public outcomes each was drawn from; 0 for none
    weight: FloatArray  # of each deal: these numbers multiplied over all levels so far


class Queue(NamedTuple):
    """The sampled trees of a batch, one after the other."""

    node: Int32Array
    below: IntArray  # where a decision's children stand
    value: FloatArray


@jit
def descend(
    region: Region,
    tables: Tables,
    deals: Deals,
    i: int,
    p: int,
    root: int,
    random: NDArray[np.uint64],
    queue: Queue,
    start: int,
) -> int:
    """Sample the tree below ``root`` for deal i into the queue from ``start``; return where it ends."""
    queue.node[start] = _draw_to(region, tables, deals, i, p, root, random)
    head, tail = start, start + 1
    while head < tail:
        node = queue.node[head]
        if region.turn[node] == p and region.street[node] <= region.last:
            queue.below[head] = tail
            for c in range(region.child_start[node], region.child_start[node + 1]):
                queue.node[tail] = _draw_to(region, tables, deals, i, p, region.children[c], random)
                tail += 1
        head += 1
    return tail


@jit
def _draw_to(
    region: Region, tables: Tables, deals: Deals, i: int, p: int, node: int, random: NDArray[np.uint64]
) -> int:
    """Draw moves until player p is to move, the game ends, or the region does; add to the opponent's average."""
    while True:
        tables.touched[0] += 1
        turn, street = region.turn[node], region.street[node]
        if street > region.last or turn in (TERMINAL, p):
            return node
        begin = region.child_start[node]
        if turn == CHANCE:
            node = region.children[begin]
            continue
        at = street - region.first
        size = region.child_start[node + 1] - begin
        low = region.base[at] + deals.buckets[i, at, turn] * region.width[at] + region.column[node]
        mass = positive_mass(tables.regret, low, low + size)
        for s in range(low, low + size):
            tables.total[s] += deals.weight[i] * matched(tables.regret, s, mass, size)
        node = region.children[begin + signed(draw_move(tables.regret, low, low + size, mass, random))]


@jit
def ascend(region: Region, tables: Tables, deals: Deals, i: int, p: int, queue: Queue, start: int, stop: int) -> float:
    """Compute values and update regrets from the end of a sampled tree; exits have their values already."""
    own = 1.0 - 2.0 * p
    for k in range(stop - 1, start - 1, -1):
        node = queue.node[k]
        if region.street[node] > region.last:
            continue
        if region.turn[node] == TERMINAL:
            winner = region.winner[node]
            sign = float(deals.sign[i]) if winner == SHOWDOWN else 1.0 - 2.0 * winner
            queue.value[k] = own * sign * region.stake[node]
            continue
        at, begin = region.street[node] - region.first, queue.below[k]
        size = region.child_start[node + 1] - region.child_start[node]
        low = region.base[at] + deals.buckets[i, at, p] * region.width[at] + region.column[node]
        mass = positive_mass(tables.regret, low, low + size)
        expected = 0.0
        for c in range(size):
            expected += matched(tables.regret, low + c, mass, size) * queue.value[begin + c]
        for c in range(size):
            tables.regret[low + c] += deals.weight[i] * (queue.value[begin + c] - expected)
        queue.value[k] = expected
    return queue.value[start]


@jit
def walk_all(
    region: Region,
    tables: Tables,
    deals: Deals,
    p: int,
    entries: Entries,
    random: NDArray[np.uint64],
    queue: Queue,
    values: FloatArray,
) -> None:
    """Traverse one entry after the other; those whose deal chance cannot continue have the value 0."""
    for j in range(len(values)):
        i = entries.deal[j]
        values[j] = 0.0
        if deals.weight[i] > 0.0:
            stop = descend(region, tables, deals, i, p, entries.node[j], random, queue, 0)
            values[j] = ascend(region, tables, deals, i, p, queue, 0, stop)


@jit
def descend_all(
    region: Region,
    tables: Tables,
    deals: Deals,
    p: int,
    entries: Entries,
    random: NDArray[np.uint64],
    queue: Queue,
    bounds: IntArray,
) -> None:
    """Sample the trees of all entries: that of entry j lies in the queue from ``bounds[j]`` to ``bounds[j + 1]``."""
    bounds[0] = 0
    for j in range(len(entries.deal)):
        i = entries.deal[j]
        bounds[j + 1] = bounds[j]
        if deals.weight[i] > 0.0:
            bounds[j + 1] = descend(region, tables, deals, i, p, entries.node[j], random, queue, bounds[j])


@jit
def ascend_all(
    region: Region,
    tables: Tables,
    deals: Deals,
    p: int,
    entries: Entries,
    queue: Queue,
    bounds: IntArray,
    values: FloatArray,
) -> None:
    """Finish all entries of a batch, in order."""
    for j in range(len(values)):
        values[j] = 0.0
        if bounds[j + 1] > bounds[j]:
            values[j] = ascend(region, tables, deals, entries.deal[j], p, queue, bounds[j], bounds[j + 1])


@jit
def normalize_rows(moves: Moves, region: Region, buckets: IntArray, weights: FloatArray, out: FloatArray) -> None:
    """Turn the weights of all information sets of a level into distributions, uniform where there is no weight."""
    for d in range(len(moves.street)):
        at, size = moves.street[d], moves.size[d]
        for b in range(buckets[at]):
            low = region.base[at] + b * region.width[at] + moves.column[d]
            mass = 0.0
            for s in range(low, low + size):
                mass += weights[s]
            for s in range(low, low + size):
                out[s] = weights[s] / mass if mass > 0.0 else 1.0 / size
