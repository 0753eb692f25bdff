"""Closed forms by sympy, and the thesis's Figures 11.1 and 11.2."""

from __future__ import annotations

from fractions import Fraction

import pytest

from equiform.formulations.parametric import milfp
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
from equiform.models.common.errors import ExactError, ParameterError, UnsupportedGameError
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.threshold_profile import ThresholdProfile
from equiform.validation.closed_forms.parametric import (
    RHO,
    bet_or_check_closed_form,
    exact_thresholds,
    kuhn_closed_form,
    kuhn_equations,
)
from equiform.validation.reproduce.parametric import large_kuhn


@pytest.mark.parametrize("rho", ["1/3", "1", "5/2", "7"])
def test_three_roads_to_section_11_3(rho: str) -> None:
    pot = Fraction(rho)
    by_hand = {name: expr.subs(RHO, pot) for name, expr in bet_or_check_closed_form().items()}
    generated = exact_thresholds(bet_or_check(pot), bet_or_check_model())
    assert generated == {name: Fraction(int(v.p), int(v.q)) for name, v in by_hand.items()}
    solved = milfp.solve(bet_or_check(pot), bet_or_check_model()).thresholds
    assert solved == pytest.approx({k: float(v) for k, v in generated.items()}, abs=1e-9)


def test_three_roads_to_infinite_kuhn_poker() -> None:
    assert len(kuhn_equations()) == 6  # "six linearly independent indifference equations with six unknowns"
    by_hand = kuhn_closed_form()
    # b and e coincide in the solution, so either order of them may be given to make the order total
    total = kuhn_model()
    total = ParametricModel(total.name, total.regions, total.thresholds, total.order | {("b", "e")})
    assert exact_thresholds(kuhn_signals(), total) == by_hand
    solved = milfp.solve(kuhn_signals(), kuhn_model())
    assert solved.thresholds == pytest.approx({k: float(v) for k, v in by_hand.items()}, abs=1e-9)
    profile = ThresholdProfile.at_signals(kuhn_signals(), kuhn_model(), {k: float(v) for k, v in by_hand.items()})
    assert profile.evaluate().epsb_epsilon < 1e-15


def test_exact_thresholds_of_the_river_game() -> None:
    first = limit_river_models()[0]
    # c and g coincide for uniform signals
    total = ParametricModel(first.name, first.regions, first.thresholds, first.order | {("c", "g")})
    exact = exact_thresholds(limit_river(2), total)
    solved = milfp.solve(limit_river(2), first).thresholds
    assert solved == pytest.approx({k: float(v) for k, v in exact.items()}, abs=1e-9)
    assert exact["c"] == exact["g"]


def test_exact_thresholds_know_their_limits() -> None:
    with pytest.raises(UnsupportedGameError, match="two players"):
        exact_thresholds(three_player(), three_player_model())
    with pytest.raises(ExactError, match="exactly one solution"):
        exact_thresholds(bet_or_check(1), ParametricModel.parse("m", ["BET a BET", "CALL c FOLD"], order="a <= c"))


@pytest.mark.parametrize("cards", [50, 100])
def test_figure_11_1_small(cards: int) -> None:
    (row,) = large_kuhn.figure_11_1((cards,))
    check_projection(row)


def check_projection(row: large_kuhn.ProjectionRow) -> None:
    assert round(row.value, 4) == row.printed_value
    assert round(row.projected, 4) == row.printed_projection
    # a projection cannot beat the value; splitting cards by overlap comes within 3e-4 of it
    assert row.projected <= row.split + 1e-12 <= row.value + 1e-9
    assert row.value - row.split < 3e-4


@pytest.mark.slow
def test_figure_11_1_whole() -> None:
    for row in large_kuhn.figure_11_1():
        check_projection(row)


@pytest.mark.slow
def test_figure_11_2_whole() -> None:
    rows = {row.buckets: row for row in large_kuhn.figure_11_2()}
    for row in rows.values():
        assert row.printed is not None
        # the printed payoff is one of those that equilibria of the abstraction can have
        assert row.worst - 5e-5 <= row.printed <= row.best + 5e-5
        assert row.worst <= row.central + 1e-6 and row.central <= row.best + 1e-6
    # with 10, 50 and 125 buckets the central equilibrium has exactly the printed payoff
    assert [round(rows[k].central, 4) for k in (10, 50, 125)] == [rows[k].printed for k in (10, 50, 125)]


@pytest.mark.slow
def test_figure_11_2_was_made_with_decks_of_buckets() -> None:
    for row in large_kuhn.figure_11_2((2, 5), starts=4, joint=True):
        assert row.printed is not None
        assert row.best - row.worst < 1e-4  # one payoff for all equilibria …
        assert abs(row.best - row.printed) > 5e-3  # … and not the printed one


def test_figure_11_2_small() -> None:
    (row,) = large_kuhn.figure_11_2((5,), cards=50, starts=3)
    assert row.worst <= row.central + 1e-6 and row.central <= row.best + 1e-6
    with pytest.raises(ParameterError, match="do not divide"):
        large_kuhn.figure_11_2((7,), cards=50)
