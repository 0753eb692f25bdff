r"""Texas hold'em cut into parts by its flops: S. Ganzfried's thesis, §6.1 and §6.3.

Flops are clustered by Algorithms 4 and 5. Within every cluster, the hands of the flop, the turn and the river have
buckets of their own: intervals of a hand's score (its equity against a random hand), cut so that a sample of the
cluster's deals falls into them evenly. Players remember the cluster and forget everything else; before the flop there
are the 169 starting hands.

A *partition* is these clusters and cuts, in one file that all workers read. A *dealer* deals from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.abstraction.cards.hierarchical import cluster_flops
from equiform.abstraction.cards.scored_rounds import Stage, texas_rounds
from equiform.abstraction.partition.card_draws import draw_board, draw_rest
from equiform.games.cards.evaluator import strengths
from equiform.games.cards.indexing import hand_indexer
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.arguments import require_count, require_counts, require_seed
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_arrays, whole_file
from equiform.models.public.betting import BettingTree
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.partitioned.dealers import CardRows, Dealing, Path

FORMAT = "equiform-holdem-partition-1"
#: Buckets of the base abstraction by which flops are compared (the thesis's number).
BASE = 5000
LEVELS: tuple[tuple[int, ...], ...] = ((0,), (1, 2, 3))
_SHOWN = (0, 3, 4, 5)  # public cards by street


@dataclass(frozen=True, eq=False)
class HoldemPartition:
    """Clusters of flops, and the buckets of each."""

    clusters: IntArray = field(repr=False)
    """A cluster per flop class."""
    cuts: tuple[IntArray, IntArray, IntArray] = field(repr=False)
    """On flop, turn and river: a row of ascending scores per cluster, one fewer than there are buckets."""
    seed: int = 0
    sample: int = 0
    """How many deals per cluster the cuts were learned from."""

    @property
    def num_clusters(self) -> int:
        """Count the clusters."""
        return int(self.clusters.max()) + 1

    @property
    def buckets(self) -> tuple[int, int, int]:
        """How many buckets a cluster has on flop, turn and river."""
        first, second, third = (cuts.shape[1] + 1 for cuts in self.cuts)
        return first, second, third

    def bucket(self, street: int, clusters: IntArray | int, scores: IntArray) -> IntArray:
        """Return the buckets of scores on a street (1 is the flop), each in its cluster."""
        rows = self.cuts[street - 1][np.broadcast_to(clusters, scores.shape)]
        found: IntArray = (rows <= scores[:, None]).sum(axis=1)
        return found

    def score(self, street: int, deals: IntArray) -> IntArray:
        """Return the scores of deals (two private cards, then public ones) on a street."""
        return _stages()[street].score(deals)

    def write(self, path: str | FilePath) -> None:
        """Write the partition to a file, atomically."""
        meta = json.dumps({"format": FORMAT, "seed": self.seed, "sample": self.sample})
        named: dict[str, Any] = {f"cuts_{k}": cuts for k, cuts in enumerate(self.cuts)}
        with whole_file(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(stream, meta=np.array(meta), clusters=self.clusters, **named)


def read_partition(path: str | FilePath) -> HoldemPartition:
    """Read a partition, or raise :class:`FormatError`."""
    fix = "write one with `equiform blueprint`"
    stored = read_arrays(path, "the file of clusters and buckets", fix=fix)
    try:
        meta = json.loads(str(stored["meta"]))
        if meta["format"] != FORMAT:
            raise FormatError(f"the file has format {meta['format']!r}", where=str(path), fix=f"expected {FORMAT!r}")
        clusters = stored["clusters"].astype(np.int64)
        cuts = tuple(stored[f"cuts_{k}"].astype(np.int64) for k in range(3))
        count = int(clusters.max()) + 1
        whole = clusters.shape == (hand_indexer(3).sizes[0],) and clusters.min() >= 0
        if not whole or any(c.ndim != 2 or len(c) != count or (np.diff(c, axis=1) < 0).any() for c in cuts):
            raise ValueError("inconsistent")
        return HoldemPartition(clusters, (cuts[0], cuts[1], cuts[2]), int(meta["seed"]), int(meta["sample"]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise FormatError("this is not a file of clusters and buckets", where=str(path), fix=fix) from None


@cache
def _stages() -> tuple[Stage, ...]:
    return texas_rounds(threads=1)  # members share the machine


def all_flops() -> tuple[NDArray[np.uint8], IntArray]:
    """Return all 22,100 flops and the class of each."""
    flops = np.array(list(combinations(range(52), 3)), dtype=np.uint8)
    return flops, hand_indexer(3).index(flops)


def build_partition(
    clusters: int, buckets: tuple[int, int, int], *, seed: int = 0, sample: int = 20_000, threads: int | None = None
) -> HoldemPartition:
    """Cluster the flops and cut every cluster's hands into buckets.

    Parameters
    ----------
    clusters : int
        How many clusters of flops (the thesis: 60).
    buckets : tuple of int
        How many private buckets each has on flop, turn and river (the thesis: 500 each).
    seed : int
    sample : int
        Deals per cluster that the cuts are learned from.
    threads : int, optional

    Returns
    -------
    HoldemPartition
    """
    where = "hold'em partition"
    require_count(clusters, "clusters", where, most=hand_indexer(3).sizes[0])
    require_counts(buckets, "buckets", where, length=3)
    require_seed(seed, where)
    require_count(sample, "sample", where, least=max(buckets))
    stages = texas_rounds(threads=threads)
    equity = stages[1].scores  # type: ignore[union-attr]
    base = np.searchsorted(np.quantile(equity, np.arange(1, BASE) / BASE), equity)
    labels = cluster_flops(base, clusters, seed=seed, threads=threads).clusters.labels
    count = int(labels.max()) + 1
    flops, classes = all_flops()
    rng = np.random.default_rng([seed, 1])
    cuts: list[list[FloatArray]] = [[], [], []]
    for c in range(count):
        own = flops[labels[classes] == c]
        rows = np.empty((sample, 7), dtype=np.uint8)
        rows[:, :3] = own[rng.integers(len(own), size=sample)]
        draw_rest(rows, 3, 52, rng.integers(2**63, size=4, dtype=np.uint64))
        deals = rows[:, [5, 6, 0, 1, 2, 3, 4]].astype(np.int64)
        for street in (1, 2, 3):
            scores = stages[street].score(deals[:, : 2 + _SHOWN[street]])
            shares = np.arange(1, buckets[street - 1]) / buckets[street - 1]
            cuts[street - 1].append(np.quantile(scores, shares, method="higher"))
    first, second, third = (np.array(rows, dtype=np.int64).reshape(count, -1) for rows in cuts)
    return HoldemPartition(labels, (first, second, third), seed, sample)


class HoldemDealer:
    """Deals Texas hold'em by a partition."""

    levels = LEVELS

    def __init__(self, partition: HoldemPartition, betting: HoldemBetting) -> None:
        self.partition, self.betting = partition, betting
        self.tree: BettingTree = betting.tree()
        self.name = f"hold'em, {partition.num_clusters} clusters of {'/'.join(map(str, partition.buckets))} buckets"

    def clusters(self, path: Path) -> int:
        """Count the clusters of flops below the head."""
        return 0 if path else self.partition.num_clusters

    def buckets(self, path: Path) -> tuple[int, ...]:
        """Return 169 for the head, the partition's numbers below."""
        return self.partition.buckets if path else (hand_indexer(2).sizes[0],)

    @cached_property
    def _flops(self) -> tuple[tuple[NDArray[np.uint8], NDArray[np.uint64]], ...]:
        """The flops of each cluster, and their cards as bits."""
        flops, classes = all_flops()
        bits = (np.uint64(1) << flops.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
        labels = self.partition.clusters[classes]
        return tuple((flops[labels == c], bits[labels == c]) for c in range(self.partition.num_clusters))

    def deal(self, path: Path, cards: CardRows, rng: np.random.Generator) -> Dealing:
        """Deal starting hands, or a flop of the cluster, a turn and a river."""
        random = rng.integers(2**63, size=4, dtype=np.uint64)
        if not path:
            rows = np.empty((len(cards), 4), dtype=np.uint8)
            draw_rest(rows, 0, 52, random)
            held = np.stack([hand_indexer(2).index(rows[:, 2 * p : 2 * p + 2]) for p in range(2)], axis=1)
            zeros = np.zeros(len(rows), dtype=np.int8)
            return Dealing(rows, held[:, None, :].astype(np.int32), zeros, np.ones(len(rows)))
        rows, outcomes = np.zeros((len(cards), 9), dtype=np.uint8), np.zeros(len(cards))
        rows[:, :4] = cards
        draw_board(rows, 4, *self._flops[path[0]], random, outcomes)
        blocked = outcomes == 0
        if blocked.any():  # no flop of the cluster is left: any cards will do, they count for nothing
            apart = np.ascontiguousarray(rows[blocked])
            draw_rest(apart, 4, 52, random)
            rows[blocked] = apart
        draw_rest(rows, 7, 52, random)
        buckets, sign = self._judged(path[0], rows.astype(np.int64))
        return Dealing(rows, buckets, sign, outcomes)

    def _judged(self, cluster: int, rows: IntArray) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return the buckets of both hands on all streets, and who wins."""
        hands = [np.hstack([rows[:, 2 * p : 2 * p + 2], rows[:, 4:]]) for p in range(2)]
        both = np.vstack(hands)  # river scores of one board share its work
        buckets = np.empty((len(rows), 3, 2), dtype=np.int32)
        for street in (1, 2, 3):
            scores = self.partition.score(street, both[:, : 2 + _SHOWN[street]])
            buckets[:, street - 1] = self.partition.bucket(street, cluster, scores).reshape(2, -1).T
        first, second = strengths(both).reshape(2, -1)
        return buckets, np.sign(first - second).astype(np.int8)

    def place(self, private: IntArray, public: IntArray) -> tuple[Path, IntArray]:
        """Find a hand: the member that owns its public cards, and its bucket on the street that they have reached."""
        street = _SHOWN.index(len(public))
        if street == 0:
            return (), hand_indexer(2).index(private[None])
        cluster = int(self.partition.clusters[hand_indexer(3).index(public[None, :3])[0]])
        score = self.partition.score(street, np.concatenate([private, public])[None])
        return (cluster,), self.partition.bucket(street, cluster, score)

    def fingerprint(self) -> str:
        """Hash clusters, cuts and the betting."""
        return fingerprint([self.partition.clusters, *self.partition.cuts], str(self.betting))


def holdem_dealer(partition: str, betting: dict[str, Any]) -> HoldemDealer:
    """Make a dealer from a partition's file and the arguments of :class:`HoldemBetting`, wherever it is needed."""
    fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in betting.items()}
    return HoldemDealer(read_partition(partition), HoldemBetting(**fields))
