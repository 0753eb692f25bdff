"""Exact numbers: every chance probability and payoff is a Fraction until floats are needed."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import Any, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError

Number: TypeAlias = int | Fraction | float

#: Larger payoffs do not become floats: sums and products of them would overflow silently.
LARGEST_PAYOFF = 10**100

# A float such as 1/3 carries 53 bits; the simplest fraction this close is what its author meant.
_CLOSE = 1e-15
_SIMPLE = 10**6
_MOST_EXPONENT = 10_000
_LONGEST = 10**4000  # Python refuses to write integers of more than 4300 digits


def as_fraction(x: Number | SupportsFloat | Rational) -> Fraction:
    """Turn a number into an exact fraction.

    A float becomes the simplest fraction (denominator up to 10^6) that rounds to it, or failing that its exact binary
    value. Raises :class:`ParameterError`, a ``ValueError``, for anything that is not a finite number.

    >>> as_fraction(1 / 3), as_fraction(2.5), as_fraction(7)
    (Fraction(1, 3), Fraction(5, 2), Fraction(7, 1))
    """
    if isinstance(x, Rational):  # int, Fraction, numpy integers
        return Fraction(int(x.numerator), int(x.denominator))
    try:
        value = float(x)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(f"{x!r} is not a finite number", fix="use int, Fraction or float")
    exact = Fraction(value)
    simple = exact.limit_denominator(_SIMPLE)
    return simple if abs(float(simple) - value) <= _CLOSE * max(1.0, abs(value)) else exact


def parse_fraction(text: str) -> Fraction:
    """Read a number such as ``3``, ``0.25``, ``1e-3`` or ``1/3``, exactly and at any length.

    Raises ``ValueError`` for anything else, and for exponents whose digits would fill the memory.

    >>> parse_fraction("1e-3"), parse_fraction("-2/6")
    (Fraction(1, 1000), Fraction(-1, 3))
    """
    whole = re.fullmatch(r"\s*([+-]?\d+)(?:/(\d+))?\s*", text, re.ASCII)
    exponent = re.search(r"[eE]([+-]?\d{1,9})\s*$", text, re.ASCII)
    try:
        if whole is not None:  # Decimal, as Python refuses long integers
            return Fraction(int(Decimal(whole[1])), int(Decimal(whole[2] or 1)))
        if "e" in text.lower() and (exponent is None or abs(int(exponent[1])) > _MOST_EXPONENT):
            raise ValueError(f"the exponent of {text!r} is too large")
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None


def exact_text(number: Fraction) -> str:
    """Write a fraction exactly, at any length; :func:`parse_fraction` reads it.

    >>> exact_text(Fraction(-1, 3)), len(exact_text(Fraction(10) ** 5000))
    ('-1/3', 5001)
    """
    parts = (number.numerator,) if number.denominator == 1 else (number.numerator, number.denominator)
    return "/".join(str(Decimal(part)) for part in parts)  # Decimal, as Python refuses long integers


def short_text(number: Number) -> str:
    """Write a number for a message: exactly if that is short, otherwise rounded, even beyond the range of floats.

    >>> short_text(Fraction(1, 3)), short_text(0.25), short_text(-Fraction(10) ** 400 / 3)
    ('1/3', '0.25', '-3.33e+399')
    """
    if isinstance(number, float) or max(abs(number.numerator), number.denominator) < 10**12:
        return str(number)
    with localcontext(prec=3, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return f"{(Decimal(number.numerator) / number.denominator).normalize():e}"


def repr_of_fields(record: Any) -> str:
    """Write a dataclass as its own ``repr`` would, except that numbers too long for Python are rounded.

    >>> @dataclasses.dataclass
    ... class Answer:
    ...     value: Fraction
    ...     __repr__ = repr_of_fields
    >>> Answer(Fraction(1, 3)), Answer(Fraction(10) ** 5000)
    (Answer(value=Fraction(1, 3)), Answer(value=≈1e+5000))
    """
    parts = (f"{f.name}={_repr(getattr(record, f.name))}" for f in dataclasses.fields(record) if f.repr)
    return f"{type(record).__qualname__}({', '.join(parts)})"


def _repr(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_repr, value))}{',' * (len(value) == 1)})"
    if isinstance(value, int | Fraction) and max(abs(value.numerator), value.denominator) >= _LONGEST:
        return f"≈{short_text(value)}"
    return repr(value)


def payoffs_in_floats(payoffs: NDArray[Any], place: Callable[..., str]) -> FloatArray:
    """Round an array of exact payoffs; ``place`` names an entry that is too large for that."""
    try:
        rounded = payoffs.astype(np.float64)
        if (abs(rounded) <= LARGEST_PAYOFF).all():
            return rounded
    except OverflowError:
        pass
    at, payoff = next((at, v) for at, v in np.ndenumerate(payoffs) if abs(v) > LARGEST_PAYOFF)
    raise UnsupportedGameError(
        f"a payoff of {short_text(payoff)} is too large for floats",
        where=place(*at),
        fix="divide all payoffs by one number, or solve exactly (exact=True, --exact)",
    )


def common_denominator(fractions: Iterable[Fraction]) -> int:
    """Return the least common multiple of the denominators."""
    return math.lcm(*(f.denominator for f in fractions))
