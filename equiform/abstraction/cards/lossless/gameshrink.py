r"""GameShrink: lossless abstraction by isomorphism of signals, and its thresholded lossy variant.

A. Gilpin and T. Sandholm, *Lossless abstraction of imperfect information games*, JACM 54 (2007); slides of T. Sandholm
(GameShrink). Nature's signals to a player form a *signal tree*: a node is what the player has seen so far (a private
card, then public ones), a leaf what decides the showdown. Two siblings are *isomorphic* if

* they are leaves with equal payoffs against the possible opponents, or
* there is a bijection between their children that matches isomorphic nodes only.

A bottom-up pass decides all pairs of siblings; a bipartite perfect matching finds the bijections. A top-down pass then
unites isomorphic siblings in a union-find *information filter*: the player sees the class, not the signal. What
must count as equal payoffs for an equilibrium of the small game to be one of the large game is a question of its own:
see :mod:`equiform.abstraction.cards.lossless.one_card_shrink`.

Isomorphism is an equivalence, hence a perfect matching exists exactly if both nodes have equally many children of
every class; that count is the cheap necessary condition of the slides (their win/loss histograms), and here it decides
at once. The lossy variant pays a penalty for each matched pair, at the leaves the difference of their payoffs, and
unites siblings whose cheapest matching stays below a threshold; there the matching is needed, and greed makes classes
lopsided, which is what GS2 (:mod:`equiform.abstraction.cards.expectation`) was invented to avoid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import linear_sum_assignment

from equiform.models.common.arguments import require_all, require_count, require_kind
from equiform.models.common.array_arguments import require_array, require_integers, require_numbers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError


class InformationFilter:
    """A union-find over siblings: which signals a player may tell apart."""

    def __init__(self, size: int) -> None:
        self._above = np.arange(require_count(size, "size", "information filter", least=0))

    def find(self, node: int) -> int:
        """Return the representative of a node's class, compressing the path to it."""
        require_count(node, "node", "information filter", least=0, most=len(self._above) - 1)
        root = node
        while self._above[root] != root:
            root = int(self._above[root])
        while self._above[node] != root:
            self._above[node], node = root, int(self._above[node])
        return root

    def unite(self, a: int, b: int) -> None:
        """Make two nodes indistinguishable; the smaller number stands for both."""
        first, second = sorted((self.find(a), self.find(b)))
        self._above[second] = first

    def classes(self) -> IntArray:
        """Return every node's representative."""
        return np.array([self.find(node) for node in range(len(self._above))])


@dataclass(frozen=True, eq=False)
class SignalTree:
    """A signal tree, level by level.

    ``parent[r][i]`` is the node of level r - 1 above node i of level r (level 0 hangs below the root: all 0).
    ``weight[r][i]`` says how many equal signals the node stands for: trees may be given up to a symmetry known before,
    such as a renaming of the suits. ``payoff`` describes the leaves: one row of numbers each, equal rows mean equal
    payoffs.
    """

    parent: tuple[IntArray, ...] = field(repr=False)
    weight: tuple[IntArray, ...] = field(repr=False)
    payoff: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        parents = require_all(self.parent, np.ndarray, "parent", "signal tree")
        weights = require_all(self.weight, np.ndarray, "weight", "signal tree")
        if len(parents) != len(weights) or not parents:
            raise ParameterError(
                "every level needs parents and weights",
                where=f"{len(parents)} and {len(weights)} levels",
                fix="pass both, level by level",
            )
        above = 1
        for r, (parent, weight) in enumerate(zip(parents, weights, strict=True)):
            where = f"signal tree, level {r}"
            numbers = require_integers(parent, "parents", where, shape=(None,), empty=False, least=0, most=above - 1)
            require_integers(weight, "weights", where, shape=parent.shape, least=1)
            if len(np.unique(numbers)) < above:  # its payoff would be undefined
                raise ParameterError("a node has no children", where=where, fix="put all leaves on the last level")
            above = len(parent)
        require_kind(self.payoff, np.ndarray, "payoff", "signal tree")
        require_array(self.payoff, "payoffs of the leaves", "signal tree", shape=(above, None))

    @property
    def depth(self) -> int:
        """How many levels of signals there are."""
        return len(self.parent)

    @cached_property
    def children(self) -> tuple[tuple[IntArray, ...], ...]:
        """``children[r][i]``: the nodes of level r below node i of the level above."""
        levels = []
        for r, above in enumerate(self.parent):
            size = 1 if r == 0 else len(self.parent[r - 1])
            order = np.argsort(above, kind="stable")
            bounds = np.searchsorted(above[order], np.arange(size + 1))
            levels.append(tuple(order[bounds[i] : bounds[i + 1]] for i in range(size)))
        return tuple(levels)


