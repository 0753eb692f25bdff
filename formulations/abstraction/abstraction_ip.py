r"""How many children each state of an abstraction tree gets: the 0-1 program of GS2.

A. Gilpin and T. Sandholm, *Better automated abstraction techniques for imperfect information games, with application
to Texas Hold'em poker*, AAMAS 2007, §4.

Sets
    parents :math:`i` (the abstract states of the round before), numbers of children :math:`k = 1, \dots, k_{\max}`.
Data
    :math:`p_i` weight of a parent (its probability), :math:`c_{ik}` expected error if parent i has k children
    (infinite: it cannot have that many), :math:`K` how many children there may be in all.
Variables
    :math:`x_{ik} \in \{0, 1\}`: parent i has k children.

.. math::

    \min_x\; \sum_i p_i \sum_k c_{ik} x_{ik} \quad \text{s.t.} \quad
    \sum_i \sum_k k\, x_{ik} \le K \quad (\text{budget}), \qquad
    \sum_k x_{ik} = 1 \;\;\forall i \quad (\text{choose}).

It is a multiple-choice knapsack. Where every row :math:`c_{i\cdot}` is convex, as the errors of *optimal* clusterings
on a line are, the linear relaxation is as good as the program itself. Whatever the table, a Lagrangian bound fixes most
variables to zero before a solver sees them (:func:`equiform.formulations.abstraction.allocation.promising`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.abstraction.allocation import AllocationProblem, allocation_problem, promising
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.records import Record

_SCALE = 1e3  # the largest weighted error in the program that is solved: squared equities are tiny numbers


@dataclass(frozen=True, eq=False)
class ChildAllocation(Record):
    """An optimal number of children for every parent."""

    children: tuple[int, ...]
    error: float
    """The expected error, recomputed from the table."""
    solution: Solution = field(repr=False)
    """The solution of the program, whose errors are scaled to suit the solvers' tolerances."""
    build_seconds: float

    @property
    def seconds(self) -> float:
        """Building, compiling and solving together."""
        return self.build_seconds + self.solution.seconds.total


def build(errors: npt.ArrayLike, weights: npt.ArrayLike, budget: int, *, relaxed: bool = False) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    errors
        ``errors[i, k - 1]`` is parent i's error with k children, or any other cost, such as a negated utility;
        infinite where impossible.
    weights
        One weight per parent.
    budget
        The number of children in all.
    relaxed
        Whether to drop integrality.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with ``x`` (the possible choices, parent by parent), ``budget``, ``choose`` and ``objective``;
        ``choices[j]`` is the pair (i, k) that ``x[j]`` stands for.

    Raises
    ------
    ParameterError
        If the arrays do not match or hold unusable numbers.
    InfeasibleError
        If the budget cannot serve all parents.
    """
    return _build(allocation_problem(errors, weights, budget), relaxed)


def _build(problem: AllocationProblem, relaxed: bool) -> pyo.ConcreteModel:
    parents, columns = np.nonzero(problem.possible)
    n = len(parents)
    model = pyo.ConcreteModel(name="children of abstract states")
    model.choices = tuple(zip(parents.tolist(), (columns + 1).tolist(), strict=True))
    model.x = vector_var(n, lower=0.0, upper=1.0)
    if not relaxed:
        for variable in model.x.values():
            variable.domain = pyo.Binary
    variables = list(model.x.values())
    model.budget = MatrixConstraint(sp.csr_array((columns + 1.0)[None, :]), variables, upper=float(problem.budget))
    rows = sp.csr_array((np.ones(n), (parents, np.arange(n))), shape=(len(problem.weights), n))
    model.choose = MatrixConstraint(rows, variables, lower=1.0, upper=1.0)
    model.objective = pyo.Objective(expr=dot(problem.costs[parents, columns], model.x))
    return model


def solve(
    errors: npt.ArrayLike,
    weights: npt.ArrayLike,
    budget: int,
    *,
    reduce: bool = True,
    solver: SolverOptions = DEFAULT,
) -> ChildAllocation:
    """Find the optimal number of children for every parent.

    Parameters
    ----------
    errors, weights, budget
        As for :func:`build`.
    reduce
        Whether to discard choices that a Lagrangian bound rules out; otherwise the solver sees all variables.
    solver
        The backend and how to run it.

    Returns
    -------
    ChildAllocation
        The numbers of children and their expected error.

    Raises
    ------
    ParameterError, InfeasibleError
        As for :func:`build`.
    SolveError
        If the solver stops before it proves optimality.

    Examples
    --------
    >>> solve([[4, 1, 0], [9, 5, 3]], [0.5, 0.5], 4).children
    (2, 2)
    """
    started = time.perf_counter()
    problem = allocation_problem(errors, weights, budget)
    if reduce:
        problem = promising(problem)
    largest = np.abs(problem.costs[problem.possible]).max()
    model = _build(
        replace(problem, weights=problem.weights * (_SCALE / largest if largest > 0 else 1.0)), relaxed=False
    )
    built = time.perf_counter() - started
    solution = solve_model(model, solver).require_optimal()
    parents, columns = np.nonzero(problem.possible)
    # the heaviest choice of every row: a solver may return 0.9999999 for one
    table = np.full(problem.costs.shape, -1.0)
    table[parents, columns] = solution.values(model.x)
    children = 1 + table.argmax(axis=1)
    return ChildAllocation(tuple(children.tolist()), problem.error(children), solution, built)


def lp_bound(errors: npt.ArrayLike, weights: npt.ArrayLike, budget: int, *, solver: SolverOptions = DEFAULT) -> float:
    """Return the optimum of the linear relaxation: no division of the budget has a lower expected error.

    >>> lp_bound([[4, 1, 0], [9, 5, 3]], [0.5, 0.5], 4)
    3.0
    """
    return solve_model(build(errors, weights, budget, relaxed=True), solver).require_optimal().objective_value
