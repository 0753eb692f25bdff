"""Options of algorithms: the default of each tells what kind of value it takes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from equiform.models.common.errors import ParameterError

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def require_kinds(options: Mapping[str, Any], defaults: Mapping[str, Any], where: str) -> None:
    """Refuse a value of another kind than its option's default; a default of ``None`` stands for a number, or none.

    >>> require_kinds({"gamma": 2, "norm": None}, {"gamma": 2.0, "norm": None}, "dcfr")
    >>> require_kinds({"gamma": "x"}, {"gamma": 2.0}, "dcfr")
    Traceback (most recent call last):
    equiform.models.common.errors.ParameterError: gamma='x' is not a number. Where: dcfr. Fix: the default is 2.0.
    """
    for name, value in options.items():
        if name not in defaults or (value is None and defaults[name] is None):
            continue
        default = defaults[name]
        kind = float if default is None else type(default)
        abstract = {int: Integral, float: Real}.get(kind, kind)
        if not isinstance(value, abstract) or (kind is not bool and isinstance(value, bool)):
            raise ParameterError(
                f"{name}={value!r} is not {_WORDS[kind]}", where=where, fix=f"the default is {default}"
            )
