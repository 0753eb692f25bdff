"""Every backend on the same programs: optimality conditions, ends, capabilities, errors."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyomo.environ as pyo
import pytest
import scipy.sparse as sp

from equiform.formulations.backends import available, get, list_backends, registry, solve_model, solve_program
from equiform.formulations.backends.base import Backend, Capabilities, RawAnswer, Settings
from equiform.formulations.backends.glpk import read_raw
from equiform.formulations.backends.highs import choose_algorithm
from equiform.formulations.backends.mps import write_mps
from equiform.formulations.backends.process import run_executable
from equiform.formulations.backends.resolve import Resolver
from equiform.formulations.compiler import compile_model
from equiform.formulations.kkt import kkt_error
from equiform.formulations.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.program import Program, SosSet
from equiform.formulations.solution import BasisStatus, Status, TerminationCondition
from equiform.models.errors import (
    BackendMissingError,
    CapabilityError,
    EquiformError,
    InfeasibleError,
    LimitError,
    ParameterError,
    SolveError,
    UnboundedError,
)

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


@pytest.mark.parametrize("backend", LP)
def test_linear_programs(backend: str) -> None:
    values = []
    for seed in range(40):
        program = random_program(seed)
        solution = solve_program(program, backend=backend)
        check_optimal(program, solution, 1e-7)
        values.append(solution.objective)
        assert solution.backend == backend and solution.version and solution.algorithm
    reference = [solve_program(random_program(seed)).objective for seed in range(40)]
    assert values == pytest.approx(reference, abs=1e-7)


@pytest.mark.parametrize("algorithm", ["simplex", "ipm"])
@pytest.mark.parametrize("backend", ["highs", "scipy"])
def test_named_algorithms(backend: str, algorithm: str) -> None:
    for seed in range(15):
        program = random_program(seed)
        solution = solve_program(program, backend=backend, algorithm=algorithm)
        check_optimal(program, solution, 1e-7)
        assert (
            solution.algorithm
            == {"highs": algorithm, "scipy": {"simplex": "highs-ds", "ipm": "highs-ipm"}[algorithm]}[backend]
        )


def test_first_order_method() -> None:
    program = random_program(3)
    solution = solve_program(program, algorithm="pdlp")
    assert solution.algorithm.startswith("pdlp")
    assert solution.objective == pytest.approx(solve_program(program).objective, abs=1e-4)


@pytest.mark.parametrize("backend", LP)
def test_dual_is_the_derivative_of_the_objective(backend: str) -> None:
    """Move each right-hand side of a nondegenerate program, in both senses, and watch the user's objective."""
    for maximize in (False, True):
        sign = -1.0 if maximize else 1.0

        def build(b: list[float], *, maximize: bool = maximize, sign: float = sign) -> Program:
            # min x + 2y + 1 (or max of its negative): x + y >= b0, x <= b1, y - x <= b2
            rows = [[1.0, 1.0], [1.0, 0.0], [-1.0, 1.0]]
            return Program.from_arrays(
                [sign, 2 * sign],
                rows,
                row_lower=[b[0], -np.inf, -np.inf],
                row_upper=[np.inf, b[1], b[2]],
                col_lower=-np.inf,
                c0=sign,
                maximize=maximize,
            )

        base = [4.0, 3.0, 50.0]
        solution = solve_program(build(base), backend=backend)
        assert solution.objective == pytest.approx(sign * 6.0, abs=1e-7)
        assert solution.duals is not None
        for i in range(3):
            moved = [b + (0.25 if i == j else 0.0) for j, b in enumerate(base)]
            other = solve_program(build(moved), backend=backend)
            assert other.objective is not None and solution.objective is not None
            assert solution.duals[i] == pytest.approx((other.objective - solution.objective) / 0.25, abs=1e-6)


