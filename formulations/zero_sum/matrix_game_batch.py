r"""Matrix games by the million: the linear program of a small zero-sum game, solved in one compiled loop.

For a payoff matrix :math:`M` shifted so that every entry is positive, von Neumann's program becomes (Dantzig 1951)

.. math:: \max\; \mathbf 1^\top y \quad \text{s.t.} \quad M y \le \mathbf 1,\; y \ge 0,

whose slack basis is feasible, so that one phase of the simplex method on a dense tableau suffices. The optimum is one
over the (shifted) value; :math:`y` and the duals, each divided by the optimum, are the column and the row player's
strategies. For games this small, handing one program at a time to a backend would cost far more than solving it.

Pivots are chosen by the largest reduced cost and, after a while, by the smallest index (Bland 1977), which cannot
cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError, SolveError
from equiform.models.common.jit import jit
from equiform.models.common.records import Record

_PIVOT = 1e-11  # smaller entries are rounding errors
_GREEDY = 50  # pivots by the largest reduced cost before the rule that cannot cycle
_LIMIT = 10_000


@dataclass(frozen=True, eq=False)
class BatchSolution(Record):
    """Equilibria of many games of the same size: values and both players' strategies, one row per game."""

    values: FloatArray
    rows: FloatArray = field(repr=False)
    columns: FloatArray = field(repr=False)

    def nash_conv(self, payoffs: FloatArray) -> FloatArray:
        """Return the sum of both players' gains from best responses in each game: zero up to rounding."""
        upper = np.einsum("gij,gj->gi", payoffs, self.columns).max(axis=1)
        lower = np.einsum("gij,gi->gj", payoffs, self.rows).min(axis=1)
        return upper - lower


def solve_batch(payoffs: npt.ArrayLike) -> BatchSolution:
    """Solve many zero-sum matrix games of the same size.

    Parameters
    ----------
    payoffs
        The row players' payoffs, an array of shape (games, rows, columns).

    Returns
    -------
    BatchSolution
        Values and strategies, one row per game.

    Raises
    ------
    ParameterError
        If the array does not have three dimensions or holds a number that is not finite.
    SolveError
        If the simplex method does not finish.

    Examples
    --------
    >>> solved = solve_batch([[[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [[2, 0, -4], [0, 1, -1], [0, 0, -2]]])
    >>> solved.values.round(9).tolist(), solved.rows[1].tolist()
    ([0.0, -1.0], [0.0, 1.0, 0.0])
    """
    games = np.ascontiguousarray(payoffs, dtype=np.float64)
    if games.ndim != 3 or 0 in games.shape[1:] or not np.isfinite(games).all():
        raise ParameterError(
            "a batch must be an array of finite payoffs with shape (games, rows, columns)",
            where=f"shape {games.shape}",
            fix="stack matrices of the same size",
        )
    count, m, n = games.shape
    values, rows, columns = np.empty(count), np.empty((count, m)), np.empty((count, n))
    stuck = _solve_all(games, values, rows, columns)
    if stuck >= 0:
        raise SolveError(
            f"the simplex method did not finish in {_LIMIT} pivots",
            where=f"game {stuck} of the batch",
            fix="solve this game with matrix_game_lp, or scale its payoffs",
        )
    return BatchSolution(values, rows, columns)


@jit
def _solve_all(games: FloatArray, values: FloatArray, rows: FloatArray, columns: FloatArray) -> int:
    """Solve all games; return the index of the first that did not finish, or -1."""
    count, m, n = games.shape
    width = n + m + 1
    tableau = np.empty((m + 1, width))  # columns: y, slacks, right-hand side; last row: reduced costs
    basis = np.empty(m, dtype=np.int64)
    for g in range(count):
        shift = 1.0 - games[g].min()
        tableau[:] = 0.0
        for i in range(m):
            for j in range(n):
                tableau[i, j] = games[g, i, j] + shift
            tableau[i, n + i] = 1.0
            tableau[i, width - 1] = 1.0
            basis[i] = n + i
        for j in range(n):
            tableau[m, j] = -1.0
        if not _simplex(tableau, basis):
            return g
        total = tableau[m, width - 1]
        values[g] = 1.0 / total - shift
        columns[g] = 0.0
        for i in range(m):
            if basis[i] < n:
                columns[g, basis[i]] = max(tableau[i, width - 1], 0.0)
            rows[g, i] = max(tableau[m, n + i], 0.0)
        columns[g] /= columns[g].sum()
        rows[g] /= rows[g].sum()
    return -1


@jit
def _simplex(tableau: FloatArray, basis: IntArray) -> bool:
    m, width = len(basis), tableau.shape[1]
    for pivot in range(_LIMIT):
        enter, steepest = -1, -_PIVOT
        for j in range(width - 1):
            if tableau[m, j] < steepest:
                enter, steepest = j, tableau[m, j]
                if pivot >= _GREEDY:
                    break
        if enter < 0:
            return True
        leave, shortest = -1, np.inf
        for i in range(m):
            if tableau[i, enter] > _PIVOT:
                step = tableau[i, width - 1] / tableau[i, enter]
                if step < shortest or (step == shortest and basis[i] < basis[leave]):
                    leave, shortest = i, step
        if leave < 0:
            return False  # cannot happen: all entries of a column are bounded by a row's right-hand side
        tableau[leave] /= tableau[leave, enter]
        for i in range(m + 1):
            factor = tableau[i, enter]
            if i != leave and factor != 0.0:
                for j in range(width):
                    tableau[i, j] -= factor * tableau[leave, j]
        basis[leave] = enter
    return False
