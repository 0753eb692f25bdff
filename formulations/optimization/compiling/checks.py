"""Checked arguments of matrix constraints: matrices, bounds and variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ModelError

Bounds = float | Sequence[float | None] | FloatArray | None


def as_csr(matrix: Any) -> sp.csr_array:
    """Return a matrix in canonical CSR form; one that already is in that form is shared, not copied."""
    try:
        csr = sp.csr_array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(
            "the matrix of a matrix constraint cannot be read as numbers",
            where=f"a {type(matrix).__name__}: {error}",
            fix="pass a two-dimensional array or a scipy sparse matrix",
        ) from error
    if csr.ndim != 2:
        raise ModelError(
            "the matrix of a matrix constraint is not two-dimensional",
            where=f"shape {csr.shape}",
            fix="reshape it to rows by variables",
        )
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return csr


def as_bounds(bounds: Bounds, size: int, missing: float, side: str) -> FloatArray:
    """Return one bound per position as a read-only array, with ``missing`` where there is none."""
    if bounds is None:
        array = np.full(size, missing)
    else:
        given = np.asarray(bounds, dtype=np.float64)  # None inside a list becomes nan
        if given.ndim > 1 or (given.ndim == 1 and given.size != size):
            raise ModelError(
                f"{given.size} {side} bounds were given for {size} rows or variables",
                where=f"shape {given.shape}",
                fix="pass one number, or one per row or variable",
            )
        array = np.array(np.broadcast_to(given, (size,)))
        if isinstance(bounds, list | tuple):
            array[[b is None for b in bounds]] = missing
    bad = np.flatnonzero(np.isnan(array) | (array == -missing))
    if bad.size:
        raise ModelError(
            f"a {side} bound is not usable",
            where=f"position {bad[0]}: {array[bad[0]]}",
            fix=f"use finite {side} bounds, or {missing} for none",
        )
    array.flags.writeable = False
    return array


def finite_or_none(array: FloatArray) -> list[float | None]:
    """Return a list in which infinities are ``None``, as Pyomo writes them."""
    return [b if np.isfinite(b) else None for b in array.tolist()]


def is_variable(candidate: Any) -> bool:
    """Return whether an object is a single Pyomo variable."""
    try:
        return bool(candidate.is_variable_type()) and not candidate.is_indexed()
    except AttributeError:
        return False
