"""Where big tables live between runs, and how they get there in one piece.

The folder is ``$EQUIFORM_CACHE`` if set, else ``equiform`` in the user's cache folder (``$XDG_CACHE_HOME`` where it is
set, otherwise the platform's usual place). Tables are plain ``.npy`` files: read memory-mapped, never unpickled, and
written under another name first, so that a reader sees a whole table or none.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import DTypeLike, NDArray

from equiform.models.common.errors import EquiformError

log = logging.getLogger(__name__)


class CacheError(EquiformError):
    """A table cannot be written to the cache folder."""


def cache_dir() -> Path:
    """Return the folder of cached tables (it may not exist yet)."""
    if chosen := os.environ.get("EQUIFORM_CACHE"):
        return Path(chosen).expanduser()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg) / "equiform"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "equiform"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "equiform" / "Cache"
    return Path.home() / ".cache" / "equiform"


def _load(path: Path, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any] | None:
    """Return the array in a file, memory-mapped; None if it is missing or not what it should be."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(array, np.ndarray):  # an archive of arrays
            array.close()
            raise ValueError("not a single array")
    except FileNotFoundError:
        return None
    except Exception as error:  # a damaged header fails in numpy, ast, tokenize or zipfile, each in its own way
        log.warning("ignoring the damaged cache file %s (%s)", path, error)
        return None
    if array.shape != shape or array.dtype != np.dtype(dtype):
        log.warning("ignoring the cache file %s: %s %s instead of %s %s", path, array.dtype, array.shape, dtype, shape)
        return None
    return array


def cached_array(path: Path, shape: tuple[int, ...], dtype: DTypeLike, build: Callable[[], None]) -> NDArray[Any]:
    """Return a cached array, memory-mapped and read-only; ``build`` must write it if it is missing or damaged."""
    array = _load(path, shape, dtype)
    if array is None:
        build()
        array = _load(path, shape, dtype)
    if array is None:
        raise CacheError("a table disappeared after it was written", where=str(path), fix="try again")
    return array


def require_writable(path: Path) -> None:
    """Refuse a table that could not be kept, before the work of computing it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise _refused(path, "cannot write a table", error) from error


@contextmanager
def new_array(path: Path, shape: tuple[int, ...], dtype: DTypeLike) -> Iterator[NDArray[Any]]:
    """Yield a zeroed array on disk to be filled; it takes its name when the block ends without an exception."""
    draft = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    what = f"cannot write a table of {prod(shape) * np.dtype(dtype).itemsize / 1e6:.0f} MB"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        array = open_memmap(draft, mode="w+", dtype=np.dtype(dtype), shape=shape)
    except (OSError, ValueError) as error:
        raise _refused(path, what, error) from error
    try:
        yield array
        try:
            array.flush()
            os.replace(draft, path)
        except OSError as error:
            raise _refused(path, what, error) from error
    finally:
        draft.unlink(missing_ok=True)


def _refused(path: Path, what: str, error: Exception) -> CacheError:
    return CacheError(
        f"{what} ({getattr(error, 'strerror', None) or error})",
        where=str(path),
        fix="free some space, or point the environment variable EQUIFORM_CACHE to another folder",
    )
