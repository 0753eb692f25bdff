"""The numba settings of all hot loops: compiled once, cached on disk, no fast-math (results are proofs).

numba stamps cached machine code with the file of the function itself. A loop that calls a helper in another file would
go on running the old helper after an edit or an upgrade. Here the key of the cache holds a digest of everything that is
compiled into a function: its own bytecode, that of every compiled function it reaches, and the constants they read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

#: The module whose plain functions write machine instructions.
_VECTORS = "equiform.models.public.vectors"

#: Switches the counting of references off; numba calls the option private, so it may go one day.
_BORROWED = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile with numba in nopython mode and cache the machine code between runs."""
    compiled: Any = numba.njit(nogil=True)(function)
    compiled._cache = _SourceKeyedCache(function)
    checked: F = compiled
    return checked


def vector_jit(function: F) -> F:
    """Compile as :func:`jit` does, but let a division by zero be infinite: loops with the check do not vectorise."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    compiled._cache = _SourceKeyedCache(function)
    checked: F = compiled
    return checked


def borrowing_jit(function: F) -> F:
    """Compile as :func:`vector_jit` does, and borrow all arrays from the caller: nothing can be allocated.

    numba counts the references to every array of every tuple that is handed from one function to the next. Loops whose
    state is a hundred arrays spend more time on that than on a small river.
    """
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **_BORROWED)(function)
    compiled._cache = _SourceKeyedCache(function)
    checked: F = compiled
    return checked


def inlined(function: F) -> F:
    """Compile as :func:`vector_jit` does, into the body of each caller: for short loops that a call would slow down."""
    compiled: F = numba.njit(nogil=True, error_model="numpy", inline="always")(function)
    return compiled


class _SourceKeyedCache(FunctionCache):  # type: ignore[misc]
    """numba's cache of one function, keyed by all sources that go into its machine code."""

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), source_digest(self._py_func))


def source_digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function, of the compiled functions it reaches, and of the constants they read."""
    digest = hashlib.sha256()
    waiting, seen = [function], {function}

    def follow(found: Any) -> None:
        if found not in seen:
            seen.add(found)
            waiting.append(found)

    while waiting:
        reached = waiting.pop()
        digest.update(f"{reached.__module__}.{reached.__qualname__}".encode())
        for code in _nested_codes(reached.__code__):
            digest.update(code.co_code)
            digest.update(repr([c for c in code.co_consts if not isinstance(c, CodeType)]).encode())
        for name, value in _globals_read(reached):
            if isinstance(value, Dispatcher):
                digest.update(repr(sorted(value.targetoptions.items())).encode())  # how it is compiled
                follow(value.py_func)
            elif isinstance(value, _Intrinsic):
                follow(value._defn)
            elif isinstance(value, FunctionType) and value.__module__ == _VECTORS:
                follow(value)  # what writes the instructions of an intrinsic
            elif isinstance(value, np.ndarray):
                digest.update(name.encode() + value.dtype.str.encode() + value.tobytes())
            elif isinstance(value, int | float | str | bytes | tuple | np.generic):
                digest.update(f"{name}={value!r}".encode())
    return digest.hexdigest()


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested_codes(constant)


def _globals_read(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the global and enclosed values that a function may read; attributes of our own modules included."""
    names = sorted({name for code in _nested_codes(function.__code__) for name in code.co_names})
    for name in names:
        value = function.__globals__.get(name)
        yield name, value
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == __name__.partition(".")[0]:
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in names if hasattr(value, inner))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
