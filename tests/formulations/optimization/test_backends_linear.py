"""Linear programs on every backend: optimality conditions, duals, bases, the choice of algorithm."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from equiform.formulations.optimization.backends import solve_model, solve_program
from equiform.formulations.optimization.backends.highs import choose_algorithm
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import BasisStatus, TerminationCondition
from equiform.models.common.errors import CapabilityError
from tests.helpers.backend_programs import INFEASIBLE, LP, check_optimal, random_program, small_model


@pytest.mark.parametrize("backend", LP)
def test_linear_programs(backend: str) -> None:
    values = []
    for seed in range(40):
        program = random_program(seed)
        solution = solve_program(program, SolverOptions(backend))
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
        solution = solve_program(program, SolverOptions(backend, algorithm=algorithm))
        check_optimal(program, solution, 1e-7)
        assert (
            solution.algorithm
            == {"highs": algorithm, "scipy": {"simplex": "highs-ds", "ipm": "highs-ipm"}[algorithm]}[backend]
        )


def test_first_order_method() -> None:
    program = random_program(3)
    solution = solve_program(program, SolverOptions(algorithm="pdlp"))
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
        solution = solve_program(build(base), SolverOptions(backend))
        assert solution.objective == pytest.approx(sign * 6.0, abs=1e-7)
        assert solution.duals is not None
        for i in range(3):
            moved = [b + (0.25 if i == j else 0.0) for j, b in enumerate(base)]
            other = solve_program(build(moved), SolverOptions(backend))
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
        solve_program(program, SolverOptions("scipy"), basis=first.basis)


def test_hint_and_name_decide_before_the_rule() -> None:
    m = small_model()
    assert solve_model(m).algorithm == choose_algorithm(compile_model(m)) == "simplex"
    m.algorithm_hint = "ipm"
    assert solve_model(m).algorithm == "ipm"
    assert solve_model(m, SolverOptions(algorithm="simplex")).algorithm == "simplex"
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
    solution = solve_program(INFEASIBLE["rows in conflict"], SolverOptions(algorithm="ipm"))
    assert solution.termination is TerminationCondition.INFEASIBLE
    assert solution.algorithm in ("ipm, then simplex", "ipm")
