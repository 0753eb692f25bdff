"""Exact arithmetic: integer matrices and linear systems."""

from __future__ import annotations

import random
import sys
from fractions import Fraction

import flint
import numpy as np
import pytest

from equiform.models.common.errors import ExactError, ParameterError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational_vector import RationalVector, integer_array
from equiform.validation.exact.linear.rational_linalg import (
    IntegerSystem,
    SingularError,
    reconstruct,
    solve_integer_system,
)
from tests.helpers.random_tables import random_table


@pytest.mark.parametrize("entry_digits", [0, 3, 15, 18, 40])
@pytest.mark.parametrize("digits", [0, 9, 18, 120])
@pytest.mark.parametrize("widest", [7, 70], ids=["few entries per row", "many"])
def test_products_with_integers_of_any_size(entry_digits: int, digits: int, widest: int) -> None:
    entry, size = 4 * 10**entry_digits, 10**digits
    rng = random.Random(1000 * entry_digits + digits)
    for _ in range(5):
        m, n = rng.randint(1, 7), rng.randint(widest // 2, widest)
        table = random_table(rng, m, n, entry)
        vector = [rng.randint(-size, size) for _ in range(n)]
        got = IntegerMatrix.from_dense(table).times(integer_array(vector))
        assert got.tolist() == [sum(a * v for a, v in zip(row, vector, strict=True)) for row in table]


def test_matrix_refuses_repeated_cells_and_floats() -> None:
    at = np.array([0, 0])
    with pytest.raises(ParameterError, match="share a cell"):
        IntegerMatrix.from_coo((1, 1), at, at, np.array([1, 2]))
    with pytest.raises(ParameterError, match="not exact"):
        IntegerMatrix.from_coo((1, 1), at[:1], at[:1], np.array([0.5]))
    with pytest.raises(ParameterError, match="not exact"):
        RationalVector(np.array([0.5]))


@pytest.mark.parametrize(("entry_digits", "largest_order"), [(1, 9), (6, 9), (25, 6), (400, 3)])
@pytest.mark.parametrize("rhs_digits", [0, 12, 90])
def test_systems_agree_with_flint(entry_digits: int, largest_order: int, rhs_digits: int) -> None:
    entry, rhs = 10**entry_digits, 10**rhs_digits
    rng = random.Random(1000 * entry_digits + rhs_digits)
    solved = 0
    while solved < 8:
        n = rng.randint(1, largest_order)
        table = random_table(rng, n, n, entry)
        b = [rng.randint(-rhs, rhs) for _ in range(n)]
        witness = flint.fmpz_mat(n, n, [v for row in table for v in row])
        if witness.det() == 0:
            if any(b):
                with pytest.raises(SingularError):
                    IntegerSystem(IntegerMatrix.from_dense(table)).solve(integer_array(b))
            continue
        solved += 1
        system = IntegerSystem(IntegerMatrix.from_dense(table))
        for transposed in (False, True):
            matrix = witness.transpose() if transposed else witness
            want = matrix.solve(flint.fmpz_mat(n, 1, b)).entries()
            got = system.solve_transposed(integer_array(b)) if transposed else system.solve(integer_array(b))
            assert got.fractions.tolist() == [Fraction(int(v.p), int(v.q)) for v in want]


def test_lifting_alone_reaches_hundreds_of_bits() -> None:
    rng = random.Random(4)
    n = 60
    table = [[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)]
    matrix = IntegerMatrix.from_dense(table)
    lifted = IntegerSystem(matrix, dense_limit=0).solve(np.arange(n))  # no dense solver to fall back on
    dense = IntegerSystem(matrix)._solve_dense(matrix, np.arange(n))
    assert lifted.fractions.tolist() == dense.fractions.tolist()
    assert lifted.denominator.bit_length() > 200


@pytest.mark.parametrize("digits", [200, 400, 3000])
def test_lifting_alone_takes_right_hand_sides_beyond_floats(digits: int) -> None:
    rng = random.Random(digits)
    n = 30
    system = IntegerSystem(
        IntegerMatrix.from_dense([[rng.randint(-9, 9) for _ in range(n)] for _ in range(n)]), dense_limit=0
    )
    solution = np.array([rng.randint(-9, 9) * 10 ** rng.randint(0, digits) for _ in range(n)], dtype=object)
    assert system.solve(system.matrix.times(solution)).fractions.tolist() == solution.tolist()
    assert system.solve_transposed(system.matrix.T.times(solution)).fractions.tolist() == solution.tolist()


def test_ill_conditioned_systems_go_to_the_dense_solver_or_are_refused() -> None:
    n = 14  # Hilbert's matrix, condition 10^19, times the common denominator
    common = int(np.lcm.reduce(np.arange(1, 2 * n).astype(object)))
    hilbert = IntegerMatrix.from_dense([[common // (i + j + 1) for j in range(n)] for i in range(n)])
    rhs = np.ones(n, dtype=np.int64)
    got = solve_integer_system(hilbert, rhs)
    # the sum of the entries of the inverse of Hilbert's matrix of order n is n²
    assert sum(got.fractions.tolist()) == Fraction(n**2, common)
    with pytest.raises(SingularError, match="inaccurate"):
        IntegerSystem(hilbert, dense_limit=0).solve(rhs)


def test_without_flint_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    assert solve_integer_system(IntegerMatrix.from_dense([[2]]), np.array([1])).fractions.tolist() == [Fraction(1, 2)]
    with pytest.raises(ExactError, match="pip install python-flint"):
        solve_integer_system(IntegerMatrix.from_dense([[1, 2], [2, 4]]), np.array([1, 2]))


def test_singular_and_misfit_systems_are_refused() -> None:
    with pytest.raises(SingularError, match="singular"):
        solve_integer_system(IntegerMatrix.from_dense([[1, 2], [2, 4]]), np.array([1, 2]))
    with pytest.raises(ParameterError, match="not square"):
        IntegerSystem(IntegerMatrix.from_dense([[1, 2]]))
    with pytest.raises(ParameterError, match="do not fit"):
        solve_integer_system(IntegerMatrix.from_dense([[1]]), np.array([1, 2]))


def test_reconstruction_does_not_guess() -> None:
    rng = random.Random(0)
    noise = np.array([rng.getrandbits(200) for _ in range(5)], dtype=object)
    assert reconstruct(noise, 200, 198) is None
    thirds = np.array([(1 << 200) // 3, (2 << 200) // 3, 0], dtype=object)
    found = reconstruct(thirds, 200, 198)
    assert found is not None
    assert found.fractions.tolist() == [Fraction(1, 3), Fraction(2, 3), 0]
