"""Restarted primal–dual hybrid gradient: accuracy, restarts, resuming, operators."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from equiform.games.registry import load_game
from equiform.models.common.errors import ParameterError
from equiform.models.game import as_sequence_form
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm
from equiform.solvers_iterative import PDHG, Until, create


def form(name: str) -> SequenceForm:
    return as_sequence_form(load_game(name))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn", Fraction(-1, 18)),
        ("one-card:cards=13", Fraction(-5, 78)),
        ("rps", Fraction(0)),
        ("fig-10.2", Fraction(0)),
    ],
)
def test_it_reaches_what_no_regret_method_reaches(name: str, value: Fraction) -> None:
    solver = PDHG(form(name))
    result = solver.run(Until(gap=1e-11, iterations=5_000))
    assert result.nash_conv <= 1e-11
    assert result.checkpoint.lower - 1e-11 <= float(value) <= result.checkpoint.upper + 1e-11
    for plan, treeplex in zip(solver.average_plans, solver.game.treeplexes, strict=True):
        assert treeplex.flow_residual(plan) < 1e-12


def test_the_gap_falls_by_a_factor_per_restart() -> None:
    """Linear convergence: the logarithm of the gap falls in proportion to the iterations."""
    solver = PDHG(form("kuhn"))
    gaps = {n: solver.run(Until(iterations=n)).nash_conv for n in (128, 256, 384)}
    assert gaps[256] < 1e-2 * gaps[128] and gaps[384] < 1e-1 * gaps[256]
    assert solver.restarts >= 4


def test_the_norm_is_that_of_the_matrix() -> None:
    game = form("leduc")
    exact = float(np.linalg.norm(game.A.toarray(), 2))
    assert PDHG(game).norm == pytest.approx(exact, rel=1e-3)
    assert PDHG(game, norm=exact).options["norm"] == exact


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    game = form("one-card:cards=13")
    whole, first, second = (create("pdhg", game) for _ in range(3))
    whole.run(Until(iterations=300))
    first.run(Until(iterations=131))
    first.save(tmp_path / "run.npz")
    second.load(tmp_path / "run.npz")
    second.run(Until(iterations=300))
    for name, array in whole._state().items():
        assert (array == second._state()[name]).all(), name


def test_a_payoff_of_zeros_is_solved_at_once() -> None:
    nothing = as_sequence_form(NormalForm.from_matrix("nothing", "ab", "cd", [[0, 0], [0, 0]]))
    assert PDHG(nothing).run(Until(iterations=40)).nash_conv == 0.0


def test_refusals() -> None:
    game = form("kuhn")
    with pytest.raises(ParameterError):
        PDHG(game, check_every=0)
    with pytest.raises(ParameterError):
        PDHG(game, norm=math.inf)
