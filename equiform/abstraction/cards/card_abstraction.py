"""Card abstractions, and their files: one ``.npz`` of plain arrays, read without unpickling and written atomically.

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

from equiform.abstraction.cards.score_cuts import score_cuts
from equiform.abstraction.cards.scored_rounds import METRICS
from equiform.models.common.arguments import (
    require_all,
    require_counts,
    require_kind,
    require_name,
    require_number,
)
from equiform.models.common.array_arguments import require_integers, require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_arrays, whole_file

FORMAT = "equiform buckets 1"
PARTS = ("weights", "labels", "means", "cuts", "children")
_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class BucketRound:
    """One round of a stored abstraction."""

    name: str
    deals: tuple[int, ...]
    """Cards dealt round by round: they determine the hand classes."""
    weights: FloatArray = field(repr=False)
    """Probability of every bucket."""
    labels: Int32Array = field(default_factory=lambda: _NONE.astype(np.int32), repr=False)
    means: FloatArray = field(default_factory=lambda: _NONE, repr=False)
    """Mean hand strength of every bucket; empty if the method has none."""
    cuts: IntArray = field(default_factory=lambda: _NONE.astype(np.int64), repr=False)
    children: IntArray = field(default_factory=lambda: _NONE.astype(np.int64), repr=False)

    def __post_init__(self) -> None:
        where = f"round {self.name!r}"[:100]
        require_counts(self.deals, "deals", where)
        for part in PARTS:
            require_kind(getattr(self, part), np.ndarray, part, where)
        require_numbers(self.weights, "weights", where, shape=(None,), empty=False, least=0.0)
        n = self.n_buckets
        require_numbers(self.means, "means", where, shape=(n if self.means.size else 0,))
        if self.labels.size:
            require_integers(self.labels, "labels", where, shape=(None,), least=0, most=n - 1)
        elif score_cuts(self.cuts, self.children).n_buckets != n:  # type: ignore[arg-type]
            raise ParameterError(f"the cuts do not make {n} buckets", where=where, fix="pass one weight per bucket")

    @property
    def n_buckets(self) -> int:
        """How many buckets there are."""
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class CardAbstraction:
    """A card abstraction: the game, the method with its parameters, and a bucket for every hand of every round."""

    game: str
    method: str
    rounds: tuple[BucketRound, ...]
    seconds: float = 0.0
    metric: str = "equity"
    """How scores weigh wins and ties: a key of :data:`~equiform.abstraction.cards.scored_rounds.METRICS`."""

    def __post_init__(self) -> None:
        require_name(self.metric, METRICS, "metric", "stored abstraction")
        require_kind(self.game, str, "game", "stored abstraction")
        require_kind(self.method, str, "method", "stored abstraction")
        require_number(self.seconds, "seconds", "stored abstraction")
        before = 1
        for r in require_all(self.rounds, BucketRound, "rounds", "stored abstraction"):
            if not r.labels.size and len(r.children) not in (1, before):
                raise ParameterError(
                    f"round {r.name} has {len(r.children)} parents",
                    where="stored abstraction",
                    fix=f"the round before has {before} buckets; one parent forgets them",
                )
            before = r.n_buckets

    def write(self, path: str | Path) -> None:
        """Write the abstraction to a file, atomically."""
        meta = {
            "format": FORMAT,
            "game": self.game,
            "method": self.method,
            "metric": self.metric,
            "seconds": self.seconds,
            "rounds": [{"name": r.name, "deals": list(r.deals)} for r in self.rounds],
        }
        arrays: dict[str, Any] = {"meta": np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)}
        for k, r in enumerate(self.rounds):
            for part in PARTS:
                arrays[f"{part}_{k}"] = getattr(r, part)
        with whole_file(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(stream, **arrays)


def read_card_abstraction(path: str | Path) -> CardAbstraction:
    """Read a stored abstraction."""
    fix = "write one with `equiform abstract`"
    arrays = read_arrays(path, "the file of buckets", fix=fix)
    try:
        meta = json.loads(arrays["meta"].tobytes())
        if meta["format"] != FORMAT:
            raise FormatError(f"the file has format {meta['format']!r}", where=str(path), fix=f"expected {FORMAT!r}")
        rounds = tuple(
            BucketRound(
                str(entry["name"]),
                tuple(entry["deals"]),
                *(arrays[f"{part}_{k}"] for part in PARTS),
            )
            for k, entry in enumerate(meta["rounds"])
        )
        metric = str(meta.get("metric", "equity"))  # files from before there was a choice
        return CardAbstraction(str(meta["game"]), str(meta["method"]), rounds, float(meta["seconds"]), metric)
    except ParameterError as error:
        raise FormatError(
            f"this file of buckets is inconsistent: {error.what}", where=f"{path}, {error.where}", fix=fix
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError("this is not a file of buckets", where=str(path), fix=fix) from error
