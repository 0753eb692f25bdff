"""Treeplex, extensive form, sequence form, normal form and evaluation on games small enough to check by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from equiform.games.poker.kuhn import Kuhn
from equiform.models import (
    ExtensiveGame,
    NormalForm,
    Strategy,
    as_fraction,
    best_response,
    compile_rules,
    evaluate,
    expected_payoffs,
    reach_probabilities,
    reduced_normal_form,
    reduced_plans,
    sequence_form,
)
from equiform.models.common.errors import ParameterError, StrategyError, UnsupportedGameError
from equiform.models.payoffs.matrix import MatrixPayoff, Payoff
from equiform.models.rules import CHANCE, TERMINAL


@pytest.fixture(scope="module")
def kuhn() -> ExtensiveGame:
    return compile_rules(Kuhn())


def kuhn_equilibrium(game: ExtensiveGame, alpha: float) -> list[Any]:
    """The family of Kuhn's equilibria as thesis section 13.7.1 prints it."""
    first = {
        "holding J, to open": {"check": 1 - alpha / 3, "bet": alpha / 3},
        "holding Q, to open": {"check": 1.0, "bet": 0.0},
        "holding K, to open": {"check": 1 - alpha, "bet": alpha},
        "holding J, after check–bet": {"fold": 1.0, "call": 0.0},
        "holding Q, after check–bet": {"fold": 2 / 3 - alpha / 3, "call": 1 / 3 + alpha / 3},
        "holding K, after check–bet": {"fold": 0.0, "call": 1.0},
    }
    second = {
        "holding J, after bet": {"fold": 1.0, "call": 0.0},
        "holding Q, after bet": {"fold": 2 / 3, "call": 1 / 3},
        "holding K, after bet": {"fold": 0.0, "call": 1.0},
        "holding J, after check": {"check": 2 / 3, "bet": 1 / 3},
        "holding Q, after check": {"check": 1.0, "bet": 0.0},
        "holding K, after check": {"check": 0.0, "bet": 1.0},
    }
    return [Strategy.from_table(t, table) for t, table in zip(game.treeplexes, (first, second), strict=True)]


def test_kuhn_has_the_known_size(kuhn: ExtensiveGame) -> None:
    assert kuhn.num_nodes == 1 + 6 * 9
    assert kuhn.num_infosets == 12
    assert [t.num_sequences for t in kuhn.treeplexes] == [13, 13]
    assert kuhn.is_zero_sum and kuhn.has_perfect_recall


def test_flow_matrix_of_kuhn(kuhn: ExtensiveGame) -> None:
    treeplex = kuhn.treeplexes[0]
    E = treeplex.E.toarray()
    assert E.shape == (7, 13)
    assert E[0].tolist() == [1] + [0] * 12
    # an information set after check–bet hangs under the check of the same card
    h = [treeplex.infoset_label(k) for k in range(6)].index("holding Q, after check–bet")
    check = treeplex.sequence("holding Q, to open", "check")
    assert E[h + 1, check] == -1
    assert E[h + 1].sum() == 1  # two actions minus the parent


def test_depth_counts_the_moves_of_a_sequence(kuhn: ExtensiveGame) -> None:
    treeplex = kuhn.treeplexes[0]
    assert treeplex.depth[0] == 0
    assert treeplex.depth[treeplex.sequence("holding J, to open", "bet")] == 1
    assert treeplex.depth[treeplex.sequence("holding J, after check–bet", "call")] == 2


def test_behaviour_and_realization_are_inverse(kuhn: ExtensiveGame) -> None:
    rng = np.random.default_rng(1)
    for treeplex in kuhn.treeplexes:
        behavior = treeplex.behavior(rng.random(treeplex.num_sequences))
        plan = treeplex.realization(behavior)
        assert treeplex.flow_residual(plan) < 1e-15
        np.testing.assert_allclose(treeplex.behavior(plan), behavior, atol=1e-15)


