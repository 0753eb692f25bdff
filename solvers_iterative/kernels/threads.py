"""Products shared by several threads: each takes a block of rows, so that the result does not depend on their number.

The products are where first-order methods spend their time on large games, and rows are independent (Gilpin, Hoda, Peña
and Sandholm 2007 parallelise the same products). Compiled loops release Python's lock.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.solvers_iterative.kernels.rows import Rows, multiply_block


class ThreadedPayoff:
    """A written-out payoff whose products are computed by a pool of threads, bit for bit as by one."""

    def __init__(self, rows: tuple[Rows, Rows], threads: int) -> None:
        self.shape = (len(rows[0].start) - 1, len(rows[1].start) - 1)
        self._rows = rows
        self._blocks = tuple(_blocks(r, threads) for r in rows)
        self._pool = ThreadPoolExecutor(threads)

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        return self._multiply(0, y)

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        return -self._multiply(1, x)

    def _multiply(self, player: int, vector: FloatArray) -> FloatArray:
        rows, out = self._rows[player], np.empty(self.shape[player])
        jobs = [self._pool.submit(multiply_block, rows, vector, out, low, high) for low, high in self._blocks[player]]
        for job in jobs:
            job.result()
        return out


def _blocks(rows: Rows, threads: int) -> list[tuple[int, int]]:
    """Cut the rows into one block per thread, each with about the same number of nonzeros."""
    shares = np.linspace(0, int(rows.start[-1]), threads + 1)
    cuts = np.searchsorted(rows.start, shares)
    cuts[0], cuts[-1] = 0, len(rows.start) - 1
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
