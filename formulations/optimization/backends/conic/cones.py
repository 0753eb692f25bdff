"""Convert the rows and bounds of a program to the cone form of interior-point solvers, and multipliers back to prices.

``G x + s = h`` with the first ``equalities`` slacks zero and the others nonnegative. A two-sided row appears twice;
bounds of variables are rows too. With multipliers ``w`` of ``c + Qx + Gᵀw = 0`` (``w >= 0`` for inequalities), the
derivative of the objective with an upper right-hand side is ``-w``, with a lower one ``+w``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ConeForm:
    """``G``, ``h``, and the row of ``[A; I]`` from which each row comes, with its sign."""

    G: sp.csc_array
    h: FloatArray
    equalities: int
    source: IntArray
    sign: FloatArray
    rows: int

    def prices(self, multipliers: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the row duals and reduced costs of the minimisation."""
        stacked = np.zeros(self.rows + self.G.shape[1])
        np.add.at(stacked, self.source, -self.sign * multipliers)
        return stacked[: self.rows], stacked[self.rows :]


def cone_form(program: Program) -> ConeForm:
    """Return the cone form of a continuous program."""
    m, n = program.shape
    low = np.concatenate([program.row_lower, program.col_lower])
    high = np.concatenate([program.row_upper, program.col_upper])
    stacked = sp.vstack([program.A, sp.eye_array(n, format="csr")], format="csr")
    equal = np.flatnonzero(low == high)
    upper = np.flatnonzero(np.isfinite(high) & (low != high))
    lower = np.flatnonzero(np.isfinite(low) & (low != high))
    source = np.concatenate([equal, upper, lower])
    sign = np.concatenate([np.ones(equal.size + upper.size), -np.ones(lower.size)])
    G = sp.csc_array(sp.diags_array(sign) @ stacked[source]) if source.size else sp.csc_array((0, n))
    h = sign * np.concatenate([high[equal], high[upper], low[lower]])
    return ConeForm(G, h, int(equal.size), source, sign, m)
