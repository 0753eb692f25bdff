r"""Units of measurement: solving a program in other units than its user wrote it in.

Solvers accept rows that are broken by about :math:`10^{-7}`, whatever the rows speak of. Payoffs of :math:`10^{-8}` are
noise to them, and payoffs of :math:`10^{10}` demand digits that floats do not have. A formulation therefore says in
which unit its payoffs are best measured, by Pyomo's own convention: a suffix ``scaling_factor`` on the block that holds
them (:func:`declare_unit`). With factors :math:`\gamma` of the columns, :math:`\rho` of the rows and :math:`\omega`
of the objective, the solver sees

.. math::

    x' = \gamma x, \quad A' = \rho A / \gamma, \quad c' = \omega c / \gamma, \qquad
    x = x' / \gamma, \quad y = \rho y' / \omega, \quad z = \gamma z' / \omega .

All factors are powers of two, so nothing is rounded. Programs of ordinary size are left exactly as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import FloatArray

SUFFIX = "scaling_factor"
ORDINARY = (2.0**-4, 2.0**10)
"""Sizes between these need no other unit."""


def unit_of(size: float) -> float:
    """Return the power of two that makes numbers of this size order one; 1 for ordinary sizes, 0 and infinity.

    >>> unit_of(13.0), unit_of(3e-8) == 2.0**-25, unit_of(0.0)
    (1.0, True, 1.0)
    """
    if not math.isfinite(size) or size == 0.0 or ORDINARY[0] <= size <= ORDINARY[1]:
        return 1.0
    return math.ldexp(1.0, max(math.frexp(size)[1] - 1, -1021))


def declare_unit(block: Any, unit: float, *components: Any) -> None:
    """Say that variables and rows of a block are amounts in this unit; nothing is written for the unit 1."""
    if unit == 1.0:
        return
    if block.component(SUFFIX) is None:
        block.add_component(SUFFIX, pyo.Suffix(direction=pyo.Suffix.LOCAL))
    for component in components:
        block.component(SUFFIX)[component] = 1.0 / unit


def declared_factors(model: Any, program: Program) -> tuple[FloatArray | None, FloatArray | None]:
    """Read the factors of the columns and rows of a compiled model from its suffixes; ``None`` if there are none."""
    m, n = program.shape
    columns, rows = np.ones(n), np.ones(m)
    found = False
    for block in model.block_data_objects(active=True):
        suffix = block.component(SUFFIX)
        if suffix is None or suffix.ctype is not pyo.Suffix:
            continue
        for component, factor in suffix.items():
            if component is None or not 0 < float(factor) < math.inf:
                continue
            is_variable = getattr(component, "ctype", None) is pyo.Var
            numbers = _columns(program, component) if is_variable else program.rows(component)
            (columns if is_variable else rows)[numbers[numbers >= 0]] = _power_of_two(float(factor))
            found = True
    return (columns, rows) if found else (None, None)


def _columns(program: Program, component: Any) -> Any:
    return program.columns(component if component.is_indexed() else [component])


def _power_of_two(factor: float) -> float:
    return math.ldexp(1.0, round(math.log2(factor)))


@dataclass(frozen=True, eq=False)
class Scaled:
    """A program in the solver's units, and the way back to the user's."""

    program: Program
    columns: FloatArray = field(repr=False)
    rows: FloatArray = field(repr=False)
    cost: float = 1.0

    def point(self, x: FloatArray) -> FloatArray:
        """Restate a point of the user's program in the solver's units."""
        return x * self.columns

    def duals(self, y: FloatArray) -> FloatArray:
        """Restate duals of the user's program in the solver's units."""
        return y / self.rows * self.cost

    def restore(self, answer: Any) -> Any:
        """Restate a solver's raw answer in the user's units."""
        x, duals, reduced, bound = answer.x, answer.duals, answer.reduced_costs, answer.bound
        return replace(
            answer,
            x=None if x is None else x / self.columns,
            duals=None if duals is None else duals / self.cost * self.rows,
            reduced_costs=None if reduced is None else reduced / self.cost * self.columns,
            bound=None if bound is None else bound / self.cost,
        )


def scaled(program: Program) -> Scaled | None:
    """Return the program in the units declared for it, with costs of order one; ``None`` if it is that already."""
    m, n = program.shape
    columns = np.ones(n) if program.column_factors is None else program.column_factors
    rows = np.ones(m) if program.row_factors is None else program.row_factors
    c = program.c / columns
    cost = 1.0 / unit_of(float(np.abs(c).max(initial=0.0))) if program.Q is None else 1.0
    if cost == 1.0 and program.column_factors is None and program.row_factors is None:
        return None
    A = program.A
    by_row = np.repeat(rows, np.diff(A.indptr))
    Q = program.Q
    if Q is not None:
        inverse = sp.diags_array(1.0 / columns)
        Q = sp.csr_array(inverse @ Q @ inverse)
    small = replace(
        program,
        c=c * cost,
        c0=program.c0 * cost,
        A=sp.csr_array((A.data * by_row / columns[A.indices], A.indices, A.indptr), shape=A.shape),
        row_lower=program.row_lower * rows,
        row_upper=program.row_upper * rows,
        col_lower=program.col_lower * columns,
        col_upper=program.col_upper * columns,
        Q=Q,
        column_factors=None,
        row_factors=None,
    )
    return Scaled(small, columns, rows, cost)
