"""Abstractions on disk: one ``.npz`` file of plain arrays, read without unpickling, written in one piece.

A round keeps a bucket for every hand class (``labels``), or, where a table would be huge, the score cuts of every
bucket of the round before (``cuts``, ``children``; one parent if that bucket is forgotten). Bucket weights and mean
strengths are kept for pictures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.errors import FormatError
from equiform.models.files import read_arrays, whole_file

FORMAT = "equiform buckets 1"
_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class BucketRound:
    """One round of a stored abstraction."""

    name: str
    deals: tuple[int, ...]
    """Cards dealt round by round: what the hand classes are classes of."""
    weights: NDArray[np.float64] = field(repr=False)
    """Probability of every bucket."""
    labels: NDArray[np.int32] = field(default_factory=lambda: _NONE.astype(np.int32), repr=False)
    means: NDArray[np.float64] = field(default_factory=lambda: _NONE, repr=False)
    """Mean hand strength of every bucket; empty if the method has none."""
    cuts: NDArray[np.int64] = field(default_factory=lambda: _NONE.astype(np.int64), repr=False)
    children: NDArray[np.int64] = field(default_factory=lambda: _NONE.astype(np.int64), repr=False)

    @property
    def n_buckets(self) -> int:
        """How many buckets there are."""
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class BucketFile:
    """A stored abstraction: what game, which method with which parameters, and its rounds."""

    game: str
    method: str
    rounds: tuple[BucketRound, ...]
    seconds: float = 0.0

    def write(self, path: str | Path) -> None:
        """Write the file; it takes its name when it is whole."""
        meta = {
            "format": FORMAT,
            "game": self.game,
            "method": self.method,
            "seconds": self.seconds,
            "rounds": [{"name": r.name, "deals": list(r.deals)} for r in self.rounds],
        }
        arrays: dict[str, Any] = {"meta": np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)}
        for k, r in enumerate(self.rounds):
            for part in ("weights", "labels", "means", "cuts", "children"):
                arrays[f"{part}_{k}"] = getattr(r, part)
        with whole_file(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(stream, **arrays)


def read_buckets(path: str | Path) -> BucketFile:
    """Read a stored abstraction."""
    fix = "write one by `equiform abstract`"
    arrays = read_arrays(path, "the file of buckets", fix=fix)
    try:
        meta = json.loads(arrays["meta"].tobytes())
        if meta["format"] != FORMAT:
            raise FormatError(f"the file has format {meta['format']!r}", where=str(path), fix=f"expected {FORMAT!r}")
        rounds = tuple(
            BucketRound(
                str(entry["name"]),
                tuple(int(n) for n in entry["deals"]),
                *(arrays[f"{part}_{k}"] for part in ("weights", "labels", "means", "cuts", "children")),
            )
            for k, entry in enumerate(meta["rounds"])
        )
        for r in rounds:
            _check(r, path)
        return BucketFile(str(meta["game"]), str(meta["method"]), rounds, float(meta["seconds"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError("this is not a file of buckets", where=str(path), fix=fix) from error


def _check(r: BucketRound, path: str | Path) -> None:
    """Refuse a round whose parts do not fit each other."""
    n = r.n_buckets
    if r.labels.size:
        sound = int(r.labels.min()) >= 0 and int(r.labels.max()) < n
    else:
        sound = r.children.size > 0 and r.cuts.size + r.children.size == n == int(r.children.sum())
    if not sound or r.means.size not in (0, n):
        raise FormatError(
            f"the parts of round {r.name} do not fit its {n} buckets",
            where=str(path),
            fix="write the file anew by `equiform abstract`",
        )
