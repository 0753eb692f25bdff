"""The every-signal program against the sequence-form LP, Kuhn poker with a real deck, and dependent densities."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiform.formulations.parametric import epsb, milfp
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.signal_games import (
    bet_or_check,
    bet_or_check_model,
    kuhn_model,
    kuhn_signals,
    limit_river,
    limit_river_models,
    three_player,
    three_player_model,
)
from equiform.models import compile_rules, sequence_form
from equiform.models.common.errors import InfeasibleError, UnsupportedGameError
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals, deck_without_replacement
from equiform.models.signals.extensive import SignalRules
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame

FREE = ParametricModel.parse("free", ["BET a CHECK b BET", "CALL c FOLD"])
KUHN = ParametricModel.parse(
    "kuhn", ["BET a CHECK-FOLD b CHECK-CALL c BET", "FOLD/BET d FOLD/CHECK e CALL/CHECK f CALL/BET"]
)


def lp_value(game: SignalGame) -> float:
    rules = SignalRules(game)
    return sequence_form_lp.solve(sequence_form(compile_rules(rules))).value + float(rules.share)


def random_game(seed: int) -> SignalGame:
    """A zero-sum signal game: random pot and bet, two to six signals with random weights."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    signals = Signals.finite(*((w := rng.integers(1, 20, size)) / w.sum() for _ in range(2)))
    pot, bet = Fraction(int(rng.integers(1, 25)), 4), Fraction(int(rng.integers(1, 9)), 4)
    return bet_or_check(pot, bet=bet, signals=signals)


@pytest.mark.parametrize("decade", range(10))
def test_finite_games_have_the_value_of_the_lp(decade: int) -> None:
    for seed in range(10 * decade, 10 * decade + 10):
        game = random_game(seed)
        result = epsb.solve(game, FREE)
        assert result.epsb_epsilon < 1e-9, seed
        assert result.evaluation.payoffs[0] == pytest.approx(lp_value(game), abs=1e-9), seed


@pytest.mark.parametrize("cards", [3, 4, 5, 8, 13])
def test_kuhn_with_a_real_deck_matches_the_lp(cards: int) -> None:
    result = epsb.solve(kuhn_signals(cards), KUHN)
    exact = sequence_form_lp.solve(sequence_form(compile_rules(Kuhn(cards))))
    assert result.evaluation.payoffs[0] == pytest.approx(exact.value, abs=1e-9)
    assert result.epsb_epsilon < 1e-9


def test_kuhn_with_any_finite_signals_has_the_value_of_the_lp() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 6))
        game = kuhn_signals(signals=Signals.finite(*((w := rng.integers(1, 20, size)) / w.sum() for _ in range(2))))
        result = epsb.solve(game, KUHN)
        assert result.epsb_epsilon < 1e-9, seed
        assert result.evaluation.payoffs[0] == pytest.approx(lp_value(game), abs=1e-9), seed


def test_kuhn_with_three_cards_is_worth_a_loss_of_one_eighteenth() -> None:
    result = epsb.solve(kuhn_signals(3), KUHN)
    assert result.evaluation.payoffs[0] == pytest.approx(-1 / 18, abs=1e-12)


def test_orders_are_found_not_given() -> None:
    first = limit_river_models()[0]
    loose = ParametricModel("loose", first.regions, first.thresholds)
    given = milfp.solve(limit_river(4), first)
    found = epsb.solve(limit_river(4), loose)
    assert found.thresholds == pytest.approx(given.thresholds, abs=1e-9)


def test_empty_regions_are_found() -> None:
    rng = np.random.default_rng(23)
    pieces = int(rng.integers(2, 8))
    shapes = np.exp(rng.uniform(-1.5, 1.5, 2))
    cdfs = [PiecewiseLinearCdf.random(rng, pieces, concentration=c) for c in shapes]
    first = limit_river_models()[0]
    loose = ParametricModel("loose", first.regions, first.thresholds)
    result = epsb.solve(limit_river(4, signals=Signals.continuous(*cdfs)), loose)
    # player 1 never bets, as in Figure 11.5
    assert result.model.regions[0] == ("CHECK-CALL", "CHECK-FOLD")
    assert result.epsb_epsilon < 1e-9


