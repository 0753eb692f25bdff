"""Drawing cards for many deals at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.solvers_iterative.kernels.rng import uniform

Masks = NDArray[np.uint64]


@jit
def draw_rest(rows: NDArray[np.uint8], known: int, deck: int, random: NDArray[np.uint64]) -> None:
    """Fill each row from column ``known`` on with different cards that are not in it yet, evenly."""
    for i in range(len(rows)):
        dead = np.uint64(0)
        for k in range(known):
            dead |= np.uint64(1) << np.uint64(rows[i, k])
        for k in range(known, rows.shape[1]):
            while True:
                card = int(uniform(random) * deck)
                bit = np.uint64(1) << np.uint64(card)
                if not dead & bit:
                    break
            dead |= bit
            rows[i, k] = card


@jit
def draw_board(
    rows: NDArray[np.uint8],
    known: int,
    boards: NDArray[np.uint8],
    masks: Masks,
    random: NDArray[np.uint64],
    outcomes: FloatArray,
) -> None:
    """Append to each row one of the boards that share no card with it, evenly, and count these; none leaves it."""
    size = boards.shape[1]
    for i in range(len(rows)):
        dead = np.uint64(0)
        for k in range(known):
            dead |= np.uint64(1) << np.uint64(rows[i, k])
        count = 0
        for b in range(len(masks)):
            count += not masks[b] & dead
        outcomes[i] = count
        if count == 0:
            continue
        left = int(uniform(random) * count)
        for b in range(len(masks)):
            if not masks[b] & dead:
                if left == 0:
                    for k in range(size):
                        rows[i, known + k] = boards[b, k]
                    break
                left -= 1
