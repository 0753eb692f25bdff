"""Rational vectors as integer numerators over one denominator.

Sums, products and comparisons then never touch a ``Fraction`` per entry: they are whole-array operations on 64-bit
or Python integers. Fractions are made at the end, for people.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import common_denominator, repr_of_fields

Integers = NDArray[Any]  # int64, or Python integers (object)

ENTRY_LIMIT = 2**62
"""Integers from here on are kept as Python integers."""


@dataclass(frozen=True, eq=False)
class RationalVector:
    """Integer numerators over one positive denominator. ``finite`` marks what is a number: a bound may be absent."""

    numerators: Integers = field(repr=False)
    denominator: int = 1
    finite: BoolArray | None = field(default=None, repr=False)

    __repr__ = repr_of_fields

    def __post_init__(self) -> None:
        if self.denominator <= 0:
            raise ParameterError(
                "a denominator is not positive", where=str(self.denominator), fix="move the sign into the numerators"
            )
        if self.numerators.dtype != object and self.numerators.dtype != np.int64:
            raise ParameterError(
                f"numerators of type {self.numerators.dtype} are not exact",
                fix="use int64, or Python integers in an object array",
            )

    @staticmethod
    def of(values: Iterable[int | Fraction | None]) -> RationalVector:
        """Put numbers over their common denominator; ``None`` is an absent bound.

        >>> RationalVector.of([Fraction(1, 2), 3, Fraction(-1, 3)]).numerators.tolist()
        [3, 18, -2]
        """
        entries = list(values)
        fractions = [Fraction(0 if v is None else v) for v in entries]
        denominator = common_denominator(fractions)
        numerators = integer_array([f.numerator * (denominator // f.denominator) for f in fractions])
        finite = np.array([v is not None for v in entries], dtype=bool)
        return RationalVector(numerators, denominator, None if finite.all() else finite)

    @staticmethod
    def full(size: int, value: int | None) -> RationalVector:
        """Repeat one integer, or (``None``) an absent bound."""
        if value is None:
            return RationalVector(np.zeros(size, dtype=np.int64), 1, np.zeros(size, dtype=bool))
        return RationalVector(integer_array([value] * size))

    def __len__(self) -> int:
        return len(self.numerators)

    @property
    def present(self) -> BoolArray:
        """Which entries are numbers."""
        return np.ones(len(self), dtype=bool) if self.finite is None else self.finite

    @cached_property
    def fractions(self) -> NDArray[Any]:
        """The entries as reduced Fractions (an object array)."""
        result = np.empty(len(self), dtype=object)
        result[:] = [Fraction(int(k), self.denominator) for k in self.numerators.tolist()]
        return result

    def floats(self, absent: float = math.nan) -> FloatArray:
        """Return the nearest floats; ``absent`` where there is no number."""
        values = to_floats(self.numerators, self.denominator)
        return values if self.finite is None else np.where(self.finite, values, absent)

    def over(self, denominator: int) -> NDArray[Any]:
        """Return the numerators over another denominator, a multiple of ours, as Python integers."""
        return as_object(self.numerators) * (denominator // self.denominator)

    @property
    def bits(self) -> int:
        """The bit length of the largest reduced numerator or denominator."""
        parts = (max(abs(f.numerator), f.denominator) for f in self.fractions.tolist())
        return max(parts, default=1).bit_length()


def integer_array(values: Sequence[int]) -> Integers:
    """Store integers in 64 bits where they fit, else as Python integers."""
    if all(-ENTRY_LIMIT < v < ENTRY_LIMIT for v in values):
        return np.array(values, dtype=np.int64).reshape(len(values))
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def as_object(values: Integers) -> NDArray[Any]:
    """View integers as Python integers, whose arithmetic cannot overflow."""
    return values if values.dtype == object else values.astype(object)


def to_floats(numerators: Integers, denominator: int = 1) -> FloatArray:
    """Divide by the denominator and round once; results beyond the range of floats are infinite."""
    if numerators.dtype != object and denominator < 2**53:
        return numerators / np.float64(denominator)
    return np.array([_ratio(int(k), denominator) for k in numerators.tolist()], dtype=np.float64)


def scaled_floats(values: Integers, exponents: IntArray) -> FloatArray:
    """Divide each integer by its own power of two and round once; integers may have any size."""
    if values.dtype != object:
        return np.ldexp(values.astype(np.float64), -exponents)
    pairs = zip(values.tolist(), exponents.tolist(), strict=True)
    return np.array([_ratio(k << max(-e, 0), 1 << max(e, 0)) for k, e in pairs], dtype=np.float64)


def nearest_float(number: Fraction) -> float:
    """Round a fraction once; results beyond the range of floats are infinite."""
    return _ratio(number.numerator, number.denominator)


def _ratio(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator  # Python rounds integer quotients correctly at any size
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def as_small(values: Integers) -> Integers:
    """Move Python integers into 64 bits if all of them fit."""
    return integer_array(values.tolist()) if values.dtype == object else values


def reduced(numerators: NDArray[Any], denominator: int) -> RationalVector:
    """Cancel what all numerators and the denominator share.

    >>> reduced(np.array([4, -6], dtype=object), 10)
    RationalVector(denominator=5)
    """
    common = denominator
    for k in numerators.tolist():
        common = math.gcd(common, k)
        if common == 1:
            return RationalVector(numerators, denominator)
    return RationalVector(numerators // common, denominator // common)


def difference(a: RationalVector, b: RationalVector) -> RationalVector:
    """Subtract entry by entry; absent where either is."""
    denominator = math.lcm(a.denominator, b.denominator)
    finite = None if a.finite is None and b.finite is None else a.present & b.present
    return RationalVector(a.over(denominator) - b.over(denominator), denominator, finite)


def dot(a: RationalVector, b: RationalVector) -> Fraction:
    """Return the inner product."""
    total = (as_object(a.numerators) * as_object(b.numerators)).sum() if len(a) else 0
    return Fraction(int(total), a.denominator * b.denominator)


def largest(values: RationalVector) -> Fraction:
    """Return the largest absolute value (zero for an empty vector)."""
    return Fraction(int(np.abs(values.numerators).max()) if len(values) else 0, values.denominator)


def exponent(value: Fraction) -> int:
    """Return the power of two that a number is within a factor of two of (zero for zero).

    >>> exponent(Fraction(1)), exponent(Fraction(-1, 2**2000)), exponent(Fraction(0))
    (0, -2000, 0)
    """
    return abs(value.numerator).bit_length() - value.denominator.bit_length() if value else 0


def magnitude(value: Fraction) -> str:
    """Describe the magnitude of a number of any size.

    >>> magnitude(Fraction(0)), magnitude(Fraction(-1, 2**2000))
    ('0', 'about 2^-2000')
    """
    return f"about 2^{exponent(value)}" if value else "0"


def violation(values: RationalVector, lower: RationalVector, upper: RationalVector) -> RationalVector:
    """Return the amount by which each entry leaves its bounds (zero if it does not)."""
    denominator = math.lcm(values.denominator, lower.denominator, upper.denominator)
    inside = values.over(denominator)
    below = np.where(lower.present, lower.over(denominator) - inside, 0)
    above = np.where(upper.present, inside - upper.over(denominator), 0)
    return RationalVector(np.maximum(np.maximum(below, above), 0).astype(object), denominator)
