"""Payoff rows for compiled loops, and sparse products.

A gradient is one sparse product: row s of player p's matrix times the opponent's plan. Indices are unsigned: numba then
needs no test for negative ones, which halves the time of a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.treeplex import Treeplex

Index = NDArray[np.uint32]


class Rows(NamedTuple):
    """A sparse matrix in row-major order."""

    start: Index
    column: Index
    value: FloatArray


class Shape(NamedTuple):
    """A treeplex as the loops see it."""

    parent: Index
    start: Index


def treeplex_shape(treeplex: Treeplex) -> Shape:
    """Copy a treeplex's arrays to unsigned ones."""
    return Shape(treeplex.parent.astype(np.uint32), treeplex.start.astype(np.uint32))


def gradient_rows(payoff: MatrixPayoff, player: int) -> Rows:
    """Return the rows of ``A`` for player 1 and of ``-Aᵀ`` for player 2: both players maximise."""
    matrix: sp.csr_array = payoff.matrix if player == 0 else -payoff.transpose
    return Rows(matrix.indptr.astype(np.uint32), matrix.indices.astype(np.uint32), np.ascontiguousarray(matrix.data))


def no_rows() -> Rows:
    """Return a matrix without rows: it stands in where an operator does the products."""
    return Rows(np.zeros(1, dtype=np.uint32), np.empty(0, dtype=np.uint32), np.empty(0))


def numbered_arrays(groups: Mapping[str, Iterable[NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Return named groups of one array per player under numbered names, as a saved state keeps them."""
    return {f"{name}{p}": array for name, group in groups.items() for p, array in enumerate(group)}


@jit
def signed(number: Any) -> int:
    """Make a signed integer. Compiled code must not mix signed and unsigned ones: their sum is a float."""
    converted: Any = np.int64(number)
    return converted


@jit
def unsigned(number: Any) -> int:
    """Make an unsigned integer, cutting off a fraction."""
    converted: Any = np.uint64(number)
    return converted


@jit
def multiply(rows: Rows, vector: FloatArray, out: FloatArray) -> None:
    """Write the product of a sparse matrix and a vector into ``out``."""
    multiply_block(rows, vector, out, 0, len(rows.start) - 1)


@jit
def multiply_block(rows: Rows, vector: FloatArray, out: FloatArray, low: int, high: int) -> None:
    """Write rows ``low`` to ``high`` of the product into ``out``."""
    for r in range(low, high):
        total = 0.0
        for k in range(rows.start[r], rows.start[r + 1]):
            total += rows.value[k] * vector[rows.column[k]]
        out[r] = total
