"""Loops that are interpreted while there is little to do, and compiled as :func:`~equiform.models.common.jit.jit` does
after that: loading numba takes longer than solving a small game."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

#: How many entries all patient loops together go through interpreted: some hundredths of a second.
PATIENCE = 100_000

F = TypeVar("F", bound=Callable[..., Any])
_spent = 0


def patient_jit(function: F) -> F:
    """Interpret a loop until compiling it pays.

    For functions whose work is in proportion to the entries of their arrays, and which only plain Python calls:
    compiled code cannot call them.
    """
    return functools.wraps(function)(_PatientLoop(function))  # type: ignore[return-value]


class _PatientLoop:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.compiled: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self.compiled is None:
            global _spent
            _spent += sum(a.size for a in arguments if isinstance(a, np.ndarray))
            if _spent <= PATIENCE:
                return self.function(*arguments)
            from equiform.models.common.jit import jit

            self.compiled = jit(self.function)
        return self.compiled(*arguments)
