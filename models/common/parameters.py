"""Parameters declared with a default, a type and bounds, so that they are read, listed and documented in one place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from equiform.models.common.arguments import near_names
from equiform.models.common.errors import ParameterError

Value: TypeAlias = int | Fraction | bool | str

_NUMBER = re.compile(
    r"[+-]?((\d{1,18}(\.\d{0,18})?|\.\d{1,18})(e[+-]?\d{1,2})?|\d{1,18}/0*[1-9]\d{0,17})", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game or a program. The default sets its type; numbers may have bounds, words a list of choices.

    A ``required`` parameter has to be given; its default is then an example.
    """

    name: str
    default: Value
    help: str
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    choices: tuple[str, ...] = ()
    required: bool = False

    @property
    def kind(self) -> str:
        """The type in words."""
        if self.choices:
            return " | ".join(self.choices)
        return {bool: "true | false", int: "whole number", Fraction: "number", str: "text"}[type(self.default)]

    def parse(self, text: str, where: str) -> Value:
        """Read a value, or raise a :class:`ParameterError` that says what would do."""
        value = self._value(text)
        if value is None:
            raise ParameterError(f"{self.name}={text} is not a {self.kind}", where=where, fix=f"{self.name} is {self}")
        too_low = self.low is not None and not isinstance(value, str) and value < self.low
        too_high = self.high is not None and not isinstance(value, str) and value > self.high
        if too_low or too_high:
            raise ParameterError(f"{self.name}={text} is out of range", where=where, fix=f"{self.name} is {self}")
        return value

    def _value(self, text: str) -> Value | None:
        if self.choices:
            return text if text in self.choices else None
        if isinstance(self.default, bool):
            return {"true": True, "false": False}.get(text.lower())
        if isinstance(self.default, int):
            return int(text) if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) else None
        if isinstance(self.default, Fraction):
            return Fraction(text) if _NUMBER.fullmatch(text) else None
        return text

    def __str__(self) -> str:
        bounds = [f"at least {self.low}"] * (self.low is not None) + [f"at most {self.high}"] * (self.high is not None)
        default = f"required, such as {value_text(self.default)}" if self.required else None
        return f"{self.help} ({', '.join([self.kind, *bounds])}; {default or f'default {value_text(self.default)}'})"

    def to_dict(self) -> dict[str, object]:
        """Return the parameter as plain data."""
        default = None if self.required else self.default
        return {"name": self.name, "default": default, "type": self.kind, "help": self.help}


def value_text(value: Value) -> str:
    """Write a parameter's value as a specification would.

    >>> value_text(True), value_text(Fraction(1, 10)), value_text(3)
    ('true', '1/10', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_pairs(parts: Iterable[str], *, where: str, fix: str) -> dict[str, str]:
    """Split ``name=value`` texts; a name may stand once."""
    values: dict[str, str] = {}
    for part in parts:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise ParameterError(f"{part!r} is not of the form name=value", where=where, fix=fix)
        if key in values:
            raise ParameterError(f"{key} is given twice", where=where, fix="set it once")
        values[key] = value
    return values


def read_values(owner: str, parameters: Sequence[Parameter], texts: Mapping[str, str], where: str) -> dict[str, Value]:
    """Read texts against the declared parameters of ``owner``, filling in the defaults."""
    known = {p.name: p for p in parameters}
    for key in texts:
        if key not in known:
            guess = near_names(key, known)
            raise ParameterError(
                f"{owner} has no parameter {key!r}", where=where, fix=f"{guess}{offer(owner, parameters)}"
            )
    return {p.name: p.parse(texts[p.name], where) if p.name in texts else p.default for p in parameters}


def offer(owner: str, parameters: Sequence[Parameter]) -> str:
    """List the parameters for the fix of an error."""
    if not parameters:
        return f"{owner} takes no parameters"
    return "its parameters are " + ", ".join(f"{p.name}={value_text(p.default)}" for p in parameters)
