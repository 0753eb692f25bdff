r"""A simplex tableau for one small linear program that is solved a million times.

.. math:: \max_z\; c^\top z \quad \text{s.t.} \quad Mz = b + \theta d, \qquad z_j \ge 0 \text{ for } j \text{ not free}

for changing costs c and parameters θ. A general solver spends a few hundred microseconds getting data in and out; a
pivot on a dense tableau of twenty rows takes less than one. Between two solves the tableau stays at the last optimal
basis: if θ has changed, the dual simplex method first restores feasibility under the old costs, then the primal simplex
method continues with the new ones. Free variables are basic and never leave.

Rounding errors of a tableau grow with every pivot. Each answer is therefore checked against the original rows, and the
tableau is recomputed from its basis when an answer fails, and every few hundred pivots in any case.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import SolveError
from equiform.models.common.jit import jit

_OPTIMAL, _UNBOUNDED, _INFEASIBLE, _STALLED = 0, 1, 2, 3
_PRICE = 1e-11  # reduced costs below this are not worth a pivot
_FEASIBLE = 1e-11  # basic variables above minus this are not negative
_PIVOT = 1e-9  # entries smaller than this are not divided by
_RESIDUAL = 1e-9  # answers that miss a row by more are computed again
_PATIENCE = 60  # steps by the steepest price before the rule that cannot cycle takes over
_REFRESH = 300  # pivots before the tableau is recomputed


@dataclass(frozen=True, eq=False)
class Answers:
    """Optimal points, one per row, with their objectives and the change of the objective per unit of θ."""

    points: FloatArray = field(repr=False)
    objectives: FloatArray
    slopes: FloatArray


class Tableau:
    """A dense program with a feasible basis, to be solved for many costs and parameters.

    >>> t = Tableau(np.array([[1.0, 2.0, 1.0]]), np.array([4.0]), np.array([1.0]), np.zeros(3, bool), np.array([2]))
    >>> t.solve(np.array([[1.0, 1.0, 0.0], [1.0, 3.0, 0.0]]), np.array([0.0, 2.0])).objectives.tolist()
    [4.0, 9.0]
    """

    def __init__(
        self, matrix: FloatArray, rhs: FloatArray, direction: FloatArray, free: BoolArray, basis: IntArray
    ) -> None:
        """Store M, b and d, which variables are free, and one basic variable per row, feasible for some θ."""
        self._matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        self._sides = np.column_stack([rhs, direction]).astype(np.float64)
        self._free = np.asarray(free, dtype=np.bool_)
        self._basis = np.array(basis, dtype=np.int64)
        self._costs = np.zeros(matrix.shape[1])
        self._start = self._basis.copy()
        self._refresh()

    @property
    def num_variables(self) -> int:
        """The number of variables, slacks included."""
        return int(self._matrix.shape[1])

    def solve(self, costs: FloatArray, parameters: FloatArray) -> Answers:
        """Solve once for every row of ``costs`` and entry of ``parameters``, each from the last optimum.

        Parameters
        ----------
        costs
            Costs c, one program per row.
        parameters
            Parameters θ, one per program.

        Returns
        -------
        Answers
            Optimal points, objectives and slopes.

        Raises
        ------
        SolveError
            If a program is unbounded or infeasible, or the pivots stall.
        """
        costs = np.ascontiguousarray(costs, dtype=np.float64)
        parameters = np.ascontiguousarray(parameters, dtype=np.float64)
        count = len(parameters)
        answers = Answers(np.zeros((count, costs.shape[1])), np.zeros(count), np.zeros(count))
        done, failures = 0, 0
        while done < count:
            before = done
            done, status = _solve(
                self._table,
                self._basis,
                self._free,
                self._costs,
                self._matrix,
                self._sides,
                costs,
                parameters,
                done,
                answers.points,
                answers.objectives,
                answers.slopes,
            )
            if done < count:
                failures = failures + 1 if done == before and status != _OPTIMAL else 0
                self._recover(failures, status, done)
        return answers

    def restart(self) -> None:
        """Go back to the basis that the tableau began with."""
        self._restart()
        self._refresh()

    def _recover(self, failures: int, status: int, index: int) -> None:
        """Recompute the tableau from its basis, then from the initial one; then give up."""
        if failures >= 3:
            reason = {_UNBOUNDED: "it is unbounded", _INFEASIBLE: "it is infeasible"}.get(status, "the pivots stalled")
            raise SolveError(
                f"the tableau did not solve a program: {reason}",
                where=f"program {index} of the batch",
                fix="check the parameter's range, or use a general solver",
            )
        if failures == 2:
            self._restart()
        try:
            self._refresh()
        except np.linalg.LinAlgError:  # rounding errors have made the basis singular
            self.restart()

    def _restart(self) -> None:
        self._basis[:] = self._start
        self._costs[:] = 0.0

    def _refresh(self) -> None:
        table = np.linalg.solve(self._matrix[:, self._basis], np.hstack([self._matrix, self._sides]))
        self._table = np.ascontiguousarray(table)


@jit
def _pivot(table: FloatArray, prices: FloatArray, basis: IntArray, row: int, column: int) -> None:
    """Bring a variable into the basis; the last two columns are the right-hand side's b and d."""
    width = table.shape[1]  # prices have one more entry: the number of pivots
    prices[width] += 1.0
    scale = 1.0 / table[row, column]
    for j in range(width):
        table[row, j] *= scale
    for i in range(table.shape[0]):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for j in range(width):
                table[i, j] -= factor * table[row, j]
            table[i, column] = 0.0
    factor = prices[column]
    if factor != 0.0:
        for j in range(width):
            prices[j] -= factor * table[row, j]
        prices[column] = 0.0
    table[row, column] = 1.0
    basis[row] = column


