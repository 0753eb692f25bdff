r"""The parameters of a family of games: symbols, where they live, and the simplest points of that domain.

A parameter has at most one bound on either side, and bounds may refer to the parameters before it: :math:`n \ge 3`,
:math:`0 < x \le n`. Such a *triangular* domain is covered by charts, images of non-negative variables t:

.. math:: p = \ell + t, \qquad p = u - t, \qquad p = \ell + (u - \ell)\,\frac{t}{1 + t}, \qquad p = u ,

the last for a closed upper end. What holds on every chart holds on the domain, without an argument by continuity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

import sympy

from equiform.models.common.errors import FormatError, ParameterError
from equiform.validation.closed_forms.proving.expressions import (
    Comparison,
    parse_comparison,
    parse_expression,
    require_names,
)

Point = Mapping[str, Fraction]
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Chart:
    """Parameters as expressions in fresh variables that range over the non-negative (or positive) numbers."""

    map: Mapping[sympy.Symbol, sympy.Expr]
    variables: tuple[sympy.Symbol, ...]

    def apply(self, expr: Any) -> sympy.Expr:
        """Write an expression in the chart's variables."""
        return sympy.sympify(expr).subs(self.map, simultaneous=True)


@dataclass(frozen=True)
class Parameter:
    """A symbol with its bounds; ``None`` means unbounded."""

    symbol: sympy.Symbol
    low: sympy.Expr | None = None
    high: sympy.Expr | None = None
    open_low: bool = False
    open_high: bool = False
    integer: bool = False

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.symbol.name

    def __str__(self) -> str:
        left = "" if self.low is None else f"{self.low} {'<' if self.open_low else '<='} "
        right = "" if self.high is None else f" {'<' if self.open_high else '<='} {self.high}"
        return f"{left}{self.name}{right}" + (", a whole number" if self.integer else "")

    def contains(self, value: Fraction, low: Fraction | None, high: Fraction | None) -> bool:
        """Whether a number lies within numeric bounds."""
        above = low is None or value > low or (value == low and not self.open_low)
        below = high is None or value < high or (value == high and not self.open_high)
        return above and below and (not self.integer or value.denominator == 1)


