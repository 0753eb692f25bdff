"""One linear program, changed and solved again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiform.formulations.optimization.backends import solve_program
from equiform.formulations.optimization.backends.reuse import ReusableProgram
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import BasisStatus, TerminationCondition
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import CapabilityError, ParameterError
from tests.helpers.backend_programs import check_optimal, knapsack, random_program


def test_reusable_program_agrees_with_fresh_solves() -> None:
    rng = np.random.default_rng(7)
    program = Program.from_arrays(
        rng.normal(size=12), rng.integers(-3, 6, (8, 12)), row_lower=-9.0, row_upper=9.0, col_upper=4.0, maximize=True
    )
    reusable = ReusableProgram(program)
    assert reusable.program is program
    for step in range(60):
        if step % 3 != 1:
            at = rng.choice(12, size=3, replace=False)
            reusable.set_cost(at, rng.normal(size=3))
        if step % 3 != 0:
            reusable.set_row_bounds([step % 8], lower=-float(rng.integers(1, 9)), upper=float(rng.integers(0, 9)))
        if step % 4 == 3:
            reusable.set_col_bounds([step % 12], upper=float(rng.integers(0, 5)))
        solution = reusable.solve()
        check_optimal(reusable.program, solution, 1e-7)
        assert solution.objective == pytest.approx(solve_program(reusable.program).objective, abs=1e-8)
    basis = reusable.basis()
    assert (
        basis is not None and (basis.columns == BasisStatus.BASIC).sum() + (basis.rows == BasisStatus.BASIC).sum() == 8
    )
    assert program.row_upper.tolist() == [9.0] * 8  # the program it was made from is not changed


def test_reusable_program_through_infeasible_and_unbounded() -> None:
    reusable = ReusableProgram(Program.from_arrays([1.0, 1.0], [[1.0, 1.0]], row_lower=2.0, col_upper=3.0))
    assert reusable.solve().objective == 2.0
    reusable.set_row_bounds([0], lower=7.0)
    assert reusable.solve().termination is TerminationCondition.INFEASIBLE
    reusable.set_row_bounds([0], lower=1.0)
    assert reusable.solve().objective == 1.0
    reusable.set_col_bounds([0], upper=np.inf)
    reusable.set_cost([0], [-1.0])
    assert reusable.solve().termination is TerminationCondition.UNBOUNDED
    reusable.set_cost([0], [2.0])
    assert reusable.solve().objective == 1.0


def test_reusable_program_refuses() -> None:
    with pytest.raises(CapabilityError, match="only linear programs"):
        ReusableProgram(knapsack())
    reusable = ReusableProgram(random_program(0))
    n = reusable.program.shape[1]
    with pytest.raises(ParameterError, match="no column with that number"):
        reusable.set_cost([n], [1.0])
    with pytest.raises(ParameterError, match="2 values were given for 1"):
        reusable.set_cost([0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="not a number"):
        reusable.set_row_bounds([0], lower=np.nan)


def test_reusable_program_starts_from_the_last_basis() -> None:
    rng = np.random.default_rng(0)
    program = Program.from_arrays(
        rng.normal(size=40), rng.integers(-3, 6, (30, 40)), row_upper=rng.integers(5, 20, 30), col_upper=10.0
    )
    reusable = ReusableProgram(program)
    reusable.solve()
    costs: FloatArray = program.c + 0.02 * rng.normal(size=(60, 40))
    steps, from_scratch = 0, 0
    for cost in costs:
        reusable.set_cost(np.arange(40), cost)
        solution = reusable.solve()
        fresh = solve_program(replace(program, c=cost), SolverOptions(options={"presolve": "off"}))
        assert solution.optimal and solution.objective == pytest.approx(fresh.objective, abs=1e-8)
        steps, from_scratch = steps + (solution.iterations or 0), from_scratch + (fresh.iterations or 0)
    assert 3 * steps < from_scratch
