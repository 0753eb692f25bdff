"""Exact arithmetic: linear programs."""

from __future__ import annotations

import dataclasses
import random
from fractions import Fraction
from itertools import combinations

import flint
import numpy as np
import pytest

from equiform.formulations.optimization.solution import Basis, BasisStatus
from equiform.games.poker.leduc import Leduc
from equiform.models import (
    compile_rules,
    sequence_form,
)
from equiform.models.common.errors import ExactError, ParameterError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational_vector import RationalVector
from equiform.validation.exact.equilibrium import equilibrium_program
from equiform.validation.exact.linear.lp import exact_lp
from equiform.validation.exact.linear.program import ExactProgram, check_optimal
from tests.helpers.random_tables import random_table


@dataclasses.dataclass(frozen=True)
class Case:
    """A small bounded program: min c x, lower ≤ A x ≤ upper, 0 ≤ x ≤ top."""

    c: list[Fraction]
    A: list[list[int]]
    lower: list[Fraction | None]
    upper: list[Fraction | None]
    top: list[Fraction]

    def program(self) -> ExactProgram:
        return ExactProgram(
            RationalVector.of(self.c),
            IntegerMatrix.from_dense(self.A),
            RationalVector.of(self.lower),
            RationalVector.of(self.upper),
            RationalVector.full(len(self.c), 0),
            RationalVector.of(self.top),
        )

    def optimum(self) -> Fraction:
        """Enumerate all vertices with FLINT's rationals: the oracle."""
        n = len(self.c)
        unit = [[int(i == j) for j in range(n)] for i in range(n)]
        planes = [(row, b) for row, b in zip(self.A * 2, self.lower + self.upper, strict=True) if b is not None]
        planes += [(row, Fraction(0)) for row in unit] + list(zip(unit, self.top, strict=True))
        best: Fraction | None = None
        for chosen in combinations(planes, n):
            matrix = flint.fmpz_mat(n, n, [v for row, _ in chosen for v in row])
            if matrix.det() == 0:
                continue
            rhs = flint.fmpq_mat(n, 1, [flint.fmpq(b.numerator, b.denominator) for _, b in chosen])
            x = [Fraction(int(v.p), int(v.q)) for v in (flint.fmpq_mat(matrix).solve(rhs)).entries()]
            if self.feasible(x):
                cost = sum((c * v for c, v in zip(self.c, x, strict=True)), Fraction(0))
                best = cost if best is None else min(best, cost)
        assert best is not None
        return best

    def feasible(self, x: list[Fraction]) -> bool:
        if any(not 0 <= v <= t for v, t in zip(x, self.top, strict=True)):
            return False
        sums = [sum(a * v for a, v in zip(row, x, strict=True)) for row in self.A]
        low = all(b is None or s >= b for s, b in zip(sums, self.lower, strict=True))
        return low and all(b is None or s <= b for s, b in zip(sums, self.upper, strict=True))


def random_case(rng: random.Random) -> Case:
    """A feasible program, degenerate more often than not, with details too small for floats."""
    m, n = rng.randint(1, 4), rng.randint(1, 3)
    tiny = rng.choice([Fraction(0), Fraction(1, 10**9), Fraction(1, 10**20), Fraction(1, 10**60)])
    table = random_table(rng, m, n, rng.choice([3, 1000, 10**12, 10**25]))
    inside = [rng.randint(0, 2) for _ in range(n)]
    sums = [sum(a * v for a, v in zip(row, inside, strict=True)) for row in table]
    lower = [s - rng.choice([0, 0, 1]) - rng.randint(0, 2) * tiny if rng.random() < 0.7 else None for s in sums]
    upper = [s + rng.choice([0, 0, 1]) + rng.randint(0, 2) * tiny if rng.random() < 0.5 else None for s in sums]
    top = [v + rng.randint(0, 2) + rng.randint(0, 2) * tiny for v in inside]
    costs = [rng.randint(-3, 3) + rng.randint(-2, 2) * tiny for _ in range(n)]
    return Case(list(map(Fraction, costs)), table, lower, upper, list(map(Fraction, top)))


def random_basis(rng: random.Random, program: ExactProgram) -> Basis:
    m, n = program.A.shape
    status = [BasisStatus.BASIC] * m + [BasisStatus.LOWER] * n
    rng.shuffle(status)
    return Basis(np.array(status[:n], dtype=np.int8), np.array(status[n:], dtype=np.int8))


def test_random_programs_agree_with_vertex_enumeration() -> None:
    rng = random.Random(20)
    repaired = 0
    for _ in range(150):
        case = random_case(rng)
        solution = exact_lp(case.program())
        assert case.feasible(solution.x.fractions.tolist())
        assert solution.objective == case.optimum()
        repaired += solution.repairs > 0
    assert repaired > 0  # some of them are beyond floats


def test_wrong_bases_are_repaired() -> None:
    rng = random.Random(21)
    repaired = 0
    for _ in range(100):
        case = random_case(rng)
        program = case.program()
        solution = exact_lp(program, random_basis(rng, program))
        assert solution.objective == case.optimum()
        repaired += solution.repairs > 0
    assert repaired > 50