class Parameters:
    """An ordered family of parameters.

    >>> where = Parameters.of({"n": "integer, n >= 3", "x": "0 < x <= n"})
    >>> print(where)
    3 <= n, a whole number; 0 < x <= n
    >>> [str(p["x"]) for p in where.points(3)]
    ['1', '1/2', '2']
    """

    def __init__(self, parameters: tuple[Parameter, ...] = ()) -> None:
        self.parameters = parameters

    @staticmethod
    def of(conditions: Mapping[str, str] | Parameters | None) -> Parameters:
        """Read one condition per parameter: ``"t > 0"``, ``"0 <= x <= n"``, ``"integer, n >= 3"`` or ``"real"``."""
        if isinstance(conditions, Parameters):
            return conditions
        found: list[Parameter] = []
        for name in require_names(conditions or {}, "parameters"):
            found.append(_read(name, (conditions or {})[name], found))
        return Parameters(tuple(found))

    def __str__(self) -> str:
        return "; ".join(map(str, self.parameters)) or "no parameters"

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    @cached_property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """Symbols by name."""
        return {p.name: p.symbol for p in self.parameters}

    def __getitem__(self, name: str) -> sympy.Symbol:
        return self.symbols[name]

    def parse(self, text: Any, where: str = "", extra: Mapping[str, Any] | None = None) -> sympy.Expr:
        """Read an expression in these parameters; sympy expressions pass through."""
        if isinstance(text, sympy.Basic):
            unknown = {s for s in text.free_symbols if s not in set((extra or {}).values())}
            unknown -= set(self.symbols.values())
            if unknown:
                raise ParameterError(
                    f"the symbol {min(map(str, unknown))} is not one of the parameters",
                    where=where or str(text),
                    fix="take symbols from `Parameters`, or write the expression as text",
                )
            return text
        if isinstance(text, Fraction):
            return sympy.Rational(text.numerator, text.denominator)
        return parse_expression(text, {**self.symbols, **(extra or {})}, where)

    def about(self, used: Iterable[Parameter]) -> Parameters:
        """Keep some parameters, and those that their bounds refer to."""
        needed = {p.symbol for p in used}
        for p in reversed(self.parameters):
            if p.symbol in needed:
                needed |= {s for b in (p.low, p.high) if b is not None for s in b.free_symbols}
        return Parameters(tuple(p for p in self.parameters if p.symbol in needed))

    def with_parameter(self, parameter: Parameter) -> Parameters:
        """Append a parameter."""
        return Parameters((*self.parameters, parameter))

    def restrict(self, conditions: Mapping[str, str]) -> Parameters:
        """Replace the conditions of some parameters, and append new ones."""
        texts = {p.name: p for p in self.parameters}
        found: list[Parameter] = []
        for name in require_names(dict.fromkeys([*texts, *conditions]), "where"):
            if name not in conditions:
                found.append(texts[name])
                continue
            read = _read(name, conditions[name], found)
            if name in texts:  # keep the symbol, so that expressions still mean the same
                read = replace(read, symbol=texts[name].symbol, integer=read.integer or texts[name].integer)
            found.append(read)
        return Parameters(tuple(found))

    # -- charts -------------------------------------------------------------------------------------------------------

    def charts(self) -> list[Chart]:
        """Cover the domain."""
        options = [self._options(p) for p in self.parameters]
        return [self._chart(choice) for choice in product(*options)]

    @staticmethod
    def _options(p: Parameter) -> tuple[str, ...]:
        if p.low is None and p.high is None:
            return ("up", "down")
        if p.low is None:
            return ("below",)
        if p.high is None:
            return ("above",)
        return ("between",) if p.open_high else ("between", "end")

    def _chart(self, choice: tuple[str, ...]) -> Chart:
        maps: dict[sympy.Symbol, sympy.Expr] = {}
        variables = []
        for k, (p, shape) in enumerate(zip(self.parameters, choice, strict=True)):
            strict = p.open_high if shape == "below" else p.open_low
            t = sympy.Symbol(f"{p.name}_{k}", **({"positive": True} if strict else {"nonnegative": True}))
            low, high = (None if b is None else b.subs(maps, simultaneous=True) for b in (p.low, p.high))
            image = _image(shape, t, low, high)
            maps[p.symbol] = image
            if shape != "end":
                variables.append(t)
        return Chart(maps, tuple(variables))

    # -- points -------------------------------------------------------------------------------------------------------

    def contains(self, point: Point) -> bool:
        """Whether a point, one number per parameter, lies in the domain."""
        return all(p.contains(point[p.name], *self._bounds(p, point)) for p in self.parameters)

    def _bounds(self, p: Parameter, point: Point) -> tuple[Fraction | None, Fraction | None]:
        at = self.substitution(point)
        ends = [None if b is None else b.subs(at) for b in (p.low, p.high)]
        return tuple(None if e is None else _fraction(e) for e in ends)  # type: ignore[return-value]

    def substitution(self, point: Point) -> dict[sympy.Symbol, sympy.Rational]:
        """Write a point for ``subs``."""
        return {
            self.symbols[k]: sympy.Rational(Fraction(v).numerator, Fraction(v).denominator)
            for k, v in point.items()
            if k in self.symbols
        }

    def points(self, count: int) -> list[dict[str, Fraction]]:
        """Return the simplest points of the domain, simplest first: least sum of numerators and denominators."""
        if not self.parameters:
            return [{}]
        each = max(count if len(self.parameters) == 1 else 1, round((4 * count) ** (1 / len(self.parameters))) + 1)
        found: list[dict[str, Fraction]] = [{}]
        for p in self.parameters:
            found = [
                {**point, p.name: value}
                for point in found
                for value in islice(_simple_within(p, *self._bounds(p, point)), each)
            ]
        found.sort(key=lambda point: (sum(map(height, point.values())), *point.values()))
        return found[:count]


def _image(shape: str, t: Any, low: Any, high: Any) -> sympy.Expr:
    """Return a parameter in terms of its chart's variable."""
    if shape in ("up", "down"):
        return t if shape == "up" else -t
    if shape == "above":
        return low + t
    if shape == "below":
        return high - t
    return high if shape == "end" else low + (high - low) * t / (1 + t)


def height(value: Fraction) -> int:
    """Measure how simple a fraction is: ``|numerator|`` + denominator."""
    return abs(value.numerator) + value.denominator


