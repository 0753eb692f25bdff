"""The profile that is offered when a program ran out of time."""

from __future__ import annotations

import numpy as np

from equiform.formulations.general_sum.regret_play import play_by_regrets
from equiform.models import NormalForm


def test_uniform_play_is_kept_where_nothing_is_better() -> None:
    pennies = NormalForm.from_matrix("pennies", ("heads", "tails"), ("heads", "tails"), [[1, -1], [-1, 1]])
    for strategy in play_by_regrets(pennies):
        np.testing.assert_array_equal(strategy, [0.5, 0.5])


def test_dominated_moves_die_out() -> None:
    """The prisoners' dilemma has one equilibrium: both defect."""
    dilemma = NormalForm.from_matrix("dilemma", ("cooperate", "defect"), ("cooperate", "defect"), [[3, 0], [5, 1]])
    assert play_by_regrets(dilemma)[0].tolist() == [0.0, 1.0]
