r"""Polynomials in CDF values as linear expressions of a program.

A CDF value at a threshold is a variable of the threshold block. Where the order of two thresholds is open, a binary
:math:`o_{k,m}` decides it and :math:`y = F_j(\min(t_k, t_m))` follows from

.. math:: y \le x_{j,k}, \quad y \le x_{j,m}, \quad y \ge x_{j,k} - (1 - o_{k,m}), \quad y \ge x_{j,m} - o_{k,m}.

A product of two or more CDF values becomes a variable of :mod:`equiform.formulations.optimization.piecewise_product`,
with a known bound on the error that this causes in a polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyomo.core as pyo

from equiform.formulations.optimization.piecewise_product import Interval, Pieces, Products
from equiform.formulations.parametric.thresholds import keep_order
from equiform.models.signals.indifference import CdfValue, Polynomial


@dataclass(frozen=True)
class Linearized:
    """A linear expression, and how far it may be from the polynomial because of interpolated products."""

    expression: Any
    error: float


def cdf_variable(thresholds: Any, polynomials: Any, value: CdfValue) -> Any:
    """Return the variable for a CDF value, on the block of thresholds or on that of a :class:`Linearizer`."""
    if len(value.thresholds) == 1:
        return thresholds.F[value.player, value.thresholds[0]]
    return polynomials.lowest[value.player, *value.thresholds]


class Linearizer:
    """Create the variables that a set of polynomials needs, each once, on a block of their own."""

    def __init__(
        self,
        thresholds: Any,
        polynomials: Iterable[Polynomial],
        pieces: Pieces | None,
        bounds: Mapping[CdfValue, Interval] | None = None,
    ) -> None:
        self.block = pyo.Block(concrete=True)
        self._thresholds = thresholds
        wanted = list(polynomials)
        values = sorted({v for p in wanted for m in p.terms for v in m})
        self._open_orders(sorted({v.thresholds for v in values if len(v.thresholds) == 2}), values)
        self._products = Products(self._variable, pieces, bounds)
        for polynomial in wanted:
            self(polynomial)
        self.block.product = self._products.block

    def __call__(self, polynomial: Polynomial) -> Linearized:
        """Return a polynomial as a linear expression."""
        return Linearized(*self._products.linear({m: float(c) for m, c in polynomial.terms.items()}))

    def _variable(self, value: CdfValue) -> Any:
        return cdf_variable(self._thresholds, self.block, value)

    def _open_orders(self, pairs: list[tuple[int, ...]], values: list[CdfValue]) -> None:
        block, thresholds = self.block, self._thresholds
        block.first = pyo.Var(pairs, domain=pyo.Binary, doc="the first threshold of the pair is the lower one")
        lowest = [(v.player, *v.thresholds) for v in values if len(v.thresholds) == 2]
        block.lowest = pyo.Var(lowest, bounds=(0, 1))
        block.order = pyo.ConstraintList()
        block.minimum = pyo.ConstraintList()
        for k, m in pairs:
            keep_order(thresholds, block.order, k, m, unless=1 - block.first[k, m])
            keep_order(thresholds, block.order, m, k, unless=block.first[k, m])
        for j, k, m in lowest:
            y, first = block.lowest[j, k, m], block.first[k, m]
            block.minimum.add(y <= thresholds.F[j, k])
            block.minimum.add(y <= thresholds.F[j, m])
            block.minimum.add(y >= thresholds.F[j, k] - (1 - first))
            block.minimum.add(y >= thresholds.F[j, m] - first)
