r"""A linear program with rational data, the exact point of a basis, and the exact proof of optimality.

.. math:: \min_x\; c^\top x \quad\text{s.t.}\quad r^- \le Ax \le r^+,\; \ell \le x \le u

A basis says which rows and variables sit at a bound. With R the rows that do and C the variables that do not,
:math:`A_{RC}` is square, and two exact solves give the only candidates for x and for the duals y (Koch 2004; Applegate,
Cook, Dash and Espinoza 2007). They are optimal on three facts checked in integers: x satisfies every row and bound, y
and :math:`d = c - A^\top y` have a sign only where the bound that prices it exists, and the two objectives are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from equiform.formulations.program import Program
from equiform.formulations.solution import Basis, BasisStatus
from equiform.models.errors import ExactError, ParameterError
from equiform.validation.integer_matrix import IntegerMatrix
from equiform.validation.rational_linalg import IntegerSystem, SingularError
from equiform.validation.rational_vector import (
    RationalVector,
    as_object,
    as_small,
    difference,
    dot,
    exponent,
    largest,
    magnitude,
    reduced,
    violation,
)


@dataclass(frozen=True, eq=False)
class ExactProgram:
    """A linear program with rational data: integers over one denominator an array. Absent bounds are not ``finite``."""

    c: RationalVector
    A: IntegerMatrix
    row_lower: RationalVector
    row_upper: RationalVector
    col_lower: RationalVector
    col_upper: RationalVector
    matrix_denominator: int = 1
    name: str = "program"

    def __post_init__(self) -> None:
        m, n = self.A.shape
        sizes = (len(self.c), len(self.col_lower), len(self.col_upper), len(self.row_lower), len(self.row_upper))
        if sizes != (n, n, n, m, m) or self.matrix_denominator <= 0:
            raise ParameterError(
                f"the arrays of an exact program do not fit its {m} × {n} matrix",
                where=f"{self.name}: sizes {sizes}, denominator {self.matrix_denominator}",
                fix="give costs and bounds a column, bounds a row, and a positive denominator",
            )

    def floats(self) -> Program:
        """The program in floats, with rows in :meth:`row_units` and costs in :meth:`cost_units`.

        Its objective and its duals differ from ours, its points and its bases do not.
        """
        return Program(
            c=self.cost_units(self.c).floats(),
            A=self.A.scaled_floats,
            row_lower=self.row_units(self.row_lower).floats(-math.inf),
            row_upper=self.row_units(self.row_upper).floats(math.inf),
            col_lower=self.col_lower.floats(-math.inf),
            col_upper=self.col_upper.floats(math.inf),
            name=self.name,
        )

    def row_units(self, activity: RationalVector) -> RationalVector:
        """Measure row activities in units in which the row's largest entry is between 1/2 and 1."""
        exponents = self.A.row_exponents.astype(object)
        top = int(exponents.max(initial=0))
        factors = self.matrix_denominator << (top - exponents)
        return RationalVector(as_object(activity.numerators) * factors, activity.denominator << top, activity.finite)

    def cost_units(self, costs: RationalVector) -> RationalVector:
        """Measure costs in units in which the largest cost is of order one: a float solver takes 1e30 for infinite."""
        power = self._cost_exponent
        return RationalVector(as_object(costs.numerators) << max(-power, 0), costs.denominator << max(power, 0))

    def price_units(self, duals: RationalVector) -> RationalVector:
        """Measure the duals of rows in cost units a row unit."""
        numerators = as_object(duals.numerators) << self.A.row_exponents.astype(object)
        return self.cost_units(RationalVector(numerators, duals.denominator * self.matrix_denominator))

    @cached_property
    def _cost_exponent(self) -> int:
        return exponent(largest(self.c))

    def activity(self, x: RationalVector) -> RationalVector:
        """Give ``A x``."""
        return RationalVector(self.A.times(x.numerators), x.denominator * self.matrix_denominator)

    def reduced_costs(self, duals: RationalVector) -> RationalVector:
        """Give ``c − Aᵀ y``."""
        prices = RationalVector(self.A.T.times(duals.numerators), duals.denominator * self.matrix_denominator)
        return difference(self.c, prices)


