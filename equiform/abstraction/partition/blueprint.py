"""A blueprint: a strategy for all of hold'em, computed in parts and kept in one folder.

================== =====================================================================================================
``blueprint.json`` the settings: what the folder is of
``partition.npz``  clusters of flops, and the buckets of each (:mod:`equiform.abstraction.partition.holdem`)
``run.npz``        where the run stands: the batch up to which the tables count
``member-K-B.npz`` the tables of member K after batch B: 0 is the head, 1 the first cluster
================== =====================================================================================================
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from equiform.abstraction.partition.holdem import HoldemDealer, build_partition, holdem_dealer
from equiform.abstraction.partition.size import PartitionSize, partition_size
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.arguments import require_count, require_counts, require_seed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_json, require_writable_folder, write_text
from equiform.runs.record import read_record
from equiform.solvers_iterative.partitioned.dealers import Path, root_members
from equiform.solvers_iterative.partitioned.member import Member
from equiform.solvers_iterative.partitioned.solver import PartitionedMCCFR

FORMAT = "equiform-blueprint-1"
DEALER = "equiform.abstraction.partition.holdem:holdem_dealer"
#: Larger tables per process are refused before the work; a dry run says what they need.
MOST_BYTES = 8 * 2**30


@dataclass(frozen=True)
class BlueprintSettings:
    """What a blueprint is of.

    Attributes
    ----------
    clusters
        Public clusters of flops.
    buckets
        Private buckets per cluster on flop, turn and river.
    betting
        What may be bet.
    batch
        Deals per batch.
    seed
        Of clusters, cuts and play.
    sample
        Deals per cluster that the cuts are learned from.
    """

    clusters: int = 60
    buckets: tuple[int, int, int] = (50, 50, 50)
    betting: HoldemBetting = field(default_factory=HoldemBetting)
    batch: int = 100
    seed: int = 0
    sample: int = 20_000

    def __post_init__(self) -> None:
        where = "blueprint"
        require_count(self.clusters, "clusters", where, most=1755)
        require_counts(self.buckets, "buckets", where, length=3)
        require_count(self.batch, "batch", where)
        require_seed(self.seed, where)
        require_count(self.sample, "sample", where, least=max(self.buckets))
        if self.betting.rounds != 4:
            raise ParameterError("a blueprint is for all four streets", where=where, fix="use rounds=4")

    @property
    def size(self) -> PartitionSize:
        """What the tables need: the dry run."""
        return partition_size(self.clusters, self.buckets, self.betting)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"format": FORMAT, **asdict(self)}


def prepare_blueprint(
    folder: str | FilePath, settings: BlueprintSettings, *, on: str = "local", threads: int | None = None
) -> PartitionedMCCFR:
    """Make a run's folder, or open one with the same settings, and return the solver where it stands.

    Raises
    ------
    ParameterError
        If the tables would not fit.
    FormatError
        If the folder holds a blueprint with other settings.
    """
    if settings.size.total_bytes > MOST_BYTES and not on.startswith("ray"):
        raise ParameterError(
            f"the tables need {settings.size.total_bytes / 2**30:,.1f} GiB",
            where=f"{settings.clusters} clusters of {settings.buckets} buckets",
            fix="use fewer buckets or sizes, or several machines (--on ray:ADDRESS); --dry-run counts",
        )
    home = require_writable_folder(folder)
    document = json.loads(json.dumps(settings.to_dict()))
    file = home / "blueprint.json"
    if file.exists():
        if read_json(file, "the blueprint's settings", fix="choose another folder") != document:
            raise FormatError(
                "the folder holds a blueprint with other settings", where=str(home), fix="choose another folder"
            )
    else:
        partition = build_partition(
            settings.clusters, settings.buckets, seed=settings.seed, sample=settings.sample, threads=threads
        )
        partition.write(home / "partition.npz")
        write_text(file, json.dumps(document, indent=1))
    return PartitionedMCCFR(
        DEALER,
        {"partition": str((home / "partition.npz").resolve()), "betting": document["betting"]},
        on=on,
        batch=settings.batch,
        seed=settings.seed,
        folder=home,
    )


class Blueprint:
    """A stored blueprint; a member's tables are read when a hand first needs them."""

    def __init__(self, folder: str | FilePath) -> None:
        """Open a folder that `equiform blueprint` wrote."""
        self.folder = FilePath(folder)
        fix = "write one with `equiform blueprint`"
        document = read_json(self.folder / "blueprint.json", "the blueprint's settings", fix=fix)
        try:
            if document["format"] != FORMAT:
                raise FormatError("this release cannot read the blueprint", where=str(folder), fix=fix)
            self._seed = int(document["seed"])
            self.dealer: HoldemDealer = holdem_dealer(str(self.folder / "partition.npz"), document["betting"])
            self._batches = int(read_record(self.folder / "run.npz").values["batches"])
            self.training = {"deals": self._batches * int(document["batch"]), "seed": self._seed}
        except (KeyError, TypeError, ValueError):
            raise FormatError("this is not a blueprint", where=str(folder), fix=fix) from None
        self._number = {path: k for k, path in enumerate(root_members(self.dealer))}
        self._loaded: dict[Path, tuple[Member, FloatArray]] = {}

    def _member(self, path: Path) -> tuple[Member, FloatArray]:
        if path not in self._loaded:
            member = Member(self.dealer, path, self._seed)
            member.restore(str(self.folder / f"member-{self._number[path]}-{self._batches}.npz"))
            self._loaded[path] = member, member.average()
        return self._loaded[path]

    def probabilities(self, private: list[int], public: list[int], node: int) -> FloatArray:
        """Return the averaged probabilities of the moves at a decision of ``dealer.tree``.

        Parameters
        ----------
        private : list of int
            The player's two cards.
        public : list of int
            The cards shown on the street of the decision: none, three, four or five.
        node : int
        """
        tree = self.dealer.tree
        if tree.turn[node] < 0 or len(public) != (0, 3, 4, 5)[int(tree.street[node])]:
            raise ParameterError(
                f"{len(public)} public cards do not fit the node {tree.history(node) or 'root'!r}",
                where="blueprint",
                fix="name a decision, with the cards of its street",
            )
        path, bucket = self.dealer.place(np.array(private, dtype=np.int64), np.array(public, dtype=np.int64))
        return self.table(path, node)[int(bucket[0])].copy()

    def table(self, path: Path, node: int) -> FloatArray:
        """Return what a member plays at a decision: a row per bucket, a column per move."""
        member, average = self._member(path)
        region, at = member.region, int(self.dealer.tree.street[node]) - member.region.first
        rows = average[region.base[at] : region.base[at + 1]].reshape(-1, int(region.width[at]))
        first = int(region.column[node])
        found: FloatArray = rows[:, first : first + len(self.dealer.tree.children[node])]
        return found
