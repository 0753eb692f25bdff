"""Agents from what ``equiform blueprint`` computes in parts: clusters of flops and the buckets of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from equiform.abstraction.partition.blueprint import Blueprint as PartedBlueprint
from equiform.abstraction.partition.holdem import HoldemDealer, HoldemPartition
from equiform.games.cards.indexing import hand_indexer
from equiform.games.poker.holdem.tree import node_at
from equiform.models.common.array_types import IntArray
from equiform.play.holdem.abstract_betting import AbstractBetting
from equiform.play.holdem.blueprint import Blueprint
from equiform.play.holdem.buckets import street_of
from equiform.play.holdem.solved import game_of


class PartitionBuckets:
    """The buckets of a partition, those of one cluster of flops after those of another."""

    def __init__(self, partition: HoldemPartition) -> None:
        self.partition = partition

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many buckets each street has, in all clusters together."""
        clusters = self.partition.num_clusters
        return (hand_indexer(2).sizes[0], *(clusters * own for own in self.partition.buckets))

    def look_up(self, deals: IntArray) -> IntArray:
        """Return the buckets of deals on their last street."""
        street = street_of(deals)
        if street == 0:
            return hand_indexer(2).index(deals)
        clusters = self.partition.clusters[hand_indexer(3).index(deals[:, 2:5])]
        own = self.partition.buckets[street - 1]
        return clusters * own + self.partition.bucket(street, clusters, self.partition.score(street, deals))

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the buckets."""
        return {"method": "partition", "buckets": list(self.sizes)}


def from_partitioned(folder: str | Path) -> tuple[Blueprint, PartitionBuckets]:
    """Return the strategy and the buckets of a folder that ``equiform blueprint`` wrote.

    Raises
    ------
    UnsupportedGameError
        If it is not of one of the dealer's games.
    """
    stored = PartedBlueprint(folder)
    dealer: HoldemDealer = stored.dealer
    rules, menu = game_of(dealer.betting)
    betting, buckets = AbstractBetting.build(rules, menu), PartitionBuckets(dealer.partition)
    table = np.empty(int(betting.tree.offsets(buckets.sizes)[-1]))
    made = Blueprint(betting, buckets.sizes, table, {"algorithm": "equiform blueprint", **stored.training})
    clusters = range(dealer.partition.num_clusters)
    for node in np.flatnonzero(betting.tree.turn >= 0).tolist():
        there = node_at(dealer.tree, betting.states[node].line)
        paths = [(c,) for c in clusters] if dealer.tree.street[there] else [()]
        made.rows(node)[:] = np.vstack([stored.table(path, there) for path in paths])
    return made, buckets