@dataclass(frozen=True, eq=False)
class BasicPoint:
    """The exact point and prices of a basis, and by how much they fail, in the units of the program in floats."""

    program: ExactProgram = field(repr=False)
    x: RationalVector = field(repr=False)
    activity: RationalVector = field(repr=False)
    duals: RationalVector = field(repr=False)
    reduced_costs: RationalVector = field(repr=False)

    @cached_property
    def primal_violation(self) -> Fraction:
        """The furthest that a row or variable is outside its bounds."""
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
    """Solve for the point and the prices of a basis; raises :class:`SingularError` if it is none."""
    active = np.flatnonzero(basis.rows != BasisStatus.BASIC)
    basic = np.flatnonzero(basis.columns == BasisStatus.BASIC)
    if len(active) != len(basic):
        raise SingularError(f"a basis has {len(basic)} basic columns for {len(active)} active rows", where=program.name)
    kernel = program.A.submatrix(active, basic)
    scale = kernel.column_gcds()
    common = math.lcm(*scale.tolist())
    lift = common // scale  # column j of the kernel is scale[j] times one of the reduced kernel
    system = IntegerSystem(kernel.divide_columns(scale))

    at_rows = _at_bounds(program.row_lower, program.row_upper, basis.rows)
    at_cols = _at_bounds(program.col_lower, program.col_upper, basis.columns)
    both = math.lcm(at_rows.denominator, at_cols.denominator)
    fixed = at_cols.over(both)
    fixed[basic] = 0
    moved = np.flatnonzero(fixed != 0)
    rhs = at_rows.over(both)[active] * program.matrix_denominator
    if len(moved):
        rhs = rhs - program.A.submatrix(active, moved).times(fixed[moved])
    solved = system.solve(as_small(rhs))
    denominator = solved.denominator * both * common
    numerators = fixed * (denominator // both)
    numerators[basic] = solved.numerators * lift
    x = reduced(numerators, denominator)

    priced = system.solve_transposed(
        as_small(as_object(program.c.numerators)[basic] * lift * program.matrix_denominator)
    )
    prices = np.zeros(len(basis.rows), dtype=object)
    prices[active] = priced.numerators
    duals = reduced(prices, priced.denominator * program.c.denominator * common)

    return BasicPoint(program, x, program.activity(x), duals, program.reduced_costs(duals))


def _at_bounds(lower: RationalVector, upper: RationalVector, status: NDArray[np.int8]) -> RationalVector:
    """Where each nonbasic variable sits: the bound its status names, else one that exists, else zero."""
    denominator = math.lcm(lower.denominator, upper.denominator)
    wants_upper = (status == BasisStatus.UPPER) & upper.present
    use_upper = wants_upper | (~lower.present & upper.present)
    values = np.where(use_upper, upper.over(denominator), np.where(lower.present, lower.over(denominator), 0))
    return RationalVector(values.astype(object), denominator)


def check_basis(program: ExactProgram, basis: Basis) -> None:
    """Refuse a basis of another program's size."""
    m, n = program.A.shape
    if basis.columns.shape != (n,) or basis.rows.shape != (m,):
        raise ParameterError(
            f"a basis of {basis.rows.size} rows and {basis.columns.size} columns does not fit",
            where=f"{program.name}: {m} × {n}",
            fix="use a basis of this very program",
        )


def check_optimal(program: ExactProgram, x: RationalVector, duals: RationalVector) -> Fraction:
    """Prove that x and the duals are optimal, from the program's data alone; give the objective or raise ExactError."""
    activity, costs = program.activity(x), program.reduced_costs(duals)
    broken = max(
        largest(violation(activity, program.row_lower, program.row_upper)),
        largest(violation(x, program.col_lower, program.col_upper)),
    )
    if broken > 0:
        raise ExactError(f"the point breaks a row or bound by {magnitude(broken)}", where=program.name)
    objective = dot(program.c, x)
    bound = _dual_objective(duals, program.row_lower, program.row_upper, program.name)
    bound += _dual_objective(costs, program.col_lower, program.col_upper, program.name)
    if bound != objective:
        raise ExactError(f"primal and dual objectives differ by {magnitude(objective - bound)}", where=program.name)
    return objective


def _mispriced(
    prices: RationalVector, values: RationalVector, lower: RationalVector, upper: RationalVector
) -> RationalVector:
    """Give the prices of bounds that the values are not at: positive ones price lower bounds, negative ones upper."""
    off_lower = ~lower.present | (difference(values, lower).numerators != 0)
    off_upper = ~upper.present | (difference(values, upper).numerators != 0)
    wrong = ((prices.numerators > 0) & off_lower) | ((prices.numerators < 0) & off_upper)
    return RationalVector(np.where(wrong, prices.numerators, 0).astype(object), prices.denominator)


def _dual_objective(prices: RationalVector, lower: RationalVector, upper: RationalVector, where: str) -> Fraction:
    """Value the bounds at their prices: no point can cost less."""
    positive, negative = prices.numerators > 0, prices.numerators < 0
    unpriced = (positive & ~lower.present) | (negative & ~upper.present)
    if unpriced.any():
        size = largest(RationalVector(prices.numerators[unpriced], prices.denominator))
        raise ExactError(f"a price of {magnitude(size)} stands on a bound that does not exist", where=where)
    denominator = math.lcm(lower.denominator, upper.denominator)
    bounds = np.where(positive, lower.over(denominator), np.where(negative, upper.over(denominator), 0))
    return dot(prices, RationalVector(bounds.astype(object), denominator))
