r"""Euclidean projection onto a treeplex, exactly, by piecewise linear functions.

Let :math:`\varphi_h(t)` be the least :math:`\tfrac12 \lVert x - w \rVert^2` below information set h when mass t arrives
there. Its derivative is continuous, increasing and piecewise linear, and so is

.. math:: G_s(x) = x - w_s + \sum_{h' \in C(s)} \varphi_{h'}'(x),

the marginal cost of mass on sequence s. At h mass is spread until marginal costs are equal: with a multiplier
:math:`\lambda` the mass taken is :math:`\sum_{s \in h} [G_s^{-1}(\lambda)]^+`, and :math:`\varphi_h'` is the inverse of
that function. One backward pass builds all G and :math:`\varphi'` (every sequence adds one kink to the functions above
it), one forward pass reads off the plan. Gilpin, Peña and Sandholm (2012) need this projection for iterated smoothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.treeplex import Treeplex
from equiform.solvers_iterative.kernels.rows import Shape, signed, treeplex_shape

_LARGEST = 1e150
_TINY = 1e-12


class Pieces(NamedTuple):
    """Many piecewise linear functions: number i has its kinks at ``place[offset[i]:offset[i] + size[i]]``."""

    offset: IntArray
    size: IntArray
    place: FloatArray  # argument
    level: FloatArray  # value there
    slope: FloatArray  # from there on


class TreeplexProjection:
    """Projects onto one treeplex; holds the scratch space."""

    def __init__(self, treeplex: Treeplex) -> None:
        self._shape = treeplex_shape(treeplex)
        costs, infosets = _capacities(self._shape)
        self._costs, self._marginals = _pieces(costs), _pieces(infosets)
        widest = int(infosets.max(initial=1))
        self._keys, self._steps = np.empty(widest), np.empty(widest)
        self._children = _children(self._shape)

    def __call__(self, w: FloatArray) -> FloatArray:
        """Return the realization plan nearest to ``w``, which may be any finite vector."""
        size = float(np.abs(w).max(initial=0.0))
        if not np.isfinite(size):
            raise ParameterError(
                "the point to project is not finite", where="treeplex projection", fix="check the step size"
            )
        if size > _LARGEST:  # this far out only proportions matter, and sums of weights must not overflow
            w = w * (_LARGEST / size)
        plan = np.empty(len(w))
        _project(self._shape, self._children, w, self._costs, self._marginals, self._keys, self._steps, plan)
        return plan


def _pieces(capacities: IntArray) -> Pieces:
    total = int(capacities.sum())
    offset = np.cumsum(capacities) - capacities
    return Pieces(offset, np.zeros_like(capacities), np.empty(total), np.empty(total), np.empty(total))


class Children(NamedTuple):
    """The information sets directly under each sequence."""

    start: IntArray
    infoset: IntArray


def _children(shape: Shape) -> Children:
    counts = np.bincount(shape.parent, minlength=int(shape.start[-1]))
    return Children(np.append(0, np.cumsum(counts)), np.argsort(shape.parent, kind="stable"))


@jit
def _capacities(shape: Shape) -> tuple[IntArray, IntArray]:
    """Count the kinks that the functions of sequences and of information sets can have."""
    costs = np.ones(signed(shape.start[-1]), dtype=np.int64)
    infosets = np.zeros(len(shape.parent), dtype=np.int64)
    for h in range(len(shape.parent) - 1, -1, -1):
        for s in range(shape.start[h], shape.start[h + 1]):
            infosets[h] += costs[s]
        costs[shape.parent[h]] += infosets[h]
    costs[0] = 1  # the marginal cost of the empty sequence is never needed
    return costs, infosets


@jit
def _project(
    shape: Shape,
    children: Children,
    w: FloatArray,
    costs: Pieces,
    marginals: Pieces,
    keys: FloatArray,
    steps: FloatArray,
    plan: FloatArray,
) -> None:
    for h in range(len(shape.parent) - 1, -1, -1):
        for s in range(shape.start[h], shape.start[h + 1]):
            _marginal_cost(children, signed(s), w[s], costs, marginals, keys, steps)
        _spread(signed(shape.start[h]), signed(shape.start[h + 1]), h, costs, marginals, keys, steps)
    plan[0] = 1.0
    for h in range(len(shape.parent)):
        mass = plan[shape.parent[h]]
        low, high = shape.start[h], shape.start[h + 1]
        if mass <= 0.0:
            plan[low:high] = 0.0
            continue
        price = _evaluate(marginals, h, mass)
        total = 0.0
        for s in range(low, high):
            plan[s] = _invert(costs, signed(s), price)
            total += plan[s]
        if total > _TINY * mass:
            for s in range(low, high):  # rounding error only
                plan[s] *= mass / total
            continue
        # so little mass that the price rounds to the lowest marginal cost: all of it goes there
        cheapest = low
        for s in range(low, high):
            plan[s] = 0.0
            if costs.level[costs.offset[s]] < costs.level[costs.offset[cheapest]]:
                cheapest = s
        plan[cheapest] = mass


@jit
def _sorted_events(keys: FloatArray, steps: FloatArray, count: int) -> None:
    """Sort events by key: insertion for a few, argsort for many."""
    if count > 24:
        order = np.argsort(keys[:count], kind="mergesort")
        keys[:count] = keys[:count][order]
        steps[:count] = steps[:count][order]
        return
    for k in range(1, count):
        key, step, at = keys[k], steps[k], k
        while at > 0 and keys[at - 1] > key:
            keys[at], steps[at] = keys[at - 1], steps[at - 1]
            at -= 1
        keys[at], steps[at] = key, step


@jit
def _marginal_cost(
    children: Children, s: int, wish: float, costs: Pieces, marginals: Pieces, keys: FloatArray, steps: FloatArray
) -> None:
    """Build G_s: add up the marginals of the information sets below."""
    level, slope, count = -wish, 1.0, 0
    for c in range(children.start[s], children.start[s + 1]):
        h = children.infoset[c]
        at = marginals.offset[h]
        level += marginals.level[at]
        slope += marginals.slope[at]
        for k in range(at + 1, at + marginals.size[h]):
            keys[count] = marginals.place[k]
            steps[count] = marginals.slope[k] - marginals.slope[k - 1]
            count += 1
    if children.start[s + 1] - children.start[s] > 1:  # one child's kinks are sorted already
        _sorted_events(keys, steps, count)
    at = costs.offset[s]
    costs.place[at], costs.level[at], costs.slope[at] = 0.0, level, slope
    for k in range(count):
        i = at + k + 1
        costs.place[i] = keys[k]
        costs.level[i] = costs.level[i - 1] + costs.slope[i - 1] * (keys[k] - costs.place[i - 1])
        costs.slope[i] = costs.slope[i - 1] + steps[k]
    costs.size[s] = count + 1


@jit
def _spread(low: int, high: int, h: int, costs: Pieces, marginals: Pieces, keys: FloatArray, steps: FloatArray) -> None:
    """Build the marginal of h: the inverse of the total mass that its sequences take at a price."""
    count = 0
    for s in range(low, high):
        rate = 0.0
        for k in range(costs.offset[s], costs.offset[s] + costs.size[s]):
            keys[count] = costs.level[k]
            steps[count] = 1.0 / costs.slope[k] - rate
            rate = 1.0 / costs.slope[k]
            count += 1
    if high - low > 1:
        _sorted_events(keys, steps, count)
    at = marginals.offset[h]
    mass, rate, used = 0.0, 0.0, 0
    for k in range(count):
        if k > 0:
            mass += rate * (keys[k] - keys[k - 1])
        if mass > 1.0:  # no more than one ever arrives
            break
        rate += steps[k]
        marginals.place[at + k], marginals.level[at + k], marginals.slope[at + k] = mass, keys[k], 1.0 / rate
        used += 1
    marginals.size[h] = used


@jit
def _last_up_to(ascending: FloatArray, low: int, high: int, x: float) -> int:
    """Return the last place from ``low`` to ``high`` whose number is at most x; ``low`` if there is none."""
    while low < high:
        middle = (low + high + 1) // 2
        if ascending[middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@jit
def _evaluate(pieces: Pieces, i: int, x: float) -> float:
    first = pieces.offset[i]
    low = _last_up_to(pieces.place, first, first + pieces.size[i] - 1, x)
    return pieces.level[low] + pieces.slope[low] * (x - pieces.place[low])


@jit
def _invert(pieces: Pieces, i: int, level: float) -> float:
    first = pieces.offset[i]
    if level <= pieces.level[first]:
        return 0.0
    low = _last_up_to(pieces.level, first, first + pieces.size[i] - 1, level)
    return pieces.place[low] + (level - pieces.level[low]) / pieces.slope[low]