def test_basis_reproduces_the_point() -> None:
    for seed in range(40):
        program = random_program(seed)
        solution = solve_program(program)
        basis = solution.basis
        assert basis is not None and solution.x is not None
        m, _ = program.shape
        assert (basis.columns == BasisStatus.BASIC).sum() + (basis.rows == BasisStatus.BASIC).sum() == m
        # Fix what is nonbasic at its bound and solve for the rest: [A -I](x, r) = 0.
        stacked = np.hstack([program.A.toarray(), -np.eye(m)])
        status = np.concatenate([basis.columns, basis.rows])
        low = np.concatenate([program.col_lower, program.row_lower])
        high = np.concatenate([program.col_upper, program.row_upper])
        value = np.where(status == BasisStatus.LOWER, low, np.where(status == BasisStatus.UPPER, high, 0.0))
        basic = status == BasisStatus.BASIC
        value[basic] = np.linalg.solve(stacked[:, basic], -stacked[:, ~basic] @ value[~basic])
        assert value[: program.shape[1]] == pytest.approx(solution.x, abs=1e-9)


def test_warm_start_from_a_basis() -> None:
    program = random_program(11)
    first = solve_program(program)
    again = solve_program(program, basis=first.basis)
    assert again.iterations == 0 and again.objective == pytest.approx(first.objective, abs=1e-12)
    assert again.algorithm == "simplex"
    with pytest.raises(CapabilityError, match=r"lacks warm_start.*use highs"):
        solve_program(program, backend="scipy", basis=first.basis)


# -- ends -------------------------------------------------------------------------------------------------------------

INFEASIBLE = {
    "rows in conflict": Program.from_arrays(
        [1.0, 1.0], [[1.0, 1.0], [1.0, 1.0]], row_lower=[3.0, -np.inf], row_upper=[np.inf, 2.0]
    ),
    "row against bounds": Program.from_arrays([0.0, -1.0], [[1.0, 2.0]], row_lower=10.0, col_upper=3.0),
}
UNBOUNDED = {
    "ray": Program.from_arrays([-1.0, 0.0], [[1.0, -1.0]], row_upper=2.0),
    "free column": Program.from_arrays([1.0, 1.0], [[1.0, 2.0]], row_upper=4.0, col_lower=-np.inf),
    "maximum": Program.from_arrays([1.0, 2.0], [[1.0, -1.0]], row_lower=-2.0, maximize=True),
}


@pytest.mark.parametrize("case", INFEASIBLE)
@pytest.mark.parametrize("backend", LP)
def test_infeasible(backend: str, case: str) -> None:
    solution = solve_program(INFEASIBLE[case], backend=backend)
    assert solution.termination is TerminationCondition.INFEASIBLE and solution.status is Status.WARNING
    assert solution.x is None and solution.objective is None
    with pytest.raises(InfeasibleError, match=r"no feasible point.*2 columns.*Fix: deactivate"):
        solution.require_optimal()
    with pytest.raises(SolveError, match="has no values"):
        solution.values([])


@pytest.mark.parametrize("case", UNBOUNDED)
@pytest.mark.parametrize("backend", LP)
def test_unbounded(backend: str, case: str) -> None:
    solution = solve_program(UNBOUNDED[case], backend=backend)
    assert solution.termination is TerminationCondition.UNBOUNDED
    with pytest.raises(UnboundedError, match="improves without limit"):
        solution.require_optimal()


@pytest.mark.parametrize("backend", LP)
def test_infeasible_with_an_improving_ray(backend: str) -> None:
    """Infeasible and dual infeasible at once: "infeasible" and "either" are right, "unbounded" is wrong."""
    program = Program.from_arrays(
        [-1.0, 0.0], [[0.0, 1.0], [0.0, 1.0]], row_lower=[2.0, -np.inf], row_upper=[np.inf, 1.0]
    )
    solution = solve_program(program, backend=backend)
    right = (TerminationCondition.INFEASIBLE, TerminationCondition.INFEASIBLE_OR_UNBOUNDED)
    if backend in ("clarabel", "piqp"):  # they stop at the first certificate found, and say so in their documentation
        right += (TerminationCondition.UNBOUNDED,)  # type: ignore[assignment]
    assert solution.termination in right


@pytest.mark.parametrize("backend", LP)
def test_degenerate_program(backend: str) -> None:
    """Beale's example, on which textbook simplex cycles."""
    rows = [[0.25, -60.0, -1 / 25, 9.0], [0.5, -90.0, -1 / 50, 3.0], [0.0, 0.0, 1.0, 0.0]]
    program = Program.from_arrays([-0.75, 150.0, -0.02, 6.0], rows, row_upper=[0.0, 0.0, 1.0])
    solution = solve_program(program, backend=backend)
    check_optimal(program, solution, 1e-7)
    assert solution.objective == pytest.approx(-1 / 20, abs=1e-8)


