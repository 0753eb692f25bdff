"""Formulas found from numbers and proved: by supports, by cases, and by size."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from typer.testing import CliRunner

import equiform
from equiform.cli.app import app
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.validation.closed_forms.deriving import derive as derive_module
from equiform.validation.closed_forms.deriving.by_size import derive_by_size, derive_inspection, derive_one_card
from equiform.validation.closed_forms.deriving.interpolation import interpolate
from equiform.validation.closed_forms.families import (
    Equilibrium,
    TableFamily,
    auction,
    bimatrix_game,
    matrix_game,
    tree_game,
)
from equiform.validation.closed_forms.gallery import gallery
from equiform.validation.closed_forms.gallery.poker.kuhn import rules
from equiform.validation.closed_forms.one_card import OneCardPoker
from equiform.validation.closed_forms.proving.signs import is_zero
from tests.helpers.refusals import refusal


def test_rock_paper_scissors_with_unequal_stakes() -> None:
    table = [[0, "-a", "b"], ["b", 0, "-a"], ["-a", "b", 0]]
    family = matrix_game("rps", "RPS", "RPS", table, {"a": "a > 0", "b": "b > 0"})
    found = equiform.derive(family)
    assert found.complete and len(found.cases) == 1
    assert is_zero(found.cases[0].value - family.parameters.parse("(b - a)/3"))
    assert json.dumps(found.to_dict())


def test_blotto_comes_out_in_cases() -> None:
    statement = gallery()["blotto"].statement
    assert statement is not None and isinstance(statement.family, TableFamily)
    payoffs = statement.family.payoffs
    table = [[str(payoffs[i, j][0]) for j in range(4)] for i in range(5)]
    family = matrix_game("blotto", "abcde", "wxyz", table, {"r": "r > 0"})
    found = equiform.derive(family, points=8)
    r = family.parameters["r"]
    values = {sympy.factor(case.value) for case in found.cases}
    assert found.complete
    assert sympy.factor((1 + 4 * r + 9 * r**2) / (3 * (1 + 2 * r))) in values  # 14/9 at r = 1, as in the literature
    assert sympy.factor(3 * r / 2) in values and sympy.factor((9 * r**2 + 2 * r + 1) / (2 * (3 * r + 1))) in values


def test_kuhn_poker_with_any_bet() -> None:
    family = tree_game(rules("kuhn"), {"b": "b > 0"})
    found = equiform.derive(family, points=4)
    b = family.parameters["b"]
    assert found.complete
    values = [case.value for case in found.cases]
    assert any(is_zero(v + b**2 / (6 * (b + 2))) for v in values)
    assert any(is_zero(v - b * (b - 2) / (6 * (b + 2))) for v in values)
    assert all(case.verdict.counterexample is not None for case in found.cases)  # each holds on a region only


def test_the_inspection_game() -> None:
    found = derive_inspection()
    n = min(found.formula.free_symbols, key=str) if found.formula is not None else None
    assert found.proved and n is not None and is_zero(found.formula + (n - 1) / (n + 1))
    assert found.values[2] == Fraction(-1, 3)


def test_one_card_poker() -> None:
    """The residue of the thesis's thirteen cards; the formula comes from the numbers alone."""
    found = derive_one_card(1, count=5)
    assert found.proved and found.formula is not None
    assert found.formula.subs(min(found.formula.free_symbols, key=str), 13) == sympy.Rational(-5, 78)


@pytest.mark.slow
@pytest.mark.parametrize("residue", [1, 2, 3, 4, 5, 6])
def test_one_card_poker_for_every_deck(residue: int) -> None:
    found = derive_one_card(residue, count=7)
    assert found.proved and OneCardPoker().value(residue + 12) == found.values[residue + 12]


def test_interpolation() -> None:
    n = sympy.Symbol("n")
    assert interpolate({k: Fraction(k * k, 2) for k in range(6)}, n) == n**2 / 2
    assert interpolate({k: Fraction(2) ** k for k in range(8)}, n) is None
    assert interpolate({1: Fraction(1), 2: Fraction(5)}, n) is None  # nothing left to confirm it


def test_what_cannot_be_derived() -> None:
    refusal(ParameterError, lambda: equiform.derive(auction("a", "first price")), "zero-sum table or tree")
    general = bimatrix_game("g", "ab", "cd", [[1, 0], [0, 1]], [[1, 0], [0, 1]])
    with pytest.raises(UnsupportedGameError):
        equiform.derive(general)
    refusal(ParameterError, lambda: derive_by_size("chess"), "one-card")


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "game.toml"
    file.write_text(
        'kind = "matrix"\n[parameters]\nx = "x > 0"\n[game]\nrows = ["a", "b"]\ncolumns = ["c", "d"]\n'
        'payoffs = [["x", 0], [0, 1]]\n'
    )
    result = CliRunner().invoke(app, ["derive", str(file), "--points", "3", "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["cases"][0]["value"] == "x/(x + 1)"
    assert CliRunner().invoke(app, ["prove", str(file)]).exit_code != 0


def test_what_is_not_proved_is_no_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conjecture may be wrong: then no case comes of it, and the points stay uncovered."""
    pennies = matrix_game("pennies", "HT", "HT", [["t", -1], [-1, 1]], {"t": "t > 0"})
    monkeypatch.setattr(derive_module, "conjecture", lambda family, point: Equilibrium([["1", "0"], ["1", "0"]]))
    found = equiform.derive(pennies, points=2)
    assert found.cases == () and len(found.uncovered) == 2 and not found.complete
