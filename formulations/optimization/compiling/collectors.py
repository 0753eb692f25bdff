"""The two collectors of the compiler: one numbers the columns, the other stacks the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.formulations.optimization.program import RowBlock
from equiform.models.common.array_types import FloatArray, IntArray


class Columns:
    """Number variables in the order in which they are met; doubles as the recorder that Pyomo's walkers expect."""

    def __init__(self) -> None:
        self.variables: list[Any] = []
        self.var_order: dict[int, int] = {}  # column number by id; the name is the one that the walkers look for
        # The walkers assume that every variable in here is free, so fixed variables must not be in it.
        self.var_map: dict[int, Any] = {}

    def add(self, variable: Any) -> None:
        """Record a variable that a walker has met."""
        self.var_map[id(variable)] = variable
        self.take(variable)

    def take(self, variable: Any) -> int:
        """Return the column of a variable, a new one if it has none."""
        key = id(variable)
        column = self.var_order.get(key)
        if column is None:
            column = self.var_order[key] = len(self.variables)
            self.variables.append(variable)
        return column

    def take_all(self, variables: tuple[Any, ...]) -> IntArray:
        """Return the columns of many variables, without a Python step per variable where they are all new."""
        number, start = self.var_order, len(self.variables)
        if not number:
            self.var_order = {id(v): j for j, v in enumerate(variables)}
            if len(self.var_order) == len(variables):
                self.variables = list(variables)
                return np.arange(len(variables), dtype=np.int64)
            self.var_order = {}
        elif not any(map(number.__contains__, map(id, variables))) and len(set(map(id, variables))) == len(variables):
            number.update({id(v): j for j, v in enumerate(variables, start)})
            self.variables.extend(variables)
            return np.arange(start, start + len(variables), dtype=np.int64)
        return np.fromiter(map(self.take, variables), dtype=np.int64, count=len(variables))


class Rows:
    """Collect CSR pieces: whole matrices, and single rows in between."""

    def __init__(self) -> None:
        self.pieces: list[tuple[FloatArray, IntArray, IntArray]] = []
        self.bounds: list[tuple[FloatArray, FloatArray]] = []
        self.blocks: list[RowBlock] = []
        self.count = 0
        self._clear()

    def _clear(self) -> None:
        self.data: list[float] = []
        self.index: list[int] = []
        self.length: list[int] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add_row(self, component: Any, columns: list[int], coefs: list[float], low: float, high: float) -> None:
        """Add the row of one constraint."""
        self.data.extend(coefs)
        self.index.extend(columns)
        self.length.append(len(coefs))
        self.low.append(low)
        self.high.append(high)
        self.blocks.append(RowBlock(self.count, self.count + 1, component))
        self.count += 1

    def add_block(self, block: MatrixConstraint, columns: IntArray, rows: IntArray | None) -> None:
        """Add a matrix constraint whole, or only some of its rows."""
        self.flush()
        matrix = block.matrix if rows is None else block.matrix[rows]
        contiguous = (
            columns.size and columns[0] == 0 and columns[-1] == columns.size - 1 and (np.diff(columns) == 1).all()
        )
        indices = matrix.indices if contiguous else columns[matrix.indices]
        self.pieces.append((matrix.data, indices, np.diff(matrix.indptr)))
        keep: Any = slice(None) if rows is None else rows
        self.bounds.append((block.lower_bounds[keep], block.upper_bounds[keep]))
        stop = self.count + matrix.shape[0]
        self.blocks.append(RowBlock(self.count, stop, block, rows))
        self.count = stop

    def flush(self) -> None:
        """Turn the single rows collected so far into a piece."""
        if self.length:
            self.pieces.append((np.array(self.data), np.array(self.index, dtype=np.int64), np.array(self.length)))
            self.bounds.append((np.array(self.low), np.array(self.high)))
            self._clear()

    def matrix(self, columns: int) -> sp.csr_array:
        """Return all rows as one CSR matrix."""
        self.flush()
        if not self.pieces:
            return sp.csr_array((0, columns), dtype=np.float64)
        data = np.concatenate([p[0] for p in self.pieces], dtype=np.float64)
        indices = np.concatenate([p[1] for p in self.pieces], dtype=np.int32)
        indptr = np.zeros(self.count + 1, dtype=np.int32)
        np.cumsum(np.concatenate([p[2] for p in self.pieces]), out=indptr[1:])
        matrix = sp.csr_array((data, indices, indptr), shape=(self.count, columns))
        matrix.sum_duplicates()
        return matrix

    def row_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lower and upper bounds of all rows."""
        self.flush()
        if not self.bounds:
            return np.zeros(0), np.zeros(0)
        return np.concatenate([b[0] for b in self.bounds]), np.concatenate([b[1] for b in self.bounds])
