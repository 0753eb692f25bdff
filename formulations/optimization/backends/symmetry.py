r"""Remove the symmetries of a linear program by colour refinement.

M. Grohe, K. Kersting, M. Mladenov and E. Selman, *Dimension reduction via colour refinement*, ESA 2014.

Colour rows by their bounds and columns by their bounds and cost. Then split colours until all rows of one colour have
the same coefficients in the columns of each colour, counted with multiplicity, and likewise for columns and rows: for
row classes :math:`R` and column classes :math:`C`

.. math::

    \sum_{j \in C} a_{ij} = \hat a_{RC} \quad (i \in R), \qquad
    \sum_{i \in R} a_{ij} = \frac{|R|}{|C|}\, \hat a_{RC} \quad (j \in C).

The program with one column per class, with cost :math:`|C|\, c_C`, and one row per class has the same optimal value:
averaging a point over its classes keeps it feasible at the same cost. Its solution :math:`\hat x, \hat y` lifts to
:math:`x_j = \hat x_C` and :math:`y_i = \hat y_R / |R|`.

In games these classes are suits that differ only by name and histories that lead to the same choice. Leduc hold'em
dealt from six cards becomes the program of Leduc dealt by rank, a third of its size. A lifted solution is usually the
centre of a face rather than a vertex, so it has no basis. To get a basis (for a proof or a warm start) or a pure
strategy, pass ``symmetry=False`` to :func:`equiform.formulations.optimization.backends.solve_program`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from equiform.formulations.optimization.backends.base import RawAnswer
from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray

Colors = npt.NDArray[np.uint64]

MIN_NONZEROS = 1500
"""Programs with fewer nonzeros are solved as they are: a solver finishes them in the time that the search takes."""
MAX_CLASS_SHARE = 0.6
"""Merging must leave fewer classes than this share of rows and columns. Without symmetry the search ends early."""
_SLACK = 1 << 12
"""Costs and bounds count as equal if they differ only in the last 12 of their 53 bits."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """The smaller program, and the class of each row and column of the larger one."""

    program: Program
    row_class: IntArray
    column_class: IntArray

    def lift(self, answer: RawAnswer) -> RawAnswer:
        """Return an answer to the smaller program as an answer to the larger one."""
        rows, columns = self.row_class, self.column_class
        per_row, per_column = 1.0 / np.bincount(rows), 1.0 / np.bincount(columns)
        x, duals, reduced = answer.x, answer.duals, answer.reduced_costs
        return replace(
            answer,
            x=None if x is None else x[columns],
            duals=None if duals is None else (duals * per_row)[rows],
            reduced_costs=None if reduced is None else (reduced * per_column)[columns],
            basis=None,
        )


def quotient(program: Program) -> Quotient | None:
    """Merge equivalent rows and columns of a linear program.

    Parameters
    ----------
    program
        A linear program.

    Returns
    -------
    Quotient or None
        The smaller program; ``None`` if the program is too small, not linear, or has too little symmetry.

    Examples
    --------
    >>> alike = sp.block_diag([np.ones((1, 2))] * 1000)
    >>> small = quotient(Program.from_arrays(np.ones(2000), alike, row_lower=1.0))
    >>> small.program.shape, small.program.c.tolist(), small.program.A.toarray().tolist()
    ((1, 1), [2000.0], [[2.0]])
    """
    m, n = program.shape
    if program.A.nnz < MIN_NONZEROS or not program.is_lp:
        return None
    classes = _refine(program, MAX_CLASS_SHARE * (m + n))
    if classes is None:
        return None
    (rows, some_row), (columns, some_column) = map(_number, classes)
    A = program.A[some_row]
    merged = sp.csr_array((A.data, columns[A.indices], A.indptr), shape=(len(some_row), len(some_column)))
    merged.sum_duplicates()
    merged.eliminate_zeros()
    small = Program(
        c=program.c[some_column] * np.bincount(columns),
        A=merged,
        row_lower=program.row_lower[some_row],
        row_upper=program.row_upper[some_row],
        col_lower=program.col_lower[some_column],
        col_upper=program.col_upper[some_column],
        c0=program.c0,
        sign=program.sign,
        name=program.name,
        hint=program.hint,
        row_factors=None if program.row_factors is None else program.row_factors[some_row],
        column_factors=None if program.column_factors is None else program.column_factors[some_column],
    )
    return Quotient(small, rows, columns)


def _refine(program: Program, limit: float) -> tuple[Colors, Colors] | None:
    """Split colours until nothing changes; ``None`` once there are more than ``limit``.

    A colour is a 64-bit hash of everything seen so far, and a multiset is the sum of the hashes of its members. Two
    classes that collide would make a wrong program, whose lifted answer would fail the check that every answer must
    pass.
    """
    by_row, by_column = program.A, sp.csc_array(program.A)
    in_rows, in_columns = _mix(_bits(by_row.data)), _mix(_bits(by_column.data))
    rows = _seen(program.row_lower, program.row_upper, *_given(program.row_factors))
    columns = _seen(program.c, program.col_lower, program.col_upper, *_given(program.column_factors))
    count = 0
    while True:
        rows = _mix(rows + _sums(_mix(in_rows ^ columns[by_row.indices]), by_row.indptr))
        columns = _mix(columns + _sums(_mix(in_columns ^ rows[by_column.indices]), by_column.indptr))
        before, count = count, _count(rows) + _count(columns)
        if count > limit:
            return None
        if count == before:
            return rows, columns


def _given(factors: FloatArray | None) -> tuple[FloatArray, ...]:
    return () if factors is None else (factors,)


def _count(colors: Colors) -> int:
    """Count distinct colours by sorting; ``np.unique`` hashes them since NumPy 2.3, which takes far longer."""
    ordered = np.sort(colors)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _number(colors: Colors) -> tuple[IntArray, IntArray]:
    """Number classes in the order of their first members; return each member's class and the first members."""
    _, first, inverse = np.unique(colors, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return rank[inverse], first[order]


def _sums(values: Colors, indptr: Int32Array) -> Colors:
    """Add up ranges, modulo 2^64; a range may be empty."""
    total = np.zeros(len(values) + 1, dtype=np.uint64)
    np.cumsum(values, out=total[1:])
    return total[indptr[1:]] - total[indptr[:-1]]


def _seen(*numbers: FloatArray) -> Colors:
    """Return the initial colours, by costs and bounds.

    These numbers may be sums over a plan of the opponent, taken in a different order for each member of a class. Their
    last bits are then meaningless, and the solver, whose tolerances are ten thousand times as wide, never sees them.
    """
    colors = np.zeros(len(numbers[0]), dtype=np.uint64)
    for array in numbers:
        rounded = (_bits(array) + np.uint64(_SLACK // 2)) & np.uint64(2**64 - _SLACK)
        colors = _mix(colors + _mix(rounded))
    return colors


def _bits(numbers: FloatArray) -> Colors:
    return (numbers + 0.0).view(np.uint64)  # adding zero turns -0.0 into 0.0


def _mix(bits: Colors) -> Colors:
    """Scramble 64 bits with the finaliser of splitmix64, such that zero does not stay zero."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Colors = bits ^ (bits >> np.uint64(31))
    return mixed