@pytest.mark.parametrize("backend", LP)
def test_programs_at_the_edge(backend: str) -> None:
    nothing = Program.from_arrays(np.zeros(0), np.zeros((0, 0)), c0=2.5)
    assert solve_program(nothing, backend=backend).objective == 2.5
    no_rows = Program.from_arrays([1.0, -1.0, 0.0], np.zeros((0, 3)), col_lower=[1.0, 0.0, 0.0], col_upper=4.0)
    assert solve_program(no_rows, backend=backend).objective == pytest.approx(-3.0, abs=1e-7)
    no_cost = Program.from_arrays([0.0, 0.0], [[1.0, 1.0]], row_lower=1.0, row_upper=1.0, c0=-1.0)
    check_optimal(no_cost, solve_program(no_cost, backend=backend), 1e-7)
    empty_row = Program.from_arrays([1.0], [[0.0], [1.0]], row_lower=[-1.0, 2.0], row_upper=[0.0, 3.0])
    check_optimal(empty_row, solve_program(empty_row, backend=backend), 1e-7)
    broken = Program.from_arrays([1.0], [[0.0], [1.0]], row_lower=[1.0, 2.0])
    assert solve_program(broken, backend=backend).termination is TerminationCondition.INFEASIBLE
    crossed = Program.from_arrays([1.0], [[1.0]], row_lower=2.0, row_upper=1.0)
    solution = solve_program(crossed, backend=backend)
    assert solution.termination is TerminationCondition.INFEASIBLE and "row 0 has lower bound 2" in solution.message


def hard_knapsack(size: int = 60) -> Program:
    """A market-split program (Cornuéjols and Dawande 1999): tiny, and far too hard for any branch and bound."""
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (6, size)).astype(float)
    half = np.floor(weights.sum(axis=1) / 2)
    slack = np.hstack([np.eye(6), -np.eye(6)])
    return Program.from_arrays(
        np.concatenate([np.zeros(size), np.ones(12)]),
        np.hstack([weights, slack]),
        row_lower=half,
        row_upper=half,
        col_upper=np.concatenate([np.ones(size), np.full(12, np.inf)]),
        integer=np.concatenate([np.ones(size, dtype=bool), np.zeros(12, dtype=bool)]),
    )


@pytest.mark.parametrize("backend", [name for name in MIP if name != "glpk"])
def test_time_limit(backend: str) -> None:
    start = time.perf_counter()
    solution = solve_program(hard_knapsack(), backend=backend, time_limit=1.0)
    assert time.perf_counter() - start < 6.0
    assert solution.termination is TerminationCondition.TIME_LIMIT, solution.summary()
    if solution.x is not None:
        assert solution.program.violation(solution.x) <= 1e-6 and solution.objective is not None
    with pytest.raises(LimitError, match="reached its time limit"):
        solution.require_optimal()


def test_time_limit_on_a_large_linear_program() -> None:
    rng = np.random.default_rng(1)
    A = sp.random_array((1500, 1500), density=0.1, rng=rng)
    program = Program.from_arrays(-np.ones(1500), A, row_upper=1.0, col_upper=1e4)
    for algorithm in ("simplex", "ipm"):
        solution = solve_program(program, algorithm=algorithm, time_limit=0.02)
        assert solution.termination is TerminationCondition.TIME_LIMIT and solution.seconds.total < 5.0


def test_iteration_limit() -> None:
    rng = np.random.default_rng(1)
    program = Program.from_arrays(-np.ones(60), rng.random((60, 60)), row_upper=1.0)
    options = {"simplex_iteration_limit": 2, "presolve": "off"}
    solution = solve_program(program, algorithm="simplex", options=options)
    assert solution.termination is TerminationCondition.ITERATION_LIMIT
    with pytest.raises(LimitError, match="iteration limit"):
        solution.require_optimal()


# -- integers, sets, quadratic objectives -----------------------------------------------------------------------------


def knapsack() -> Program:
    """The worked example of Martello and Toth (1990), §2.2: seven items, capacity 50, best profit 107."""
    profit = [70.0, 20.0, 39.0, 37.0, 7.0, 5.0, 10.0]
    weight = [31.0, 10.0, 20.0, 19.0, 4.0, 3.0, 6.0]
    return Program.from_arrays(profit, [weight], row_upper=50.0, col_upper=1.0, integer=True, maximize=True)


