"""Integers, special ordered sets and quadratic objectives on every backend that takes them."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.formulations.optimization.backends import get, registry, solve_program
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program, SosSet
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.models.common.errors import CapabilityError
from tests.helpers.backend_programs import HERE, MIP, PYOMO, QP, Fake, check_optimal, knapsack, random_program


@pytest.mark.parametrize("backend", MIP + PYOMO)
def test_knapsack(backend: str) -> None:
    program = knapsack()
    best = max(
        program.objective(np.array(bits))
        for bits in np.ndindex(*(2,) * 7)
        if program.A[[0]] @ np.array(bits, dtype=float) <= 50.0
    )
    assert best == 107.0
    solution = solve_program(program, SolverOptions(backend)).require_optimal()
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
    solution = solve_program(program, SolverOptions(backend)).require_optimal()
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
        solution = solve_program(special_ordered(level), SolverOptions(backend)).require_optimal()
        assert solution.objective == pytest.approx(value, abs=1e-7)
        assert solution.x is not None and solution.program.violation(solution.x) < 1e-9
        assert solution.duals is None


def test_sets_are_refused_by_name() -> None:
    with pytest.raises(CapabilityError, match=r"backend highs cannot.*lacks sos2.*use cbc or scip"):
        solve_program(special_ordered(2), SolverOptions("highs"))


@pytest.mark.parametrize("backend", [name for name in QP if name != "scip"])
def test_quadratic_programs(backend: str) -> None:
    reached = 0
    for seed in range(40):
        program = random_program(seed, quadratic=True)
        solution = solve_program(program, SolverOptions(backend))
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
    solution = solve_program(program, SolverOptions(backend)).require_optimal()
    assert solution.x == pytest.approx([0.65, 0.35, 0.0], abs=1e-3 if backend == "scip" else 1e-7)
    assert solution.objective == pytest.approx(0.0625 + 0.0625 + 0.04, abs=1e-6)


def test_catches_a_solver_that_is_wrong() -> None:
    """HiGHS 1.15.1's quadratic solver calls a point with all duals zero optimal on this program; it is not."""
    program = random_program(76, quadratic=True)
    honest = solve_program(program, SolverOptions("clarabel")).require_optimal()
    assert honest.x is not None and honest.duals is not None
    lazy = Fake(x=honest.x, duals=np.zeros(program.shape[0]))
    registry._BACKENDS["fake"] = lazy
    try:
        solution = solve_program(program, SolverOptions("fake"))
    finally:
        del registry._BACKENDS["fake"]
    assert solution.termination is TerminationCondition.NUMERICAL and "called optimal" in solution.message


def test_nonconvex_objective() -> None:
    program = Program.from_arrays([0.0, 0.0], [[1.0, 1.0]], row_upper=1.5, col_upper=1.0, Q=[[0.0, -1.0], [-1.0, 0.0]])
    assert program.needs == {"qp", "nonconvex"}
    for backend in ("highs", "clarabel", "piqp"):
        with pytest.raises(CapabilityError, match=r"lacks nonconvex.*use scip"):
            solve_program(program, SolverOptions(backend))
    solution = solve_program(program, SolverOptions("scip")).require_optimal()
    assert solution.objective == pytest.approx(-(0.75**2), abs=1e-5)


def test_mixed_integer_quadratic() -> None:
    program = Program.from_arrays(
        [-5.0, -1.0], [[1.0, 1.0]], row_upper=9.0, col_upper=4.0, Q=2 * np.eye(2), integer=[True, False]
    )
    with pytest.raises(CapabilityError, match="lacks miqp"):
        solve_program(program, SolverOptions("highs"))
    solution = solve_program(program, SolverOptions("scip")).require_optimal()
    assert solution.objective == pytest.approx(-6.25, abs=1e-5)
