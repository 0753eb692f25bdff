"""From an abstraction to a strategy: Monte Carlo CFR on dealt hands, block by block, stored between blocks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.cards.evaluator import strengths
from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError
from equiform.models.common.files import require_writable
from equiform.play.dealer.rules import BOARD_CARDS
from equiform.play.holdem.abstract_betting import AbstractBetting
from equiform.play.holdem.buckets import Buckets
from equiform.runs.progress import Listener, Progress, silent
from equiform.runs.record import read_record, write_record
from equiform.runs.task import Task
from equiform.solvers_iterative.regret.bucket_mccfr import BucketMCCFR

#: Deals between two stored states.
BLOCK = 10_000


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy for both seats: probabilities by abstract line, bucket and move."""

    betting: AbstractBetting = field(repr=False)
    sizes: tuple[int, ...]
    """Buckets of each street."""
    table: FloatArray = field(repr=False)
    """In the layout of :meth:`~equiform.solvers_iterative.regret.bucket_mccfr.MoveTree.offsets`."""
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        offsets = self.betting.tree.offsets(self.sizes)
        if self.table.shape != (int(offsets[-1]),):
            raise FormatError(
                f"the strategy has {self.table.size:,} probabilities",
                where=self.betting.rules.name,
                fix=f"this betting with {self.sizes} buckets has {int(offsets[-1]):,}",
            )
        object.__setattr__(self, "_offsets", offsets)

    def rows(self, node: int) -> FloatArray:
        """Return the probabilities at a line: a row per bucket, a column per move."""
        offsets: IntArray = self.__dict__["_offsets"]
        part = self.table[int(offsets[node]) : int(offsets[node + 1])]
        return part.reshape(-1, int(self.betting.tree.kids[node]))


def deal_block(buckets: Buckets, count: int, seed: int, block: int) -> tuple[IntArray, IntArray]:
    """Deal hands to both players: the buckets ``[deal, player, street]`` and the winners of showdowns."""
    rng = np.random.default_rng((seed, block))
    cards = rng.random((count, 52)).argpartition(9, axis=1)[:, :9]
    held = np.empty((count, 2, len(BOARD_CARDS)), dtype=np.int64)
    full = []
    for player in range(2):
        hands = np.hstack([cards[:, 2 * player : 2 * player + 2], cards[:, 4:]])
        full.append(strengths(hands).astype(np.int64))
        for street, seen in enumerate(BOARD_CARDS):
            held[:, player, street] = buckets.look_up(hands[:, : 2 + seen])
    return held, np.sign(full[0] - full[1])


def train(
    betting: AbstractBetting,
    buckets: Buckets,
    *,
    deals: int,
    seed: int = 0,
    block: int = BLOCK,
    checkpoint: str | Path | None = None,
    progress: Listener = silent,
) -> Blueprint:
    """Approach an equilibrium of the abstract game.

    Parameters
    ----------
    betting, buckets
        The abstraction.
    deals
        How many hands to deal in all; each is walked once for each player.
    seed, block
        Of the cards and moves; hands that are dealt between two stored states.
    checkpoint
        A file that the state is stored in, at most every half minute and when the run ends or is interrupted, and from
        which the run goes on.
    progress
        Called with :class:`~equiform.runs.progress.Progress`.
    """
    require_count(deals, "deals", "blueprint")
    require_count(block, "block", "blueprint")
    require_seed(seed, "blueprint")
    if checkpoint is not None:
        require_writable(checkpoint)
    solver = BucketMCCFR(betting.tree, buckets.sizes, seed=seed)
    arguments = {"betting": betting.to_dict(), "buckets": buckets.to_dict(), "seed": seed, "block": block}
    task = Task("equiform.play.holdem.blueprint:train", arguments)
    if checkpoint is not None and Path(checkpoint).exists():
        _restore(solver, dict(read_record(checkpoint).require(task)), checkpoint)
    started = stored = time.perf_counter()
    try:
        while solver.deals < deals:
            solver.run_block(*deal_block(buckets, min(block, deals - solver.deals), seed, solver.blocks))
            now = time.perf_counter()
            progress(Progress("blueprint", solver.deals, deals, now - started))
            if checkpoint is not None and now - stored > 30:
                _save(solver, checkpoint, task)
                stored = now
    finally:
        if checkpoint is not None:
            _save(solver, checkpoint, task)
    training = {"algorithm": "external sampling, linear weights", "deals": solver.deals, "seed": seed, "block": block}
    return Blueprint(betting, buckets.sizes, solver.average(), training | {"touched": solver.touched})


def _save(solver: BucketMCCFR, path: str | Path, task: Task) -> None:
    counts = {"blocks": solver.blocks, "deals": solver.deals, "touched": solver.touched}
    write_record(path, task, {**solver.arrays(), **counts})


def _restore(solver: BucketMCCFR, values: dict[str, Any], path: str | Path) -> None:
    try:
        arrays = {name: values[name] for name in ("regrets", "sums", "state")}
        solver.restore(arrays, **{name: int(values[name]) for name in ("blocks", "deals", "touched")})
    except (KeyError, ValueError, TypeError) as error:
        raise FormatError(
            f"the stored run is damaged: {error}", where=str(path), fix="delete it and start again"
        ) from None
