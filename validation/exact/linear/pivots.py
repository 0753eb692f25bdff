r"""The simplex method in exact arithmetic, for what floats cannot tell apart.

A float solver that sees 1 and :math:`10^{-400}` in one column proposes bases that are wrong, however often the program
is refined. From such a basis the primal simplex method goes on in integers. While a row or a variable is outside its
bounds, the sum of what they are outside by is the objective (phase one); then the program's own. A step solves three
exact systems (:mod:`equiform.validation.exact.linear.basic_point`), so this is for the last few steps, or for small
programs.

The entering variable is the one with the largest price. After more steps that lead nowhere than there are rows and
columns it is the first one, as the leaving one always is in a tie: by this rule (Bland 1977) the method cannot cycle.
"""

from __future__ import annotations

import dataclasses
import logging
import math
import time
from typing import Any

import numpy as np

from equiform.formulations.optimization.solution import Basis, BasisStatus
from equiform.models.common.errors import ExactError, InfeasibleError, LimitError, UnboundedError
from equiform.models.common.rational_vector import RationalVector, as_object
from equiform.validation.exact.linear.basic_point import BasisKernel
from equiform.validation.exact.linear.program import ExactProgram
from equiform.validation.exact.linear.rational_linalg import DENSE_LIMIT

logger = logging.getLogger(__name__)

_PRIME = 2**61 - 1
_FIX = "raise {}, or bring the sizes of the numbers closer together, so that floats tell them apart"


