"""Equilibrium selection: the attainable interval of a functional over all equilibrium strategies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from equiform.formulations.zero_sum import selection, sequence_form_lp, undominated
from equiform.games.matrix import figure_13_6, rock_paper_scissors
from equiform.games.poker.kuhn import Kuhn
from equiform.models.common.array_types import FloatArray
from equiform.models.compile import compile_rules
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import exact_gradient
from equiform.validation.exact.refinements import exact_safe_response
from equiform.validation.exact.strategies import uniform_plan
from tests.helpers.games import random_plan


@pytest.fixture(scope="module")
def kuhn() -> SequenceForm:
    return sequence_form(compile_rules(Kuhn()))


def kuhn_plan(treeplex: Treeplex, alpha: float) -> FloatArray:
    """Player 1's equilibrium strategies, all of them (Kuhn 1950)."""
    behavior = np.zeros(treeplex.num_sequences)
    behavior[0] = 1.0
    for infoset, passive, active, p in [
        ("holding J, to open", "check", "bet", alpha / 3),
        ("holding Q, to open", "check", "bet", 0.0),
        ("holding K, to open", "check", "bet", alpha),
        ("holding J, after check–bet", "fold", "call", 0.0),
        ("holding Q, after check–bet", "fold", "call", (1 + alpha) / 3),
        ("holding K, after check–bet", "fold", "call", 1.0),
    ]:
        behavior[treeplex.sequence(infoset, active)] = p
        behavior[treeplex.sequence(infoset, passive)] = 1 - p
    return treeplex.realization(behavior)


@pytest.mark.parametrize("seed", range(8))
def test_kuhn_interval_is_that_of_the_known_family(kuhn: SequenceForm, seed: int) -> None:
    """The plans of the family form a segment, so that a payoff takes its extremes at α = 0 and α = 1."""
    plan = random_plan(kuhn.treeplexes[1], np.random.default_rng(seed))
    ends = [kuhn.value(kuhn_plan(kuhn.treeplexes[0], alpha), plan) for alpha in (0.0, 1.0)]
    found = selection.solve(kuhn, plan)
    assert found.interval == pytest.approx((min(ends), max(ends)), abs=1e-8)
    assert found.contains(sum(ends) / 2)
    assert not found.contains(max(ends) + 1e-3)


def test_the_second_player_of_kuhn_has_no_choice(kuhn: SequenceForm) -> None:
    plan = random_plan(kuhn.treeplexes[0], np.random.default_rng(1))
    low, high = selection.solve(kuhn, plan, player=1).interval
    assert high - low < 1e-8


def test_any_functional(kuhn: SequenceForm) -> None:
    """How often a K is bet ranges over [0, 1], a Q over nothing."""
    treeplex = kuhn.treeplexes[0]
    for card, interval in (("K", (0.0, 1.0)), ("J", (0.0, 1 / 3)), ("Q", (0.0, 0.0))):
        functional = np.zeros(treeplex.num_sequences)
        functional[treeplex.sequence(f"holding {card}, to open", "bet")] = 1.0
        assert selection.solve_functional(kuhn, functional).interval == pytest.approx(interval, abs=1e-7)


@pytest.mark.parametrize(
    ("build", "player", "opponent", "interval"),
    [
        (rock_paper_scissors, 0, [1.0, 1.0, 0.0, 0.0], (0.0, 0.0)),
        # column's equilibrium strategies put at most 1/1 on L and have -2 l + r <= 0: against D they earn 2 l - r
        (figure_13_6, 1, [1.0, 0.0, 1.0], (0.0, 2.0)),
    ],
)
def test_matrix_games(
    build: Callable[[], object], player: int, opponent: list[float], interval: tuple[float, float]
) -> None:
    form = build().sequence_form()  # type: ignore[attr-defined]
    assert selection.solve(form, np.array(opponent), player=player).interval == pytest.approx(interval, abs=1e-8)


def test_exact_ends(kuhn: SequenceForm) -> None:
    """Against uniform play: from 1/18 (α = 0) to 1/6 (α = 1), in Fractions."""
    gradient = exact_gradient(kuhn, 0, uniform_plan(kuhn.treeplexes[1]))
    ends = [exact_safe_response(kuhn, gradient, floor=Fraction(-1, 18), maximize=best) for best in (False, True)]
    assert [end.payoff for end in ends] == [Fraction(1, 18), Fraction(1, 6)]
    assert all(end.guarantee == Fraction(-1, 18) for end in ends)
    uniform = kuhn.treeplexes[1].realization(kuhn.treeplexes[1].uniform())
    assert selection.solve(kuhn, uniform).interval == pytest.approx((1 / 18, 1 / 6), abs=1e-9)


def test_both_ends_are_equilibrium_strategies(kuhn: SequenceForm) -> None:
    value = sequence_form_lp.solve(kuhn).value
    found = selection.solve(kuhn, random_plan(kuhn.treeplexes[1], np.random.default_rng(3)), value=value)
    for end in (found.best, found.worst):
        plan = end.plans[0]
        assert plan is not None
        assert -kuhn.treeplexes[1].best_value(kuhn.gradient(1, plan)) >= value - 1e-8


def test_the_best_end_against_a_fully_mixed_plan_is_undominated(kuhn: SequenceForm) -> None:
    plan = random_plan(kuhn.treeplexes[1], np.random.default_rng(4))
    best = selection.solve(kuhn, plan).best
    une = undominated.solve(kuhn, player=0, fully_mixed=(None, plan))
    assert une.plans[0] is not None
    assert kuhn.value(une.plans[0], plan) == pytest.approx(best.value, abs=1e-9)
