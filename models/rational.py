"""Exact numbers: every chance probability and payoff is a Fraction until floats are needed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational
from typing import SupportsFloat, TypeAlias

Number: TypeAlias = int | Fraction | float

# A float such as 1/3 carries 53 bits; the simplest fraction this close is what its author meant.
_CLOSE = 1e-15
_SIMPLE = 10**6


def as_fraction(x: Number | SupportsFloat | Rational) -> Fraction:
    """Turn a number into an exact fraction.

    A float becomes the simplest fraction (denominator up to 10^6) that rounds to it, or failing that its exact binary
    value. Raises ``ValueError`` for anything that is not a finite number.

    >>> as_fraction(1 / 3), as_fraction(2.5), as_fraction(7)
    (Fraction(1, 3), Fraction(5, 2), Fraction(7, 1))
    """
    if isinstance(x, Rational):  # int, Fraction, numpy integers
        return Fraction(int(x.numerator), int(x.denominator))
    value = float(x)
    if not math.isfinite(value):
        raise ValueError(f"not a finite number: {x!r}")
    exact = Fraction(value)
    simple = exact.limit_denominator(_SIMPLE)
    return simple if abs(float(simple) - value) <= _CLOSE * max(1.0, abs(value)) else exact


def common_denominator(fractions: Iterable[Fraction]) -> int:
    """Give the least common multiple of the denominators."""
    return math.lcm(*(f.denominator for f in fractions))