@pytest.mark.parametrize("backend", MIP + PYOMO)
def test_knapsack(backend: str) -> None:
    program = knapsack()
    best = max(
        program.objective(np.array(bits))
        for bits in np.ndindex(*(2,) * 7)
        if program.A[[0]] @ np.array(bits, dtype=float) <= 50.0
    )
    assert best == 107.0
    solution = solve_program(program, backend=backend).require_optimal()
    assert solution.objective == pytest.approx(107.0, abs=1e-6) and solution.x is not None
    assert np.round(solution.x).tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert solution.duals is None and solution.basis is None
    if solution.gap is not None:
        assert solution.gap <= 1e-6


@pytest.mark.parametrize("backend", MIP)
def test_integers_without_bounds(backend: str) -> None:
    """MPS readers differ in the default upper bound of an integer column."""
    program = Program.from_arrays(
        [1.0, 1.0, -1.0],
        [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        row_lower=[7.0, -3.5, -np.inf],
        row_upper=[np.inf, np.inf, 5.7],
        col_lower=[0.0, -np.inf, 0.0],
        integer=True,
    )
    solution = solve_program(program, backend=backend).require_optimal()
    assert solution.x is not None and np.round(solution.x).tolist() == [4.0, -3.0, 5.0]


def special_ordered(level: int) -> Program:
    cost = np.array([1.0, 3.0, 1.0, 2.5])
    return Program.from_arrays(
        cost,
        [[1.0, 1.0, 1.0, 1.0]],
        row_upper=1.7,
        col_upper=1.0,
        sos=[SosSet(level, np.arange(4), np.arange(1.0, 5.0))],
        maximize=True,
    )


@pytest.mark.parametrize("backend", [name for name in HERE if get(name).capabilities.sos2])
def test_special_ordered_sets(backend: str) -> None:
    """Without the set 3 + 0.7·2.5 is best; neighbours allow 3 + 0.7·1; a single one allows 3."""
    for level, value in ((1, 3.0), (2, 3.7)):
        solution = solve_program(special_ordered(level), backend=backend).require_optimal()
        assert solution.objective == pytest.approx(value, abs=1e-7)
        assert solution.x is not None and solution.program.violation(solution.x) < 1e-9
        assert solution.duals is None


def test_sets_are_refused_by_name() -> None:
    with pytest.raises(CapabilityError, match=r"backend highs cannot.*lacks sos2.*use cbc or scip"):
        solve_program(special_ordered(2), backend="highs")


@pytest.mark.parametrize("backend", [name for name in QP if name != "scip"])
def test_quadratic_programs(backend: str) -> None:
    reached = 0
    for seed in range(40):
        program = random_program(seed, quadratic=True)
        solution = solve_program(program, backend=backend)
        if backend == "highs" and solution.termination is TerminationCondition.NUMERICAL:
            # HiGHS 1.15 stops at a point that is not optimal on a few of these; our check must catch it.
            assert "called optimal" in solution.message
            continue
        check_optimal(program, solution, 1e-6)
        reached += 1
    assert reached >= 38


@pytest.mark.parametrize("backend", QP)
def test_projection_on_the_simplex(backend: str) -> None:
    """Nearest distribution to (0.9, 0.6, −0.2): lower all by τ = 0.25 and clip, by the known algorithm."""
    target = np.array([0.9, 0.6, -0.2])
    program = Program.from_arrays(
        -2 * target, [[1.0, 1.0, 1.0]], row_lower=1.0, row_upper=1.0, Q=2 * np.eye(3), c0=float(target @ target)
    )
    solution = solve_program(program, backend=backend).require_optimal()
    assert solution.x == pytest.approx([0.65, 0.35, 0.0], abs=1e-3 if backend == "scip" else 1e-7)
    assert solution.objective == pytest.approx(0.0625 + 0.0625 + 0.04, abs=1e-6)


def test_catches_a_solver_that_is_wrong() -> None:
    """HiGHS 1.15.1's quadratic solver calls a point with all duals zero optimal on this program; it is not."""
    program = random_program(76, quadratic=True)
    honest = solve_program(program, backend="clarabel").require_optimal()
    assert honest.x is not None and honest.duals is not None
    lazy = _Fake(x=honest.x, duals=np.zeros(program.shape[0]))
    registry._BACKENDS["fake"] = lazy
    try:
        solution = solve_program(program, backend="fake")
    finally:
        del registry._BACKENDS["fake"]
    assert solution.termination is TerminationCondition.NUMERICAL and "called optimal" in solution.message


def test_nonconvex_objective() -> None:
    program = Program.from_arrays([0.0, 0.0], [[1.0, 1.0]], row_upper=1.5, col_upper=1.0, Q=[[0.0, -1.0], [-1.0, 0.0]])
    assert program.needs == {"qp", "nonconvex"}
    for backend in ("highs", "clarabel", "piqp"):
        with pytest.raises(CapabilityError, match=r"lacks nonconvex.*use scip"):
            solve_program(program, backend=backend)
    solution = solve_program(program, backend="scip").require_optimal()
    assert solution.objective == pytest.approx(-(0.75**2), abs=1e-5)


def test_mixed_integer_quadratic() -> None:
    program = Program.from_arrays(
        [-5.0, -1.0], [[1.0, 1.0]], row_upper=9.0, col_upper=4.0, Q=2 * np.eye(2), integer=[True, False]
    )
    with pytest.raises(CapabilityError, match="lacks miqp"):
        solve_program(program, backend="highs")
    solution = solve_program(program, backend="scip").require_optimal()
    assert solution.objective == pytest.approx(-6.25, abs=1e-5)


# -- Pyomo models -----------------------------------------------------------------------------------------------------


def small_model() -> Any:
    m = pyo.ConcreteModel("small")
    m.x = vector_var(3, lower=0.0)
    m.rows = MatrixConstraint([[1.0, 2.0, 1.0], [3.0, 0.0, 1.0]], m.x, upper=[14.0, 12.0])
    m.own = pyo.Constraint(expr=m.x[0] - m.x[1] <= 2)
    m.goal = pyo.Objective(expr=dot([3.0, 4.0, 2.0], m.x) + 1, sense=pyo.maximize)
    return m


@pytest.mark.parametrize("backend", LP)
def test_model_gets_values_and_duals_back(backend: str) -> None:
    m = small_model()
    m.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    m.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    solution = solve_model(m, backend=backend).require_optimal()
    check_optimal(solution.program, solution, 1e-7)
    assert solution.x is not None
    assert pyo.value(m.goal) == pytest.approx(solution.objective, abs=1e-9)
    assert [v.value for v in m.x.values()] == pytest.approx(solution.values(m.x), abs=0)
    assert not any(v.stale for v in m.x.values())
    assert [m.dual[m.rows[i]] for i in range(2)] == pytest.approx(solution.dual_values(m.rows), abs=1e-9)
    assert m.dual[m.own] == pytest.approx(solution.dual_values(m.own)[0], abs=1e-9)
    # The oracle: Pyomo's own interface on the same model.
    other = small_model()
    other.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    pyo.SolverFactory("appsi_highs").solve(other)
    assert pyo.value(other.goal) == pytest.approx(solution.objective, abs=1e-7)
    assert [other.dual[other.rows[i]] for i in range(2)] == pytest.approx(solution.dual_values(m.rows), abs=1e-6)


def test_model_is_untouched_if_asked() -> None:
    m = small_model()
    solve_model(m, load=False)
    assert m.x[0].value is None


def test_fixed_and_absent_variables_keep_their_values() -> None:
    m = small_model()
    m.aside = pyo.Var(initialize=5.0)
    m.x[1].fix(1.0)
    solution = solve_model(m).require_optimal()
    assert solution.values(m.x)[1] == 1.0 and m.x[1].value == 1.0
    assert solution.values([m.aside]).tolist() == [5.0]
    assert solution.objective == pytest.approx(pyo.value(m.goal), abs=1e-12)


def test_pyomo_name_without_prefix_and_time_limit() -> None:
    solution = solve_model(small_model(), backend="appsi_highs", time_limit=20)
    assert solution.optimal and solution.backend == "pyomo:appsi_highs"


def test_pyomo_backend_leaves_no_suffix_behind() -> None:
    m = small_model()
    assert solve_model(m, backend="pyomo:highs").duals is not None
    assert m.component("dual") is None


@pytest.mark.skipif("scip" not in HERE, reason="needs pyscipopt")
def test_nonlinear_model_by_a_solver_of_pyomo() -> None:
    m = pyo.ConcreteModel()
    m.x = pyo.Var([0, 1], bounds=(0, 4))
    m.c = pyo.Constraint(expr=m.x[0] * m.x[1] >= 4)
    m.goal = pyo.Objective(expr=m.x[0] + m.x[1])
    solution = solve_model(m, backend="pyomo:scip_direct").require_optimal()
    assert solution.program.nonlinear and solution.objective == pytest.approx(4.0, abs=1e-4)
    assert solution.values(m.x) == pytest.approx([2.0, 2.0], abs=1e-2)


# -- the registry -----------------------------------------------------------------------------------------------------


class _Fake(Backend):
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


def test_backends_are_listed_with_their_capabilities() -> None:
    infos = list_backends()
    assert [info.name for info in infos] == OURS
    for info in infos:
        assert info.capabilities.lp and info.note
        assert info.available == (info.version is not None) == (info.name in HERE)
    assert {"highs", "scipy", "cbc", "scip"} <= set(HERE)
    assert "sos2" in get("cbc").capabilities.names() and "sos2" not in get("highs").capabilities.names()


def test_missing_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._BACKENDS, "fake", _Fake(here=False))
    with pytest.raises(BackendMissingError, match=r"fake is not installed.*pip install fake.*use one of highs"):
        get("fake")
    with pytest.raises(BackendMissingError, match=r"Neither equiform nor Pyomo.*'nosuch'.*use one of highs"):
        get("nosuch")
    with pytest.raises(BackendMissingError, match="'pyomo:nosuch'"):
        solve_model(small_model(), backend="pyomo:nosuch")


