"""Undominated equilibria: Algorithm 18, exactly certified."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.formulations.zero_sum import dominance, sequence_form_lp, undominated
from equiform.models.common.errors import StrategyError
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.validation.certificates.exact_evaluation import exact_nash_conv
from equiform.validation.exact.refinements import exact_dominance, exact_plan_dominance, exact_undominated
from equiform.validation.reproduce.equilibria.pair_folds import pair_folds
from tests.helpers.games import tree


@pytest.fixture(scope="module")
def leduc() -> SequenceForm:
    return sequence_form(tree("leduc"))


@pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
def test_exact_equilibrium_certified_undominated(name: str) -> None:
    game = tree(name)
    form = sequence_form(game)
    une = exact_undominated(form)
    assert exact_nash_conv(game, une.strategies) == 0
    for player in (0, 1):
        verdict = exact_dominance(form, une.strategies[player], player=player)
        assert verdict.gain == 0 and not verdict.dominated


@pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
def test_floats_agree_with_the_exact_route(name: str) -> None:
    form = sequence_form(tree(name))
    une, exact = undominated.solve(form), exact_undominated(form)
    assert une.value == pytest.approx(float(exact.value), abs=1e-9)
    plans = [s.plan for s in une.strategies if s is not None]
    assert form.exploitability(plans[0], plans[1]) < 1e-8
    for player in (0, 1):
        opponent = form.treeplexes[1 - player]
        uniform = opponent.realization(opponent.uniform())
        earned = form.gradient(player, uniform) @ plans[player]
        assert earned == pytest.approx(float(exact.responses[player].payoff), abs=1e-8)
        assert not dominance.solve(form, plans[player], player=player).dominated


def test_kuhn_is_in_the_known_family() -> None:
    """Kuhn (1950): player 1 bets J with α/3 and K with α, calls Q with (1 + α)/3; player 2's strategy is unique."""
    first, second = exact_undominated(sequence_form(tree("kuhn"))).strategies
    own, other = first.table(), second.table()
    alpha = Fraction(own["holding K, to open"]["bet"])
    assert Fraction(own["holding J, to open"]["bet"]) == alpha / 3
    assert Fraction(own["holding Q, to open"]["bet"]) == 0
    assert Fraction(own["holding Q, after check–bet"]["call"]) == (1 + alpha) / 3
    assert Fraction(own["holding J, after check–bet"]["call"]) == 0
    assert Fraction(own["holding K, after check–bet"]["call"]) == 1
    third = Fraction(1, 3)
    expected = {"J": (third, 0), "Q": (0, third), "K": (1, 1)}
    for card, (bet, call) in expected.items():
        assert Fraction(other[f"holding {card}, after check"]["bet"]) == bet
        assert Fraction(other[f"holding {card}, after bet"]["call"]) == call


def test_two_programs_for_one_player_three_for_both() -> None:
    form = sequence_form(tree("kuhn"))
    assert len(undominated.solve(form).solutions) == 3
    for player in (0, 1):
        one = undominated.solve(form, player=player)
        assert len(one.solutions) == 2
        assert (one.strategies[player] is not None, one.strategies[1 - player] is None) == (True, True)


def test_the_fully_mixed_strategy_matters() -> None:
    """Who bets a Q behind pays off a slow-played K: against such an opponent α = 0, against uniform play α = 1."""
    form = sequence_form(tree("kuhn"))
    treeplex = form.treeplexes[1]
    active = {"J": (0.05, 0.05), "Q": (0.95, 0.05), "K": (0.95, 0.95)}  # bets behind, calls
    behavior = treeplex.uniform()
    for card, (bets, calls) in active.items():
        for infoset, move, rest, p in (("after check", "bet", "check", bets), ("after bet", "call", "fold", calls)):
            behavior[treeplex.sequence(f"holding {card}, {infoset}", move)] = p
            behavior[treeplex.sequence(f"holding {card}, {infoset}", rest)] = 1 - p
    for plan, alpha in ((treeplex.realization(behavior), 0.0), (None, 1.0)):
        strategy = undominated.solve(form, player=0, fully_mixed=(None, plan)).strategies[0]
        assert strategy is not None
        assert not dominance.solve(form, strategy.plan, player=0).dominated
        assert strategy.table()["holding K, to open"]["bet"] == pytest.approx(alpha, abs=1e-7)


def test_a_plan_with_holes_is_refused() -> None:
    form = sequence_form(tree("kuhn"))
    pure = form.best_response(1, form.treeplexes[0].realization(form.treeplexes[0].uniform())).plan
    with pytest.raises(StrategyError, match="fully mixed"):
        undominated.solve(form, player=0, fully_mixed=(None, pure))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(-2, 2), min_size=4, max_size=4), min_size=4, max_size=4))
def test_random_matrix_games(rows: list[list[int]]) -> None:
    """Few distinct payoffs: many equilibria, many of them dominated."""
    game = NormalForm.from_matrix("random", "abcd", "wxyz", rows)
    une = exact_undominated(game.sequence_form())
    assert exact_nash_conv(game, une.strategies) == 0
    for player in (0, 1):
        assert exact_plan_dominance(game.sequence_form(), une.responses[player].plan, player=player).gain == 0


class TestLeducPairs:
    """A pair with the board cannot lose: folding it is never right, reached or not."""

    def test_an_ordinary_equilibrium_folds_pairs_somewhere(self, leduc: SequenceForm) -> None:
        strategies = [s for s in sequence_form_lp.solve(leduc, unreached="uniform").strategies if s is not None]
        found = pair_folds(*strategies)
        assert found.total == 60
        assert found.folding > 0

    def test_undominated_equilibria_fold_none(self, leduc: SequenceForm) -> None:
        in_floats = [s for s in undominated.solve(leduc).strategies if s is not None]
        for strategies in (in_floats, list(exact_undominated(leduc).strategies)):
            found = pair_folds(*strategies, above=0.0)
            assert (found.folding, found.total, found.worst) == (0, 60, 0.0)

    def test_the_check_sees_a_fold(self, leduc: SequenceForm) -> None:
        treeplex = leduc.treeplexes[0]
        strategy = undominated.solve(leduc, player=0).strategies[0]
        assert strategy is not None
        behavior = strategy.floats
        s = treeplex.sequence("holding K, board K, after check–check, then check–bet", "fold")
        h = int(treeplex.infoset_of[s])
        behavior[int(treeplex.start[h]) : int(treeplex.start[h + 1])] = 0.0
        behavior[s] = 1.0
        found = pair_folds(type(strategy)(treeplex, behavior))
        assert found.folding == 1 and found.worst == 1.0 and "holding K, board K" in found.where


def test_best_behavior_decides_everywhere() -> None:
    form = sequence_form(tree("kuhn"))
    treeplex = form.treeplexes[0]
    gradient = form.gradient(0, form.treeplexes[1].realization(form.treeplexes[1].uniform()))
    behavior = treeplex.best_behavior(gradient)
    treeplex.check_behavior(behavior)
    assert gradient @ treeplex.realization(behavior) == pytest.approx(treeplex.best_value(gradient), abs=1e-12)
    assert set(np.unique(behavior)) == {0.0, 1.0}