@dataclass(frozen=True, eq=False)
class Shrunk:
    """What the players may still tell apart: a class for every node of every level, numbered without gaps."""

    classes: tuple[IntArray, ...] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many classes each level has."""
        return tuple(int(level.max()) + 1 for level in self.classes)


def game_shrink(tree: SignalTree, thresholds: Sequence[float] | None = None) -> Shrunk:
    """Find and unite isomorphic siblings.

    Children of united nodes are united along the matching: the player who cannot tell the parents apart sees the
    child's class only.

    Parameters
    ----------
    tree
        A player's signal tree.
    thresholds
        One per level: unite siblings that differ by at most this much as well; lossless by default.

    Raises
    ------
    ParameterError
        If there is not one threshold per level, or if one is negative.
    """
    require_kind(tree, SignalTree, "tree", "GameShrink")
    if thresholds is None:
        return _top_down(tree, _lossless(tree))
    limits = require_numbers(thresholds, "thresholds", "GameShrink, one per level", shape=(tree.depth,), least=0.0)
    return _lossy(tree, limits.tolist())


def _lossless(tree: SignalTree) -> list[IntArray]:
    """Find a *kind* for every node, bottom-up; siblings are isomorphic exactly if their kinds are equal."""
    kinds = [np.unique(tree.payoff, axis=0, return_inverse=True)[1].ravel()]
    for r in range(tree.depth - 1, 0, -1):
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        level = np.empty(len(tree.parent[r - 1]), dtype=np.int64)
        for node, below in enumerate(tree.children[r]):
            # equally many children of each kind: the bijection exists
            counts: dict[int, int] = {}
            for child in below:
                kind = int(kinds[0][child])
                counts[kind] = counts.get(kind, 0) + int(tree.weight[r][child])
            level[node] = numbers.setdefault(tuple(sorted(counts.items())), len(numbers))
        kinds.insert(0, level)
    return kinds


def _top_down(tree: SignalTree, kinds: list[IntArray]) -> Shrunk:
    """Unite siblings of one kind, then the children of united nodes by kind."""
    classes: list[IntArray] = []
    above = np.zeros(1, dtype=np.int64)
    for r in range(tree.depth):
        information = InformationFilter(len(tree.parent[r]))
        first: dict[tuple[int, int], int] = {}
        for node in range(len(tree.parent[r])):
            key = int(above[tree.parent[r][node]]), int(kinds[r][node])
            information.unite(node, first.setdefault(key, node))
        above = np.unique(information.classes(), return_inverse=True)[1].ravel()
        classes.append(above)
    return Shrunk(tuple(classes))


def _lossy(tree: SignalTree, thresholds: Sequence[float]) -> Shrunk:
    """Compute penalties bottom-up by cheapest matchings between siblings, then unite greedily top-down."""
    averages = _average_payoffs(tree)
    classes: list[IntArray] = []
    above = np.zeros(1, dtype=np.int64)
    for r in range(tree.depth):
        information = InformationFilter(len(tree.parent[r]))
        for group in range(int(above.max()) + 1):
            members = np.flatnonzero(above[tree.parent[r]] == group)
            heads: list[int] = []
            for node in members.tolist():
                # matched children differ by no less on average than their averages do: a cheap necessary condition
                apart = np.abs(averages[r][heads] - averages[r][node]).sum(axis=1) if heads else np.empty(0)
                maybe = [h for h, gap in zip(heads, apart, strict=True) if gap <= thresholds[r] + 1e-9]
                near = next((h for h in maybe if _penalty(tree, r, h, node) <= thresholds[r]), None)
                if near is None:
                    heads.append(node)
                else:
                    information.unite(near, node)
        above = np.unique(information.classes(), return_inverse=True)[1].ravel()
        classes.append(above)
    return Shrunk(tuple(classes))


def _average_payoffs(tree: SignalTree) -> list[FloatArray]:
    """Return each node's payoffs, averaged over the leaves below it."""
    averages = [tree.payoff]
    for r in range(tree.depth - 1, 0, -1):
        size = len(tree.parent[r - 1])
        mass = np.bincount(tree.parent[r], weights=tree.weight[r], minlength=size)
        sums = np.zeros((size, tree.payoff.shape[1]))
        np.add.at(sums, tree.parent[r], averages[0] * tree.weight[r][:, None])
        averages.insert(0, sums / mass[:, None])
    return averages


def _penalty(tree: SignalTree, r: int, a: int, b: int) -> float:
    """Return the mean penalty of the cheapest matching between two nodes' children; leaves differ by payoffs."""
    if r == tree.depth - 1:
        return float(np.abs(tree.payoff[a] - tree.payoff[b]).sum())
    first, second = (np.repeat(tree.children[r + 1][n], tree.weight[r + 1][tree.children[r + 1][n]]) for n in (a, b))
    if len(first) != len(second):
        return float("inf")
    if r == tree.depth - 2:
        costs = np.abs(tree.payoff[first][:, None] - tree.payoff[second][None]).sum(axis=2)
    else:
        kinds_a, back_a = np.unique(first, return_inverse=True)
        kinds_b, back_b = np.unique(second, return_inverse=True)
        small = np.array([[_penalty(tree, r + 1, int(x), int(y)) for y in kinds_b] for x in kinds_a])
        costs = small[np.ix_(back_a.ravel(), back_b.ravel())]
    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].mean())
