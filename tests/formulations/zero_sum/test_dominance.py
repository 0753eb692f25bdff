"""Weak dominance: the published equilibrium of one-card poker, and agreement with the normal form."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from equiform.formulations.zero_sum import dominance
from equiform.games.poker.kuhn import Kuhn
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.common.rational_vector import RationalVector, difference
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm, reduced_normal_form, reduced_plans
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import (
    exact_best_value,
    exact_evaluate,
    exact_gradient,
    exact_plan,
)
from equiform.validation.exact.refinements import exact_dominance, exact_plan_dominance
from equiform.validation.reproduce.equilibria.one_card_tables import (
    TABLE_10_3,
    equilibrium_within,
    printed_profile,
    read_table,
)
from tests.helpers.games import tree

ONE_CARD_VALUE = Fraction(-5, 78)


@pytest.fixture(scope="module")
def one_card() -> ExtensiveGame:
    return tree("one-card")


@pytest.fixture(scope="module")
def form(one_card: ExtensiveGame) -> SequenceForm:
    return sequence_form(one_card)


def least_gain(form: SequenceForm, player: int, better: Strategy, worse: Strategy) -> Fraction:
    """What the first strategy earns more than the second against the opponent who likes it least."""
    seat = form if player == 0 else form.flipped()
    lost = difference(exact_gradient(seat, 1, exact_plan(better)), exact_gradient(seat, 1, exact_plan(worse)))
    return -exact_best_value(seat.treeplexes[1], lost)


class TestPublishedOneCardPoker:
    """Tables 10.2 and 10.3."""

    def test_is_an_equilibrium_to_the_printed_digits(self, one_card: ExtensiveGame, form: SequenceForm) -> None:
        profile = printed_profile(form)
        # an error of half a digit in a probability moves a payoff of at most 2 by at most 0.001
        assert max(exact_evaluate(one_card, profile).regrets) < Fraction(1, 1000)
        for player in (0, 1):
            plan = equilibrium_within(form, profile[player], player=player, value=float(ONE_CARD_VALUE))
            assert plan is not None
            treeplex = form.treeplexes[player]
            assert np.abs(treeplex.behavior(plan) - profile[player].floats).max() <= 0.0005 + 1e-7
            opponent = form.treeplexes[1 - player]
            conceded = opponent.best_value(form.gradient(1 - player, plan))
            assert conceded == pytest.approx(float(-ONE_CARD_VALUE if player == 0 else ONE_CARD_VALUE), abs=1e-8)

    def test_a_changed_digit_is_no_equilibrium(self, form: SequenceForm) -> None:
        wrong = dict(TABLE_10_3, **{"after check": TABLE_10_3["after check"].replace("1.000", "0.900", 1)})
        strategy = read_table(form.treeplexes[1], wrong)
        assert equilibrium_within(form, strategy, player=1, value=float(ONE_CARD_VALUE)) is None

    @pytest.mark.parametrize("player", [0, 1])
    def test_is_dominated_and_a_dominating_strategy_is_shown(self, form: SequenceForm, player: int) -> None:
        printed = printed_profile(form)[player]
        found = exact_dominance(form, printed, player=player)
        assert found.dominated and found.gain > 0
        assert least_gain(form, player, found.dominating, printed) == found.worst >= 0
        in_floats = dominance.solve(form, printed.plan, player=player)
        assert in_floats.dominated
        assert in_floats.gain == pytest.approx(float(found.gain), abs=1e-9)

    def test_the_thesis_own_dominating_strategy(self, form: SequenceForm) -> None:
        """Calling with a 5 at 0.01 and with an 8 always, all else equal, dominates and is an equilibrium strategy."""
        calls = TABLE_10_3["after bet"].replace("0.251", "0.010").replace("0.759", "1.000")
        star = read_table(form.treeplexes[1], dict(TABLE_10_3, **{"after bet": calls}))
        printed = printed_profile(form)[1]
        assert least_gain(form, 1, star, printed) == 0
        uniform = form.treeplexes[0].realization(form.treeplexes[0].uniform())
        assert form.gradient(1, uniform) @ (star.plan - printed.plan) > 0.001
        conceded = [
            exact_best_value(form.treeplexes[0], exact_gradient(form, 0, exact_plan(s))) for s in (star, printed)
        ]
        assert conceded[0] <= conceded[1]

    def test_the_dominating_strategy_is_not_dominated_itself(self, form: SequenceForm) -> None:
        found = exact_dominance(form, printed_profile(form)[0], player=0)
        again = exact_plan_dominance(form, found.plan, player=0)
        assert again.gain == 0 and not again.dominated


def mixed_dominance_gain(matrix: FloatArray, p: FloatArray) -> float:
    """The textbook program on the normal form: the largest total gain of a mixture that never earns less."""
    rows = len(matrix)
    found = linprog(
        -matrix.sum(axis=1),
        A_ub=-matrix.T,
        b_ub=-(matrix.T @ p),
        A_eq=np.ones((1, rows)),
        b_eq=[1.0],
        bounds=[(0, None)] * rows,
    )
    assert found.status == 0
    return float(-found.fun - (matrix.T @ p).sum())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=3, max_size=4),
    st.lists(st.integers(0, 4), min_size=4, max_size=4),
)
def test_matrix_games_agree_with_the_textbook_program(rows: list[list[int]], weights: list[int]) -> None:
    game = NormalForm.from_matrix("random", [f"r{i}" for i in range(len(rows))], "LMR", rows).sequence_form()
    own = weights[: len(rows)]
    p = [Fraction(w, sum(own)) for w in own] if sum(own) else [Fraction(1), *[Fraction(0)] * (len(rows) - 1)]
    exact = exact_plan_dominance(game, RationalVector.of([Fraction(1), *p]))
    plan = np.array([1.0, *map(float, p)])
    reference = mixed_dominance_gain(np.array(rows, dtype=float), plan[1:])
    assert exact.dominated == (reference > 1e-9)
    assert dominance.solve(game, plan).dominated == exact.dominated
    assert float(exact.gain) * 3 == pytest.approx(reference, abs=1e-7)  # uniform play weighs the three columns equally


def test_kuhn_pure_strategies_agree_with_the_normal_form() -> None:
    """Dominance over realization plans is dominance over mixed strategies."""
    form = sequence_form(compile_rules(Kuhn()))
    matrix = reduced_normal_form(form).payoff_floats[1].T  # player 2's payoffs, one row a plan of theirs
    plans = reduced_plans(form.treeplexes[1])
    verdicts = [dominance.solve(form, plan, player=1).dominated for plan in plans]
    pure = np.eye(len(plans))
    assert verdicts == [mixed_dominance_gain(matrix, p) > 1e-9 for p in pure]
    assert any(verdicts) and not all(verdicts)


def test_kuhn_names_the_dominated_moves() -> None:
    """§13.7.1: calling with a J, folding and checking behind with a K are dominated, betting a Q only iteratively."""
    form = sequence_form(compile_rules(Kuhn()))
    treeplex = form.treeplexes[1]
    equilibrium = np.zeros(treeplex.num_sequences)
    equilibrium[0] = 1.0
    for infoset, action, probability in [
        ("holding J, after bet", "fold", 1.0),
        ("holding Q, after bet", "call", 1 / 3),
        ("holding Q, after bet", "fold", 2 / 3),
        ("holding K, after bet", "call", 1.0),
        ("holding J, after check", "bet", 1 / 3),
        ("holding J, after check", "check", 2 / 3),
        ("holding Q, after check", "check", 1.0),
        ("holding K, after check", "bet", 1.0),
    ]:
        equilibrium[treeplex.sequence(infoset, action)] = probability
    verdicts = {}
    for infoset, bad, good in [
        ("holding J, after bet", "call", "fold"),
        ("holding K, after bet", "fold", "call"),
        ("holding K, after check", "check", "bet"),
        ("holding Q, after check", "bet", "check"),
    ]:
        changed = equilibrium.copy()
        changed[treeplex.sequence(infoset, bad)], changed[treeplex.sequence(infoset, good)] = 1.0, 0.0
        verdicts[infoset] = dominance.solve(form, treeplex.realization(changed), player=1).dominated
    assert verdicts == {
        "holding J, after bet": True,
        "holding K, after bet": True,
        "holding K, after check": True,
        "holding Q, after check": False,
    }
    assert not dominance.solve(form, treeplex.realization(equilibrium), player=1).dominated


def test_a_plan_that_is_none_is_refused() -> None:
    form = sequence_form(compile_rules(Kuhn()))
    with pytest.raises(StrategyError, match="flow"):
        dominance.solve(form, np.ones(form.treeplexes[0].num_sequences))