def _read(name: str, text: Any, before: list[Parameter]) -> Parameter:
    if not isinstance(text, str):
        raise FormatError(
            f"the condition on {name} is not a text", where=f"parameter {name}", fix=f'write "{name} > 0" or "real"'
        )
    words = [w.strip() for w in text.split(",") if w.strip()]
    kinds = {w for w in words if w in ("integer", "real")}
    chains = [w for w in words if w not in kinds]
    if len(chains) > 1:
        raise FormatError(
            f"{name} has {len(chains)} conditions", where=f"parameter {name}: {text!r}", fix="write one chain of them"
        )
    plain = sympy.Symbol(name, real=True)
    known = {p.name: p.symbol for p in before}
    if not chains:
        return Parameter(sympy.Symbol(name, real=True, integer=True if "integer" in kinds else None))
    chain = parse_comparison(chains[0], {**known, name: plain}, f"parameter {name}")
    low, high, open_low, open_high = _ends(name, plain, chain)
    facts: dict[str, bool] = {"integer": True} if "integer" in kinds else {"real": True}
    if low is not None and (low.is_positive or (low.is_nonnegative and open_low)):
        facts["positive"] = True
    elif low is not None and low.is_nonnegative:
        facts["nonnegative"] = True
    return Parameter(sympy.Symbol(name, **facts), low, high, open_low, open_high, "integer" in kinds)


def _ends(name: str, symbol: sympy.Symbol, chain: Comparison) -> tuple[Any, Any, bool, bool]:
    """Read the bounds off a chain in which the parameter stands once."""
    places = [k for k, side in enumerate(chain.sides) if side == symbol]
    if len(places) != 1 or len(chain.sides) > 3 or any(symbol in s.free_symbols for s in chain.sides if s != symbol):
        raise FormatError(
            f"the condition on {name} does not bound it",
            where=f"parameter {name}",
            fix=f"write a chain such as 0 < {name} <= 1, bounds in the parameters before it",
        )
    at, low, high, open_low, open_high = places[0], None, None, False, False
    for k, relation in enumerate(chain.relations):
        if k not in (at - 1, at):
            raise FormatError(f"the condition on {name} bounds another expression", where=name, fix="one chain each")
        side = chain.sides[k] if k == at - 1 else chain.sides[k + 1]
        if (_MIRROR[relation] if k == at - 1 else relation) in (">", ">="):
            low, open_low = side, relation in ("<", ">")
        else:
            high, open_high = side, relation in ("<", ">")
    return low, high, open_low, open_high


def _fraction(expr: Any) -> Fraction:
    value = sympy.nsimplify(expr) if not getattr(expr, "is_Rational", False) else expr
    if not value.is_Rational:
        raise ParameterError(f"the bound {expr} is not a rational number", fix="use rational bounds")
    return Fraction(int(value.p), int(value.q))


def _simple_within(p: Parameter, low: Fraction | None, high: Fraction | None) -> Iterator[Fraction]:
    """List numbers within bounds, simplest first."""
    if low is not None and high is not None and low > high:
        return
    seen: set[Fraction] = set()
    for value in _candidates(p, low, high):
        if value not in seen and p.contains(value, low, high):
            seen.add(value)
            yield value


def _candidates(p: Parameter, low: Fraction | None, high: Fraction | None) -> list[Fraction]:
    whole = [Fraction(k) for k in range(-6, 7)]
    parts = [Fraction(a, b) for b in range(1, 8) for a in range(1, 3 * b)]
    if low is not None and high is not None:
        found = [low + (high - low) * f for f in (Fraction(a, b) for b in range(1, 13) for a in range(b + 1))]
        if p.integer:
            found = [Fraction(k) for k in range(-(-low.numerator // low.denominator), int(high) + 1)][:200]
        found += [v for v in (*whole, *parts, *(-v for v in parts)) if low <= v <= high]
    elif low is not None:
        start = Fraction(-(-low.numerator // low.denominator)) if p.integer else low
        found = [start + Fraction(k) for k in range(40)] + [low + f for f in parts] + [*whole, *parts]
    elif high is not None:
        found = [high - k for k in range(40)] + [high - f for f in parts]
    else:
        found = [*whole, *parts, *(-f for f in parts)]
    return sorted(set(found), key=lambda v: (height(v), v < 0, v))
