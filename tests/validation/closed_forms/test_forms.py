"""Closed forms: proved for all parameters, equal to the exact program on a grid, and wrong ones are caught."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy

from equiform.models.common.errors import CertificateError, ParameterError, StrategyError
from equiform.validation.closed_forms import CLOSED_FORMS, ClosedForm, Derivation, closed_form
from equiform.validation.closed_forms.one_card import OneCardPoker
from equiform.validation.closed_forms.parametric import kuhn_closed_form
from equiform.validation.closed_forms.proofs import Domain, is_zero

FORMS = list(CLOSED_FORMS.values())


def names(form: ClosedForm) -> str:
    return form.name


@pytest.mark.parametrize("form", FORMS, ids=names)
def test_every_claim_is_proved(form: ClosedForm) -> None:
    claims = form.prove()
    assert len(claims) >= 8
    assert [c.text for c in claims if not c.proved] == []


@pytest.mark.parametrize("form", FORMS, ids=names)
def test_the_formulas_are_the_exact_program_s_answer_on_a_grid(form: ClosedForm) -> None:
    grid = form.grid()
    assert len(grid) >= 20
    assert len({tuple(sorted(p.items())) for p in grid}) == len(grid)
    for verification in form.verify_all():
        verification.require()
        assert verification.comparisons


@pytest.mark.parametrize("form", FORMS, ids=names)
def test_a_form_holds_where_its_words_say_and_nowhere_else(form: ClosedForm) -> None:
    """Words are inequalities, each of a parameter and one or two numbers or other parameters."""
    words = form.scope.text.replace("≤", "<=").replace("≥", ">=").removeprefix("a whole number ")
    chains = [re.split(r"\s*(<=|>=|<|>)\s*", part) for part in words.split(" and ")]
    held = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
    parameters = list(inspect.signature(form.scope.contains).parameters)
    values = [Fraction(v) for v in ("-1", "0", "1/4", "1/3", "1/2", "1", "2", "3", "5", "6")]
    inside = 0
    for point in product(values, repeat=len(parameters)):
        at = dict(zip(parameters, point, strict=True))
        sides = [[at[word] if word in at else Fraction(word) for word in chain[::2]] for chain in chains]
        expected = all(
            held[sign](*pair)
            for chain, numbers in zip(chains, sides, strict=True)
            for sign, pair in zip(chain[1::2], pairwise(numbers), strict=True)
        )
        if "whole number" in form.scope.text:
            expected &= all(value.denominator == 1 for value in point)
        assert form.scope.contains(**at) == expected, at
        inside += expected
    assert 0 < inside < len(values) ** len(parameters)


@pytest.mark.parametrize("form", FORMS, ids=names)
def test_every_form_can_be_typeset(form: ClosedForm) -> None:
    assert "&=" in form.latex()


# One wrong formula each: (form, formula, factor). Both the proof and the comparison must notice.
WRONG = [
    ("kuhn", "call Q", sympy.Rational(9, 10)),
    ("kuhn", "value", 2),
    ("one-card", "player 2: S", sympy.Rational(11, 10)),
    ("one-card", "value, n = 6m + 1", sympy.Rational(101, 100)),
    ("clairvoyance", "call", sympy.Rational(1, 2)),
    ("clairvoyance", "highest call", sympy.Rational(11, 10)),
    ("pseudo-harmonic", "f", sympy.Rational(9, 10)),
    ("pseudo-harmonic", "median", sympy.Rational(9, 10)),
    ("pseudo-harmonic", "Lipschitz in A", sympy.Rational(1, 2)),
    ("proposition-5", "gain", 2),
    ("rpst", "value", None),
    ("fig-13.5", "row 0", sympy.Rational(9, 10)),
    ("fig-13.6", "lowest L", sympy.Rational(9, 10)),
    ("fig-13.7", "value", 2),
    ("section-11.3", "c", sympy.Rational(9, 10)),
    ("kuhn-infinity", "f", sympy.Rational(9, 10)),
]


@pytest.mark.parametrize(("name", "formula", "factor"), WRONG)
def test_a_wrong_formula_is_caught(name: str, formula: str, factor: sympy.Expr | None) -> None:
    form = closed_form(name)
    right = form.derive()
    wrong_value = right[formula] * factor if factor is not None else right[formula] + 1
    wrong = Derivation(right.equations, {**right.formulas, formula: wrong_value})
    assert any(not c.proved for c in form.prove(wrong))
    caught = [p for p in form.grid()[1:13] if not _agrees(form, wrong, p)]
    assert caught


def _agrees(form: ClosedForm, derivation: Derivation, parameters: Mapping[str, Fraction | int]) -> bool:
    try:
        return form.verify(derivation, **parameters).agrees
    except StrategyError:  # a wrong formula may not even be a strategy
        return False


def test_kuhn_as_the_literature_has_it() -> None:
    d = closed_form("kuhn").derive()
    alpha = sympy.Symbol("alpha", nonnegative=True)
    assert d["value"] == sympy.Rational(-1, 18)
    assert is_zero(d["bet K"] - 3 * alpha)
    assert is_zero(d["call Q"] - alpha - sympy.Rational(1, 3))
    assert d["largest alpha"] == sympy.Rational(1, 3)
    tried = [point["alpha"] for point in closed_form("kuhn").grid()]
    assert (tried[0], tried[-1]) == (0, Fraction(1, 3))


def test_the_clairvoyance_game_as_the_thesis_has_it() -> None:
    d = closed_form("clairvoyance").derive()
    n, x = sympy.symbols("n x", positive=True)
    assert is_zero(d["bluff"] - n / (1 + n))
    assert is_zero(d["call"] - 1 / (1 + x))
    assert is_zero(d["highest call"] - n / (x * (1 + n)))  # §7.5 caps it at one


def test_the_pseudo_harmonic_mapping_as_the_thesis_has_it() -> None:
    d = closed_form("pseudo-harmonic").derive()
    A, B, x, A2 = sympy.symbols("A B x A_2", nonnegative=True)
    assert is_zero(d["f"] - (B - x) * (1 + A) / ((B - A) * (1 + x)))
    assert is_zero(d["Lipschitz in A"] - (1 + B) / ((B - A) * (1 + A2)))  # the K of Proposition 2


def test_one_card_poker_s_value() -> None:
    """Exact values from independent rational solves of the linear program."""
    form = OneCardPoker()
    known = {3: "-1/18", 13: "-5/78", 200: "-13397/238800", 500: "-83497/1497000"}
    assert {n: form.value(n) for n in known} == {n: Fraction(v) for n, v in known.items()}


def test_the_unit_interval_as_the_thesis_has_it() -> None:
    example = closed_form("section-11.3").derive()
    rho = sympy.Symbol("rho", positive=True)
    assert is_zero(
        example["c"] - 2 * example["a"]
    )  # §11.3: both regions' ends as best responses to player 2's threshold
    assert is_zero(example["b"] - example["c"] * (rho + 1) / rho)
    infinite = closed_form("kuhn-infinity").derive()
    assert infinite.at("value", b=1) == Fraction(-1, 18)  # the limit of one-card poker's values
    solved = kuhn_closed_form()
    assert {k: infinite.at(k, b=1) for k in solved} == solved


def test_figure_13_6_contradicts_its_caption() -> None:
    """The thesis says that R is in no equilibrium's support; with L at 1/3 and R at 2/3 player 2 is in equilibrium."""
    form = closed_form("fig-13.6")
    verification = form.verify(a=2, b=1)
    assert verification.agrees
    assert form.derive()["lowest L"].subs({"a": 2, "b": 1}) != 1


