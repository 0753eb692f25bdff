"""What the tests of the backends share: programs made around a known optimum, and the check of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

from equiform.formulations.optimization.backends import available, get
from equiform.formulations.optimization.backends.base import Backend, Capabilities, RawAnswer, Settings
from equiform.formulations.optimization.kkt import kkt_error
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import Status, TerminationCondition

OURS = ["highs", "scipy", "cbc", "scip", "clarabel", "piqp", "glpk"]
PYOMO = ["pyomo:appsi_highs", "pyomo:highs"]
HERE = available()
LP = HERE + PYOMO
MIP = [name for name in HERE if get(name).capabilities.mip]
QP = [name for name in HERE if get(name).capabilities.qp]


def random_program(seed: int, *, quadratic: bool = False) -> Program:
    """A random program that is feasible and bounded by construction: it is made around a primal and a dual point.

    Rows are equations, one-sided, two-sided or free, columns fixed, one-sided, boxed or free; integers keep it
    degenerate. With a quadratic part all columns are boxed, since branch-and-bound solvers want that.
    """
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    A = rng.integers(-3, 4, (m, n)) * (rng.random((m, n)) < 0.7)
    x = rng.integers(-2, 3, n).astype(float)
    kinds = rng.integers(0, 5, m), rng.choice([0, 3], n) if quadratic else rng.integers(0, 5, n)
    sides = [_bounds(rng, kind, at) for kind, at in zip(kinds, (A @ x, x), strict=True)]
    prices = [_prices(rng, low, high) for low, high in sides]
    maximize = bool(rng.integers(0, 2))
    sign = -1.0 if maximize else 1.0
    B = rng.integers(-2, 3, (n, n))
    return Program.from_arrays(
        sign * (A.T @ prices[0] + prices[1]),
        A,
        row_lower=sides[0][0],
        row_upper=sides[0][1],
        col_lower=sides[1][0],
        col_upper=sides[1][1],
        c0=float(rng.integers(-5, 6)),
        Q=sign * (B.T @ B) if quadratic else None,
        maximize=maximize,
        name=f"random {seed}",
    )


def _bounds(rng: np.random.Generator, kind: Any, at: Any) -> tuple[Any, Any]:
    below, above = at - rng.integers(0, 3, at.size), at + rng.integers(0, 3, at.size)
    low = np.choose(kind, [at, below, np.full(at.size, -np.inf), below, np.full(at.size, -np.inf)])
    high = np.choose(kind, [at, np.full(at.size, np.inf), above, above + 1, np.full(at.size, np.inf)])
    return low, high


def _prices(rng: np.random.Generator, low: Any, high: Any) -> Any:
    price = rng.integers(-3, 4, low.size).astype(float)
    return np.where((price > 0) & np.isfinite(low) | (price < 0) & np.isfinite(high), price, 0.0)


def check_optimal(program: Program, solution: Any, tolerance: float) -> None:
    """Primal feasibility, dual feasibility, strong duality and complementarity, all from the arrays alone."""
    assert solution.termination is TerminationCondition.OPTIMAL, solution.summary()
    assert solution.status is Status.OK and solution.require_optimal() is solution
    x, duals, reduced = solution.x, solution.duals, solution.reduced_costs
    assert x is not None and duals is not None and reduced is not None
    assert solution.objective == pytest.approx(program.objective(x), abs=1e-12)
    error = kkt_error(program, x, duals)
    assert error.primal <= tolerance and error.dual <= tolerance and error.gap <= tolerance
    gradient = program.sign * (program.c if program.Q is None else program.c + program.Q @ x)
    assert gradient == pytest.approx(program.A.T @ duals + reduced, abs=10 * tolerance)
    # A price only where the row or bound is tight; its sign is that of d objective / d right-hand side.
    price, activity = program.sign * duals, program.A @ x
    for prices, value, low, high in (
        (price, activity, program.row_lower, program.row_upper),
        (program.sign * reduced, x, program.col_lower, program.col_upper),
    ):
        slack = np.where(prices > 0, value - low, high - value)
        priced = np.abs(prices) > 100 * tolerance
        assert (np.abs(prices[priced]) * slack[priced] <= 100 * tolerance).all()


def knapsack() -> Program:
    """The worked example of Martello and Toth (1990), §2.2: seven items, capacity 50, best profit 107."""
    profit = [70.0, 20.0, 39.0, 37.0, 7.0, 5.0, 10.0]
    weight = [31.0, 10.0, 20.0, 19.0, 4.0, 3.0, 6.0]
    return Program.from_arrays(profit, [weight], row_upper=50.0, col_upper=1.0, integer=True, maximize=True)


def small_model() -> Any:
    m = pyo.ConcreteModel("small")
    m.x = vector_var(3, lower=0.0)
    m.rows = MatrixConstraint([[1.0, 2.0, 1.0], [3.0, 0.0, 1.0]], m.x, upper=[14.0, 12.0])
    m.own = pyo.Constraint(expr=m.x[0] - m.x[1] <= 2)
    m.goal = pyo.Objective(expr=dot([3.0, 4.0, 2.0], m.x) + 1, sense=pyo.maximize)
    return m


class Fake(Backend):
    """A solver that answers what it is told to."""

    name = "fake"
    capabilities = Capabilities(qp=True, mip=True, duals=True)
    install = "pip install fake"

    def __init__(self, *, here: bool = True, **answer: Any) -> None:
        self.here = here
        self.answer = answer

    def version(self) -> str | None:
        return "0" if self.here else None

    def run(self, program: Program, settings: Settings) -> RawAnswer:
        return RawAnswer(TerminationCondition.OPTIMAL, "none", **self.answer)


INFEASIBLE = {
    "rows in conflict": Program.from_arrays(
        [1.0, 1.0], [[1.0, 1.0], [1.0, 1.0]], row_lower=[3.0, -np.inf], row_upper=[np.inf, 2.0]
    ),
    "row against bounds": Program.from_arrays([0.0, -1.0], [[1.0, 2.0]], row_lower=10.0, col_upper=3.0),
}
