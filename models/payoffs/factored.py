r"""A payoff as a product of sparse matrices: what a linear program needs of one that is too large to write out.

With auxiliary variables u, sums of the player's weights,

.. math:: A^\top x = S x + R u, \qquad B u = G x,

the rows of a program hold S, R, B and G instead of :math:`A^\top`. In poker u are sums over hands and prefix sums
over their strengths, and each of the four matrices has O(n) entries per move where A has O(n²) (Zhang and Sandholm
2020; Farina and Sandholm 2022). B is square and triangular with ones on its diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray
from equiform.models.payoffs.matrix import Payoff


@dataclass(frozen=True, eq=False)
class Factors:
    """The four matrices, from the side of one player's plan x."""

    direct: sp.csr_array = field(repr=False)
    """S: a row per sequence of the opponent, a column per sequence of the player."""
    combine: sp.csr_array = field(repr=False)
    """R: a row per sequence of the opponent, a column per sum."""
    sums: sp.csr_array = field(repr=False)
    """B."""
    gather: sp.csr_array = field(repr=False)
    """G: a row per sum, a column per sequence of the player."""

    @property
    def nnz(self) -> int:
        """Count the entries of all four."""
        return sum(int(m.nnz) for m in (self.direct, self.combine, self.sums, self.gather))

    @property
    def num_sums(self) -> int:
        """Count the auxiliary variables."""
        return int(self.sums.shape[0])

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x`` by the factors alone."""
        u = sp.linalg.spsolve_triangular(self.sums, self.gather @ x, lower=True, unit_diagonal=True)
        return np.asarray(self.direct @ x + self.combine @ u)


class SizedPayoff(Payoff, Protocol):
    """An operator that knows how large its entries are."""

    def magnitude(self) -> Payoff:
        """Return an operator whose entries are at least the absolute values of this one's."""


@dataclass(frozen=True, eq=False)
class _Transposed:
    """An operator without signs, for exchanged seats."""

    operator: Payoff

    @property
    def shape(self) -> tuple[int, int]:
        return self.operator.shape[1], self.operator.shape[0]

    def times(self, y: FloatArray) -> FloatArray:
        return self.operator.transpose_times(y)

    def transpose_times(self, x: FloatArray) -> FloatArray:
        return self.operator.times(x)


@dataclass(frozen=True, eq=False)
class FactoredPayoff:
    """A payoff operator that can also be written as factors, for either player."""

    operator: SizedPayoff = field(repr=False)
    factor: Callable[[int], Factors] = field(repr=False)
    """Write the factors for the plan of a player, 0 or 1."""
    seat: int = 0
    """Which player of the operator is player 0 here: 1 if the seats are exchanged."""

    @property
    def shape(self) -> tuple[int, int]:
        """Sequences of player 0 and of player 1."""
        first, second = self.operator.shape
        return (first, second) if self.seat == 0 else (second, first)

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        return self.operator.times(y) if self.seat == 0 else -self.operator.transpose_times(y)

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        return self.operator.transpose_times(x) if self.seat == 0 else -self.operator.times(x)

    def magnitude(self) -> Payoff:
        """Return an operator whose entries are at least the absolute values of this one's."""
        size = self.operator.magnitude()
        return size if self.seat == 0 else _Transposed(size)

    def flipped(self) -> FactoredPayoff:
        """Return the same game with the players' seats exchanged."""
        return FactoredPayoff(self.operator, self.factor, 1 - self.seat)

    def factors(self) -> Factors:
        """Return the factors for the plan of player 0."""
        return self.factor(self.seat)
