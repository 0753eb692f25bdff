"""The numba settings of all hot loops: compiled once, cached on disk, no fast-math (results are proofs)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile with numba in nopython mode and cache the machine code between runs."""
    compiled: F = numba.njit(cache=True, nogil=True)(function)
    return compiled