BAD_CALLS: dict[str, tuple[dict[str, Any], type[EquiformError], str]] = {
    "algorithm": ({"algorithm": "magic"}, ParameterError, "no algorithm of that name. Where: 'magic'.*simplex"),
    "time limit": ({"time_limit": 0.0}, ParameterError, "time limit is not positive"),
    "time limit nan": ({"time_limit": float("nan")}, ParameterError, "time limit is not positive"),
    "option name": ({"options": {"no_such": 1}}, ParameterError, "HiGHS does not accept an option. Where: no_such"),
    "option value": ({"options": {"presolve": "maybe"}}, ParameterError, "presolve = 'maybe'"),
    "scip option": ({"backend": "scip", "options": {"no/such": 1}}, ParameterError, "SCIP does not accept"),
    "clarabel option": ({"backend": "clarabel", "options": {"no_such": 1}}, ParameterError, "Clarabel has no such"),
    "piqp option": ({"backend": "piqp", "options": {"no_such": 1}}, ParameterError, "PIQP has no such"),
    "piqp time limit": ({"backend": "piqp", "time_limit": 1.0}, CapabilityError, "lacks time_limit"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(case: str) -> None:
    arguments, error, message = BAD_CALLS[case]
    if arguments.get("backend", "highs") not in HERE:
        pytest.skip("not installed")
    with pytest.raises(error, match=message):
        solve_program(random_program(0), **arguments)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"x": np.array([np.nan, 0.0])}, "not finite"),
        ({}, "returned no point"),
        ({"x": np.array([5.0, 5.0])}, "breaks a row or bound by 6"),
        ({"x": np.array([0.0, 4.0]), "duals": np.array([-1.0])}, "dual feasibility by 1"),
        ({"x": np.array([4.0, 0.0]), "duals": np.array([-2.0])}, "relative duality gap of 0.8"),
    ],
)
def test_unbelievable_answers(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], message: str) -> None:
    """A claim of optimality that does not stand is not passed on."""
    program = Program.from_arrays([-1.0, -2.0], [[1.0, 1.0]], row_upper=4.0)
    monkeypatch.setitem(registry._BACKENDS, "fake", _Fake(**answer))
    solution = solve_program(program, backend="fake")
    assert solution.termination is TerminationCondition.NUMERICAL and message in solution.message
    with pytest.raises(SolveError, match="was not solved"):
        solution.require_optimal()


