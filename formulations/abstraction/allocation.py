r"""Divide a budget of children among the states of an abstraction tree: the data, and a dynamic program.

The problem is that of :mod:`equiform.formulations.abstraction.abstraction_ip` (Gilpin and Sandholm 2007, §4): parent i
costs :math:`p_i c_{ik}` with k children, and :math:`\sum_i k_i \le K`. With :math:`V_i(b)` the least cost of the first
i parents with at most b children among them,

.. math:: V_i(b) = \min_k \; p_i c_{ik} + V_{i-1}(b - k), \qquad V_0(b) = 0,

which takes :math:`O(n K k_{\max})` steps and shares nothing with an integer program.

:func:`promising` shrinks the problem before any method sees it. A price :math:`\lambda \ge 0` per child yields the
Lagrangian bound

.. math:: L(\lambda) = \sum_i \min_k \,(p_i c_{ik} + \lambda k) - \lambda K ,

and a division with exactly k children for parent i costs at least L plus the excess of k over parent i's minimum. Where
that exceeds the cost of a known division, (i, k) cannot be part of a better one (Sinha and Zoltners 1979).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import InfeasibleError, ParameterError

_PRICE = 1e-12  # relative accuracy of the price of a child
_ROUNDING = 1e-14  # rounding per term of the bound, relative to the largest error, so that no optimal choice is dropped


@dataclass(frozen=True, eq=False)
class AllocationProblem:
    """A checked error table, the parents' weights and the budget."""

    errors: FloatArray = field(repr=False)  # [parent, children - 1], infinite where impossible
    weights: FloatArray = field(repr=False)
    budget: int

    @property
    def possible(self) -> BoolArray:
        """Which numbers of children each parent may have."""
        return np.isfinite(self.errors)

    @property
    def costs(self) -> FloatArray:
        """Weighted errors."""
        return np.where(self.possible, self.errors, 0.0) * self.weights[:, None] + np.where(self.possible, 0.0, np.inf)

    def error(self, children: ArrayLike) -> float:
        """Return the expected error of a division."""
        chosen = np.asarray(children, dtype=np.int64)
        return float(self.costs[np.arange(len(self.weights)), chosen - 1].sum())


@dataclass(frozen=True)
class Division:
    """An optimal division of the budget."""

    children: tuple[int, ...]
    error: float


def allocation_problem(errors: ArrayLike, weights: ArrayLike, budget: int) -> AllocationProblem:
    """Check the data of a division problem; infinite errors mark what is impossible."""
    table, mass = np.asarray(errors, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if table.ndim != 2 or mass.shape != table.shape[:1] or not table.size:
        raise ParameterError(
            "errors need a row per parent and a column per number of children, weights one number per parent",
            where=f"shapes {table.shape} and {mass.shape}",
        )
    if np.isnan(table).any() or (table == -np.inf).any() or not np.isfinite(mass).all() or (mass < 0).any():
        raise ParameterError("errors must be numbers (infinite: impossible), weights finite and nonnegative")
    fewest = np.isfinite(table).argmax(axis=1) + 1
    if not np.isfinite(table).any(axis=1).all() or fewest.sum() > budget:
        raise InfeasibleError(
            f"a budget of {budget} children cannot serve {len(mass)} parents",
            where=f"they need {fewest.sum()} at least",
            fix="raise the budget, or allow every parent at least one number of children",
        )
    return AllocationProblem(table, mass, int(budget))


def promising(problem: AllocationProblem) -> AllocationProblem:
    """Mark as impossible what no division better than a quickly found one contains, without changing the optimum.

    >>> promising(allocation_problem([[4, 1, 0], [9, 5, 3]], [0.5, 0.5], 4)).possible.tolist()
    [[False, True, False], [False, True, False]]
    """
    costs, numbers = problem.costs, np.arange(1, problem.errors.shape[1] + 1)
    rows = np.arange(len(costs))

    def choice(price: float) -> IntArray:
        """Return every parent's cheapest number of children at a price, the smallest among ties."""
        return (costs + price * numbers).argmin(axis=1) + 1

    finite = costs[problem.possible]
    low, high = 0.0, float(finite.max() - finite.min()) + 1.0  # one child less never costs more than `high`
    wanted, children = choice(low), choice(high)
    if wanted.sum() <= problem.budget:
        high, children = low, wanted
    while high - low > _PRICE * high:
        middle = (low + high) / 2
        chosen = choice(middle)
        if chosen.sum() <= problem.budget:
            high, children = middle, chosen
        else:
            low, wanted = middle, chosen
    left = problem.budget - int(children.sum())
    for i in np.flatnonzero(wanted > children).tolist():  # what is left of the budget, at the price where they differ
        if wanted[i] - children[i] <= left:
            left -= int(wanted[i] - children[i])
            children[i] = wanted[i]
    priced = costs + high * numbers
    lacking = priced - priced.min(axis=1)[:, None]
    bound = float(priced.min(axis=1).sum()) - high * problem.budget
    slack = _ROUNDING * float(np.abs(finite).max()) * (len(costs) + problem.budget)
    keep = lacking <= problem.error(children) - bound + slack
    keep[rows, children - 1] = True
    return replace(problem, errors=np.where(keep, problem.errors, np.inf))


def divide_budget(errors: ArrayLike, weights: ArrayLike, budget: int) -> Division:
    """Divide a budget of children optimally by dynamic programming.

    >>> divide_budget([[4, 1, 0], [9, 5, 3]], [0.5, 0.5], 4)
    Division(children=(2, 2), error=3.0)
    """
    problem = allocation_problem(errors, weights, budget)
    costs, n_parents = problem.costs, len(problem.weights)
    best = np.zeros(budget + 1)
    choices = np.zeros((n_parents, budget + 1), dtype=np.int64)
    for i in range(n_parents):
        now = np.full(budget + 1, np.inf)
        for k in range(1, min(costs.shape[1], budget) + 1):
            through = best[: budget + 1 - k] + costs[i, k - 1]
            better = through < now[k:]
            now[k:][better] = through[better]
            choices[i, k:][better] = k
        best = now
    children = np.zeros(n_parents, dtype=np.int64)
    left = budget
    for i in reversed(range(n_parents)):
        children[i] = choices[i, left]
        left -= int(children[i])
    return Division(tuple(children.tolist()), problem.error(children))
