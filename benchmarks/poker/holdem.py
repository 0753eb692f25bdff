"""Abstract hold'em: CPU seconds of an iteration on the operator, at the size of GS2's phase 1."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from benchmarks.registry import Row, entry
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed import BucketDeals, BucketedGame, showdown_leaves
from equiform.solvers_iterative.regret.cfr import CFR

BUCKETS = (15, 225, 900)


@entry("holdem")
def holdem() -> Iterator[Row]:
    """Discounted CFR on three rounds of limit hold'em between random buckets."""
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 1000, size=(900, 900)).astype(np.float64)
    up = tuple(np.repeat(np.arange(a), b // a).astype(np.int32) for a, b in pairwise(BUCKETS))
    tree = HoldemBetting(rounds=3).tree()
    margin = counts * rng.uniform(-1, 1, size=counts.shape)
    game = BucketedGame("random buckets", tree, BucketDeals(counts, (up, up)), showdown_leaves(tree, margin))
    solver = CFR(game.sequence_form(), "dcfr")
    solver.step(2)
    started = time.process_time()
    solver.step(10)
    took = (time.process_time() - started) / 10
    yield Row("an iteration at 15/225/900 buckets", took, "CPU s", note=f"{game.num_sequences[0]:,} sequences")
