"""External sampling on a tree of moves with buckets: Kuhn poker, where everything is known."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import EquiformError
from equiform.solvers_iterative.regret.bucket_mccfr import BucketMCCFR, MoveTree

# 0: player 0 checks or bets; 1: player 1 after a check; 2: player 1 after a bet; 4: player 0 after check and bet
KUHN = MoveTree(
    *(np.array([0, 1, 1, -1, 0, -1, -1, -1, -1], np.int32), np.zeros(9, np.int32)),
    *(np.array([1, 3, 5, 0, 7, 0, 0, 0, 0], np.int32), np.array([2, 2, 2, 0, 2, 0, 0, 0, 0], np.int32)),
    np.array([-1, -1, -1, -1, -1, 0, -1, 1, -1], np.int32),
    np.array([0, 0, 0, 1.0, 0, 1, 2, 1, 2]),
)
PAIRS = np.array(list(permutations(range(3), 2)))


def block(seed: int, count: int = 4000) -> tuple[IntArray, IntArray]:
    dealt = PAIRS[np.random.default_rng(seed).integers(6, size=count)]
    return dealt[:, :, None].copy(), np.sign(dealt[:, 0] - dealt[:, 1])


def exploitability(average: FloatArray) -> float:
    """Return what best responses to both players win together, by brute force over pure responses."""
    first, second = average.reshape(-1, 3, 2)[[0, 3]], average.reshape(-1, 3, 2)[[1, 2]]

    def value(one: FloatArray, two: FloatArray) -> float:
        total = 0.0
        for i, j in PAIRS.tolist():
            better = 1 if i > j else -1
            check = two[0, j, 0] * better + two[0, j, 1] * (-one[1, i, 0] + one[1, i, 1] * 2 * better)
            bet = two[1, j, 0] + two[1, j, 1] * 2 * better
            total += (one[0, i, 0] * check + one[0, i, 1] * bet) / 6
        return total

    def best(of: int) -> float:
        found = []
        for bits in range(64):
            pure = np.zeros((2, 3, 2))
            chosen = np.array([bits >> k & 1 for k in range(6)]).reshape(2, 3)
            np.put_along_axis(pure, chosen[:, :, None], 1.0, axis=2)
            found.append(value(pure, second) if of == 0 else -value(first, pure))
        return max(found)

    return best(0) + best(1)


def test_kuhn_poker_is_solved() -> None:
    solver = BucketMCCFR(KUHN, (3,), seed=1)
    for k in range(60):
        solver.run_block(*block(k))
    average = solver.average()
    assert exploitability(average) < 0.01
    assert np.allclose(average.reshape(-1, 3, 2).sum(axis=2), 1.0)


def test_a_restored_run_continues_bit_for_bit() -> None:
    whole = BucketMCCFR(KUHN, (3,), seed=2)
    half = BucketMCCFR(KUHN, (3,), seed=2)
    for k in range(4):
        whole.run_block(*block(k, 500))
    for k in range(2):
        half.run_block(*block(k, 500))
    again = BucketMCCFR(KUHN, (3,), seed=99)
    stored = {name: array.copy() for name, array in half.arrays().items()}
    again.restore(stored, blocks=half.blocks, deals=half.deals, touched=half.touched)  # type: ignore[arg-type]
    for k in range(2, 4):
        again.run_block(*block(k, 500))
    assert np.array_equal(whole.average(), again.average()) and whole.touched == again.touched


def test_blocks_that_do_not_fit_are_refused() -> None:
    solver = BucketMCCFR(KUHN, (3,))
    held, results = block(0, 5)
    for bad in ((held + 1, results), (held[:, :1], results), (held, results[:3]), (held, 2 * results)):
        with pytest.raises(EquiformError):
            solver.run_block(*bad)
    with pytest.raises(EquiformError):
        BucketMCCFR(KUHN, ())


def test_two_deals_by_hand() -> None:
    """Player 0's first move wins one and the second loses one, whatever player 1 answers.

    A deal touches five nodes when player 0 learns and four when player 1 does, who meets one move of player 0's. Player
    0 starts evenly and learns ±1, half of which counts after the first block; the average sees what player 0 plays
    while player 1 learns. After the second deal, worth 1, -1/2 - 2 is left of the other move, faded to two thirds.
    """
    tree = MoveTree(
        *(np.array([0, 1, 1, -1, -1, -1, -1], np.int32), np.zeros(7, np.int32)),
        *(np.array([1, 3, 5, 0, 0, 0, 0], np.int32), np.array([2, 2, 2, 0, 0, 0, 0], np.int32)),
        *(np.array([-1, -1, -1, 0, 0, 1, 1], np.int32), np.array([0, 0, 0, 1.0, 1, 1, 1])),
    )
    solver = BucketMCCFR(tree, (1,))
    one = np.zeros((1, 2, 1), np.int64), np.ones(1, np.int64)
    solver.run_block(*one)
    assert solver.touched == 9 and solver.deals == 1
    assert solver.regrets.tolist() == [0.5, -0.5, 0, 0, 0, 0]
    assert solver.average().tolist() == [1, 0, 0.5, 0.5, 0.5, 0.5]
    solver.run_block(*one)
    assert solver.touched == 18 and solver.deals == 2
    assert solver.regrets == pytest.approx([1 / 3, -5 / 3, 0, 0, 0, 0])