def _script(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys, time\n{body}\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="needs executable scripts")
def test_executables_that_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("equiform.formulations.backends.process.GRACE", 0.2)
    _script(tmp_path, "glpsol", "print('GLPK 5.0'); sys.exit(0 if '--version' in sys.argv else 3)")
    solution = solve_program(random_program(1), backend="glpk")
    assert solution.termination is TerminationCondition.CRASHED and "GLPK 5.0" in solution.message
    _script(tmp_path, "glpsol", "time.sleep(0 if '--version' in sys.argv else 60)")
    solution = solve_program(random_program(1), backend="glpk", time_limit=0.2)
    assert solution.termination is TerminationCondition.TIME_LIMIT and "had to be stopped" in solution.message
    monkeypatch.setattr("equiform.formulations.backends.cbc.executable", lambda: str(tmp_path / "glpsol"))
    _script(tmp_path, "glpsol", "print('Segmentation fault'); sys.exit(139)")
    monkeypatch.setattr("equiform.formulations.backends.cbc._version", lambda path: "2.10")
    solution = solve_program(random_program(1), backend="cbc")
    assert solution.termination is TerminationCondition.CRASHED and "code 139" in solution.message
    assert run_executable([str(tmp_path / "absent")], tmp_path, None).code == -1


GLPK_FILE = """c Problem:    equiform
s bas 2 2 f f -9
i 1 u 4 -1
i 2 b 1 0
j 1 b 1 0
j 2 u 3 -2
e o f
"""


