r"""Distributed Monte Carlo CFR: S. Ganzfried's thesis, §6.2 (Brown, Ganzfried and Sandholm, AAMAS 2015).

The head owns the top of the tree; below it, each member owns everything that follows the public cards of one cluster.
An iteration deals private cards and traverses the head's part by external sampling. Where a line leaves it, the state
goes to *all* members below; each draws public cards from its own cluster, continues the iteration there, and returns a
value. With :math:`n_c` the number of public outcomes in cluster c that the private cards leave, the line is worth

.. math:: v = \sum_c n_c \, v_c \Bigm/ \sum_c n_c ,

whose expectation is the value over all outcomes. Members may have members below them, to any depth.

States travel in batches of ``batch`` deals: within a batch the head's strategy stands still, and everyone below works
through it in order. The result depends on the seed, the batch size and the partition, not on what carries the members.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NamedTuple

import numpy as np

from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError
from equiform.models.common.files import require_writable_folder
from equiform.runs.crew import Recipe, Request, make_crew
from equiform.runs.executor import Executor
from equiform.runs.interrupts import deferred_interrupt
from equiform.runs.lasting import LastingCrew
from equiform.runs.progress import Listener, Progress, silent
from equiform.runs.record import read_record, write_record
from equiform.runs.task import Task, resolve_function
from equiform.solvers_iterative.partitioned.dealers import Dealer, Path, root_members
from equiform.solvers_iterative.partitioned.member import STATE_VERSION


class _Work(NamedTuple):
    """What a member is to do with a batch: cards and weight of each deal, and deal and node of each entry."""

    path: Path
    entry: dict[str, Any]


@dataclass(frozen=True)
class PartitionedProgress:
    """Where a run stands."""

    iterations: int
    touched: int
    seconds: float
    losses: int
    stopped_by: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(vars(self))


class PartitionedMCCFR:
    """External-sampling MCCFR whose tables are spread over members.

    Parameters
    ----------
    dealer : str
        ``package.module:function`` that makes the dealer: every worker calls it.
    arguments : mapping
        Its arguments, plain data.
    on : Executor or str
        ``local``, ``processes:N`` or ``ray[:ADDRESS]``.
    batch : int
        Deals per batch.
    seed : int
    folder : path, optional
        Where checkpoints go: a folder that all workers see.
    """

    def __init__(
        self,
        dealer: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on: Executor | str = "local",
        batch: int = 100,
        seed: int = 0,
        folder: str | FilePath | None = None,
    ) -> None:
        self.batch = require_count(batch, "batch", "partitioned MCCFR")
        self.seed = require_seed(seed, "partitioned MCCFR")
        self._made = (dealer, dict(arguments or {}))
        self.dealer: Dealer = resolve_function(dealer)(**self._made[1])
        self.paths = root_members(self.dealer)
        self._number = {path: k for k, path in enumerate(self.paths)}
        self._folder = None if folder is None else require_writable_folder(folder)
        self._batches = 0
        self._seconds = 0.0
        recipes = [
            Recipe(
                "equiform.solvers_iterative.partitioned.member:make_member",
                {"dealer": dealer, "arguments": self._made[1], "path": list(path), "seed": self.seed},
            )
            for path in self.paths
        ]
        self.crew = LastingCrew(make_crew(recipes, on), len(recipes), self._folder)
        if self._folder is not None and self._head_path.exists():
            self._restore()

    @property
    def iterations(self) -> int:
        """How many deals each player has traversed."""
        return self._batches * self.batch

    # -- iterating ----------------------------------------------------------------------------------------------------

    def run(
        self,
        iterations: int,
        *,
        seconds: float | None = None,
        checkpoint_every: int = 100,
        progress: Listener = silent,
    ) -> PartitionedProgress:
        """Iterate until so many deals are done in all, or the time is up, or Ctrl-C.

        Parameters
        ----------
        iterations : int
        seconds : float, optional
            A limit for this call.
        checkpoint_every : int
            Batches between checkpoints.
        progress : callable
            Called after every batch.

        Returns
        -------
        PartitionedProgress
        """
        require_count(iterations, "iterations", "partitioned MCCFR", most=10**15)
        require_count(checkpoint_every, "checkpoint_every", "partitioned MCCFR")
        started, before = time.perf_counter(), self._seconds
        reason = "iterations"
        with deferred_interrupt() as interrupted:
            while self.iterations < iterations:
                if interrupted() or (seconds is not None and time.perf_counter() - started >= seconds):
                    reason = "interrupt" if interrupted() else "seconds"
                    break
                for player in (0, 1):
                    self._traverse(player)
                self._batches += 1
                self._seconds = before + time.perf_counter() - started
                speed = f"{self.iterations / self._seconds:,.0f} per second"
                progress(Progress(self.dealer.name, self.iterations, iterations, self._seconds, speed))
                if self._batches % checkpoint_every == 0:
                    self.save()
        self.save()
        touched = sum(self.crew.look("touched"))
        return PartitionedProgress(self.iterations, touched, self._seconds, self.crew.losses, reason)

    def _traverse(self, player: int) -> None:
        """Send a batch down level by level, and its values back up."""
        start = {
            "cards": np.zeros((self.batch, 0), dtype=np.uint8),
            "weight": np.ones(self.batch),
            "deal": np.arange(self.batch, dtype=np.int32),
            "node": np.zeros(self.batch, dtype=np.int32),
        }
        level = [_Work((), start)]
        if len(self.dealer.levels) == 1:
            self._ask("walk", player, level)
            return
        for _ in self.dealer.levels[1:]:
            exits = self._ask("down", player, level)
            level = [
                _Work((*work.path, c), out)
                for work, out in zip(level, exits, strict=True)
                for c in range(self.dealer.clusters(work.path))
            ]
        found = {work.path: out for work, out in zip(level, self._ask("walk", player, level), strict=True)}
        for depth in range(len(self.dealer.levels) - 2, -1, -1):
            above = [path for path in self.paths if len(path) == depth]
            requests = [Request(self._number[p], "up", {"values": self._weighed(p, found)}) for p in above]
            found = dict(zip(above, self.crew.ask(requests), strict=True))

    def _ask(self, method: str, player: int, level: list[_Work]) -> list[Any]:
        return self.crew.ask(
            [
                Request(
                    self._number[work.path],
                    method,
                    {"batch": self._batches, "player": player, "entry": work.entry},
                )
                for work in level
            ]
        )

    def _weighed(self, path: Path, found: Mapping[Path, Mapping[str, FloatArray]]) -> FloatArray:
        """Average the values from below, by the number of outcomes that each cluster drew from."""
        below = [found[*path, c] for c in range(self.dealer.clusters(path))]
        outcomes = sum(answer["outcomes"] for answer in below)
        total = sum(answer["outcomes"] * answer["values"] for answer in below)
        values: FloatArray = np.asarray(total) / np.maximum(np.asarray(outcomes), 1.0)
        return values

    # -- what came of it ----------------------------------------------------------------------------------------------

    def averages(self) -> dict[Path, FloatArray]:
        """Return every member's averaged probabilities, in the layout of its region."""
        return dict(zip(self.paths, self.crew.look("average"), strict=True))

    # -- saving -------------------------------------------------------------------------------------------------------

    @property
    def _head_path(self) -> FilePath:
        assert self._folder is not None
        return self._folder / "run.npz"

    @property
    def _task(self) -> Task:
        dealer, arguments = self._made
        return Task(
            "equiform.solvers_iterative.partitioned.solver:PartitionedMCCFR",
            {"dealer": dealer, "arguments": arguments, "batch": self.batch, "seed": self.seed},
            content={"cards": self.dealer.fingerprint()},
            version=STATE_VERSION,
        )

    def save(self) -> None:
        """Write a checkpoint: every member's tables, then, in one step, the record that makes them count."""
        if self._folder is None:
            return
        tag = str(self._batches)
        self.crew.save(tag)
        write_record(self._head_path, self._task, {"batches": self._batches, "seconds": self._seconds})
        self.crew.commit(tag)

    def _restore(self) -> None:
        saved = read_record(self._head_path).require(self._task)
        try:
            batches = require_count(saved["batches"], "batches", str(self._head_path), least=0, most=2**60)
            self._seconds = float(saved["seconds"])
        except (KeyError, TypeError, ValueError):
            raise FormatError(
                "the checkpoint does not say where it stands", where=str(self._head_path), fix="delete the folder"
            ) from None
        self._batches = batches
        self.crew.restore(str(batches))

    def close(self) -> None:
        """Let the workers go."""
        self.crew.close()
