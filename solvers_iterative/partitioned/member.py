"""A member: the tables of a region for one cluster of public cards, and what it does with a batch of deals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError
from equiform.runs.record import read_record, write_record
from equiform.runs.task import Task, resolve_function
from equiform.solvers_iterative.partitioned.dealers import CardRows, Dealer, Path
from equiform.solvers_iterative.partitioned.regions import lay_out_region, level_moves
from equiform.solvers_iterative.partitioned.walks import (
    Deals,
    Entries,
    Queue,
    Tables,
    ascend_all,
    descend_all,
    normalize_rows,
    walk_all,
)

#: Release of the saved tables' format.
STATE_VERSION = "1"


def make_member(dealer: str, arguments: Mapping[str, Any], path: list[int], seed: int) -> Member:
    """Build a member from plain data, wherever it is to live."""
    return Member(resolve_function(dealer)(**arguments), tuple(path), seed)


class Member:
    """The owner of one region.

    Parameters
    ----------
    dealer : Dealer
    path : tuple of int
        Which member this is: () for the head.
    seed : int
        Of the run. The random numbers of a batch depend on this, the path and the batch alone, so that a batch can be
        repeated by another process.
    """

    def __init__(self, dealer: Dealer, path: Path, seed: int) -> None:
        self.dealer, self.path, self.seed = dealer, path, seed
        level = dealer.levels[len(path)]
        self._buckets = dealer.buckets(path)
        self.region = lay_out_region(dealer.tree, level, self._buckets)
        size = int(self.region.base[-1])
        self.tables = Tables(np.zeros(size), np.zeros(size), np.zeros(1, dtype=np.int64))
        self._waiting: tuple[int, Deals, Entries, Queue, IntArray] | None = None

    def _randomness(self, batch: int, player: int) -> tuple[np.random.Generator, NDArray[np.uint64]]:
        sequence = np.random.SeedSequence([self.seed, player, batch, len(self.path), *self.path])
        cards, moves = sequence.spawn(2)
        state: NDArray[np.uint64] = moves.generate_state(4, np.uint64).astype(np.uint64)
        return np.random.Generator(np.random.PCG64(cards)), state

    def walk(self, batch: int, player: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Traverse entries one after the other; return their values and how their cards were drawn."""
        rng, random = self._randomness(batch, player)
        _, deals = self._deal(entry, rng)
        entries = Entries(entry["deal"], entry["node"])
        values = np.zeros(len(entries.node))
        size = int(self.region.subtree[entries.node].max()) if len(values) else 0
        walk_all(self.region, self.tables, deals, player, entries, random, _queue(size), values)
        return {"values": values, "outcomes": deals.outcomes[entries.deal]}

    def _deal(self, entry: Mapping[str, Any], rng: np.random.Generator) -> tuple[CardRows, Deals]:
        """Deal the level's cards. All entries of a deal see the same ones: judging hands costs more than walking."""
        dealing = self.dealer.deal(self.path, entry["cards"], rng)
        return dealing.cards, Deals(dealing.buckets, dealing.sign, dealing.outcomes, entry["weight"] * dealing.outcomes)

    def down(self, batch: int, player: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Sample the trees of all entries as far as the region goes; return the entries of the level below."""
        rng, random = self._randomness(batch, player)
        cards, deals = self._deal(entry, rng)
        entries = Entries(entry["deal"], entry["node"])
        queue = _queue(int(self.region.subtree[entries.node].sum()))
        bounds = np.zeros(len(entries.node) + 1, dtype=np.int64)
        descend_all(self.region, self.tables, deals, player, entries, random, queue, bounds)
        self._waiting = player, deals, entries, queue, bounds
        exits = self._exits(queue, bounds)
        deal_of = entries.deal[np.searchsorted(bounds, exits, side="right") - 1]
        return {"cards": cards, "weight": deals.weight, "deal": deal_of, "node": queue.node[exits]}

    def up(self, values: FloatArray) -> dict[str, Any]:
        """Take the values of the exits and finish the batch; return the entries' values and how they were drawn."""
        assert self._waiting is not None
        player, deals, entries, queue, bounds = self._waiting
        self._waiting = None
        queue.value[self._exits(queue, bounds)] = values
        found = np.zeros(len(bounds) - 1)
        ascend_all(self.region, self.tables, deals, player, entries, queue, bounds, found)
        return {"values": found, "outcomes": deals.outcomes[entries.deal]}

    def _exits(self, queue: Queue, bounds: IntArray) -> IntArray:
        nodes = queue.node[: bounds[-1]]
        found: IntArray = np.flatnonzero(self.region.street[nodes] > self.region.last)
        return found

    # -- what came of it ----------------------------------------------------------------------------------------------

    def average(self) -> FloatArray:
        """Return the averaged probabilities, in the tables' layout."""
        return self._normalized(self.tables.total)

    def _normalized(self, weights: FloatArray) -> FloatArray:
        out = np.zeros(len(weights))
        normalize_rows(level_moves(self.region), self.region, np.array(self._buckets), weights, out)
        return out

    def touched(self) -> int:
        """Count the nodes visited so far."""
        return int(self.tables.touched[0])

    # -- saving -------------------------------------------------------------------------------------------------------

    @property
    def _task(self) -> Task:
        arguments = {"path": list(self.path), "seed": self.seed, "game": self.dealer.name}
        return Task(
            "equiform.solvers_iterative.partitioned.member:make_member",
            arguments,
            content={"cards": self.dealer.fingerprint()},
            version=STATE_VERSION,
        )

    def save(self, path: str) -> None:
        """Write the tables, atomically."""
        write_record(path, self._task, self.tables._asdict())

    def restore(self, path: str) -> None:
        """Take over saved tables of the same member."""
        saved = read_record(path).require(self._task)
        for name, array in self.tables._asdict().items():
            if name not in saved or saved[name].shape != array.shape or saved[name].dtype != array.dtype:
                raise FormatError(f"the saved {name} does not fit", where=path, fix="delete the folder and run again")
            array[...] = saved[name]
        self._waiting = None


def _queue(size: int) -> Queue:
    return Queue(np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int64), np.zeros(size))