def test_reading_the_solution_file_of_glpk() -> None:
    program = Program.from_arrays([-1.0, -3.0], [[1.0, 1.0], [1.0, 0.0]], row_upper=[4.0, 9.0], col_upper=[9.0, 3.0])
    answer = read_raw(program, GLPK_FILE, "", "simplex", np.arange(2))
    assert answer.termination is TerminationCondition.OPTIMAL and answer.x is not None and answer.duals is not None
    assert answer.x.tolist() == [1.0, 3.0] and answer.duals.tolist() == [-1.0, 0.0]
    assert answer.reduced_costs is not None and answer.reduced_costs.tolist() == [0.0, -2.0]
    for line, end in {
        "s bas 2 2 n f 0": TerminationCondition.INFEASIBLE,
        "s bas 2 2 f n 0": TerminationCondition.UNBOUNDED,
        "s bas 2 2 u u 0": TerminationCondition.UNKNOWN,
        "s mip 2 2 n 0": TerminationCondition.INFEASIBLE,
        "s ipt 2 2 n 0": TerminationCondition.INFEASIBLE_OR_UNBOUNDED,
    }.items():
        assert read_raw(program, line, "", "simplex", np.arange(2)).termination is end
    late = read_raw(program, "s mip 2 2 u 0", "TIME LIMIT EXCEEDED; SEARCH TERMINATED", "", np.arange(2))
    assert late.termination is TerminationCondition.TIME_LIMIT


# -- files ------------------------------------------------------------------------------------------------------------


def test_mps_file_reads_back_exactly(tmp_path: Path) -> None:
    """HiGHS's own reader is the judge; ranges are stored as differences, so their far end may move by an ulp."""
    import highspy

    for seed in range(25):
        program = random_program(seed, quadratic=seed % 2 == 1)
        rng = np.random.default_rng(seed)
        program.A.data *= rng.random(program.A.nnz)  # digits that need all 17 places
        path = tmp_path / "program.mps"
        rows = write_mps(program, path)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
        lp = highs.getLp()
        assert np.array(lp.col_cost_).tolist() == program.c.tolist()
        assert np.array(lp.col_lower_).tolist() == program.col_lower.tolist()
        assert np.array(lp.col_upper_).tolist() == program.col_upper.tolist()
        assert np.array(lp.row_lower_) == pytest.approx(program.row_lower[rows], abs=1e-14)
        assert np.array(lp.row_upper_).tolist() == program.row_upper[rows].tolist()
        matrix = lp.a_matrix_
        read = sp.csc_array((matrix.value_, matrix.index_, matrix.start_), shape=(rows.size, program.shape[1]))
        assert (read.toarray() == program.A[rows].toarray()).all()


# -- the choice of algorithm ------------------------------------------------------------------------------------------


def test_hint_and_name_decide_before_the_rule() -> None:
    m = small_model()
    assert solve_model(m).algorithm == choose_algorithm(compile_model(m)) == "simplex"
    m.algorithm_hint = "ipm"
    assert solve_model(m).algorithm == "ipm"
    assert solve_model(m, algorithm="simplex").algorithm == "simplex"
    m.algorithm_hint = "no such thing"
    assert solve_model(m).algorithm == "simplex"