def test_unreached_information_sets_take_the_fallback(kuhn: ExtensiveGame) -> None:
    treeplex = kuhn.treeplexes[0]
    always_bet = treeplex.uniform()
    for h in range(3):
        always_bet[treeplex.start[h] : treeplex.start[h] + 2] = (0.0, 1.0)
    plan = treeplex.realization(always_bet)
    call = treeplex.sequence("holding Q, after check–bet", "call")
    assert treeplex.behavior(plan)[call] == 0.5
    fallback = treeplex.uniform()
    fallback[call - 1], fallback[call] = 0.1, 0.9
    assert treeplex.behavior(plan, unreached=fallback)[call] == 0.9


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_kuhns_family_has_value_minus_one_eighteenth_and_no_regret(kuhn: ExtensiveGame, alpha: float) -> None:
    profile = [s.floats for s in kuhn_equilibrium(kuhn, alpha)]
    found = evaluate(kuhn, profile)
    assert found.payoffs == pytest.approx([-1 / 18, 1 / 18], abs=1e-15)
    assert found.nash_conv == pytest.approx(0, abs=1e-15)
    form = sequence_form(kuhn)
    x, y = (t.realization(b) for t, b in zip(kuhn.treeplexes, profile, strict=True))
    assert form.value(x, y) == pytest.approx(-1 / 18, abs=1e-15)
    assert form.bracket(x, y) == pytest.approx((-1 / 18, -1 / 18), abs=1e-15)


def test_an_alpha_above_one_is_not_a_strategy(kuhn: ExtensiveGame) -> None:
    with pytest.raises(StrategyError, match="a probability is -0"):
        kuhn_equilibrium(kuhn, 1.2)


def test_tree_and_sequence_form_agree_on_random_profiles() -> None:
    game = compile_rules(Kuhn(7))
    form = sequence_form(game)
    rng = np.random.default_rng(0)
    for _ in range(20):
        behaviors = [t.behavior(rng.random(t.num_sequences)) for t in game.treeplexes]
        x, y = (t.realization(b) for t, b in zip(game.treeplexes, behaviors, strict=True))
        found = evaluate(game, behaviors)
        assert found.payoffs[0] == pytest.approx(form.value(x, y), abs=1e-14)
        assert (-found.best_responses[1], found.best_responses[0]) == pytest.approx(form.bracket(x, y), abs=1e-14)


def test_best_response_beats_every_pure_plan(kuhn: ExtensiveGame) -> None:
    rng = np.random.default_rng(3)
    behaviors = [t.behavior(rng.random(t.num_sequences)) for t in kuhn.treeplexes]
    form = sequence_form(kuhn)
    for player in (0, 1):
        response = best_response(kuhn, behaviors, player)
        other = kuhn.treeplexes[1 - player].realization(behaviors[1 - player])
        payoffs = reduced_plans(kuhn.treeplexes[player]) @ form.gradient(player, other)
        assert response.value == pytest.approx(payoffs.max(), abs=1e-14)
        assert response.plan @ form.gradient(player, other) == pytest.approx(response.value, abs=1e-14)


def test_reach_probabilities_multiply_to_one_over_the_leaves(kuhn: ExtensiveGame) -> None:
    reach = reach_probabilities(kuhn, [t.uniform() for t in kuhn.treeplexes])
    assert reach[:, kuhn.terminals].prod(axis=0).sum() == pytest.approx(1.0, abs=1e-15)


def test_payoff_matrix_is_exact(kuhn: ExtensiveGame) -> None:
    payoff = sequence_form(kuhn).matrix_payoff
    assert payoff.denominator == 6
    assert set(payoff.numerators.tolist()) <= {-2, -1, 1, 2}
    assert isinstance(payoff, Payoff)
    flipped = payoff.flipped()
    np.testing.assert_array_equal(flipped.matrix.toarray(), -payoff.matrix.toarray().T)


def test_terms_beyond_64_bits_are_kept_exactly() -> None:
    big = 10**30
    payoff = MatrixPayoff.from_terms(
        (2, 2), np.array([0, 1, 1]), np.array([1, 0, 0]), np.array([big, big, 1], dtype=object), 3
    )
    assert payoff.numerators.tolist() == [big, big + 1]
    assert payoff.matrix[1, 0] == pytest.approx(1e30 / 3)


