"""What an argument must be: an object of a class, a row of them, one of some names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from equiform.models.common.errors import ParameterError

T = TypeVar("T")
_LONGEST = 100  # of what a message shows of a wrong argument


def require_kind(value: Any, kind: type[T], name: str, where: str) -> T:
    """Check that an argument is an object of a class.

    >>> require_kind("52 cards", dict, "deck", "indexer")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: deck is '52 cards'. Where: indexer. Fix: give an object of class dict.
    """
    if not isinstance(value, kind):
        raise ParameterError(f"{name} is {_shown(value)}", where=where, fix=f"give an object of class {kind.__name__}")
    return value


def require_all(values: Any, kind: type[T], name: str, where: str) -> tuple[T, ...]:
    """Check that an argument is a sequence of objects of a class."""
    return tuple(
        require_kind(value, kind, f"{name}[{k}]", where)
        for k, value in enumerate(require_sequence(values, name, where))
    )


def require_sequence(values: Any, name: str, where: str) -> tuple[Any, ...]:
    """Check that an argument has one thing after another; a text does not."""
    try:
        if isinstance(values, str | bytes):
            raise TypeError
        return tuple(values)
    except TypeError:
        raise ParameterError(f"{name} is {_shown(values)}", where=where, fix="give a sequence") from None


def require_callable(value: Any, name: str, where: str) -> Callable[..., Any]:
    """Check that an argument can be called."""
    if not callable(value):
        raise ParameterError(f"{name} is {_shown(value)}", where=where, fix="give a function")
    return value


def require_name(value: Any, names: Iterable[str], what: str, where: str = "") -> str:
    """Check that an argument is one of some names; members of a ``StrEnum`` are the names they stand for.

    >>> require_name("brown", ("flop", "turn"), "round")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: there is no round 'brown'. Fix: use one of flop, turn.
    """
    known = tuple(names)
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"there is no {what} {_shown(value)}", where=where, fix=f"use one of {', '.join(known)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
