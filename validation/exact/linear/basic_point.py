r"""The exact point and prices of a basis.

A basis says which rows and variables sit at a bound. With R the rows that do and C the variables that do not,
:math:`A_{RC}` is square, and two exact solves give the only candidates for x and for the duals y (Koch 2004; Applegate,
Cook, Dash and Espinoza 2007). A third gives the edge along which x moves when one of the others leaves its bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.formulations.optimization.solution import Basis, BasisStatus
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational_vector import (
    RationalVector,
    as_object,
    as_small,
    difference,
    largest,
    magnitude,
    reduced,
    violation,
)
from equiform.validation.exact.linear.program import ExactProgram
from equiform.validation.exact.linear.rational_linalg import IntegerSystem, SingularError


@dataclass(frozen=True, eq=False)
class BasisKernel:
    """The system :math:`A_{RC}` of a basis, factorised at most once."""

    program: ExactProgram
    basis: Basis

    def __post_init__(self) -> None:
        rows, columns = len(self.active), len(self.basic)
        if rows != columns:
            raise SingularError(f"a basis has {columns} basic columns for {rows} active rows", where=self.program.name)

    @cached_property
    def active(self) -> NDArray[Any]:
        """R: the rows at a bound."""
        return np.flatnonzero(self.basis.rows != BasisStatus.BASIC)

    @cached_property
    def basic(self) -> NDArray[Any]:
        """C: the variables that are not."""
        return np.flatnonzero(self.basis.columns == BasisStatus.BASIC)

    @cached_property
    def _reduced(self) -> tuple[IntegerSystem, int, NDArray[Any]]:
        """The kernel with its columns' divisors taken out; a solution comes back times the last, over the second."""
        kernel = self.program.A.submatrix(self.active, self.basic)
        divisors = kernel.column_gcds()
        common = math.lcm(*divisors.tolist())
        return IntegerSystem(kernel.divide_columns(divisors)), common, common // divisors

    def point(self) -> RationalVector:
        """Solve for x."""
        program, active, basic = self.program, self.active, self.basic
        at_rows = _at_bounds(program.row_lower, program.row_upper, self.basis.rows)
        at_cols = _at_bounds(program.col_lower, program.col_upper, self.basis.columns)
        both = math.lcm(at_rows.denominator, at_cols.denominator)
        fixed = at_cols.over(both)
        fixed[basic] = 0
        moved = np.flatnonzero(fixed != 0)
        rhs = at_rows.over(both)[active] * program.matrix_denominator
        if len(moved):
            rhs = rhs - program.A.submatrix(active, moved).times(fixed[moved])
        return self._filled(rhs, fixed, both)

    def prices(self, costs: RationalVector) -> RationalVector:
        """Solve for the duals y under which the variables of C cost nothing."""
        system, common, lift = self._reduced
        scaled = as_object(costs.numerators)[self.basic] * lift * self.program.matrix_denominator
        priced = system.solve_transposed(as_small(scaled))
        prices = np.zeros(len(self.basis.rows), dtype=object)
        prices[self.active] = priced.numerators
        return reduced(prices, priced.denominator * costs.denominator * common)

    def edge(self, entering: int) -> RationalVector:
        """Solve for how x moves if a variable (or, beyond the number of columns, a row) rises by one."""
        _, n = self.program.A.shape
        moved = np.zeros(n, dtype=object)
        if entering < n:
            moved[entering] = 1
            column = self.program.A.submatrix(self.active, np.array([entering]))
            return self._filled(-column.times(np.array([1])), moved, 1)
        rhs = np.where(self.active == entering - n, self.program.matrix_denominator, 0).astype(object)
        return self._filled(rhs, moved, 1)

    def _filled(self, rhs: NDArray[Any], fixed: NDArray[Any], over: int) -> RationalVector:
        """Solve for the variables of C and put them among the others; rhs and others are over one denominator."""
        system, common, lift = self._reduced
        solved = system.solve(as_small(rhs))
        denominator = solved.denominator * over * common
        numerators = fixed * (denominator // over)
        numerators[self.basic] = solved.numerators * lift
        return reduced(numerators, denominator)


@dataclass(frozen=True, eq=False)
class BasicPoint:
    """The exact point and prices of a basis, and their violations in the units of the floating-point program."""

    program: ExactProgram = field(repr=False)
    x: RationalVector = field(repr=False)
    activity: RationalVector = field(repr=False)
    duals: RationalVector = field(repr=False)
    reduced_costs: RationalVector = field(repr=False)

    @cached_property
    def primal_violation(self) -> Fraction:
        """The largest amount by which a row or variable is outside its bounds."""
        p = self.program
        rows = p.row_units(violation(self.activity, p.row_lower, p.row_upper))
        return max(largest(rows), largest(violation(self.x, p.col_lower, p.col_upper)))

    @cached_property
    def dual_violation(self) -> Fraction:
        """The largest price on a bound that does not hold with equality."""
        p = self.program
        rows = p.price_units(_mispriced(self.duals, self.activity, p.row_lower, p.row_upper))
        columns = p.cost_units(_mispriced(self.reduced_costs, self.x, p.col_lower, p.col_upper))
        return max(largest(rows), largest(columns))

    @property
    def is_optimal(self) -> bool:
        """Whether nothing is violated."""
        return self.primal_violation == 0 == self.dual_violation

    @property
    def violations(self) -> str:
        """The violations in words."""
        return f"primal violation {magnitude(self.primal_violation)}, dual violation {magnitude(self.dual_violation)}"


def basic_point(program: ExactProgram, basis: Basis) -> BasicPoint:
    """Solve for the point and the prices of a basis; raise :class:`SingularError` if it is singular."""
    return kernel_point(BasisKernel(program, basis))


def kernel_point(kernel: BasisKernel) -> BasicPoint:
    """Solve for the point and the prices, and keep the factors."""
    program = kernel.program
    x, duals = kernel.point(), kernel.prices(program.c)
    return BasicPoint(program, x, program.activity(x), duals, program.reduced_costs(duals))


def _at_bounds(lower: RationalVector, upper: RationalVector, status: NDArray[np.int8]) -> RationalVector:
    """Return where each nonbasic variable sits: the bound its status names, else one that exists, else zero."""
    denominator = math.lcm(lower.denominator, upper.denominator)
    wants_upper = (status == BasisStatus.UPPER) & upper.present
    use_upper = wants_upper | (~lower.present & upper.present)
    values = np.where(use_upper, upper.over(denominator), np.where(lower.present, lower.over(denominator), 0))
    return RationalVector(values.astype(object), denominator)


def check_basis(program: ExactProgram, basis: Basis) -> None:
    """Raise a ParameterError if a basis does not have the size of the program."""
    m, n = program.A.shape
    if basis.columns.shape != (n,) or basis.rows.shape != (m,):
        raise ParameterError(
            f"a basis of {basis.rows.size} rows and {basis.columns.size} columns does not fit",
            where=f"{program.name}: {m} × {n}",
            fix="use a basis of this program",
        )


def _mispriced(
    prices: RationalVector, values: RationalVector, lower: RationalVector, upper: RationalVector
) -> RationalVector:
    """Return prices on bounds at which the values do not lie: positive ones price lower bounds, negative ones upper."""
    off_lower = ~lower.present | (difference(values, lower).numerators != 0)
    off_upper = ~upper.present | (difference(values, upper).numerators != 0)
    wrong = ((prices.numerators > 0) & off_lower) | ((prices.numerators < 0) & off_upper)
    return RationalVector(np.where(wrong, prices.numerators, 0).astype(object), prices.denominator)
