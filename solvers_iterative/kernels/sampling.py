"""Draws from chance and from regret-matched strategies, for the Monte Carlo solvers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE
from equiform.solvers_iterative.kernels.rng import uniform
from equiform.solvers_iterative.kernels.rows import Index, signed, unsigned
from equiform.solvers_iterative.kernels.tree import Tree


class Alias(NamedTuple):
    """Walker's alias tables by child node: a draw costs one random number whatever the number of outcomes."""

    keep: FloatArray  # the chance to stay with the child that was hit
    other: Index  # the child to take otherwise


def alias_tables(game: ExtensiveGame, tree: Tree) -> Alias:
    """Build the tables of all chance nodes (Walker 1977)."""
    keep, other = np.ones(game.num_nodes), np.arange(game.num_nodes, dtype=np.uint32)
    _fill_alias(np.flatnonzero(game.turn == CHANCE), tree, keep, other)
    return Alias(keep, other)


@jit
def _fill_alias(nodes: IntArray, tree: Tree, keep: FloatArray, other: Index) -> None:
    for node in nodes:
        first, count = signed(tree.first_child[node]), signed(tree.num_children[node])
        scaled = tree.chance[first : first + count] * count
        small = np.flatnonzero(scaled < 1.0)
        large = np.flatnonzero(scaled >= 1.0)
        stack = np.empty(count, dtype=np.int64)
        waiting = len(small)
        stack[:waiting] = small
        top = len(large) - 1
        while waiting > 0 and top >= 0:
            waiting -= 1
            low, high = stack[waiting], large[top]
            keep[first + low] = scaled[low]
            other[first + low] = first + high
            scaled[high] -= 1.0 - scaled[low]
            if scaled[high] < 1.0:
                stack[waiting] = high
                waiting += 1
                top -= 1


@jit
def draw_chance(tree: Tree, alias: Alias, node: int, random: NDArray[np.uint64]) -> int:
    """Draw a chance node's outcome: the child."""
    spot = uniform(random) * tree.num_children[node]
    cell = unsigned(spot)
    child = tree.first_child[node] + cell
    return child if spot - cell < alias.keep[child] else alias.other[child]


@jit
def positive_mass(regret: FloatArray, low: int, high: int) -> float:
    """Add up the positive regrets of an information set."""
    mass = 0.0
    for s in range(low, high):
        mass += max(regret[s], 0.0)
    return mass


@jit
def matched(regret: FloatArray, s: int, mass: float, size: int) -> float:
    """Return a move's probability by regret matching: its share of the positive regrets, uniform if there are none."""
    return max(regret[s], 0.0) / mass if mass > 0.0 else 1.0 / size


@jit
def draw_move(regret: FloatArray, low: int, high: int, mass: float, random: NDArray[np.uint64]) -> int:
    """Draw a move in proportion to the positive regrets, or uniformly if there are none: its place among the moves."""
    if mass <= 0.0:
        return unsigned(uniform(random) * (high - low))
    left = uniform(random) * mass
    last = low
    for s in range(low, high):
        if regret[s] > 0.0:
            last = s
            left -= regret[s]
            if left < 0.0:
                break
    return last - low
