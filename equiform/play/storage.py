"""Finished chunks of a match on disk: one ``.npz`` each, written in one step, read without unpickling anything."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import FormatError
from equiform.models.common.files import make_folder, read_arrays, whole_file

if TYPE_CHECKING:
    from equiform.play.match import MatchSpec

logger = logging.getLogger(__name__)

VERSION = 1
_FIELDS = ("won", "worth", "least_gifts")


def chunk_path(folder: Path, spec: MatchSpec, numbers: IntArray) -> Path:
    """Name the file of a chunk: all that its figures depend on is in the hash."""
    # how many opponents there are in all changes nothing for these
    content = {**asdict(spec), "opponents": numbers.tolist(), "version": VERSION}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:20]
    return folder / f"{spec.agent}-{spec.opponent}-{digest}.npz"


def write_chunk(folder: Path, spec: MatchSpec, numbers: IntArray, arrays: Mapping[str, Any]) -> None:
    """Store a chunk so that a crash at any moment leaves a whole file or none."""
    make_folder(folder)
    named: dict[str, Any] = {name: np.asarray(arrays[name]) for name in _FIELDS}
    with whole_file(chunk_path(folder, spec, numbers)) as draft, draft.open("wb") as file:
        np.savez(file, **named)


def read_chunk(folder: Path, spec: MatchSpec, numbers: IntArray) -> dict[str, Any] | None:
    """Read a chunk that was played before; a damaged file counts as none."""
    path = chunk_path(folder, spec, numbers)
    if not path.exists():
        return None
    try:
        arrays = read_arrays(path, "the chunk", fix="")
    except FormatError:
        arrays = {}
    if set(arrays) != set(_FIELDS) or any(a.shape != numbers.shape or a.dtype != np.float64 for a in arrays.values()):
        logger.warning("%s is damaged; these matches are played again", path)
        return None
    return arrays
