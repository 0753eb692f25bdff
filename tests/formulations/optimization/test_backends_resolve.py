"""One linear program, changed and solved again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equiform.formulations.optimization.backends import solve_program
from equiform.formulations.optimization.backends.resolve import Resolver
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import BasisStatus, TerminationCondition
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import CapabilityError, ParameterError
from tests.backend_programs import check_optimal, knapsack, random_program


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


def test_resolver_starts_from_the_last_basis() -> None:
    rng = np.random.default_rng(0)
    program = Program.from_arrays(
        rng.normal(size=40), rng.integers(-3, 6, (30, 40)), row_upper=rng.integers(5, 20, 30), col_upper=10.0
    )
    resolver = Resolver(program)
    resolver.solve()
    costs: FloatArray = program.c + 0.02 * rng.normal(size=(60, 40))
    steps, afresh = 0, 0
    for cost in costs:
        resolver.set_cost(np.arange(40), cost)
        solution = resolver.solve()
        fresh = solve_program(replace(program, c=cost), SolverOptions(options={"presolve": "off"}))
        assert solution.optimal and solution.objective == pytest.approx(fresh.objective, abs=1e-8)
        steps, afresh = steps + (solution.iterations or 0), afresh + (fresh.iterations or 0)
    assert 3 * steps < afresh
