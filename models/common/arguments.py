"""Checks of arguments: objects of a class, names, and numbers within bounds."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import short_text

T = TypeVar("T")
_LONGEST = 100  # characters of a wrong argument that a message shows


def require_kind(value: Any, kind: type[T], name: str, where: str) -> T:
    """Check that an argument is an object of a class.

    >>> require_kind("52 cards", dict, "deck", "indexer")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: deck is '52 cards'. Where: indexer. Fix: pass an object of class dict.
    """
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {_shown(value)}", where=where, fix=f"pass an object of class {kind.__name__}")
    return value


def require_all(values: Any, kind: type[T], name: str, where: str) -> tuple[T, ...]:
    """Check that an argument is a sequence of objects of a class."""
    return tuple(
        require_kind(value, kind, f"{name}[{k}]", where)
        for k, value in enumerate(require_sequence(values, name, where))
    )


def require_sequence(values: Any, name: str, where: str) -> tuple[Any, ...]:
    """Check that an argument is a sequence; a string is not."""
    try:
        if isinstance(values, str | bytes):
            raise TypeError
        return tuple(values)
    except TypeError:
        raise ParameterError(f"{name} is {_shown(values)}", where=where, fix="pass a sequence") from None


def require_callable(value: Any, name: str, where: str) -> Callable[..., Any]:
    """Check that an argument can be called."""
    if not callable(value):
        raise ParameterError(f"{name} is {_shown(value)}", where=where, fix="pass a function")
    return value


def near_names(name: Any, known: Iterable[str]) -> str:
    """Return the question for the known names that are nearest to a wrong one, ready to stand before a fix; or nothing.

    >>> near_names("khun", ("kuhn", "leduc")), near_names("x", ("kuhn",))
    ("did you mean 'kuhn'? ", '')
    """
    if not isinstance(name, str):
        return ""
    names = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower()[:_LONGEST], names, n=3)
    return f"did you mean {' or '.join(repr(names[other]) for other in near)}? " if near else ""


def require_name(value: Any, names: Iterable[str], what: str, where: str = "") -> str:
    """Check that an argument is one of several names; members of a ``StrEnum`` count as their values.

    >>> require_name("brown", ("flop", "turn"), "round")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: there is no round 'brown'. Fix: use one of flop, turn.
    """
    known = tuple(names)
    if not isinstance(value, str) or value not in known:
        fix = f"{near_names(value, known)}use one of {', '.join(known)}"
        raise ParameterError(f"there is no {what} {_shown(value)}", where=where, fix=fix)
    return value


def require_count(value: int, name: str, where: str, *, least: int = 1, most: int = 10**9) -> int:
    """Check a whole number within bounds; the default upper bound is more than any machine would finish.

    >>> require_count(0, "k", "match")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: k is 0. Where: match. Fix: use a whole number from 1 to 1,000,000,000.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        shown = short_text(value) if whole else repr(value)
        raise ParameterError(f"{name} is {shown}", where=where, fix=f"use a whole number from {least:,} to {most:,}")
    return value


def require_counts(
    values: Sequence[int], name: str, where: str, *, length: int | None = None, least: int = 1, most: int = 10**9
) -> tuple[int, ...]:
    """Check a sequence of whole numbers within bounds, and its length.

    >>> require_counts((5, 0), "buckets", "leduc")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: buckets[1] is 0. Where: leduc. Fix: use a whole number from 1 to 1,000,000,000.
    """  # noqa: E501
    given = require_sequence(values, name, where)
    numbers = tuple(require_count(v, f"{name}[{k}]", where, least=least, most=most) for k, v in enumerate(given))
    if length is not None and len(numbers) != length:
        raise ParameterError(f"{name} has {len(numbers)} numbers", where=where, fix=f"pass {length}, one each")
    return numbers


def require_number(
    value: float | Fraction, name: str, where: str, *, least: float = 0.0, most: float | None = None
) -> float:
    """Check a finite number within bounds and return it as a float.

    >>> require_number(Fraction(1, 4), "epsilon", "safe response")
    0.25
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not least <= value <= (sys.float_info.max if most is None else most):
        shown = short_text(value) if number else repr(value)
        end = "upwards" if most is None else f"to {most:g}"
        raise ParameterError(f"{name} is {shown}", where=where, fix=f"use a finite number from {least:g} {end}")
    return float(value)


def require_workers(value: int, name: str, where: str) -> int:
    """Check a number of threads or processes."""
    return require_count(value, name, where, most=1024)


def require_seed(value: int, where: str) -> int:
    """Check the seed of random numbers."""
    return require_count(value, "seed", where, least=0, most=2**63 - 1)


def require_player(player: int, num_players: int, name: str) -> int:
    """Check a player's number; booleans are refused, and -1 is not the last player."""
    whole = isinstance(player, int | np.integer) and not isinstance(player, bool)
    if not whole or not 0 <= player < num_players:
        raise ParameterError(
            f"there is no player {player!r}",
            where=f"{name} has {num_players} players",
            fix=f"use a whole number from 0 to {num_players - 1}",
        )
    return player


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
