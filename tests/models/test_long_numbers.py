"""Results with numbers of more digits than Python writes: they have a repr, a JSON document, and errors with words."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.cli.app import main
from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models import NormalForm, Strategy
from equiform.models.common.errors import ChanceError, ExactError, ParameterError, StrategyError
from equiform.models.common.rational import exact_text, parse_fraction
from equiform.models.common.rational_vector import RationalVector
from equiform.models.rules import CHANCE
from equiform.models.strategy import profile_document, read_profile, write_profile
from equiform.validation.certificates.exact_evaluation import exact_plan
from equiform.validation.closed_forms.base import Comparison, Verification
from equiform.validation.exact import equilibrium
from equiform.validation.exact.equilibrium import ExactEvaluation, equilibrium_program, exact_equilibrium
from equiform.validation.exact.quasi_perfect import exact_quasi_perfect, quasi_perfect_limit
from equiform.validation.exact.refinements import exact_plan_dominance, exact_undominated
from equiform.validation.exact.strategies import uniform_plan
from equiform.validation.exact.tradeoff import exact_tradeoff

LONG = Fraction(10**5000 + 1, 3)
TINY = Fraction(1, 10**6000)
SHOWN = "≈3.33e+4999"
GAME = NormalForm.from_matrix("long", "ab", "cd", [[LONG, -1], [-2, 1]])
FORM = GAME.sequence_form()
DOMINATED = NormalForm.from_matrix("dominated", "ab", "cd", [[LONG, LONG], [0, 0]]).sequence_form()


def against_uniform() -> Strategy:
    second = FORM.treeplexes[1]
    return Strategy(second, np.array([Fraction(1), Fraction(1, 2), Fraction(1, 2)]))


def unreduced() -> RationalVector:
    return RationalVector(np.array([1, 2], dtype=object), 10**5000)


RESULTS: dict[str, Callable[[], Any]] = {
    "nash": lambda: exact_equilibrium(GAME),
    "its evaluation": lambda: exact_equilibrium(GAME).evaluation,
    "a program": lambda: dataclasses.replace(equilibrium_program(FORM), matrix_denominator=10**5000),
    "its solution": lambda: exact_equilibrium(GAME).solutions[0],
    "une": lambda: exact_undominated(FORM),
    "qpe": lambda: exact_quasi_perfect(FORM, Fraction(1, 10)),
    "limit": lambda: quasi_perfect_limit(FORM, smallest=TINY),
    "dominance": lambda: exact_plan_dominance(DOMINATED, uniform_plan(DOMINATED.treeplexes[0])),
    "trade-off": lambda: exact_tradeoff(FORM, against_uniform()),
    "api": lambda: equiform.solve(GAME, exact=True).exact,
    "vector": unreduced,
    "payoff": lambda: NormalForm.from_matrix("tiny", "a", "b", [[1 / LONG]]).sequence_form(),
    "comparison": lambda: Verification("form", (("n", LONG),), (Comparison("the value", LONG, LONG),)),
}


@pytest.mark.parametrize("result", RESULTS)
def test_every_result_has_a_repr(result: str) -> None:
    found = RESULTS[result]()
    text = repr(found)
    assert text.startswith(f"{type(found).__name__}(")
    assert str(found) == text
    assert "≈" in text
    assert len(text) < 10_000


def test_what_is_too_long_is_rounded_and_the_rest_exact() -> None:
    assert repr(ExactEvaluation((LONG, Fraction(1, 3)), (-LONG,))) == (
        f"ExactEvaluation(payoffs=({SHOWN}, Fraction(1, 3)), best_responses=(≈-3.33e+4999,))"
    )
    longest = Fraction(10**3999)  # Python writes that
    assert repr(ExactEvaluation((longest,), ())) == f"ExactEvaluation(payoffs=({longest!r},), best_responses=())"
    assert repr(unreduced()) == "RationalVector(denominator=≈1e+5000)"


def test_these_numbers_are_too_long_for_python() -> None:
    """Otherwise the tests above would prove nothing."""
    assert 0 < sys.get_int_max_str_digits() < 5000
    with pytest.raises(ValueError, match="limit"):
        repr(LONG)


def test_strategies_and_values_are_exact_in_json(tmp_path: Any) -> None:
    solved = equiform.solve(GAME, exact=True)
    assert solved.exact is not None
    # von Neumann's 2 × 2 formulas
    total = LONG + 1 + 1 + 2
    assert solved.exact.value == (LONG - 2) / total
    file = tmp_path / "profile.json"
    write_profile(file, GAME.name, solved.strategies)
    first, second = (s.probabilities.tolist() for s in read_profile(file, GAME.treeplexes))
    assert first == [1, 3 / total, (LONG + 1) / total]
    assert second == [1, 2 / total, (LONG + 2) / total]
    json.dumps(profile_document(GAME.name, solved.strategies))


def test_the_command_line_writes_long_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    epsilon = "1e-3000"
    with pytest.raises(SystemExit):
        main(["solve", "kuhn", "--concept", "qpe", "--epsilon", epsilon, "--exact", "--json"])
    document = json.loads(capsys.readouterr().out)
    again = equiform.solve("kuhn", concept="qpe", epsilon=parse_fraction(epsilon), exact=True).exact
    assert again is not None and again.bits > 15_000
    assert parse_fraction(document["exact"]["value"]) == again.value


def test_errors_about_long_numbers_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    bent = Strategy(FORM.treeplexes[0], np.array([Fraction(1), 1 / LONG, Fraction(1)]))
    with pytest.raises(StrategyError, match="not a distribution"):
        exact_plan(bent)
    with pytest.raises(ParameterError, match="outside the certified interval"):
        quasi_perfect_limit(FORM, smallest=TINY).at(LONG)
    with pytest.raises(ExactError, match="down to 1e-4500"):
        quasi_perfect_limit(FORM, smallest=Fraction(1, 10**4500))
    with pytest.raises(ParameterError, match="stack=1e"):
        Clairvoyance(Fraction(10**5000), Fraction(1))
    leaf = TreeNode(payoffs=(1, -1))
    root = TreeNode(CHANCE, probabilities=(1 / LONG, Fraction(1, 2)), children={"a": leaf, "b": leaf})
    with pytest.raises(ChanceError, match="sum to"):
        ExplicitTree("long", ("A", "B"), root).compile()
    wrong = ExactEvaluation((LONG, -LONG), (LONG, LONG))
    monkeypatch.setattr(equilibrium, "evaluate_plans", lambda *_: wrong)
    with pytest.raises(ExactError, match="independent check disagrees"):
        exact_equilibrium(GAME)
    assert exact_text(LONG).endswith("/3")
