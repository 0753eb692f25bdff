"""Write a program as a free-format MPS file, without a Python loop over the nonzeros.

Lines of one kind have a fixed width, so a whole section is one matrix of bytes: names and numbers are turned into text
once each and then gathered by index. Columns are called ``C0, C1…``, rows ``R0, R1…``. Rows without finite bounds are
left out, and so is the constant of the objective. Numbers have 17 digits, so that reading them back yields the same
doubles. Special ordered sets are written in the dialect that CBC and SCIP share, the quadratic part as ``QUADOBJ``.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from equiform.formulations.optimization.program import Program
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray

Text = npt.NDArray[np.bytes_]

_CHUNK = 500_000


def bounded_rows(program: Program) -> IntArray:
    """Return the numbers of the rows that have a finite bound, in order."""
    return np.flatnonzero(np.isfinite(program.row_lower) | np.isfinite(program.row_upper))


def write_mps(program: Program, path: Path) -> IntArray:
    """Write the minimisation and return the numbers of the rows written."""
    rows = bounded_rows(program)
    columns, names = _names(b"C", program.shape[1]), _names(b"R", program.shape[0])
    low, high = program.row_lower[rows], program.row_upper[rows]
    equal, ranged = low == high, np.isfinite(low) & np.isfinite(high) & (low != high)
    kind = np.where(equal, b"E", np.where(np.isfinite(high), b"L", b"G"))
    rhs = np.where(np.isfinite(high), high, low)
    with path.open("wb") as file:
        file.write(b"NAME equiform FREE\nROWS\n N OBJ\n")
        _lines(file, kind, names[rows])
        file.write(b"COLUMNS\n")
        _columns(file, program, rows, columns, names)
        file.write(b"RHS\n")
        some = np.flatnonzero(rhs)
        _lines(file, _repeat(b"RHS", some.size), names[rows[some]], _text(rhs[some]))
        if ranged.any():
            file.write(b"RANGES\n")
            where = np.flatnonzero(ranged)
            _lines(file, _repeat(b"RNG", where.size), names[rows[where]], _text((high - low)[where]))
        file.write(b"BOUNDS\n")
        _bounds(file, program, columns)
        if program.sos:
            file.write(b"SOS\n")
            for number, sos in enumerate(program.sos):
                file.write(b" S%d S%d\n" % (sos.level, number))
                _lines(file, columns[sos.columns], _text(sos.weights))
        if program.Q is not None and program.Q.nnz:
            lower = sp.coo_array(sp.tril(program.Q))
            file.write(b"QUADOBJ\n")
            _lines(file, columns[lower.col], columns[lower.row], _text(lower.data))
        file.write(b"ENDATA\n")
    return rows


def _columns(file: BinaryIO, program: Program, rows: IntArray, columns: Text, names: Text) -> None:
    # every column has an entry in the objective, which also declares the empty ones
    m = program.shape[0]
    body = sp.csc_array(program.A[rows] if rows.size < m else program.A)
    n = program.shape[1]
    count = np.diff(body.indptr)
    start = np.concatenate(([0], np.cumsum(count + 1)))
    entry_column = np.repeat(np.arange(n), count + 1)
    entry_row = np.full(entry_column.size, m)
    entry_value = np.empty(entry_column.size)
    first = np.zeros(entry_column.size, dtype=bool)
    first[start[:-1]] = True
    entry_value[first], entry_value[~first] = program.c, body.data
    entry_row[~first] = rows[body.indices]
    labels = np.append(names, np.array([b"OBJ"])) if m else np.array([b"OBJ"])
    # runs of integer columns are enclosed by markers
    edges = np.flatnonzero(np.diff(program.integer.astype(np.int8))) + 1
    for run, (a, b) in enumerate(zip(np.append(0, edges), np.append(edges, n), strict=True)):
        if program.integer[a]:
            file.write(b" M%d 'MARKER' 'INTORG'\n" % run)
        span = slice(start[a], start[b])
        _lines(file, columns[entry_column[span]], labels[entry_row[span]], _text(entry_value[span]))
        if program.integer[a]:
            file.write(b" N%d 'MARKER' 'INTEND'\n" % run)


def _bounds(file: BinaryIO, program: Program, columns: Text) -> None:
    low, high, integer = program.col_lower, program.col_upper, program.integer
    fixed = low == high
    free = np.isinf(low) & np.isinf(high)
    _pairs(file, b"FX", fixed, columns, low)
    _pairs(file, b"FR", free, columns, None)
    # lower bounds come first: some readers move them when they meet an upper bound
    _pairs(file, b"MI", np.isinf(low) & ~free, columns, None)
    _pairs(file, b"LO", np.isfinite(low) & ~fixed & ((low != 0) | integer), columns, low)
    _pairs(file, b"UP", np.isfinite(high) & ~fixed, columns, high)
    _pairs(file, b"PL", integer & np.isinf(high) & ~free, columns, None)


def _pairs(file: BinaryIO, kind: bytes, which: BoolArray, columns: Text, values: FloatArray | None) -> None:
    where = np.flatnonzero(which)
    fields = [_repeat(kind, where.size), _repeat(b"BND", where.size), columns[where]]
    _lines(file, *fields, *(() if values is None else (_text(values[where]),)))


def _names(letter: bytes, size: int) -> Text:
    return np.char.add(letter, np.arange(size).astype(f"S{len(str(size))}"))


def _repeat(word: bytes, times: int) -> Text:
    return np.full(times, word)


def _text(values: FloatArray) -> Text:
    """Return numbers as text; equal numbers are formatted once."""
    distinct, inverse = np.unique(values, return_inverse=True)
    return np.array([b"%.17g" % value for value in distinct.tolist()] or [b""])[inverse]


def _lines(file: BinaryIO, *fields: Text) -> None:
    """Write one line per position, with the fields separated by spaces."""
    for start in range(0, fields[0].size, _CHUNK):
        parts = [field[start : start + _CHUNK] for field in fields]
        size = parts[0].size
        page = np.full((size, sum(part.itemsize + 1 for part in parts) + 1), ord(" "), dtype=np.uint8)
        at = 1
        for part in parts:
            block = page[:, at : at + part.itemsize]
            block[:] = np.ascontiguousarray(part).view(np.uint8).reshape(size, part.itemsize)
            block[block == 0] = ord(" ")  # shorter texts are padded with zeros
            at += part.itemsize + 1
        page[:, -1] = ord("\n")
        file.write(page.tobytes())
