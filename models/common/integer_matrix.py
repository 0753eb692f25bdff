r"""Sparse integer matrices that multiply vectors of integers of any size exactly.

For a matrix with many entries per row the vector is split into limbs: write :math:`v = \sum_k 2^{wk} v_k` with
:math:`|v_k| < 2^w` and w so small that no entry of :math:`M v_k` leaves 64 bits. All products are then scipy's own, and
one carry and one conversion per entry remain. Matrices with few entries per row, or with entries beyond 64 bits, use
Python's integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational_vector import ENTRY_LIMIT, Integers, as_object, integer_array, scaled_floats

_LIMBS_FROM = 10  # entries per row; with fewer, splitting and carrying cost more than they save


@dataclass(frozen=True, eq=False)
class IntegerMatrix:
    """A sparse integer matrix (CSR). With ``big``, the stored data are positions in it plus one."""

    csr: sp.csr_array = field(repr=False)
    big: NDArray[Any] | None = field(default=None, repr=False)

    @staticmethod
    def from_coo(shape: tuple[int, int], rows: Integers, cols: Integers, values: Integers) -> IntegerMatrix:
        """Build from distinct cells."""
        big = None
        if values.dtype == object:
            values = integer_array([int(v) for v in values.tolist()])
        elif values.dtype != np.int64:
            raise ParameterError(f"matrix entries of type {values.dtype} are not exact", fix="use int64 or objects")
        elif len(values) and max(int(values.max()), -int(values.min())) >= ENTRY_LIMIT:
            values = as_object(values)
        if values.dtype == object:
            big, values = values, np.arange(1, len(values) + 1)
        csr = sp.csr_array((values, (rows, cols)), shape=shape)
        if csr.nnz != len(values):
            raise ParameterError(
                "two entries of an integer matrix share a cell",
                where=f"{len(values) - csr.nnz} repeated cells",
                fix="add them up first",
            )
        return IntegerMatrix(csr, big)

    @staticmethod
    def from_dense(table: Sequence[Sequence[int]]) -> IntegerMatrix:
        """Build from a table of integers (small matrices).

        >>> IntegerMatrix.from_dense([[1, 0], [2, 10**30]]).times(np.array([3, 1])).tolist()
        [3, 1000000000000000000000000000006]
        """
        cells = [(i, j, int(v)) for i, row in enumerate(table) for j, v in enumerate(row) if v != 0]
        rows, cols = (np.array([cell[k] for cell in cells], dtype=np.int64) for k in (0, 1))
        shape = (len(table), len(table[0]) if len(table) else 0)
        return IntegerMatrix.from_coo(shape, rows, cols, integer_array([cell[2] for cell in cells]))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        m, n = self.csr.shape
        return int(m), int(n)

    @property
    def entries(self) -> Integers:
        """The nonzero entries in CSR order."""
        return self.csr.data if self.big is None else self.big[self.csr.data - 1]

    @cached_property
    def norm(self) -> int:
        """The largest sum of absolute values in a row."""
        if self.csr.nnz == 0:
            return 0
        sizes = np.abs(self.entries)
        if self.big is None and float(sizes.astype(np.float64).sum()) >= ENTRY_LIMIT:
            sizes = as_object(sizes)
        return int(_row_sums(sizes, self.csr.indptr).max())

    @cached_property
    def T(self) -> IntegerMatrix:
        """The transposed matrix."""
        return IntegerMatrix(sp.csr_array(self.csr.T), self.big)

    def submatrix(self, rows: NDArray[Any], cols: NDArray[Any]) -> IntegerMatrix:
        """Select rows and columns by number."""
        return IntegerMatrix(sp.csr_array(self.csr[rows][:, cols]), self.big)

    def column_gcds(self) -> Integers:
        """Return the greatest common divisor of each column (one for an empty one)."""
        columns = self.T
        counts = np.diff(columns.csr.indptr)
        result = np.ones(len(counts), dtype=object)
        used = np.flatnonzero(counts)
        if len(used):
            result[used] = np.gcd.reduceat(columns.entries, columns.csr.indptr[:-1][used])
        return result

    def divide_columns(self, divisors: Integers) -> IntegerMatrix:
        """Divide each column by an integer that divides it."""
        csr = self.csr
        if self.big is None:
            quotients = csr.data // divisors.astype(np.int64)[csr.indices]
            return IntegerMatrix(sp.csr_array((quotients, csr.indices, csr.indptr), shape=self.shape))
        quotients = integer_array((self.entries // divisors[csr.indices]).tolist())
        small = quotients.dtype != object
        data = quotients if small else np.arange(1, csr.nnz + 1)
        result = sp.csr_array((data, csr.indices, csr.indptr), shape=self.shape)
        return IntegerMatrix(result, None if small else quotients)

    @cached_property
    def row_exponents(self) -> IntArray:
        """For each row the power of two just above its largest entry."""
        result = np.ones(self.shape[0], dtype=np.int64)
        used = np.flatnonzero(np.diff(self.csr.indptr))
        if len(used):
            largest = np.maximum.reduceat(np.abs(self.entries), self.csr.indptr[:-1][used])
            result[used] = [k.bit_length() for k in largest.tolist()]
        return result

    @cached_property
    def scaled_floats(self) -> sp.csr_array:
        """The matrix in floats, each row divided by its power of two; integers up to 2^53 lose nothing."""
        exponents = np.repeat(self.row_exponents, np.diff(self.csr.indptr))
        data = scaled_floats(self.entries, exponents)
        return sp.csr_array((data, self.csr.indices, self.csr.indptr), shape=self.shape)

    def times(self, vector: Integers) -> NDArray[Any]:
        """Multiply a vector of integers exactly; the product consists of Python integers."""
        if len(vector) == 0 or self.csr.nnz == 0:
            return np.zeros(self.shape[0], dtype=object)
        many = self.csr.nnz > _LIMBS_FROM * self.shape[0]
        limb_bytes = min(4, (62 - self.norm.bit_length()) // 8) if many and self.big is None else 0
        if limb_bytes < 1:
            return _row_sums(as_object(self.entries) * as_object(vector)[self.csr.indices], self.csr.indptr)
        return _from_limbs(self.csr @ _limbs(vector, limb_bytes), limb_bytes)


def _row_sums(products: Integers, indptr: NDArray[Any]) -> Integers:
    """Sum each row; ``reduceat`` alone would assign an empty row its neighbour's first entry."""
    result = np.zeros(len(indptr) - 1, dtype=products.dtype)
    used = np.flatnonzero(np.diff(indptr))
    if len(used):
        result[used] = np.add.reduceat(products, indptr[:-1][used])
    return result


