"""Numbers that are asked for: how many threads, hands or pieces, how much risk, how long."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from numbers import Real

import numpy as np

from equiform.models.common.arguments import require_sequence
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import show


def require_count(value: int, name: str, where: str, *, least: int = 1, most: int = 10**9) -> int:
    """Check a whole number within bounds; the upper one stands for what no machine would finish.

    >>> require_count(0, "k", "match")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: k is 0. Where: match. Fix: use a whole number from 1 to 1,000,000,000.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        shown = show(value) if whole else repr(value)
        raise ParameterError(f"{name} is {shown}", where=where, fix=f"use a whole number from {least:,} to {most:,}")
    return value


def require_counts(
    values: Sequence[int], name: str, where: str, *, length: int | None = None, least: int = 1, most: int = 10**9
) -> tuple[int, ...]:
    """Check a sequence of whole numbers within bounds, and how many there are.

    >>> require_counts((5, 0), "buckets", "leduc")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: buckets[1] is 0. Where: leduc. Fix: use a whole number from 1 to 1,000,000,000.
    """  # noqa: E501
    given = require_sequence(values, name, where)
    numbers = tuple(require_count(v, f"{name}[{k}]", where, least=least, most=most) for k, v in enumerate(given))
    if length is not None and len(numbers) != length:
        raise ParameterError(f"{name} has {len(numbers)} numbers", where=where, fix=f"give {length}, one each")
    return numbers


def require_number(
    value: float | Fraction, name: str, where: str, *, least: float = 0.0, most: float | None = None
) -> float:
    """Check a finite number within bounds, and give it as a float.

    >>> require_number(Fraction(1, 4), "epsilon", "safe response")
    0.25
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not least <= value <= (sys.float_info.max if most is None else most):
        shown = show(value) if number else repr(value)
        end = "upwards" if most is None else f"to {most:g}"
        raise ParameterError(f"{name} is {shown}", where=where, fix=f"use a finite number from {least:g} {end}")
    return float(value)


def require_workers(value: int, name: str, where: str) -> int:
    """Check a number of threads or processes."""
    return require_count(value, name, where, most=1024)


def require_seed(value: int, where: str) -> int:
    """Check the seed of random numbers."""
    return require_count(value, "seed", where, least=0, most=2**63 - 1)