def test_a_disagreement_raises_with_both_numbers() -> None:
    form = closed_form("rpst")
    right = form.derive()
    wrong = replace(right, formulas={**right.formulas, "gift": sympy.Integer(7)})
    with pytest.raises(CertificateError, match=r"the gift is 7 by the formula and 10/3 in truth"):
        form.verify(wrong, t=3).require()


def test_names_and_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match="one-card"):
        closed_form("chess")
    with pytest.raises(ParameterError, match="takes the parameters"):
        closed_form("kuhn").verify(beta=1)
    with pytest.raises(ParameterError, match="not a rational"):
        closed_form("kuhn").derive().at("bet K", alpha="sqrt(2)")


def test_the_prover_does_not_prove_what_is_false() -> None:
    t = sympy.Symbol("t", nonnegative=True)
    assert Domain().nonnegative(t**2 + 1)
    assert not Domain().nonnegative(t - 1)
    assert not Domain().nonnegative(-t)
    assert not Domain().positive(t)
    assert Domain.above(t, 1).nonnegative(t - 1)
    assert not Domain.above(t, 1).positive(t - 1)
    assert Domain.interval(t, 0, 1).nonnegative(1 - t)
    assert not Domain.interval(t, 0, 2).nonnegative(1 - t)
    assert not is_zero(t)
