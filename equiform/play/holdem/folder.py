"""An agent's folder: what it is in JSON, its numbers in arrays, and a fingerprint of every file.

================== ===================================================================================================
``agent.json``     ``format`` (``equiform-agent``), ``version``, and what :meth:`HoldemAgent.to_dict` says: name, game
                   and bet menu, method and numbers of buckets, translation, post-processor, endgames, training;
                   ``files`` with the SHA-256 of each file
``strategy.npz``   ``table``: probabilities by line, bucket and move, as 32-bit numbers
``cards.npz``      the buckets, as ``equiform abstract`` writes them (not for the method ``strength``)
``solved/``        for an agent from ``equiform holdem``, the files that it wrote: they hold the buckets
``partition.npz``  for an agent from ``equiform blueprint``, its clusters and buckets
================== ===================================================================================================

Opening a folder reads ``agent.json``; the arrays are read, and checked, when the agent first plays. Nothing is
unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from equiform.abstraction.actions.translation import by_name
from equiform.abstraction.cards.card_abstraction import read_card_abstraction
from equiform.abstraction.holdem.blueprint import ABSTRACTION_FILE, STRATEGY_FILE, read_blueprint
from equiform.abstraction.partition.holdem import read_partition
from equiform.models.common.arguments import require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import EquiformError, FormatError, ParameterError
from equiform.models.common.files import make_folder, read_arrays, read_json, whole_file, write_text
from equiform.play.dealer.betting import Action
from equiform.play.dealer.hand import View
from equiform.play.dealer.rules import HoldemRules, rules_named
from equiform.play.holdem.abstract_betting import AbstractBetting
from equiform.play.holdem.agent import HoldemAgent, post_processor
from equiform.play.holdem.blueprint import Blueprint
from equiform.play.holdem.buckets import Buckets, StrengthBuckets, TableBuckets
from equiform.play.holdem.endgame import RiverSolver
from equiform.play.holdem.partitioned import PartitionBuckets
from equiform.play.holdem.solved import SolvedBuckets

FORMAT, VERSION = "equiform-agent", 1
MANIFEST, STRATEGY, CARDS = "agent.json", "strategy.npz", "cards.npz"
SOLVED, PARTITION = "solved", "partition.npz"
_SOLVED_FILES = tuple(f"{SOLVED}/{name}" for name in (ABSTRACTION_FILE, STRATEGY_FILE))
_FIX = "build the agent again with `equiform agent build`"


def write_agent(folder: str | Path, agent: HoldemAgent) -> Path:
    """Write an agent; the manifest comes last, so that a folder with one is complete."""
    path = make_folder(folder)
    (path / MANIFEST).unlink(missing_ok=True)
    with whole_file(path / STRATEGY) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, table=agent.blueprint.table.astype(np.float32))
    files = [STRATEGY]
    if isinstance(agent.buckets, TableBuckets):
        agent.buckets.stored.write(path / CARDS)
        files.append(CARDS)
    if isinstance(agent.buckets, SolvedBuckets):
        agent.buckets.solved.write(make_folder(path / SOLVED))
        files += _SOLVED_FILES
    if isinstance(agent.buckets, PartitionBuckets):
        agent.buckets.partition.write(path / PARTITION)
        files.append(PARTITION)
    document = {
        "format": FORMAT,
        "version": VERSION,
        **agent.to_dict(),
        "files": {name: _digest(path / name) for name in files},
    }
    write_text(path / MANIFEST, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return path


@dataclass(frozen=True, eq=False)
class StoredAgent:
    """An agent in a folder; it is a player whose arrays are read when it first moves."""

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    seed: int = 0

    @property
    def name(self) -> str:
        """The agent's name."""
        return str(self.manifest["name"])

    @property
    def rules(self) -> HoldemRules:
        """The game that it plays."""
        return rules_named(self.manifest["betting"]["game"])

    def act(self, view: View) -> Action:
        """Return a move."""
        return self.agent.act(view)

    @cached_property
    def agent(self) -> HoldemAgent:
        """The agent itself.

        Raises
        ------
        FormatError
            If a file is missing, is not the one that was written, or does not fit the others.
        """
        manifest = self.manifest
        for name, digest in manifest["files"].items():
            if _digest(self.folder / name) != digest:
                raise FormatError(f"{name} is not the file that was written", where=str(self.folder), fix=_FIX)
        betting = AbstractBetting.from_dict(manifest["betting"])
        buckets = self._buckets()
        if list(buckets.sizes) != list(manifest["buckets"]["buckets"]):
            raise FormatError(
                f"the buckets are {list(buckets.sizes)}, not {manifest['buckets']['buckets']}",
                where=str(self.folder),
                fix=_FIX,
            )
        blueprint = Blueprint(betting, buckets.sizes, _table(self.folder), manifest["training"])
        endgames = None if manifest["endgames"] is None else RiverSolver(**manifest["endgames"])
        translation = by_name(manifest["translation"])
        return HoldemAgent(self.name, blueprint, buckets, translation, manifest["postprocess"], endgames, self.seed)

    def _buckets(self) -> Buckets:
        entry = self.manifest["buckets"]
        if entry["method"] == "strength":
            return StrengthBuckets(tuple(entry["buckets"][1:]))
        if entry["method"] == "solved":
            return SolvedBuckets(read_blueprint(self.folder / SOLVED))
        if entry["method"] == "partition":
            return PartitionBuckets(read_partition(self.folder / PARTITION))
        return TableBuckets(read_card_abstraction(self.folder / CARDS))

    def changed(self, **parts: Any) -> StoredAgent:
        """Return the agent with another name, ``translation``, ``postprocess`` or ``endgames``; arrays are shared."""
        manifest = {**self.manifest, **parts}
        post_processor(manifest["postprocess"])
        return replace(self, manifest=manifest)

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest and the folder."""
        return {"folder": str(self.folder), **self.manifest}


def open_agent(folder: str | Path, *, seed: int = 0) -> StoredAgent:
    """Open an agent's folder.

    Raises
    ------
    FormatError
        If it is not an agent's, is of another version, or says what cannot be.
    """
    path = Path(folder)
    manifest = read_json(path / MANIFEST, "the agent", fix=_FIX)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FormatError("this is not an agent", where=str(path), fix=_FIX)
    if manifest.get("version") != VERSION:
        raise FormatError(
            f"the agent has version {manifest.get('version')!r}",
            where=str(path),
            fix=f"this release reads {VERSION}; {_FIX}",
        )
    for part, check in _PARTS.items():
        try:
            check(manifest[part])
        except (KeyError, TypeError, ValueError, AttributeError, EquiformError) as error:
            what = error.what if isinstance(error, EquiformError) else f"{type(error).__name__} {error}"
            raise FormatError(f"the agent's {part} cannot be read: {what}", where=str(path), fix=_FIX) from None
    require_seed(seed, "agent")
    return StoredAgent(path, manifest, seed)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name or set(name) & set(":|\r\n"):
        raise ParameterError(f"{name!r} is not a name", where="agent", fix="use a text without : and |")


def _check_betting(entry: Any) -> None:
    rules_named(entry["game"])
    if not isinstance(entry["menu"]["sizes"], list) or not isinstance(entry["menu"]["raises"], int):
        raise ValueError("menu")


def _check_buckets(entry: Any) -> None:
    if not isinstance(entry["method"], str) or not all(isinstance(n, int) and n > 0 for n in entry["buckets"]):
        raise ValueError("buckets")


def _check_files(entry: Any) -> None:
    if STRATEGY not in entry or not set(entry) <= {STRATEGY, CARDS, PARTITION, *_SOLVED_FILES}:
        raise ValueError(f"files {sorted(entry)}")


_PARTS: dict[str, Callable[[Any], Any]] = {
    "name": _check_name,
    "betting": _check_betting,
    "buckets": _check_buckets,
    "translation": by_name,
    "postprocess": post_processor,
    "endgames": lambda entry: entry is None or RiverSolver(**entry),
    "training": dict,
    "files": _check_files,
}


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FormatError(f"cannot read {path.name}: {error.strerror}", where=str(path.parent), fix=_FIX) from None


def _table(folder: Path) -> FloatArray:
    arrays = read_arrays(folder / STRATEGY, "the strategy", fix=_FIX)
    table = arrays.get("table")
    if (
        table is None
        or table.dtype != np.float32
        or table.ndim != 1
        or not np.isfinite(table).all()
        or (table < 0).any()
    ):
        raise FormatError("the strategy holds no probabilities", where=str(folder), fix=_FIX)
    return table.astype(np.float64)
