"""Where an abstract game of hold'em lives on disk: one ``.npz`` for its deals, one for a solved strategy.

Files are written atomically and read without unpickling. A strategy's file says which abstraction and betting it
belongs to; :mod:`equiform.abstraction.holdem.blueprint` reads it together with the abstraction.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from equiform.abstraction.cards.card_abstraction import CardAbstraction
from equiform.abstraction.holdem.boards import Sweep
from equiform.abstraction.holdem.deals import HoldemDeals, PartialSums
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.abstraction.holdem.histories import Histories
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed.deals import BucketDeals
from equiform.models.common.errors import EquiformError, FormatError
from equiform.models.common.files import read_arrays, whole_file
from equiform.runs.fingerprint import fingerprint

DEALS = "equiform hold'em deals 1"
SUMS = "equiform hold'em sums 1"
STRATEGY = "equiform hold'em strategy 1"


def abstraction_key(stored: CardAbstraction, rounds: int) -> str:
    """Identify the buckets of the first rounds of an abstraction."""
    arrays = [a for r in stored.rounds[:rounds] for a in (r.weights, r.labels, r.cuts, r.children)]
    return fingerprint(arrays, f"{stored.game} {stored.method}")


def write_arrays(path: str | Path, meta: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write named arrays and plain data to one file, atomically."""
    named = {"meta": np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8), **arrays}
    with whole_file(path) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, **named)


def read_meta(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read what :func:`write_arrays` wrote, or refuse a file of another kind."""
    arrays = read_arrays(path, "the file", fix="write one with `equiform holdem`")
    try:
        meta = json.loads(arrays.pop("meta").tobytes())
        found = meta["format"]
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise FormatError("this is not a file of hold'em", where=str(path), fix="use `equiform holdem`") from error
    if found != kind:
        raise FormatError(f"the file holds {str(found)[:60]!r}", where=str(path), fix=f"expected {kind!r}")
    return meta, arrays


def write_deals(path: str | Path, found: HoldemDeals, key: str) -> None:
    """Write estimated deals; ``key`` identifies the abstraction."""
    deals = found.deals
    arrays: dict[str, Any] = {"counts": deals.counts, "margin": found.margin}
    for s, codes in enumerate(found.histories.codes):
        arrays[f"codes_{s}"] = codes
    if deals.error is not None:
        arrays["error"] = deals.error.astype(np.float32)
    if found.margin_error is not None:
        arrays["margin_error"] = found.margin_error.astype(np.float32)
    meta = {"format": DEALS, "abstraction": key, "rounds": found.rounds, "sweep": list(found.sweep)}
    write_arrays(path, meta, arrays)


def read_deals(path: str | Path, key: str, buckets: HandBuckets, sweep: Sweep) -> HoldemDeals:
    """Read deals, and refuse those of another abstraction or sweep."""
    meta, arrays = read_meta(path, DEALS)
    rounds = buckets.rounds
    _require_same(path, meta, key, rounds, sweep)
    try:
        histories = Histories(buckets, read_codes(arrays, rounds))
        up, shown = histories.up, histories.shown
        deals = BucketDeals(
            arrays["counts"], (up, up), None if shown is None else (shown, shown), _double(arrays.get("error"))
        )
        return HoldemDeals(deals, arrays["margin"], _double(arrays.get("margin_error")), sweep, histories)
    except KeyError as error:
        raise FormatError("the deals are incomplete", where=str(path), fix="delete the file and run again") from error


def _require_same(path: str | Path, meta: dict[str, Any], key: str, rounds: int, sweep: Sweep) -> None:
    for name, mine, theirs in (
        ("abstraction", key, meta.get("abstraction")),
        ("number of rounds", rounds, meta.get("rounds")),
        ("sweep of boards", list(sweep), meta.get("sweep")),
    ):
        if mine != theirs:
            raise FormatError(
                f"the deals belong to another {name}",
                where=str(path),
                fix="choose another folder, or the same arguments",
            )


def write_sums(path: str | Path, key: str, number: Histories, sweep: Sweep, sums: PartialSums) -> None:
    """Write what a sweep has counted so far."""
    meta = {
        "format": SUMS, "abstraction": key, "rounds": number.buckets.rounds, "sweep": list(sweep), "done": sums.done
    }  # fmt: skip
    write_arrays(path, meta, {"joint": sums.joint, "drawn": sums.drawn, "margin": sums.margin})


def read_sums(path: str | Path, key: str, number: Histories, sweep: Sweep) -> PartialSums:
    """Read what a sweep had counted, and refuse the sums of another abstraction or sweep."""
    meta, arrays = read_meta(path, SUMS)
    _require_same(path, meta, key, number.buckets.rounds, sweep)
    done, shape = meta.get("done"), (2, number.sizes[-1], number.sizes[-1])
    names = ("joint", "drawn", "margin")
    wrong = [n for n in names if n not in arrays or arrays[n].shape != shape or arrays[n].dtype != np.float64]
    if wrong or not isinstance(done, int) or done < 0:
        raise FormatError("the sums of boards are incomplete", where=str(path), fix="delete the file and run again")
    return PartialSums(done, *(arrays[n] for n in names))


def read_codes(arrays: dict[str, Any], rounds: int) -> tuple[Any, ...]:
    """Read the codes of histories, if there are any."""
    return tuple(arrays[f"codes_{s}"] for s in range(rounds)) if "codes_0" in arrays else ()


def _double(array: Any) -> Any:
    return None if array is None else array.astype(np.float64)


def write_strategy(
    path: str | Path, meta: dict[str, Any], tables: tuple[tuple[Any, ...], tuple[Any, ...]], codes: tuple[Any, ...] = ()
) -> None:
    """Write both players' tables in single precision, with what identifies the game and its histories."""
    arrays: dict[str, Any] = {f"codes_{s}": c for s, c in enumerate(codes)}
    arrays |= {f"player_{p}_{s}": t.astype(np.float32) for p in range(2) for s, t in enumerate(tables[p])}
    write_arrays(path, {"format": STRATEGY, **meta}, arrays)


def betting_to_dict(betting: HoldemBetting) -> dict[str, Any]:
    """Return plain data."""
    return dataclasses.asdict(betting)


def betting_from_dict(values: dict[str, Any], where: str) -> HoldemBetting:
    """Read betting from plain data."""
    try:
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return HoldemBetting(**given)
    except (TypeError, AttributeError, EquiformError) as error:
        raise FormatError("the betting of the strategy is not readable", where=where) from error
