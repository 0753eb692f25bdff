"""A tiny card abstraction of Texas hold'em that needs no table of equities."""

from __future__ import annotations

from functools import cache

import numpy as np

from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.games.cards.indexing import hand_indexer


@cache
def tiny_abstraction(*, remember: bool = True, rounds: int = 2) -> CardAbstraction:
    """Return buckets of the first two rounds: by the higher card, then by whether the flop pairs the hand."""
    starting, flops = hand_indexer(2), hand_indexer(2, 3)
    first = (starting.deals(0, np.arange(169)).max(axis=1) // 4 + 1) // 5
    deals = flops.deals(1, np.arange(flops.sizes[1]))
    ranks = deals // 4
    paired = (ranks[:, :2, None] == ranks[:, None, 2:]).any(axis=(1, 2)) | (ranks[:, 0] == ranks[:, 1])
    above = first[starting.index(deals[:, :2])]
    second = paired + 2 * above if remember else paired.astype(np.int64)
    found = []
    children = np.array([2, 2, 2] if remember else [], dtype=np.int64)
    for name, deal, labels in (("preflop", (2,), first), ("flop", (2, 3), second)):
        counts = np.bincount(labels)
        told = children if name == "flop" else children[:0]
        found.append(BucketRound(name, deal, counts / counts.sum(), labels.astype(np.int32), children=told))
    return CardAbstraction("texas", "tiny", tuple(found[:rounds]))
