"""Payoffs in other units: every exact answer scales with them, and asks no more of the float solver."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest

from equiform.games.registry import load_game
from equiform.models.game import as_sequence_form
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import exact_gradient
from equiform.validation.exact.equilibrium import exact_equilibrium
from equiform.validation.exact.linear.lp import ExactSolution
from equiform.validation.exact.proper import exact_proper
from equiform.validation.exact.quasi_perfect import exact_quasi_perfect, quasi_perfect_limit
from equiform.validation.exact.refinements import exact_dominance, exact_safe_response, exact_undominated
from equiform.validation.exact.strategies import exact_strategy, uniform_plan
from equiform.validation.exact.tradeoff import exact_tradeoff

KUHN = as_sequence_form(load_game("kuhn"))
POWERS = [-1000, -300, -30, 30, 300, 1000]


@dataclasses.dataclass(frozen=True)
class Answer:
    """What scales with the payoffs, and what does not."""

    payoffs: Sequence[Fraction]
    unscaled: Sequence[object]
    solutions: Sequence[ExactSolution] = ()


def tables(*strategies: Strategy) -> list[object]:
    return [s.table() for s in strategies]


def equilibrium(form: SequenceForm) -> Answer:
    found = exact_equilibrium(form)
    return Answer([found.value, *found.bracket], tables(*found.strategies), found.solutions)


def undominated(form: SequenceForm) -> Answer:
    found = exact_undominated(form)
    earned = [v for r in found.responses for v in (r.payoff, r.guarantee)]
    slopes = [r.slope for r in found.responses]  # payoff a payoff
    return Answer([found.value, *earned], [*slopes, *tables(*found.strategies)], found.solutions)


def safe_response(form: SequenceForm) -> Answer:
    value = exact_equilibrium(form).value
    gradient = exact_gradient(form, 1, uniform_plan(form.treeplexes[0]))
    found = exact_safe_response(form, gradient, floor=-value / 2, player=1)
    return Answer([found.payoff, found.guarantee], [found.slope, *tables(found.strategy)], [found.solution])


def dominance(form: SequenceForm) -> Answer:
    first = form.treeplexes[0]
    found = exact_dominance(form, exact_strategy(first, uniform_plan(first)))
    return Answer([found.gain, found.worst], [found.dominated, *tables(found.dominating)])


def tradeoff(form: SequenceForm) -> Answer:
    second = form.treeplexes[1]
    found = exact_tradeoff(form, exact_strategy(second, uniform_plan(second)))
    plans = [plan.fractions.tolist() for plan in found.plans]
    return Answer([found.value, *found.epsilons, *found.payoffs], plans)


def quasi_perfect(form: SequenceForm) -> Answer:
    found = exact_quasi_perfect(form, Fraction(1, 10**6))
    return Answer([found.value, found.exploitability], tables(*found.strategies), found.solutions)


def limit(form: SequenceForm) -> Answer:
    found = quasi_perfect_limit(form)
    return Answer([found.value], tables(*found.strategies))


ENTRIES: list[Callable[[SequenceForm], Answer]] = [
    equilibrium,
    undominated,
    safe_response,
    dominance,
    tradeoff,
    quasi_perfect,
    limit,
]


def in_units(form: SequenceForm, unit: Fraction) -> SequenceForm:
    payoff = form.matrix_payoff
    numerators = payoff.numerators.astype(object) * unit.numerator
    scaled = dataclasses.replace(payoff, numerators=numerators, denominator=payoff.denominator * unit.denominator)
    return dataclasses.replace(form, payoff=scaled)


@pytest.mark.parametrize("power", POWERS, ids=lambda power: f"1e{power}")
@pytest.mark.parametrize("ask", ENTRIES, ids=lambda ask: ask.__name__)
def test_exact_answers_scale_with_the_payoffs(ask: Callable[[SequenceForm], Answer], power: int) -> None:
    unit = Fraction(10) ** power
    plain, scaled = ask(KUHN), ask(in_units(KUHN, unit))
    assert list(scaled.payoffs) == [unit * v for v in plain.payoffs]
    assert any(plain.payoffs)
    assert scaled.unscaled == plain.unscaled
    # the float solver was asked in units of its own: its bases are no worse
    assert [s.repairs for s in scaled.solutions] == [s.repairs for s in plain.solutions]


@pytest.mark.parametrize("unit", [1, 10**12, 10**17, 10**30])
def test_the_unit_of_payoffs_changes_no_proper_equilibrium(unit: int) -> None:
    """Rows a and b are both optimal; c costs player 2 less than d, and a earns more against it."""
    payoffs = [[0, 2 * unit, 3 * unit], [0, unit, 9 * unit]]
    strategies = exact_proper(NormalForm.from_matrix("order", "ab", "xcd", payoffs).sequence_form()).strategies
    assert strategies[0].probabilities.tolist() == [1, 1, 0]
