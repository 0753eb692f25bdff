"""Fictitious play: equation 9.1 by hand, three implementations of one rule, and where it must not converge."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equiform.games.random_game import random_game
from equiform.games.registry import load_game
from equiform.models import NormalForm, sequence_form
from equiform.solvers_iterative import FictitiousPlay, MatrixFictitiousPlay, MultiplayerFictitiousPlay, Until, create
from tests.helpers.games import tree


def test_equation_9_1_by_hand() -> None:
    """Player 1's game [[2, 0], [1, 3]] from uniform play."""
    game = NormalForm.from_matrix("g", ["T", "B"], ["L", "R"], [[2, 0], [1, 3]])
    solver = MatrixFictitiousPlay(game)
    # t = 1: against uniform rows earn (1, 2): B; columns pay (1.5, 1.5), a tie: L. The start has weight 0.
    solver.step()
    assert [s.floats.tolist() for s in solver.average] == [[1, 0, 1], [1, 1, 0]]
    # t = 2: against L rows earn (2, 1): T; against B columns pay (1, 3): L. Half and half.
    solver.step()
    assert [s.floats.tolist() for s in solver.average] == [[1, 0.5, 0.5], [1, 1, 0]]
    # t = 3: against L: T; against (1/2, 1/2) columns pay (1.5, 1.5): L again.
    solver.step()
    assert solver.average[0].floats == pytest.approx([1, 2 / 3, 1 / 3])
    assert [s.floats.tolist() for s in solver.current] == [[1, 1, 0], [1, 1, 0]]


def test_matrix_and_sequence_form_play_alike() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):  # large random payoffs: no ties for rounding errors to break
        matrix = rng.integers(-(10**6), 10**6, size=(5, 4)).tolist()
        game = NormalForm.from_matrix("random", "abcde", "wxyz", matrix)
        counting, mixing = MatrixFictitiousPlay(game), FictitiousPlay(game.sequence_form())
        for _ in range(200):
            counting.step()
            mixing.step()
        for mine, other in zip(counting.average, mixing.average, strict=True):
            assert mine.floats == pytest.approx(other.floats, abs=1e-12)


def test_tree_and_sequence_form_play_alike() -> None:
    for seed in range(8):
        game = random_game(seed=seed, depth=6)
        first, second = FictitiousPlay(sequence_form(game)), MultiplayerFictitiousPlay(game)
        for _ in range(10):
            first.step()
            second.step()
        for mine, other in zip(first.average, second.average, strict=True):
            assert mine.plan == pytest.approx(other.plan, abs=1e-9), seed


@pytest.mark.parametrize(("spec", "iterations", "gap"), [("kuhn", 100_000, 2e-3), ("leduc", 20_000, 0.03)])
def test_converges_in_zero_sum_games(spec: str, iterations: int, gap: float) -> None:
    assert create("fp", load_game(spec)).run(Until(gap=gap, iterations=iterations)).stopped_by == "gap"


def test_shapleys_game_cycles() -> None:
    """Shapley's 3 × 3 game, on which fictitious play is known not to converge: the gap stays."""
    first = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=object)
    second = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=object)
    shapley = NormalForm("shapley", ("row", "column"), (("a", "b", "c"),) * 2, np.stack([first, second]))
    solver = MatrixFictitiousPlay(shapley)
    # the answers to the uniform start are ties: break them off the diagonal, where the cycle is
    solver._earned[1][:] = [0.0, 1.0, 0.0]
    result = solver.run(Until(iterations=100_000))
    assert result.nash_conv > 0.1
    assert math.isnan(result.checkpoint.lower)


def test_three_player_normal_form() -> None:
    """Three players who want to be in the majority settle on it: pure equilibria, found at once."""
    payoffs = np.zeros((3, 2, 2, 2), dtype=object)
    for profile in np.ndindex(2, 2, 2):
        for p in range(3):
            payoffs[(p, *profile)] = int(profile.count(profile[p]) >= 2)
    game = NormalForm("majority", ("a", "b", "c"), (("x", "y"),) * 3, payoffs)
    solver = MatrixFictitiousPlay(game)
    result = solver.run(Until(gap=0.0, iterations=50))
    assert result.stopped_by == "gap"
    assert len(result.checkpoint.regrets) == 3


def test_three_player_kuhn_regrets_shrink() -> None:
    game = tree("kuhn-multiplayer")
    history = MultiplayerFictitiousPlay(game).run(Until(iterations=2000)).history
    assert history[-1].nash_conv < history[0].nash_conv / 50
