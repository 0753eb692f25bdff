r"""Measure how far a primal-dual pair is from optimality, whichever solver it came from.

For :math:`\min c_0 + c^\top x + \tfrac12 x^\top Q x` with :math:`r^- \le Ax \le r^+,\ \ell \le x \le u` and row duals
:math:`y`, the reduced costs are :math:`z = c + Qx - A^\top y`. With a convex objective the pair is optimal iff
:math:`x` is feasible, :math:`y_i > 0` only where :math:`r^-_i` is finite, :math:`y_i < 0` only where :math:`r^+_i` is
(the same for :math:`z` and the bounds), and the primal objective equals the dual one,
:math:`c_0 + \sum (y^+ r^- - y^- r^+) + \sum (z^+ \ell - z^- u) - \tfrac12 x^\top Q x`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import FloatArray


@dataclass(frozen=True)
class KktError:
    """The largest violation of a row or bound, the largest price of a missing bound, and the duality gap."""

    primal: float
    dual: float
    gap: float

    @property
    def worst(self) -> float:
        """The largest of the three."""
        return max(self.primal, self.dual, self.gap)


def kkt_error(program: Program, x: FloatArray, duals: FloatArray) -> KktError:
    """Return the errors of a primal-dual pair.

    Parameters
    ----------
    program
        The program that the pair claims to solve.
    x
        A value per column.
    duals
        A price per row, in the user's sense of optimisation.

    Returns
    -------
    KktError
        The violations, and the gap relative to ``1 + |objective|``.
    """
    y = program.sign * duals
    curvature = 0.0
    z = program.c - program.AT @ y
    if program.Q is not None:
        Qx = program.Q @ x
        z = z + Qx
        curvature = 0.5 * float(x @ Qx)
    row_value, row_error = _side(y, program.row_lower, program.row_upper)
    col_value, col_error = _side(z, program.col_lower, program.col_upper)
    primal = program.sign * program.objective(x)
    dual = program.c0 + row_value + col_value - curvature
    return KktError(
        primal=max(program.violation(x), 0.0),
        dual=max(row_error, col_error),
        gap=abs(primal - dual) / (1.0 + abs(primal)),
    )


def _side(price: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[float, float]:
    bound = np.where(price > 0, lower, upper)
    priced = np.isfinite(bound)
    stray = np.abs(price[~priced])
    return float(price[priced] @ bound[priced]), float(stray.max()) if stray.size else 0.0
