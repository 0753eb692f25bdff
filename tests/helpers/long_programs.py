"""Programs that keep every solver busy for minutes: what can be interrupted, and reach a limit of time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.program import Program


def hard_knapsack(size: int = 60) -> Program:
    """A market-split program (Cornuéjols and Dawande 1999): tiny, and far too hard for any branch and bound."""
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 100, (6, size)).astype(float)
    half = np.floor(weights.sum(axis=1) / 2)
    slack = np.hstack([np.eye(6), -np.eye(6)])
    return Program.from_arrays(
        np.concatenate([np.zeros(size), np.ones(12)]),
        np.hstack([weights, slack]),
        row_lower=half,
        row_upper=half,
        col_upper=np.concatenate([np.ones(size), np.full(12, np.inf)]),
        integer=np.concatenate([np.ones(size, dtype=bool), np.zeros(12, dtype=bool)]),
    )


def random_packing(size: int = 6000) -> Program:
    """A sparse linear program without structure, on which every factorisation fills up."""
    rng = np.random.default_rng(1)
    A = sp.random_array((size, size), density=8 / size, rng=rng, format="csr") + sp.eye_array(size, format="csr")
    return Program.from_arrays(-1.0 - rng.random(size), A, row_upper=1.0 + rng.random(size))


LONG: dict[str, Callable[[], Program]] = {"lp": random_packing, "mip": hard_knapsack}
