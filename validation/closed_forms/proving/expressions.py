r"""A parser of our own for expressions, so that nothing that a user writes is ever evaluated as Python.

A tokenizer and recursive descent build sympy objects directly::

    expression = term { ("+" | "-") term }
    term       = factor { ("*" | "/") factor }
    factor     = ("+" | "-") factor | power
    power      = atom [ ("^" | "**") factor ]
    atom       = number | name | function "(" expression ")" | "(" expression ")"

sympy evaluates powers of numbers as soon as they are built, so size is bounded *before*: every part of an expression
carries an upper bound on its degree (counting digits of numbers) and on the number of terms after expansion.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy

from equiform.models.common.errors import FormatError

LONGEST_TEXT = 4_000
LONGEST_NUMBER = 40
LARGEST_POWER = 64
DEEPEST = 40
_MOST_DEGREE = 400
_MOST_TERMS = 1_000
_FUNCTION_WEIGHT = 5  # functions of functions of … grow out of hand

#: What an expression may call; every function takes one argument.
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {"sqrt": sympy.sqrt, "exp": sympy.exp, "log": sympy.log}

_TOKEN = re.compile(r"\s*(?:(\d+\.\d+|\d+)|([A-Za-z][A-Za-z0-9_]*)|(\*\*|<=|>=|[-+*/^()<>]))", re.ASCII)
_RELATIONS = ("<=", ">=", "<", ">")


@dataclass(frozen=True)
class _Part:
    """A piece of an expression with bounds on what it can grow to."""

    value: Any
    degree: int
    terms: int


@dataclass(frozen=True)
class Comparison:
    """A chain such as ``0 < x <= n``: the sides, and the relations between them."""

    sides: tuple[sympy.Expr, ...]
    relations: tuple[str, ...]


def parse_expression(text: str | int, symbols: Mapping[str, Any], where: str = "") -> sympy.Expr:
    """Read an expression in known names.

    Parameters
    ----------
    text
        The expression, or a whole number.
    symbols
        What each name stands for: symbols, or expressions.
    where
        Where the text stands, for messages.

    Raises
    ------
    FormatError
        If the text is not an expression, uses an unknown name, or is larger than we handle.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> parse_expression("(t^2 - 1) / (2*t + 0.5)", {"t": t})
    (t**2 - 1)/(2*t + 1/2)
    """
    reader = _Reader(text, symbols, where)
    value = reader.expression(0).value
    reader.finish()
    return value


def parse_comparison(text: str, symbols: Mapping[str, Any], where: str = "") -> Comparison:
    """Read a chain of comparisons such as ``0 < x <= n``; errors as for :func:`parse_expression`."""
    reader = _Reader(text, symbols, where)
    sides, relations = [reader.expression(0).value], []
    while reader.peek() in _RELATIONS:
        relations.append(reader.take())
        sides.append(reader.expression(0).value)
    reader.finish()
    if not relations:
        raise reader.error("there is no comparison", "write one such as t > 0 or 0 <= p <= 1")
    return Comparison(tuple(sides), tuple(relations))


class _Reader:
    """One pass over the tokens of a text."""

    def __init__(self, text: str | int, symbols: Mapping[str, Any], where: str) -> None:
        if isinstance(text, int) and not isinstance(text, bool) and abs(text) < 10**LONGEST_NUMBER:
            text = str(text)
        if not isinstance(text, str):
            raise FormatError(
                f"a {type(text).__name__} is not an expression",
                where=where,
                fix='write it as text, such as "1/(1 + n)", or as a whole number of at most 40 digits',
            )
        self.text, self.symbols, self.where = text, symbols, where
        if len(text) > LONGEST_TEXT:
            raise self.error(f"the text has {len(text)} characters", f"use at most {LONGEST_TEXT}")
        self.tokens = self._tokens()
        self.at = 0

    def error(self, what: str, fix: str) -> FormatError:
        shown = self.text if len(self.text) <= 80 else self.text[:79] + "…"
        return FormatError(what, where=f"{self.where}: {shown!r}" if self.where else repr(shown), fix=fix)

    def _tokens(self) -> list[str]:
        found, place, end = [], 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                character = self.text[place:].lstrip()[0]
                raise self.error(f"{character!r} cannot stand in an expression", "use numbers, names, + - * / ^ ( )")
            if match[1] and len(match[1]) > LONGEST_NUMBER:
                raise self.error(f"a number has {len(match[1])} digits", f"use at most {LONGEST_NUMBER}")
            found.append(match[1] or match[2] or match[3])
            place = match.end()
        return found

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def finish(self) -> None:
        if self.peek():
            raise self.error(f"{self.peek()!r} comes unexpectedly", "check signs and parentheses")

    def expression(self, depth: int) -> _Part:
        if depth > DEEPEST:
            raise self.error("parentheses are nested too deeply", f"use at most {DEEPEST} levels")
        total = self._term(depth)
        while self.peek() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            other = self._term(depth)
            degree, terms = max(total.degree, other.degree), total.terms + other.terms
            total = self._sized(partial(operator.add, total.value, sign * other.value), degree, terms)
        return total

    def _term(self, depth: int) -> _Part:
        product = self._factor(depth)
        while self.peek() in ("*", "/"):
            divide = self.take() == "/"
            other = self._factor(depth)
            if divide and other.value == 0:
                raise self.error("the expression divides by zero", "correct the denominator")
            degree, terms = product.degree + other.degree, product.terms * other.terms
            product = self._sized(
                partial(operator.truediv if divide else operator.mul, product.value, other.value), degree, terms
            )
        return product

    def _factor(self, depth: int) -> _Part:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take() == "-"
        part = self._power(depth)
        return _Part(-part.value, part.degree, part.terms) if negative else part

    def _power(self, depth: int) -> _Part:
        base = self._atom(depth)
        if self.peek() not in ("^", "**"):
            return base
        self.take()
        if depth >= DEEPEST:
            raise self.error("powers are nested too deeply", f"use at most {DEEPEST} levels")
        exponent = self._signed_power(depth + 1)
        if not exponent.value.is_number:
            if base.value == 0:
                raise self.error("zero has no such power", "correct the exponent")
            degree = base.degree + _FUNCTION_WEIGHT * exponent.degree
            return self._sized(lambda: base.value**exponent.value, degree, base.terms)
        power = exponent.value
        if not power.is_Rational or max(abs(power.p), power.q) > LARGEST_POWER:
            raise self.error("a power is too large", f"use whole numbers or fractions up to {LARGEST_POWER}")
        if base.value == 0 and power <= 0:
            raise self.error("zero has no such power", "correct the exponent")
        times = math.ceil(abs(power))
        terms = math.comb(base.terms + times - 1, times) if base.terms > 1 else 1
        return self._sized(lambda: base.value**power, base.degree * max(times, 1), terms)

    def _signed_power(self, depth: int) -> _Part:
        if self.peek() in ("+", "-"):
            negative = self.take() == "-"
            part = self._signed_power(depth + 1) if depth < DEEPEST else self._atom(depth)
            return _Part(-part.value, part.degree, part.terms) if negative else part
        return self._power(depth)

    def _atom(self, depth: int) -> _Part:
        token = self.take() if self.peek() else ""
        if token == "(":
            return self._closed(depth)
        if token[:1].isdigit():
            return _Part(sympy.Rational(token), max(1, len(token) // 3), 1)
        if token in FUNCTIONS and self.peek() == "(":
            self.take()
            argument = self._closed(depth)
            if argument.value.is_number and not (argument.value.is_Rational and abs(argument.value) <= 10**6):
                raise self.error("the argument of a function is too large", "use a number up to a million")
            degree = _FUNCTION_WEIGHT * argument.degree
            return self._sized(lambda: FUNCTIONS[token](argument.value), degree, argument.terms)
        if token in self.symbols:
            value = sympy.sympify(self.symbols[token])
            return _Part(value, 1, 1)
        if token[:1].isalpha():
            known = ", ".join([*self.symbols, *FUNCTIONS]) or "no names"
            raise self.error(f"the name {token!r} is not known", f"declare it as a parameter; known here: {known}")
        raise self.error(f"{token!r} comes unexpectedly" if token else "the text breaks off", "complete the expression")

    def _closed(self, depth: int) -> _Part:
        inner = self.expression(depth + 1)
        if self.peek() != ")":
            raise self.error("a parenthesis is not closed", "add the missing )")
        self.take()
        return inner

    def _sized(self, build: Callable[[], Any], degree: int, terms: int) -> _Part:
        """Build a part, but only if its bounds are within our limits."""
        if degree > _MOST_DEGREE or terms > _MOST_TERMS:
            raise self.error("the expression is too large", "use smaller powers and fewer terms")
        value = build()
        if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            raise self.error("the expression divides by zero", "correct the denominator")
        return _Part(value, degree, terms)


def require_names(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Check that names can be used in expressions: a letter, then letters, digits and underscores."""
    found = tuple(names)
    for name in found:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,30}", name, re.ASCII):
            raise FormatError(f"{name!r} is not a name", where=where, fix="use letters, digits and underscores")
        if name in FUNCTIONS:
            raise FormatError(f"{name!r} is the name of a function", where=where, fix="choose another name")
    return found
