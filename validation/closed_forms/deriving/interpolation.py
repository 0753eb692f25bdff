r"""Rational functions from exact numbers: the simplest one through given values, confirmed by further values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy

from equiform.validation.closed_forms.proving.signs import as_fraction

#: Values that must agree beyond those that determine the function.
CONFIRMATIONS = 2


def interpolate(values: Mapping[int, Fraction], n: sympy.Symbol) -> sympy.Expr | None:
    """Return the rational function of least degree through the values, or ``None``.

    A function with numerator and denominator of degrees p and q is fixed by p + q + 1 values. It counts only if at
    least :data:`CONFIRMATIONS` further values lie on it too.

    >>> n = sympy.Symbol("n")
    >>> interpolate({k: Fraction(1 - k, k + 1) for k in range(2, 8)}, n)
    -(n - 1)/(n + 1)
    """
    places = sorted(values)
    for total in range(len(places) - CONFIRMATIONS):
        for bottom in range(total + 1):
            found = _fit(values, places[: total + 1], total - bottom, bottom, n)
            if found is not None and all(_at(found, n, k) == values[k] for k in places):
                return found
    return None


def _fit(
    values: Mapping[int, Fraction], places: list[int], top: int, bottom: int, n: sympy.Symbol
) -> sympy.Expr | None:
    """Solve for the coefficients, the denominator's leading one being 1."""
    rows, right = [], []
    for k in places:
        v = sympy.Rational(values[k].numerator, values[k].denominator)
        rows.append([sympy.Integer(k) ** i for i in range(top + 1)] + [-v * k**i for i in range(bottom)])
        right.append(v * k**bottom)
    try:
        found = sympy.Matrix(rows).LUsolve(sympy.Matrix(right))
    except (ValueError, ZeroDivisionError, sympy.matrices.exceptions.NonInvertibleMatrixError):
        return None
    numerator = sum(c * n**i for i, c in enumerate(found[: top + 1]))
    denominator = n**bottom + sum(c * n**i for i, c in enumerate(found[top + 1 :]))
    return sympy.factor(numerator / denominator)


def _at(expr: sympy.Expr, n: sympy.Symbol, k: int) -> Fraction | None:
    value = expr.subs(n, k)
    return None if value.has(sympy.zoo, sympy.nan) else as_fraction(value)
