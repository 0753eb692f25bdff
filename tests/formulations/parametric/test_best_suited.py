"""Which threshold program suits which signals, and that what is asked for reaches it."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.formulations.inputs.parametric import solve_best_suited
from equiform.formulations.parametric import epsb
from equiform.games.poker.signal_games import bet_or_check, bet_or_check_model
from equiform.models.common.errors import InfeasibleError
from equiform.models.signals.deals import Signals
from equiform.models.signals.parametric_model import ParametricModel

FREE = ParametricModel.parse("free", ["BET a CHECK b BET", "CALL c FOLD"])


def test_finite_signals_of_two_players_tie_and_need_every_signal() -> None:
    """With ten signals the indifference program only comes close: its thresholds fall within signals."""
    signals = Signals.finite(np.full(10, 0.1), np.full(10, 0.1))
    found = solve_best_suited(bet_or_check(1, signals=signals), [bet_or_check_model()], polish=False)
    assert found.epsb_epsilon < 1e-12


def test_every_signal_may_be_asked_for_with_independent_signals() -> None:
    game, models = bet_or_check(1), [bet_or_check_model()]
    names = {every: solve_best_suited(game, models, every_signal=every).solution.program for every in (True, False)}
    assert names[True].shape == epsb.solve(game, bet_or_check_model()).solution.program.shape != names[False].shape


def test_the_closest_profile_of_dependent_signals() -> None:
    """With positively correlated signals no profile of this shape is an equilibrium (both mix over a wide range)."""
    middle = (np.arange(4) + 0.5) / 4
    table = 1 + 0.5 * np.outer(1 - 2 * middle, 1 - 2 * middle)
    game = bet_or_check(2, signals=Signals.dependent(table / table.sum(), edges=np.linspace(0, 1, 5)))
    with pytest.raises(InfeasibleError):
        solve_best_suited(game, [FREE])
    assert solve_best_suited(game, [FREE], closest=True, polish=False).epsb_epsilon > 0.05
