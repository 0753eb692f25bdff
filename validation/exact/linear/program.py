r"""A linear program with rational data, and the exact proof of optimality.

.. math:: \min_x\; c^\top x \quad\text{s.t.}\quad r^- \le Ax \le r^+,\; \ell \le x \le u

A point x with prices y is optimal on three facts checked in integers: x satisfies every row and bound, y and
:math:`d = c - A^\top y` have a sign only where the bound that prices it exists, and the two objectives are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from equiform.formulations.optimization.program import Program
from equiform.models.common.errors import ExactError, ParameterError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import (
    RationalVector,
    as_object,
    difference,
    dot,
    exponent,
    largest,
    magnitude,
    violation,
)


@dataclass(frozen=True, eq=False)
class ExactProgram:
    """A linear program with rational data: integers over one denominator per array; no bound: not ``finite``."""

    c: RationalVector
    A: IntegerMatrix
    row_lower: RationalVector
    row_upper: RationalVector
    col_lower: RationalVector
    col_upper: RationalVector
    matrix_denominator: int = 1
    name: str = "program"

    __repr__ = repr_of_fields

    def __post_init__(self) -> None:
        m, n = self.A.shape
        sizes = (len(self.c), len(self.col_lower), len(self.col_upper), len(self.row_lower), len(self.row_upper))
        if sizes != (n, n, n, m, m) or self.matrix_denominator <= 0:
            raise ParameterError(
                f"the arrays of an exact program do not fit its {m} × {n} matrix",
                where=f"{self.name}: sizes {sizes}, denominator {self.matrix_denominator}",
                fix="pass costs and bounds per column, bounds per row, and a positive denominator",
            )

    def floats(self) -> Program:
        """Return the program in floats, with rows in :meth:`row_units` and costs in :meth:`cost_units`.

        Its objective and duals differ from the exact ones; its points and bases do not.
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
        """Measure costs in units in which the largest is of order one: to floating-point solvers 1e30 is infinite."""
        power = self._cost_exponent
        return RationalVector(as_object(costs.numerators) << max(-power, 0), costs.denominator << max(power, 0))

    def price_units(self, duals: RationalVector) -> RationalVector:
        """Measure the duals of rows in cost units per row unit."""
        numerators = as_object(duals.numerators) << self.A.row_exponents.astype(object)
        return self.cost_units(RationalVector(numerators, duals.denominator * self.matrix_denominator))

    @cached_property
    def _cost_exponent(self) -> int:
        return exponent(largest(self.c))

    def activity(self, x: RationalVector) -> RationalVector:
        """Return ``A x``."""
        return RationalVector(self.A.times(x.numerators), x.denominator * self.matrix_denominator)

    def reduced_costs(self, duals: RationalVector) -> RationalVector:
        """Return ``c − Aᵀ y``."""
        prices = RationalVector(self.A.T.times(duals.numerators), duals.denominator * self.matrix_denominator)
        return difference(self.c, prices)


def check_optimal(program: ExactProgram, x: RationalVector, duals: RationalVector) -> Fraction:
    """Prove from the data alone that x and the duals are optimal; return the objective or raise an ExactError."""
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


def _dual_objective(prices: RationalVector, lower: RationalVector, upper: RationalVector, where: str) -> Fraction:
    """Return the value of the bounds at their prices: no point can cost less."""
    positive, negative = prices.numerators > 0, prices.numerators < 0
    unpriced = (positive & ~lower.present) | (negative & ~upper.present)
    if unpriced.any():
        size = largest(RationalVector(prices.numerators[unpriced], prices.denominator))
        raise ExactError(f"a price of {magnitude(size)} stands on a bound that does not exist", where=where)
    denominator = math.lcm(lower.denominator, upper.denominator)
    bounds = np.where(positive, lower.over(denominator), np.where(negative, upper.over(denominator), 0))
    return dot(prices, RationalVector(bounds.astype(object), denominator))