def pivot_to_optimum(
    program: ExactProgram, basis: Basis, *, max_pivots: int, time_limit: float | None = None
) -> tuple[Basis, int]:
    """Go from any basis, even a singular one, to an optimal one; return it and the number of steps."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    basis, stalled = independent(program, basis), 0
    for pivots in range(max_pivots + 1):
        corner = _Corner(program, basis)
        entering = corner.entering(first=stalled > sum(program.A.shape))
        if entering is None:
            logger.info("%s: optimal after %d exact pivots", program.name, pivots)
            return basis, pivots
        if time.monotonic() > deadline:
            raise LimitError(
                f"the exact simplex method reached its time limit after {pivots} pivots",
                where=program.name,
                fix=_FIX.format("the limit"),
            )
        basis, moved = corner.step(entering)
        stalled = 0 if moved else stalled + 1
    raise ExactError(
        f"no exactly optimal basis was found in {max_pivots} exact pivots",
        where=program.name,
        fix=_FIX.format("max_pivots"),
    )


def slack_basis(program: ExactProgram) -> Basis:
    """Return the basis that always exists: all variables at a bound."""
    m, n = program.A.shape
    return Basis(np.full(n, BasisStatus.LOWER, dtype=np.int8), np.full(m, BasisStatus.BASIC, dtype=np.int8))


def independent(program: ExactProgram, basis: Basis) -> Basis:
    """Keep the part of a basis that is independent in a field of prime order, and complete it with rows."""
    import flint  # imported here because most programs never get this far

    active = np.flatnonzero(basis.rows != BasisStatus.BASIC)
    basic = np.flatnonzero(basis.columns == BasisStatus.BASIC)
    if max(len(active), len(basic)) > DENSE_LIMIT:
        return basis  # the kernel reports what is wrong with it, if anything
    kernel = program.A.submatrix(active, basic)
    cells = np.zeros(kernel.shape, dtype=object)
    where = kernel.csr.tocoo()
    cells[where.row, where.col] = as_object(kernel.entries) % _PRIME
    columns, rows = (_pivots(flint.nmod_mat(*c.shape, c.ravel().tolist(), _PRIME)) for c in (cells, cells.T))
    if len(columns) == len(basic) == len(active):
        return basis
    new = Basis(basis.columns.copy(), basis.rows.copy())
    new.columns[np.delete(basic, columns)] = BasisStatus.LOWER
    new.rows[np.delete(active, rows)] = BasisStatus.BASIC
    return new


def _pivots(matrix: Any) -> list[int]:
    """Return the columns in which the rows of the reduced echelon form begin."""
    echelon, rank = matrix.rref()
    width = echelon.ncols()
    cells = [int(v) for v in echelon.entries()]
    return [next(j for j in range(width) if cells[i * width + j]) for i in range(rank)]


class _Corner:
    """The vertex of a basis, variables first and then rows: values and bounds over one denominator, and prices."""

    def __init__(self, program: ExactProgram, basis: Basis) -> None:
        self.program, self.basis = program, basis
        self.kernel = BasisKernel(program, basis)
        x = self.kernel.point()
        values = (x, program.activity(x))
        lows, highs = (program.col_lower, program.row_lower), (program.col_upper, program.row_upper)
        denominator = math.lcm(*(v.denominator for v in (*values, *lows, *highs)))
        self.values, self.lows, self.highs = (_listed(pair, denominator) for pair in (values, lows, highs))
        self.outside = np.array([self._side(k) for k in range(len(self.values))])
        self.prices = self._prices()

    def _side(self, k: int) -> int:
        """Return on which side of its bounds an entry lies: -1 below, 1 above, 0 inside."""
        value, low, high = self.values[k], self.lows[k], self.highs[k]
        if low is not None and value < low:
            return -1
        return int(high is not None and value > high)

    def _prices(self) -> list[int]:
        """Price a unit of each entry: by infeasibility if anything is outside its bounds, else by the costs."""
        program, n = self.program, self.program.A.shape[1]
        if self.outside.any():
            columns, rows = self.outside[:n], self.outside[n:]
            costs = as_object(columns) * program.matrix_denominator + program.A.T.times(rows)
            program = dataclasses.replace(program, c=RationalVector(costs, program.matrix_denominator))
        duals = self.kernel.prices(program.c)
        pair = program.reduced_costs(duals), duals
        return _listed(pair, math.lcm(*(v.denominator for v in pair)))

    def entering(self, *, first: bool) -> int | None:
        """Choose an entry that should leave its bound; ``None`` at an optimum."""
        candidates = [k for k, price in enumerate(self.prices) if price and self._can_move(k, rises=price < 0)]
        if candidates:
            return candidates[0] if first else max(candidates, key=lambda k: abs(self.prices[k]))
        if self.outside.any():
            raise InfeasibleError(
                "the program has no feasible point, as exact pivots show",
                where=self.program.name,
                fix="check the bounds, such as a floor above the value of the game",
            )
        return None

    def _can_move(self, k: int, *, rises: bool) -> bool:
        bound = self.highs[k] if rises else self.lows[k]
        return bound is None or self.values[k] != bound

    def step(self, entering: int) -> tuple[Basis, bool]:
        """Follow the edge until a bound stops it; return the next basis, and whether the point has moved."""
        edge = self.kernel.edge(entering)
        pair = edge, self.program.activity(edge)
        sign = 1 if self.prices[entering] < 0 else -1
        moves = [sign * v for v in _listed(pair, math.lcm(*(v.denominator for v in pair)))]
        leaving, nearest = None, 0
        for k, move in enumerate(moves):
            gap = self._gap(k, move) if move else None
            if gap is not None and (leaving is None or gap * abs(moves[leaving]) < nearest * abs(move)):
                leaving, nearest = k, gap
        if leaving is None:
            raise UnboundedError(
                "the objective improves without limit, as exact pivots show",
                where=self.program.name,
                fix="bound the variables of the objective, or check its sense",
            )
        status = np.concatenate([self.basis.columns, self.basis.rows])
        status[entering] = BasisStatus.BASIC
        # an entry that was outside stops at the first bound that it reaches
        at_upper = (moves[leaving] > 0) != (self.outside[leaving] != 0)
        status[leaving] = BasisStatus.UPPER if at_upper else BasisStatus.LOWER
        n = len(self.basis.columns)
        return Basis(status[:n], status[n:]), nearest > 0

    def _gap(self, k: int, move: int) -> int | None:
        """Return how far an entry may move: to the bound that it would violate, or, from outside, reach."""
        side, direction = self.outside[k], 1 if move > 0 else -1
        if side == direction:
            return None  # further outside: already counted by phase one
        bound = self.highs[k] if (direction > 0) == (side == 0) else self.lows[k]
        return None if bound is None else abs(bound - self.values[k])


def _listed(pair: tuple[RationalVector, RationalVector], denominator: int) -> list[Any]:
    """Return variables and rows as one list of numerators; ``None`` where there is no number."""
    return [
        numerator if there else None
        for vector in pair
        for numerator, there in zip(vector.over(denominator).tolist(), vector.present.tolist(), strict=True)
    ]
