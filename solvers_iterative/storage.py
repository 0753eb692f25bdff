"""Solver states on disk: one ``.npz`` a checkpoint, written in one step and read without unpickling anything."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_arrays, whole_file

FORMAT = "equiform-solver"
VERSION = 1


@dataclass(frozen=True, eq=False)
class SavedState:
    """What a file holds: who wrote it (``meta``) and the arrays."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def write_state(path: str | Path, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a state so that a reader, or a crash at any moment, sees the old file or the new one and nothing else."""
    header = np.array(json.dumps({"format": FORMAT, "version": VERSION, **meta}))
    named: dict[str, Any] = {f"state.{name}": array for name, array in arrays.items()}
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez(file, meta=header, **named)


def read_state(path: str | Path) -> SavedState:
    """Read a state file, or raise :class:`FormatError`."""
    fix = "give the .npz file that a run wrote"
    stored = read_arrays(path, "the saved state", fix=fix)
    try:
        meta = json.loads(str(stored["meta"]))
    except (KeyError, ValueError, RecursionError):
        raise FormatError("not a saved solver state", where=str(path), fix=fix) from None
    arrays = {name.removeprefix("state."): array for name, array in stored.items() if name.startswith("state.")}
    if not isinstance(meta, dict) or meta.get("format") != FORMAT or meta.get("version") != VERSION:
        raise FormatError(
            "this release cannot read the saved state",
            where=str(path),
            fix=f"expected format {FORMAT!r}, version {VERSION}",
        )
    return SavedState(meta, arrays)


def fingerprint(arrays: Iterable[NDArray[Any]]) -> str:
    """Give a short hash that tells games apart, so that a state is never resumed on another game."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str((array.shape, array.dtype.str)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
