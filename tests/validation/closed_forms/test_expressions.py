"""Our own parser: what it reads, and what it refuses, at once and by type."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from equiform.models.common.errors import FormatError
from equiform.validation.closed_forms.proving.expressions import parse_comparison, parse_expression, require_names
from tests.helpers.refusals import refusal

T, N = sympy.symbols("t n", positive=True)
NAMES = {"t": T, "n": N}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3", sympy.Rational(1, 3)),
        ("0.125", sympy.Rational(1, 8)),
        ("-t^2", -(T**2)),
        ("2^3^2", sympy.Integer(512)),
        ("2^-1", sympy.Rational(1, 2)),
        ("(t + 1)*(t - 1)/n", (T + 1) * (T - 1) / N),
        ("t**(n - 1)", T ** (N - 1)),
        ("--t - -n", T + N),
        ("sqrt(4*t^2)", 2 * T),
        ("log(exp(t))", T),
        ("sqrt(1000000)", sympy.Integer(1000)),
        (7, sympy.Integer(7)),
    ],
)
def test_expressions_mean_what_they_say(text: Any, expected: Any) -> None:
    assert sympy.simplify(parse_expression(text, NAMES) - expected) == 0


HOSTILE: dict[str, Any] = {
    "import": "__import__('os').system('true')",
    "attribute": "t.__class__",
    "lambda": "lambda: 1",
    "subscript": "t[0]",
    "quotes": "'t'",
    "unknown name": "eval(t)",
    "tower": "9^9^9^9",
    "nested powers": "((9^64)^64)^64",
    "huge power": "t^(10^30)",
    "long sum to a power": "(t + n + 1)^64",
    "deep parentheses": "(" * 1000 + "t" + ")" * 1000,
    "deep powers": "2^" * 1000 + "2",
    "deep roots": "sqrt(" * 30 + "t" + ")" * 30,
    "exponentials": "exp(exp(exp(exp(exp(t)))))",
    "large exponential": "exp(10^30)",
    "more than a million": "sqrt(1002001)",
    "a million digits": "1" * 10**6,
    "fifty digits": "1" * 50,
    "a large integer": 10**4000,
    "unbalanced": "(t + 1",
    "unbalanced too": "t + 1)",
    "broken off": "t +",
    "empty": "",
    "two numbers": "1 2",
    "two points": "1..2",
    "division by zero": "1/(2 - 2)",
    "zero to minus one": "0^-1",
    "zero to a symbol": "0^t",
    "logarithm of zero": "log(0)",
    "other letters": "π",
    "other digits": "٣",
    "a function alone": "sqrt",
    "a boolean": True,
    "a float": 0.5,
    "nothing": None,
    "a list": ["t"],
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.timeout(5)
def test_hostile_expressions_are_refused(text: Any) -> None:
    refusal(FormatError, lambda: parse_expression(text, NAMES, "a test"), "a test")


def test_comparisons() -> None:
    chain = parse_comparison("0 < t <= 2*n", NAMES)
    assert chain.sides == (0, T, 2 * N) and chain.relations == ("<", "<=")
    refusal(FormatError, lambda: parse_comparison("t + 1", NAMES), "no comparison")
    refusal(FormatError, lambda: parse_comparison("t <", NAMES), "breaks off")


@pytest.mark.parametrize("name", ["__x", "1a", "a b", "sqrt", "", "x" * 40])
def test_names_are_names(name: str) -> None:
    refusal(FormatError, lambda: require_names([name], "a test"), "name")
