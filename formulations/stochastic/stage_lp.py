"""The matrix stage of a zero-sum stochastic game as a linear program: what Shapley's iteration asks for."""

from __future__ import annotations

import numpy as np

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum import matrix_game_lp
from equiform.models.common.array_types import FloatArray
from equiform.models.normal_form import NormalForm


def solve_stage(payoffs: FloatArray, *, solver: SolverOptions = DEFAULT) -> tuple[float, FloatArray, FloatArray]:
    """Return the value of a matrix game and the mixed strategies of both players.

    >>> value, row, column = solve_stage(np.array([[3.0, -1.0], [-1.0, 1.0]]))
    >>> round(value, 9), row.round(9).tolist()
    (0.333333333, [0.333333333, 0.666666667])
    """
    m, n = payoffs.shape
    if m == 1 or n == 1:  # one player chooses alone
        row, column = np.zeros(m), np.zeros(n)
        best = int(payoffs.ravel().argmin() if m == 1 else payoffs.ravel().argmax())
        row[0 if m == 1 else best] = column[best if m == 1 else 0] = 1.0
        return float(row @ payoffs @ column), row, column
    names = [str(k) for k in range(m)], [str(k) for k in range(n)]
    result = matrix_game_lp.solve(NormalForm.from_matrix("stage", *names, payoffs), solver=solver).require_optimal()
    first, second = result.strategies
    assert first is not None and second is not None
    return result.value, first.floats[1:], second.floats[1:]