def _limbs(vector: Integers, limb_bytes: int) -> IntArray:
    """Split integers into signed limbs of ``limb_bytes`` bytes, lowest first: one row per integer."""
    values = vector.tolist()
    longest = max(max(values), -min(values)).bit_length()
    count = max(1, -(-longest // (8 * limb_bytes)))
    size = count * limb_bytes
    raw = b"".join([abs(v).to_bytes(size, "little") for v in values])
    parts = np.frombuffer(raw, dtype=np.uint8).reshape(len(values), count, limb_bytes).astype(np.int64)
    limbs = parts @ (np.int64(1) << (8 * np.arange(limb_bytes)))
    signs = np.array([-1 if v < 0 else 1 for v in values], dtype=np.int64)
    return limbs * signs[:, None]


def _from_limbs(limbs: IntArray, limb_bytes: int) -> NDArray[Any]:
    """Add up ``Σ limb_k 2^{wk}`` with limbs of up to 63 bits: carry upwards, then read two's complement bytes."""
    width = 8 * limb_bytes
    rows, count = limbs.shape
    digits = np.empty((rows, count, limb_bytes), dtype=np.uint8)
    carry = np.zeros(rows, dtype=np.int64)
    for k in range(count):
        total = limbs[:, k] + carry  # both below 2^62
        low = total & ((1 << width) - 1)
        carry = total >> width
        digits[:, k] = low.astype("<u4").view(np.uint8).reshape(rows, 4)[:, :limb_bytes]
    top = carry.astype("<i8").view(np.uint8).reshape(rows, 8)
    raw = np.concatenate([digits.reshape(rows, count * limb_bytes), top], axis=1).tobytes()
    size = count * limb_bytes + 8
    result = np.empty(rows, dtype=object)
    result[:] = [int.from_bytes(raw[k : k + size], "little", signed=True) for k in range(0, len(raw), size)]
    return result