def test_cells_that_cancel_are_dropped() -> None:
    payoff = MatrixPayoff.from_terms((2, 2), np.array([1, 1]), np.array([1, 1]), np.array([5, -5]), 1)
    assert payoff.nnz == 0


def test_reduced_normal_form_of_kuhn(kuhn: ExtensiveGame) -> None:
    # player 1 has, for each card, bet or check-then-fold or check-then-call: 27 reduced strategies; player 2 has 64
    normal = reduced_normal_form(sequence_form(kuhn))
    assert [len(a) for a in normal.actions] == [27, 64]
    with pytest.raises(ParameterError, match="more than 10 reduced"):
        reduced_normal_form(sequence_form(kuhn), limit=10)


def test_three_player_normal_form() -> None:
    # each player picks 0 or 1 and earns the sum of the others' picks times the own pick plus one
    shape = (2, 2, 2)
    payoffs = np.empty((3, *shape), dtype=object)
    for cell in np.ndindex(shape):
        for p in range(3):
            payoffs[(p, *cell)] = Fraction((sum(cell) - cell[p]) * (cell[p] + 1))
    game = NormalForm("sum", ("a", "b", "c"), (("0", "1"),) * 3, payoffs)
    mixed = [np.array([0.5, 0.5]), np.array([0.25, 0.75]), np.array([1.0, 0.0])]
    # the others of player 0 pick 0.75 + 0 on average; action 1 doubles it
    np.testing.assert_allclose(game.action_values(0, mixed), [0.75, 1.5])
    np.testing.assert_allclose(game.action_values(1, mixed), [0.5, 1.0])
    np.testing.assert_allclose(game.action_values(2, mixed), [1.25, 2.5])
    np.testing.assert_allclose(game.expected_payoffs(mixed), [1.125, 0.875, 1.25])
    np.testing.assert_allclose(game.regrets(mixed), [0.375, 0.125, 1.25])
    with pytest.raises(UnsupportedGameError, match="3 players"):
        game.sequence_form()


def test_general_sum_games_are_refused_by_the_sequence_form() -> None:
    payoffs = np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], dtype=object)
    game = NormalForm("coordination", ("a", "b"), (("l", "r"),) * 2, payoffs)
    with pytest.raises(UnsupportedGameError, match="not zero-sum"):
        game.sequence_form()


class Forgetful:
    """A player who forgets their own first move."""

    name = "forgetful"
    players = ("solo",)

    def initial(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        return 0 if len(state) < 2 else TERMINAL

    def actions(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return ("l", "r")

    def probabilities(self, state: tuple[str, ...]) -> tuple[int, ...]:
        return ()

    def next(self, state: tuple[str, ...], action: str) -> tuple[str, ...]:
        return (*state, action)

    def payoffs(self, state: tuple[str, ...]) -> tuple[int, ...]:
        return (int(state[0] == state[1]),)

    def infoset(self, state: tuple[str, ...]) -> int:
        return len(state)

    def describe(self, key: int) -> str:
        return f"move {key + 1}"


def test_imperfect_recall_compiles_and_evaluates_but_has_no_treeplex() -> None:
    game = compile_rules(Forgetful())
    assert not game.has_perfect_recall
    assert expected_payoffs(game, [np.array([1.0, 0.5, 0.5, 0.5, 0.5])])[0] == 0.5


def test_path_names_a_node_by_its_moves(kuhn: ExtensiveGame) -> None:
    node = int(kuhn.terminals[-1])
    assert kuhn.path(0) == "the root"
    assert kuhn.path(node) == "KQ > check > bet > call"
    assert kuhn.turn[0] == CHANCE


@pytest.mark.parametrize(
    ("number", "exact"),
    [(0.1, Fraction(1, 10)), (1 / 3, Fraction(1, 3)), (np.float64(2.5), Fraction(5, 2)), (np.int64(3), Fraction(3))],
)
def test_numbers_become_the_fractions_meant(number: Any, exact: Fraction) -> None:
    assert as_fraction(number) == exact


def test_a_float_that_is_not_a_simple_fraction_keeps_its_binary_value() -> None:
    x = 0.1234567890123456
    assert as_fraction(x) == Fraction(x)
    with pytest.raises(ValueError, match="not a finite number"):
        as_fraction(float("nan"))
