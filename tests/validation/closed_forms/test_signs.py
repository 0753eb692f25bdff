"""Signs on domains: what is decided is true, and what is false is never proved."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.models.common.errors import FormatError, ParameterError
from equiform.validation.closed_forms.proving.parameters import Parameters
from equiform.validation.closed_forms.proving.signs import Relation, decide, holds_at, intersection, region
from tests.helpers.refusals import refusal

AT_LEAST, ABOVE, ZERO = Relation.NONNEGATIVE, Relation.POSITIVE, Relation.ZERO

CASES = [
    ({"t": "t > 0"}, "t", ABOVE, True),
    ({"t": "t >= 0"}, "t", ABOVE, False),
    ({"t": "t >= 0"}, "t", AT_LEAST, True),
    ({"t": "0 <= t <= 1"}, "1 - t", AT_LEAST, True),
    ({"t": "0 <= t <= 1"}, "1 - t", ABOVE, False),
    ({"t": "0 <= t < 1"}, "1 - t", ABOVE, True),
    ({"t": "0 <= t <= 2"}, "1/(t - 3)", AT_LEAST, False),
    ({"t": "0 <= t <= 2"}, "1/(t - 1)^2", AT_LEAST, False),  # undefined at 1
    ({"t": "real"}, "t^2 - 2*t + 1", AT_LEAST, True),
    ({"t": "real"}, "t^2 - 2*t + 1", ABOVE, False),
    ({"n": "integer, n >= 1"}, "(2*n - 3)*(4*n - 7)", AT_LEAST, True),  # negative between 3/2 and 7/4 only
    ({"n": "n >= 1"}, "(2*n - 3)*(4*n - 7)", AT_LEAST, False),
    ({"n": "integer, n >= 1", "a": "0 < a < 1"}, "a*n^2 - 3*a*n + 2*a", AT_LEAST, True),  # negative between 1 and 2
    ({"n": "n >= 1", "a": "0 < a < 1"}, "a*n^2 - 3*a*n + 2*a", AT_LEAST, False),
    ({"n": "integer, n > 3"}, "n - 4", AT_LEAST, True),
    ({"n": "integer, 1 <= n < 4"}, "3 - n", AT_LEAST, True),
    ({"a": "a > 0", "b": "b > 0"}, "a^2 - a*b + b^2", ABOVE, True),
    ({"a": "a > 0", "b": "b > 0"}, "a^2 - 2*a*b + b^2", AT_LEAST, True),
    ({"a": "a > 0", "b": "b > 0"}, "a^2 - 3*a*b + b^2", AT_LEAST, False),
    ({"a": "a > 0", "b": "b > 0"}, "a^2 - 3*a*b + 3*b^2", AT_LEAST, True),  # least at a = 3b/2: needs two cuts
    ({"a": "a > 0", "b": "0 <= b <= a"}, "a - b", AT_LEAST, True),
    ({"a": "a > 0", "b": "0 <= b <= a"}, "a - b", ABOVE, False),
    ({"a": "real", "b": "real"}, "a^2 + b^2", AT_LEAST, True),
    ({"n": "integer, n >= 2", "v": "0 < v < 1", "z": "0 < z <= v"}, "(n - 1)*z^(n - 2)*(v - z)", AT_LEAST, True),
    ({"a": "a > 0", "b": "b > 0"}, "(a + b)^2 - a^2 - 2*a*b - b^2", ZERO, True),
    ({"a": "a > 0"}, "sqrt(a^2) - a", ZERO, True),
]


@pytest.mark.parametrize(("conditions", "text", "relation", "expected"), CASES)
def test_signs(conditions: dict[str, str], text: str, relation: Relation, expected: bool) -> None:
    where = Parameters.of(conditions)
    assert decide(where.parse(text), relation, where) is expected


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6), st.booleans())
def test_what_is_proved_holds_at_every_point_tried(coefficients: list[int], closed: bool) -> None:
    where = Parameters.of({"a": "a >= 0", "b": f"0 <= b {'<=' if closed else '<'} 1 + a"})
    a, b = where["a"], where["b"]
    expr = sum(c * m for c, m in zip(coefficients, (1, a, b, a * b, a**2, b**2), strict=True)) / (1 + a + b)
    decided = decide(expr, AT_LEAST, where)
    values = [holds_at(expr, AT_LEAST, where, p) for p in where.points(40)]
    assert decided is not True or all(values)
    assert decided is not False or not all(values)


def test_roots_that_cancel_are_zero_at_a_point() -> None:
    where = Parameters.of({"a": "a > 0"})
    zero = where.parse("sqrt(a) + sqrt(a + 1) - sqrt(2*a + 1 + 2*sqrt(a^2 + a))")
    point = {"a": Fraction(2)}
    assert [holds_at(zero, r, where, point) for r in (AT_LEAST, ABOVE, ZERO)] == [True, False, True]


def test_regions() -> None:
    (r,) = where = Parameters.of({"r": "r > 0"})
    pieces = region(where.parse("(r - 1)*(r - 2)/(r - 3)"), r)
    assert pieces is not None and [p.text("r") for p in pieces] == ["1 <= r <= 2", "3 < r"]
    other = region(where.parse("5 - r"), r)
    assert other is not None
    assert [p.text("r") for p in intersection(pieces, other)] == ["1 <= r <= 2", "3 < r <= 5"]
    roots = region(where.parse("r^2 - 2"), r)
    assert roots is not None and [p.text("r") for p in roots] == ["sqrt(2) <= r"]


def test_points_are_simple_and_inside() -> None:
    where = Parameters.of({"n": "integer, n >= 3", "x": "0 < x <= n", "y": "x <= y <= x + 1/100"})
    points = where.points(30)
    assert len(points) == 30 and all(where.contains(p) for p in points)
    assert points[0]["n"] == 3
    assert not where.contains({"n": Fraction(3), "x": Fraction(4), "y": Fraction(4)})
    assert Parameters().points(5) == [{}]


@pytest.mark.parametrize(
    "condition", ["", "y > 0", "x > x", "0 < x > 1 > 2 < 3", "x > 0, x < 1", "1 + x > 0", 3, "x > __y"]
)
def test_conditions_that_do_not_bound(condition: object) -> None:
    if condition == "":
        assert Parameters.of({"x": ""}).parameters[0].low is None
        return
    refusal(FormatError, lambda: Parameters.of({"x": condition}), "x")  # type: ignore[dict-item]


def test_symbols_must_be_the_parameters() -> None:
    where = Parameters.of({"x": "x > 0"})
    refusal(ParameterError, lambda: where.parse(sympy.Symbol("x")), "not one of the parameters")
    assert where.parse(where["x"] + 1) == where["x"] + 1
    narrower = where.restrict({"x": "x > 1", "y": "0 < y < x"})
    assert narrower["x"] == where["x"] and str(narrower) == "1 < x; 0 < y < x"
