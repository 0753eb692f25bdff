r"""The part of a betting tree that one member owns, as compiled loops see it.

A *level* is a range of streets. What a member of a level stores is a table per street: a row per bucket of private
information, a column per move of either player. Move k of decision h with bucket b on street s has the place

.. math:: \text{base}_s + b \, \text{width}_s + \text{column}_h + k .

Rows are contiguous: what one deal touches on a street lies side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.public.betting import BettingTree
from equiform.models.rules import CHANCE, TERMINAL


class Region(NamedTuple):
    """A level of a betting tree; node arrays are those of the whole tree."""

    turn: Int32Array
    street: Int32Array
    child_start: IntArray  # the children of a node are children[child_start[node]:child_start[node + 1]]
    children: Int32Array
    winner: Int32Array
    stake: FloatArray
    column: Int32Array  # of a decision's first move on its street
    width: IntArray  # [street of the level]
    base: IntArray  # [street of the level]; one more entry for the end
    subtree: IntArray  # how many nodes of the level, exits included, lie at or below a node
    first: int  # the level's streets
    last: int


def street_widths(tree: BettingTree) -> tuple[Int32Array, IntArray]:
    """Number both players' moves on each street: the first column of each decision, and how many there are."""
    column, width = np.zeros(len(tree), dtype=np.int32), np.zeros(tree.num_streets, dtype=np.int64)
    counts = np.bincount(tree.parent[1:], minlength=len(tree))
    decisions = tree.turn >= 0
    for street in range(tree.num_streets):
        here = np.flatnonzero(decisions & (tree.street == street))
        ends = np.cumsum(counts[here])
        column[here] = ends - counts[here]
        width[street] = ends[-1] if len(here) else 0
    return column, width


def lay_out_region(tree: BettingTree, streets: Sequence[int], buckets: Sequence[int]) -> Region:
    """Return the level of a tree with these streets and so many buckets on each."""
    column, width = street_widths(tree)
    first, last = streets[0], streets[-1]
    order = np.argsort(tree.parent[1:], kind="stable") + 1
    counts = np.bincount(tree.parent[1:], minlength=len(tree))
    subtree = np.ones(len(tree), dtype=np.int64)
    subtree[tree.street > last] = 0
    subtree[(tree.street == last) & (tree.turn == CHANCE)] = 2  # the exit counts
    for node in range(len(tree) - 1, 0, -1):
        if tree.street[node] <= last:
            subtree[tree.parent[node]] += subtree[node]
    sizes = [n * int(w) for n, w in zip(buckets, width[first : last + 1], strict=True)]
    return Region(
        tree.turn.astype(np.int32),
        tree.street.astype(np.int32),
        np.append(0, np.cumsum(counts)).astype(np.int64),
        order.astype(np.int32),
        tree.winner.astype(np.int32),
        tree.stake.astype(np.float64),
        column,
        width[first : last + 1],
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        subtree,
        first,
        last,
    )


class Moves(NamedTuple):
    """All decisions of a level, a row each for one bucket: street of the level, first column, number of moves."""

    street: NDArray[np.int64]
    column: NDArray[np.int64]
    size: NDArray[np.int64]


def level_moves(region: Region) -> Moves:
    """List the decisions of a level."""
    here = np.flatnonzero(
        (region.turn >= 0)
        & (region.turn != TERMINAL)
        & (region.street >= region.first)
        & (region.street <= region.last)
    )
    sizes = np.diff(region.child_start)[here]
    return Moves(region.street[here].astype(np.int64) - region.first, region.column[here].astype(np.int64), sizes)
