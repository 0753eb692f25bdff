"""Checks of array arguments: numbers of the right shape and within bounds.

A check looks at the type of the entries and at the smallest and largest one. It avoids
copies, so that tables of millions of rows (memory-mapped ones, too) pass at the speed of reading them.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import ParameterError

#: Sizes along the axes; None stands for any.
Shape = tuple[int | None, ...]
#: A bound for numbers that are added, squared or multiplied by each other: the results stay finite.
LARGEST = 1e100


class Limits(TypedDict, total=False):
    """Requirements on an array."""

    shape: Shape | None
    empty: bool
    least: float | None
    most: float | None


_FLOATS = np.finfo(np.float64)
_INTEGERS = np.iinfo(np.int64)


def require_array(
    values: ArrayLike,
    name: str,
    where: str,
    *,
    shape: Shape | None = None,
    empty: bool = True,
    least: float | None = None,
    most: float | None = None,
    error: type[ParameterError] = ParameterError,
) -> NDArray[Any]:
    """Check an array of finite numbers and return it unchanged; ``least`` and ``most`` bound its entries.

    >>> require_array([[1, 2], [3]], "weights", "k-means")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: weights are not an array of numbers. Where: k-means. Fix: pass numbers, all rows of the same length.
    """  # noqa: E501
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O" and (
            array.ndim or isinstance(values, Real)
        ):  # Fractions, and integers beyond 64 bits
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):  # rows of different lengths, strings, infinite numbers
        array = np.empty((), dtype=object)
    if array.dtype.kind not in "biuf":
        raise error(f"{name} are not an array of numbers", where=where, fix="pass numbers, all rows of the same length")
    if shape is not None and not _fits(array.shape, shape):
        wanted = ", ".join("any" if n is None else f"{n:,}" for n in shape)
        raise error(f"{name} of shape {array.shape}", where=where, fix=f"pass an array of shape ({wanted})")
    if not array.size:
        if not empty:
            raise error(f"{name} are empty", where=where, fix="pass at least one number")
        return array
    if least is None and most is None and array.dtype.kind != "f":  # integers are finite
        return array
    lowest, highest = (-_FLOATS.max if least is None else least), (_FLOATS.max if most is None else most)
    if not (array.min() >= lowest and array.max() <= highest):  # a nan is neither
        bounds = "finite numbers" if least is None and most is None else _range(least, most)
        raise _entry(array, (array >= lowest) & (array <= highest), name, where, bounds, error)
    return array


def require_numbers(values: ArrayLike, name: str, where: str, **limits: Unpack[Limits]) -> FloatArray:
    """Check an array of finite numbers and return it as floats.

    >>> require_numbers([1, float("nan")], "costs", "EMD", least=0)
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: costs have the entry nan. Where: EMD, at [1]. Fix: use numbers from 0.
    """
    return np.asarray(require_array(values, name, where, **limits), dtype=np.float64, order="C")


def require_integers(
    values: ArrayLike,
    name: str,
    where: str,
    *,
    flags: bool = False,
    error: type[ParameterError] = ParameterError,
    **limits: Unpack[Limits],
) -> IntArray:
    """Check an array of whole numbers of any type and return them as 64-bit integers.

    Booleans are refused, as they may be meant as a mask, unless ``flags`` makes them one and zero.

    >>> require_integers([0, 1.5], "ranks", "deck")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: ranks have the entry 1.5. Where: deck, at [1]. Fix: use whole numbers.
    """
    if limits.get("most") is None and _is_wide(values):
        limits["most"] = int(_INTEGERS.max)
    array = require_array(values, name, where, error=error, **limits)
    if array.dtype.kind == "b" and not flags:
        raise error(f"{name} are booleans", where=where, fix="pass numbers; np.flatnonzero turns a mask into numbers")
    if array.dtype.kind == "f":
        whole = (array == np.floor(array)) & (np.abs(array) < float(_INTEGERS.max))
        if not whole.all():
            raise _entry(array, whole, name, where, "whole numbers", error)
    return np.asarray(array, dtype=np.int64, order="C")


def _entry(
    array: NDArray[Any], good: BoolArray, name: str, where: str, wanted: str, error: type[ParameterError]
) -> ParameterError:
    """Name the first entry that is wrong."""
    place = np.unravel_index(int(np.argmin(good)), array.shape)
    at = f"{where}, at [{', '.join(str(int(i)) for i in place)}]" if place else where
    return error(f"{name} have the entry {array[place]}", where=at, fix=f"use {wanted}")


def _is_wide(values: ArrayLike) -> bool:
    """Return whether integers may be too large for 64 bits with a sign."""
    return isinstance(values, np.ndarray) and values.dtype == np.uint64


def _fits(shape: tuple[int, ...], wanted: Shape) -> bool:
    return len(shape) == len(wanted) and all(w is None or n == w for n, w in zip(shape, wanted, strict=True))


def _range(least: float | None, most: float | None) -> str:
    low, high = (None if bound is None else f"{bound:,}" for bound in (least, most))
    return f"numbers up to {high}" if low is None else f"numbers from {low}" + ("" if high is None else f" to {high}")
