"""The best and the worst purification over all equilibria."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from equiform.abstraction.postprocess import PURIFICATION
from equiform.formulations.abstraction import purified_selection
from equiform.formulations.zero_sum import selection
from equiform.games.poker.kuhn import Kuhn
from equiform.games.random_game import random_game
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models import compile_rules, sequence_form
from equiform.models.common.array_types import FloatArray
from equiform.models.strategy import Strategy
from tests.helpers.refusals import leaf


def test_kuhn_by_hand() -> None:
    """Player 1's equilibria: bet J with α ≤ 1/3 and K with 3α, call with Q with α + 1/3 (Kuhn 1950).

    Purified, K bets from α = 1/6 on and Q calls from α = 1/6 on; at 1/6 both tie. Nothing else is left open.
    """
    form = sequence_form(compile_rules(Kuhn()))
    treeplex = form.treeplexes[0]

    def pure(bets: float, calls: float) -> FloatArray:
        moves: dict[str, dict[str, float]] = {
            "holding J, to open": {"check": 1, "bet": 0},
            "holding Q, to open": {"check": 1, "bet": 0},
            "holding K, to open": {"check": 1 - bets, "bet": bets},
            "holding J, after check–bet": {"fold": 1, "call": 0},
            "holding Q, after check–bet": {"fold": 1 - calls, "call": calls},
            "holding K, after check–bet": {"fold": 0, "call": 1},
        }
        return Strategy.from_table(treeplex, moves).plan

    plans = [pure(*choice) for choice in product((0.0, 1.0), repeat=2)]
    rng = np.random.default_rng(0)
    for _ in range(20):
        functional = rng.standard_normal(treeplex.num_sequences)
        for worst, best in ((True, min), (False, max)):
            found = purified_selection.solve(form, functional, value=-1 / 18, worst=worst)
            assert found.value == pytest.approx(best(float(functional @ p) for p in plans), abs=1e-7)
            assert any(np.abs(found.pure - p).max() < 1e-9 for p in plans)


@pytest.mark.parametrize("seed", range(6))
def test_the_ends_hold_what_sampled_equilibria_give(seed: int) -> None:
    form = sequence_form(random_game(seed=seed, depth=5))
    player = seed % 2
    treeplex = form.treeplexes[player]
    rng = np.random.default_rng(seed)
    functional = rng.standard_normal(treeplex.num_sequences)
    value = selection.solve_functional(form, functional, player=player).game_value
    ends = {
        (worst, gain): purified_selection.solve(form, functional, value=value, player=player, worst=worst, gain=gain)
        for worst in (True, False)
        for gain in (True, False)
    }
    for found in ends.values():  # what it claims is an equilibrium strategy, and purified as the definition says
        at = found.equilibrium
        other = form.treeplexes[1 - player]
        assert other.best_value(form.gradient(1 - player, at)) <= (-value if player == 0 else value) + 1e-6
        for low, high in zip(treeplex.start[:-1], treeplex.start[1:], strict=True):
            if found.pure[low:high].any():
                assert at[low:high][found.pure[low:high] > 0.5].min() >= at[low:high].max() - 1e-6
    for _ in range(5):
        own = selection.solve_functional(form, rng.standard_normal(treeplex.num_sequences), player=player, value=value)
        for result in (own.best, own.worst):
            plan = result.plans[player]
            assert plan is not None
            rounded = treeplex.realization(PURIFICATION.behavior(treeplex, treeplex.behavior(plan)))
            for gain, earned in ((False, functional @ rounded), (True, functional @ (rounded - plan))):
                assert ends[True, gain].value - 1e-6 <= earned <= ends[False, gain].value + 1e-6


def test_who_never_has_a_choice_has_one_purified_strategy() -> None:
    root = TreeNode(0, "only", children={"go": TreeNode(1, "then", children={"a": leaf(1, -1), "b": leaf(2, -2)})})
    form = sequence_form(compile_rules(ExplicitTree("forced", ("A", "B"), root)))
    found = purified_selection.solve(form, np.array([0.0, 3.0]), value=1.0)
    assert found.value == pytest.approx(3.0) and found.pure == pytest.approx([1.0, 1.0])
