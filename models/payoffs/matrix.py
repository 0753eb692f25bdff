r"""Payoff operators: programs and iterations only need products with :math:`A`.

``A[s, t]`` is player 1's payoff, weighted by chance, over the terminal nodes reached by sequence s of player 1 and t of
player 2. :class:`MatrixPayoff` writes it out sparsely and exactly; a structured game may offer an operator that only
multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.rational import payoffs_in_floats, repr_of_fields

_INT64_SAFE = 2**62
_FLOAT_SAFE = 2**1000

Name: TypeAlias = Callable[[int], str]


@runtime_checkable
class Payoff(Protocol):
    """Anything that multiplies: ``A y`` and ``Aᵀ x``."""

    @property
    def shape(self) -> tuple[int, int]:
        """Sequences of player 1 and of player 2."""

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``: player 1's payoff gradient."""

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``: what each sequence of the second player pays the first."""


@dataclass(frozen=True, eq=False)
class MatrixPayoff:
    """A sparse payoff matrix, exact: integer numerators over one denominator."""

    shape: tuple[int, int]
    rows: Int32Array = field(repr=False)
    cols: Int32Array = field(repr=False)
    numerators: NDArray[Any] = field(repr=False)  # int64, or Python integers (object) where 64 bits do not suffice
    denominator: int = 1
    names: tuple[Name, Name] | None = field(default=None, repr=False)
    """What the sequences of either player are called, for errors."""

    __repr__ = repr_of_fields

    @staticmethod
    def from_terms(
        shape: tuple[int, int],
        rows: NDArray[Any],
        cols: NDArray[Any],
        numerators: NDArray[Any],
        denominator: int,
        names: tuple[Name, Name] | None = None,
    ) -> MatrixPayoff:
        """Add up the terms that fall on one cell and drop zeros. Cells come out in row-major order."""
        cells, inverse = np.unique(rows.astype(np.int64) * shape[1] + cols, return_inverse=True)
        big = numerators.dtype == object or (
            len(numerators) > 0 and float(np.abs(numerators).astype(np.float64).sum()) >= _INT64_SAFE
        )
        sums = np.zeros(len(cells), dtype=object if big else np.int64)
        np.add.at(sums, inverse, numerators.astype(sums.dtype))
        keep = np.flatnonzero(sums != 0)
        return MatrixPayoff(
            shape,
            (cells[keep] // shape[1]).astype(np.int32),
            (cells[keep] % shape[1]).astype(np.int32),
            sums[keep],
            denominator,
            names,
        )

    @property
    def nnz(self) -> int:
        """Count the nonzero cells."""
        return len(self.numerators)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """The matrix in floats."""
        if self.numerators.dtype == object or self.denominator > _FLOAT_SAFE:
            exact = [Fraction(k, self.denominator) for k in self.numerators.tolist()]
            data = payoffs_in_floats(np.array(exact, dtype=object), self._place)
        else:
            data = self.numerators / np.float64(self.denominator)
        pointers = np.searchsorted(self.rows, np.arange(self.shape[0] + 1)).astype(np.int32)
        return sp.csr_array((data, self.cols, pointers), shape=self.shape)

    @cached_property
    def transpose(self) -> sp.csr_array:
        """The transposed matrix, row-major too, so that both products stream through memory."""
        return sp.csr_array(self.matrix.T.tocsr())

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        return self.matrix @ y

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        return self.transpose @ x

    def flipped(self) -> MatrixPayoff:
        """Return ``-Aᵀ``: the same game with the players' seats exchanged."""
        order = np.lexsort((self.rows, self.cols))
        return MatrixPayoff(
            self.shape[::-1],
            self.cols[order],
            self.rows[order],
            -self.numerators[order],
            self.denominator,
            None if self.names is None else self.names[::-1],
        )

    def _place(self, cell: int) -> str:
        row, col = int(self.rows[cell]), int(self.cols[cell])
        if self.names is None:
            return f"sequences {row} and {col}"
        return f"sequences {self.names[0](row)!r} and {self.names[1](col)!r}"