def test_a_product_density_is_the_independent_game() -> None:
    masses = np.array([[0.1, 0.4, 0.3, 0.2], [0.3, 0.2, 0.2, 0.3]])
    edges = np.linspace(0, 1, 5)
    independent = Signals.continuous(*(PiecewiseLinearCdf.from_masses(edges, m) for m in masses))
    dependent = Signals.dependent(np.outer(*masses), edges=edges)
    left = milfp.solve(bet_or_check(2, signals=independent), bet_or_check_model())
    right = epsb.solve(bet_or_check(2, signals=dependent), FREE)
    assert right.thresholds == pytest.approx(left.thresholds, abs=1e-9)


def correlated(cells: int, strength: float) -> Signals:
    middle = (np.arange(cells) + 0.5) / cells
    table = 1 + strength * np.outer(1 - 2 * middle, 1 - 2 * middle)
    return Signals.dependent(table / table.sum(), edges=np.linspace(0, 1, cells + 1))


def test_negatively_correlated_signals() -> None:
    result = epsb.solve(bet_or_check(2, signals=correlated(4, -0.8)), FREE)
    assert result.epsb_epsilon < 1e-9
    alone = epsb.solve(bet_or_check(2, signals=correlated(4, 0)), FREE)
    assert abs(result.thresholds["c"] - alone.thresholds["c"]) > 0.01


def test_the_closest_profile_has_the_epsilon_the_program_says() -> None:
    # With positively correlated signals both players mix over a wide range: no profile of this shape is an equilibrium.
    game = bet_or_check(2, signals=correlated(4, 0.5))
    with pytest.raises(InfeasibleError, match="closest=True"):
        epsb.solve(game, FREE)
    closest = epsb.solve(game, FREE, closest=True, polish=False)
    assert closest.solution.objective == pytest.approx(closest.epsb_epsilon, abs=1e-6)
    assert closest.epsb_epsilon > 0.05
    # no other placement of the thresholds does better
    rng = np.random.default_rng(0)
    for _ in range(200):
        a, b = np.sort(rng.uniform(0, 4, 2))
        other = type(closest.profile)(game, FREE, np.array([a, b, rng.uniform(0, 4)]))
        assert other.evaluate().epsb_epsilon >= closest.epsb_epsilon - 1e-6


def test_dependent_finite_signals_match_the_lp() -> None:
    fitting = 0
    for seed in range(3, 8):
        rng = np.random.default_rng(seed)
        tilt = np.exp(0.1 * rng.standard_normal((6, 6))) * np.asarray(deck_without_replacement(6).joint)
        game = bet_or_check(2, signals=Signals.dependent(tilt / tilt.sum()))
        try:
            result = epsb.solve(game, FREE)
        except InfeasibleError:  # what a card says about the other may make calling worth it on and off
            assert epsb.solve(game, FREE, closest=True).epsb_epsilon > 1e-6
            continue
        assert result.evaluation.payoffs[0] == pytest.approx(lp_value(game), abs=1e-9)
        fitting += 1
    assert fitting >= 1


def test_ties_are_exact_where_the_indifference_program_is_not() -> None:
    signals = Signals.finite(np.full(10, 0.1), np.full(10, 0.1))
    game = bet_or_check(1, signals=signals)
    exact = epsb.solve(game, bet_or_check_model())
    thesis = milfp.solve(game, bet_or_check_model(), consistency="indicator", polish=False)
    assert exact.epsb_epsilon < 1e-12
    assert thesis.epsb_epsilon > 1e-3


def test_given_orders_are_kept() -> None:
    backwards = ParametricModel.parse("backwards", ["BET a CHECK b BET", "CALL c FOLD"], order="b <= c")
    with pytest.raises(InfeasibleError):
        epsb.solve(bet_or_check(1), backwards)


def test_three_players_are_sent_elsewhere() -> None:
    with pytest.raises(UnsupportedGameError, match="for two"):
        epsb.solve(three_player(), three_player_model())


def test_kuhn_model_with_its_order_fits_many_cards() -> None:
    result = epsb.solve(kuhn_signals(13), kuhn_model())
    assert result.epsb_epsilon < 1e-9