def tight_corner() -> ExactProgram:
    """max x + y over x + 3y ≤ 1 + 10⁻³⁰, 3x + y ≤ 1, x ≤ 1/4: floats cannot tell which constraints meet."""
    hair = Fraction(1, 10**30)
    return ExactProgram(
        RationalVector.of([-1, -1]),
        IntegerMatrix.from_dense([[1, 3], [3, 1]]),
        RationalVector.full(2, None),
        RationalVector.of([1 + hair, 1]),
        RationalVector.full(2, 0),
        RationalVector.of([Fraction(1, 4), None]),
    )


def test_a_violation_too_small_for_floats_is_found_and_repaired() -> None:
    # x at its bound 1/4 and the first row tight: then 3x + y = 1 + 10⁻³⁰/3, a violation that no float sees
    wrong = Basis(
        np.array([BasisStatus.UPPER, BasisStatus.BASIC], dtype=np.int8),
        np.array([BasisStatus.UPPER, BasisStatus.BASIC], dtype=np.int8),
    )
    with pytest.raises(ExactError, match="no exactly optimal basis"):
        exact_lp(tight_corner(), wrong, max_repairs=0, max_pivots=0)
    solution = exact_lp(tight_corner(), wrong)
    assert solution.repairs > 0
    # both rows tight: x + y = (1 + 10⁻³⁰ + 1) / 4
    assert solution.objective == -(2 + Fraction(1, 10**30)) / 4


def test_a_basis_of_another_size_or_singular() -> None:
    program = tight_corner()
    with pytest.raises(ParameterError, match="does not fit"):
        exact_lp(program, Basis(np.zeros(3, dtype=np.int8), np.zeros(2, dtype=np.int8)))
    everything = Basis(np.ones(2, dtype=np.int8), np.ones(2, dtype=np.int8))
    assert exact_lp(program, everything).objective == exact_lp(program).objective


def test_programs_without_optimum_are_refused() -> None:
    free, zero = RationalVector.full(1, None), RationalVector.full(1, 0)
    row = IntegerMatrix.from_dense([[1]])
    unbounded = ExactProgram(RationalVector.of([-1]), row, zero, free, zero, free)
    infeasible = ExactProgram(RationalVector.of([1]), row, free, RationalVector.of([-1]), zero, free)
    for program in (unbounded, infeasible):
        with pytest.raises(ExactError, match="no basis to certify"):
            exact_lp(program)


def test_denominators_of_all_arrays() -> None:
    # min x/2 + y/3 s.t. (2x + 5y)/7 = 11/13, x ≥ 1/17, y ≥ 0; x is dearer a unit of the row (1/4 against 1/15)
    program = ExactProgram(
        RationalVector(np.array([3, 2]), 6),
        IntegerMatrix.from_dense([[2, 5]]),
        RationalVector(np.array([11]), 13),
        RationalVector(np.array([11]), 13),
        RationalVector.of([Fraction(1, 17), 0]),
        RationalVector.full(2, None),
        matrix_denominator=7,
    )
    solution = exact_lp(program)
    y = (7 * Fraction(11, 13) - 2 * Fraction(1, 17)) / 5
    assert solution.x.fractions.tolist() == [Fraction(1, 17), y]
    assert solution.duals.fractions.tolist() == [Fraction(7, 15)]
    assert solution.objective == Fraction(1, 34) + y / 3


def test_the_rounded_solution_answers_the_float_program() -> None:
    """Feasible, complementary, and c = Aᵀ duals + reduced costs, in the float program's own units."""
    corner = tight_corner()
    dear = dataclasses.replace(corner, c=RationalVector.of([-(2**1200), -(2**1200)]))
    for program in (corner, equilibrium_program(sequence_form(compile_rules(Leduc()))), dear):
        exact_one = exact_lp(program)
        rounded = exact_one.rounded()
        p, x, duals, costs = rounded.program, rounded.x, rounded.duals, rounded.reduced_costs
        assert x is not None and duals is not None and costs is not None
        activity = p.A @ x
        assert (activity >= p.row_lower - 1e-12).all() and (activity <= p.row_upper + 1e-12).all()
        assert (x >= p.col_lower - 1e-12).all() and (x <= p.col_upper + 1e-12).all()
        np.testing.assert_allclose(p.A.T @ duals + costs, p.c, atol=1e-12)
        np.testing.assert_allclose(np.minimum(np.abs(costs), np.abs(x - p.col_lower)), 0, atol=1e-12)
        unit = Fraction(2) ** (1200 if program is dear else 0)  # the largest cost of the float program is one
        assert rounded.objective == float(exact_one.objective / unit) == pytest.approx(p.c @ x, abs=1e-12)
        assert rounded.optimal and rounded.gap == 0.0


def test_the_proof_catches_tampering() -> None:
    program = tight_corner()
    solution = exact_lp(program)
    assert check_optimal(program, solution.x, solution.duals) == solution.objective
    half = RationalVector.of([v / 2 for v in solution.x.fractions])
    with pytest.raises(ExactError, match="objectives differ"):
        check_optimal(program, half, solution.duals)
    beyond = RationalVector.of([v * (1 + Fraction(1, 10**50)) for v in solution.x.fractions])
    with pytest.raises(ExactError, match="breaks a row"):
        check_optimal(program, beyond, solution.duals)
    flipped = RationalVector.of([-v for v in solution.duals.fractions])
    with pytest.raises(ExactError, match="does not exist"):
        check_optimal(program, solution.x, flipped)