@jit
def _price(table: FloatArray, basis: IntArray, costs: FloatArray, prices: FloatArray) -> None:
    """Compute reduced costs and, in the last two columns, minus the objective's b and d parts."""
    n = len(costs)
    for j in range(table.shape[1]):
        prices[j] = costs[j] if j < n else 0.0
    for i in range(len(basis)):
        weight = costs[basis[i]]
        if weight != 0.0:
            for j in range(table.shape[1]):
                prices[j] -= weight * table[i, j]


@jit
def _primal(table: FloatArray, prices: FloatArray, basis: IntArray, free: BoolArray, theta: float) -> int:
    n = table.shape[1] - 2
    for step in range(40 * _PATIENCE):
        bland = step > _PATIENCE
        enter, best = -1, _PRICE
        for j in range(n):
            if prices[j] > best:
                enter, best = j, prices[j]
                if bland:
                    break
        if enter < 0:
            return _OPTIMAL
        leave, ratio, size = -1, np.inf, 0.0
        for i in range(len(basis)):
            entry = table[i, enter]
            if entry > _PIVOT and not free[basis[i]]:
                value = max(table[i, n] + theta * table[i, n + 1], 0.0) / entry
                # among ties the largest pivot, or (against cycling) the variable with the lowest number
                better = basis[i] < basis[leave] if bland else entry > size
                if value < ratio - 1e-13 or (value <= ratio + 1e-13 and better):
                    leave, ratio, size = i, min(value, ratio), entry
        if leave < 0:
            return _UNBOUNDED
        _pivot(table, prices, basis, leave, enter)
    return _STALLED


@jit
def _dual(table: FloatArray, prices: FloatArray, basis: IntArray, free: BoolArray, theta: float) -> int:
    n = table.shape[1] - 2
    for step in range(40 * _PATIENCE):
        bland = step > _PATIENCE
        leave, worst = -1, -_FEASIBLE
        for i in range(len(basis)):
            value = table[i, n] + theta * table[i, n + 1]
            if value < worst and not free[basis[i]]:
                leave, worst = i, value
                if bland:
                    break
        if leave < 0:
            return _OPTIMAL
        enter, ratio, size = -1, np.inf, 0.0
        for j in range(n):
            entry = -table[leave, j]
            if entry > _PIVOT:
                value = max(-prices[j], 0.0) / entry
                better = False if bland else entry > size
                if value < ratio - 1e-13 or (value <= ratio + 1e-13 and better):
                    enter, ratio, size = j, min(value, ratio), entry
        if enter < 0:
            return _INFEASIBLE
        _pivot(table, prices, basis, leave, enter)
    return _STALLED


@jit
def _misses(matrix: FloatArray, sides: FloatArray, theta: float, point: FloatArray, free: BoolArray) -> float:
    """Return the largest violation of a row or a sign."""
    worst = 0.0
    for i in range(matrix.shape[0]):
        total = -sides[i, 0] - theta * sides[i, 1]
        for j in range(matrix.shape[1]):
            total += matrix[i, j] * point[j]
        worst = max(worst, abs(total))
    for j in range(len(point)):
        if not free[j]:
            worst = max(worst, -point[j])
    return worst


@jit
def _solve(
    table: FloatArray,
    basis: IntArray,
    free: BoolArray,
    last_costs: FloatArray,
    matrix: FloatArray,
    sides: FloatArray,
    costs: FloatArray,
    parameters: FloatArray,
    first: int,
    points: FloatArray,
    objectives: FloatArray,
    slopes: FloatArray,
) -> tuple[int, int]:
    """Solve programs from ``first`` on; stop early, with a status, where the tableau must be recomputed."""
    n = matrix.shape[1]
    prices = np.zeros(n + 3)
    for k in range(first, len(parameters)):
        if prices[n + 2] > _REFRESH:
            return k, _OPTIMAL
        theta = parameters[k]
        _price(table, basis, last_costs, prices)
        status = _dual(table, prices, basis, free, theta)
        if status != _OPTIMAL:
            return k, status
        last_costs[:] = costs[k]
        _price(table, basis, last_costs, prices)
        status = _primal(table, prices, basis, free, theta)
        if status != _OPTIMAL:
            last_costs[:] = 0.0  # not dual feasible for them: start the next attempt without prices
            return k, status
        points[k] = 0.0
        for i in range(len(basis)):
            points[k, basis[i]] = table[i, n] + theta * table[i, n + 1]
        objectives[k] = -prices[n] - theta * prices[n + 1]
        slopes[k] = -prices[n + 1]
        if _misses(matrix, sides, theta, points[k], free) > _RESIDUAL:
            return k, _STALLED
    return len(parameters), _OPTIMAL