@pytest.mark.parametrize(
    ("rows", "density", "algorithm"),
    [(3002, 418, "simplex"), (16382, 18, "ipm"), (17510, 4, "simplex"), (7448, 52, "ipm"), (4142, 12, "simplex")],
)
def test_rule_for_the_algorithm(rows: int, density: int, algorithm: str) -> None:
    A = sp.csr_array(
        (np.ones(rows * density), np.tile(np.arange(density), rows), density * np.arange(rows + 1)),
        shape=(rows, density),
    )
    assert choose_algorithm(Program.from_arrays(np.zeros(density), A)) == algorithm


def test_doubtful_ends_of_the_interior_point_are_decided_by_simplex() -> None:
    solution = solve_program(INFEASIBLE["rows in conflict"], algorithm="ipm")
    assert solution.termination is TerminationCondition.INFEASIBLE
    assert solution.algorithm in ("ipm, then simplex", "ipm")


# -- solving again and again ------------------------------------------------------------------------------------------


def test_resolver_agrees_with_fresh_solves() -> None:
    rng = np.random.default_rng(7)
    program = Program.from_arrays(
        rng.normal(size=12), rng.integers(-3, 6, (8, 12)), row_lower=-9.0, row_upper=9.0, col_upper=4.0, maximize=True
    )
    resolver = Resolver(program)
    assert resolver.program is program
    for step in range(60):
        if step % 3 != 1:
            at = rng.choice(12, size=3, replace=False)
            resolver.set_cost(at, rng.normal(size=3))
        if step % 3 != 0:
            resolver.set_row_bounds([step % 8], lower=-float(rng.integers(1, 9)), upper=float(rng.integers(0, 9)))
        if step % 4 == 3:
            resolver.set_col_bounds([step % 12], upper=float(rng.integers(0, 5)))
        solution = resolver.solve()
        check_optimal(resolver.program, solution, 1e-7)
        assert solution.objective == pytest.approx(solve_program(resolver.program).objective, abs=1e-8)
    basis = resolver.basis()
    assert (
        basis is not None and (basis.columns == BasisStatus.BASIC).sum() + (basis.rows == BasisStatus.BASIC).sum() == 8
    )
    assert program.row_upper.tolist() == [9.0] * 8  # the program it was made from is not changed


def test_resolver_through_infeasible_and_unbounded() -> None:
    resolver = Resolver(Program.from_arrays([1.0, 1.0], [[1.0, 1.0]], row_lower=2.0, col_upper=3.0))
    assert resolver.solve().objective == 2.0
    resolver.set_row_bounds([0], lower=7.0)
    assert resolver.solve().termination is TerminationCondition.INFEASIBLE
    resolver.set_row_bounds([0], lower=1.0)
    assert resolver.solve().objective == 1.0
    resolver.set_col_bounds([0], upper=np.inf)
    resolver.set_cost([0], [-1.0])
    assert resolver.solve().termination is TerminationCondition.UNBOUNDED
    resolver.set_cost([0], [2.0])
    assert resolver.solve().objective == 1.0


def test_resolver_refuses() -> None:
    with pytest.raises(CapabilityError, match="Only linear programs"):
        Resolver(knapsack())
    resolver = Resolver(random_program(0))
    n = resolver.program.shape[1]
    with pytest.raises(ParameterError, match="no column of that number"):
        resolver.set_cost([n], [1.0])
    with pytest.raises(ParameterError, match="2 values were given for 1"):
        resolver.set_cost([0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="not a number"):
        resolver.set_row_bounds([0], lower=np.nan)


def test_resolver_is_fast() -> None:
    rng = np.random.default_rng(0)
    program = Program.from_arrays(
        rng.normal(size=40), rng.integers(-3, 6, (30, 40)), row_upper=rng.integers(5, 20, 30), col_upper=10.0
    )
    resolver = Resolver(program)
    resolver.solve()
    costs: npt.NDArray[np.float64] = program.c + 0.02 * rng.normal(size=(600, 40))
    start = time.process_time()
    for cost in costs:
        resolver.set_cost(np.arange(40), cost)
        assert resolver.solve().optimal
    assert 600 / (time.process_time() - start) > 1000  # about 3,300 a second where this was written
