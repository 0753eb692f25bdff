"""Random matrix games and their abstractions, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from equiform.abstraction.postprocess import PURIFICATION
from equiform.formulations.zero_sum.matrix_game_batch import solve_batch
from equiform.models.common.array_types import FloatArray, IntArray

BATCH = 250_000
#: Differences of payoffs below this are rounding.
NO_CHANGE = 1e-9
_IN_SUPPORT = 1e-9


@dataclass(frozen=True, eq=False)
class Batch:
    """Games in a batch: player 1's payoff against the full equilibrium, and the supports of that equilibrium."""

    purified: FloatArray
    unpurified: FloatArray
    rows: IntArray
    """The rows that the full equilibrium plays, as bits."""
    columns: IntArray


def sample(games: int, seed: int, size: int = 4) -> Iterator[Batch]:
    """Draw games with payoffs uniform on [-1, 1] and drop the last row and column for the abstraction."""
    rng = np.random.default_rng(seed)
    bits = 1 << np.arange(size)
    for start in range(0, games, BATCH):
        payoffs = rng.uniform(-1.0, 1.0, (min(BATCH, games - start), size, size))
        full = solve_batch(payoffs)
        abstract = solve_batch(payoffs[:, :-1, :-1])
        against = np.einsum("gij,gj->gi", payoffs[:, :-1], full.columns)
        yield Batch(
            purified=(PURIFICATION.mixed(abstract.rows) * against).sum(axis=1),
            unpurified=(abstract.rows * against).sum(axis=1),
            rows=((full.rows > _IN_SUPPORT) * bits).sum(axis=1),
            columns=((full.columns > _IN_SUPPORT) * bits).sum(axis=1),
        )
