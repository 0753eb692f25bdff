"""``solve(exact=True)``: one route for all concepts, and no float answer anywhere in what it returns."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import pytest

import equiform
from equiform import api
from equiform.api import equilibrium
from equiform.formulations.optimization.backends.highs import Highs
from equiform.formulations.zero_sum import quasi_perfect, sequence_form_lp, undominated
from equiform.models.common.errors import CapabilityError, ExactError, LimitError, ParameterError
from equiform.validation.certificates.exact_evaluation import exact_evaluate

# concept, epsilon, and how many programs that is: the value first for une, one ε after another for qpe
QUESTIONS: list[tuple[str, Fraction | None, int]] = [
    ("nash", None, 1),
    ("une", None, 3),
    ("qpe", Fraction(1, 10), 1),
    ("qpe", Fraction(1, 10**9), 2),
]
IDS = [f"{concept} {epsilon or ''}" for concept, epsilon, _ in QUESTIONS]


@pytest.fixture
def no_float_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a float program was solved")

    for formulation in (quasi_perfect, sequence_form_lp, undominated):
        monkeypatch.setattr(formulation, "solve", refuse)


@pytest.mark.usefixtures("no_float_programs")
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("concept", "epsilon", "programs"), QUESTIONS, ids=IDS)
def test_every_number_is_the_exact_one(concept: str, epsilon: Fraction | None, programs: int, player: int) -> None:
    solved = equiform.solve("leduc", concept=concept, epsilon=epsilon, player=player, exact=True)
    assert solved.exact is not None
    truth = exact_evaluate(solved.game, solved.exact.strategies)
    assert solved.exact.value == truth.payoffs[0]
    assert solved.exact.exploitability == truth.nash_conv / 2
    assert solved.value == solved.result.value == float(truth.payoffs[0])
    assert solved.certificate.payoffs == tuple(float(p) for p in truth.payoffs)
    assert solved.certificate.regrets == tuple(float(r) for r in truth.regrets)
    assert solved.certificate.bracket == (-float(truth.best_responses[1]), float(truth.best_responses[0]))
    assert solved.strategies == solved.exact.strategies == solved.result.strategies
    assert [s.treeplex for s in solved.strategies] == list(solved.game.treeplexes)
    assert len(solved.result.solutions) >= programs
    assert (solved.result.concept, solved.result.backend, solved.result.termination) == (concept, "highs", "optimal")


@pytest.mark.parametrize(("concept", "epsilon", "programs"), QUESTIONS[:3], ids=IDS[:3])
def test_the_float_solver_is_asked_once_a_program(
    monkeypatch: pytest.MonkeyPatch, concept: str, epsilon: Fraction | None, programs: int
) -> None:
    asked = []
    run = Highs.run

    def counted(*args: Any) -> Any:
        asked.append(args)
        return run(*args)

    monkeypatch.setattr(Highs, "run", counted)
    for player in (0, 1):
        asked.clear()
        equiform.solve("kuhn", concept=concept, epsilon=epsilon, player=player, exact=True)
        assert len(asked) == programs


def test_exploitability_below_the_precision_of_the_payoffs() -> None:
    """§10.7.2 bounds it by ε |A| |M|; a difference of float payoffs would be off by 1e-17."""
    solved = equiform.solve("leduc", concept="qpe", epsilon=Fraction(1, 10**60), exact=True)
    assert 0 < solved.certificate.exploitability <= 1e-60 * 3 * 13


def test_both_seats_lead_to_the_same_perturbed_value() -> None:
    """A zero-sum game has one value, perturbed or not."""
    for concept, epsilon, _ in QUESTIONS:
        values = {equiform.solve("kuhn", concept=concept, epsilon=epsilon, player=p, exact=True).value for p in (0, 1)}
        assert len(values) == 1


@pytest.mark.parametrize(("concept", "epsilon", "programs"), QUESTIONS, ids=IDS)
def test_the_float_solver_is_asked_as_the_user_says(concept: str, epsilon: Fraction | None, programs: int) -> None:
    def solve(**how: Any) -> api.Solved:
        return equiform.solve("leduc", concept=concept, epsilon=epsilon, exact=True, **how)

    assert {s.algorithm.split()[0] for s in solve(algorithm="ipm").result.solutions} == {"ipm"}
    with pytest.raises(LimitError, match="time limit"):
        solve(time_limit=1e-6)
    with pytest.raises(ParameterError, match="does not accept an option"):
        solve(options={"no_such_option": 1})
    with pytest.raises(CapabilityError, match="which cbc does not return"):
        solve(backend="cbc")
    with pytest.raises(ParameterError, match="no player 2"):
        solve(player=2)


def test_a_float_epsilon_means_what_it_says() -> None:
    for text in ("1e-9", "1e-16", "0.1"):
        written, in_floats = (
            equiform.solve("kuhn", concept="qpe", epsilon=e, exact=True).exact for e in (Fraction(text), float(text))
        )
        assert written is not None and in_floats is not None
        assert written.value == in_floats.value


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("epsilon", [0, -0.1, 0.6, float("nan"), float("inf"), Fraction(51, 100), "tiny", "1/0"])
def test_impossible_epsilons(epsilon: Any, exact: bool) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        equiform.solve("kuhn", concept="qpe", epsilon=epsilon, exact=exact)


def test_the_program_of_another_game_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree has the last word: a payoff matrix that is not the game's is found out, whatever the concept."""

    def doubled(game: Any) -> Any:
        form = game.sequence_form() if hasattr(game, "sequence_form") else equiform.models.sequence_form(game)
        payoff = form.matrix_payoff
        return dataclasses.replace(form, payoff=dataclasses.replace(payoff, numerators=2 * payoff.numerators))

    monkeypatch.setattr(equilibrium, "as_sequence_form", doubled)
    for concept, epsilon, _ in QUESTIONS:
        with pytest.raises(ExactError, match="do not describe the same thing"):
            equiform.solve("kuhn", concept=concept, epsilon=epsilon, exact=True)


def test_an_answer_introduces_itself_on_a_line() -> None:
    assert repr(equiform.solve("kuhn", exact=True)) == "Solved(kuhn, nash: value -1/18, nash_conv 0.0e+00, by highs)"
    long = repr(equiform.solve("leduc", exact=True))  # thirty digits over thirty-two
    assert "value -0.0856064241," in long
