r"""Deciding the sign of an expression on a domain: exactly in one parameter, by coefficients in several.

*One parameter* with rational bounds: the numerator and the denominator are polynomials in one variable, and Sturm
sequences count their roots. The answer is always found, true or false, and so is the region on which it is true. For a
whole-number parameter the finitely many values up to the last root are tried one by one.

*Several parameters*: on each chart of the domain (:mod:`equiform.validation.closed_forms.proving.parameters`) every
irreducible factor must have coefficients of one sign; factors of even power count as squares. Where that fails the
chart is cut in two, a few times: where one of two variables is the larger, :math:`t = u + s` or :math:`u = t + s`, and
at one, :math:`t = s/(1+s)` or :math:`t = 1 + s`. This proves and never disproves: ``None`` means undecided.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import sympy

from equiform.validation.closed_forms.proving.parameters import Chart, Parameter, Parameters, Point

_MOST_PIECES = 40
_TRIED = 24  # points that an undecided inequality is tried at before its domain is cut
_MOST_TERMS = 2_000
_MOST_INTEGERS = 2_000


class Relation(StrEnum):
    """What an expression is claimed to be."""

    ZERO = "= 0"
    NONNEGATIVE = ">= 0"
    POSITIVE = "> 0"


def is_zero(expr: Any) -> bool:
    """Whether an expression is identically zero."""
    e = sympy.sympify(expr)
    if e.is_number and e.is_Rational:
        return bool(e == 0)
    if not _is_rational(e):
        e = sympy.simplify(sympy.powsimp(sympy.expand(e, power_base=True, log=True)))
    # `cancel` may leave sums of numbers unevaluated; `expand` adds them up
    return bool(sympy.expand(sympy.cancel(e)) == 0)


def holds_at(expr: Any, relation: Relation, parameters: Parameters, point: Point) -> bool | None:
    """Whether the relation holds at one point; ``None`` where the expression is not defined there."""
    value = sympy.sympify(expr).subs(parameters.substitution(point))
    if value.free_symbols or value.has(sympy.zoo, sympy.nan, sympy.oo):
        return None
    if not value.is_Rational:
        value = sympy.nsimplify(sympy.simplify(value))
    if relation is Relation.ZERO:
        return bool(value == 0) if value.is_Rational else bool(sympy.simplify(value) == 0)
    return bool(value > 0 if relation is Relation.POSITIVE else value >= 0)


def decide(expr: Any, relation: Relation, parameters: Parameters) -> bool | None:
    """Decide whether a relation holds on the whole domain: yes, no, or not found out.

    >>> where = Parameters.of({"a": "a > 0", "b": "0 <= b <= a"})
    >>> decide(where.parse("a^2 - a*b"), Relation.NONNEGATIVE, where)
    True
    """
    e = sympy.sympify(expr)
    if relation is Relation.ZERO:
        return is_zero(e)
    e = sympy.cancel(e) if _is_rational(e) else _without_positive_factors(e)
    if e == 0 or is_zero(e):
        return relation is not Relation.POSITIVE
    used = [p for p in parameters if p.symbol in e.free_symbols]
    if not used:
        return bool(e > 0 if relation is Relation.POSITIVE else e >= 0)
    try:
        return _decide(e, relation, parameters.about(used), used)
    except sympy.PolynomialError:  # not a rational function, in the end
        return None


def _decide(e: sympy.Expr, relation: Relation, parameters: Parameters, used: list[Parameter]) -> bool | None:
    if len(used) == 1 and _numeric(used[0]) and _is_rational(e):
        return _decide_exactly(e, relation, used[0])
    charts = parameters.charts()
    if all(_decide_on_chart(e, relation, chart, 1) for chart in charts):
        return True
    if any(holds_at(e, relation, parameters, point) is False for point in parameters.points(_TRIED)):
        return False
    if all(_decide_on_chart(e, relation, chart, _MOST_PIECES) for chart in charts):
        return True
    return True if _whole_numbers_apart(e, relation, parameters) else None


def _without_positive_factors(expr: sympy.Expr) -> sympy.Expr:
    """Leave out powers of positive numbers such as :math:`z^{n-2}`, which have no influence on the sign."""
    product = sympy.factor(sympy.powsimp(sympy.simplify(expr)))
    return sympy.Mul(*(f for f in sympy.Mul.make_args(product) if f.is_number or not f.is_positive))


# -- one parameter -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Interval:
    """A piece of a parameter's domain."""

    low: Any
    high: Any
    open_low: bool = False
    open_high: bool = False

    def text(self, name: str) -> str:
        """Write it as a condition."""
        if self.low == self.high:
            return f"{name} = {self.low}"
        left = "" if self.low == -sympy.oo else f"{self.low} {'<' if self.open_low else '<='} "
        right = "" if self.high == sympy.oo else f" {'<' if self.open_high else '<='} {self.high}"
        return f"{left}{name}{right}" if left or right else f"every {name}"


def region(expr: Any, p: Parameter) -> list[Interval] | None:
    """Return where a rational function of one parameter is non-negative; ``None`` if that is not found."""
    if not _is_rational(expr) or not _numeric(p) or expr.free_symbols - {p.symbol}:
        return None
    numerator, denominator = _fraction_of(expr)
    low, high = _limits(p)
    cuts: dict[Any, bool] = {}  # roots, and whether the expression is undefined there
    for polynomial, pole in ((numerator, False), (denominator, True)):
        if p.symbol in polynomial.free_symbols:
            for root in sympy.real_roots(sympy.Poly(polynomial, p.symbol), multiple=False):
                if low <= root[0] <= high:
                    cuts[root[0]] = pole or cuts.get(root[0], False)
    ends = [(low, p.low is None or p.open_low), *sorted(cuts.items()), (high, p.high is None or p.open_high)]
    ends = _merged(ends)
    found: list[Interval] = []
    for (a, open_a), (b, open_b) in pairwise(ends):
        if expr.subs(p.symbol, _between(a, b)) < 0:
            continue
        piece = Interval(a, b, open_a, open_b)
        if found and found[-1].high == a and not found[-1].open_high:
            before = found.pop()
            piece = Interval(before.low, b, before.open_low, open_b)
        found.append(piece)
    return found


def intersection(first: list[Interval], second: list[Interval]) -> list[Interval]:
    """Return what two lists of intervals have in common; single points are left out."""
    found = []
    for a in first:
        for b in second:
            low, open_low = max((a.low, a.open_low), (b.low, b.open_low), key=lambda end: (end[0], end[1]))
            high, closed = min((a.high, not a.open_high), (b.high, not b.open_high), key=lambda end: (end[0], end[1]))
            if low < high:
                found.append(Interval(low, high, open_low, not closed))
    return found


def _merged(ends: list[tuple[Any, bool]]) -> list[tuple[Any, bool]]:
    """Join a root with the end of the domain that it falls on."""
    found: list[tuple[Any, bool]] = []
    for value, is_open in ends:
        if found and found[-1][0] == value:
            found[-1] = (value, found[-1][1] or is_open)
        else:
            found.append((value, is_open))
    return found


def _between(a: Any, b: Any) -> Any:
    if a == -sympy.oo:
        return sympy.Integer(0) if b == sympy.oo else sympy.floor(b) - 1
    if b == sympy.oo:
        return sympy.ceiling(a) + 1
    middle = (a + b) / 2
    return middle if middle.is_Rational else sympy.Rational(str(sympy.N(middle, 30)))


def _decide_exactly(expr: sympy.Expr, relation: Relation, p: Parameter) -> bool:
    numerator, denominator = _fraction_of(expr)
    low, high = _limits(p)
    if p.integer:
        return _decide_whole_numbers(numerator * denominator, denominator, relation, p, low, high)
    x = p.symbol
    if _roots(denominator, x, p, low, high, closed=True):
        return False
    product = sympy.factor_list(numerator * denominator, x)
    odd = sympy.prod([f for f, power in product[1] if power % 2])
    if _roots(odd, x, p, low, high, closed=False):
        return False
    if relation is Relation.POSITIVE and _roots(numerator, x, p, low, high, closed=True):
        return False
    inside = _between(low, high)
    return bool((numerator * denominator).subs(x, inside) >= 0)


def _decide_whole_numbers(
    product: sympy.Expr, denominator: sympy.Expr, relation: Relation, p: Parameter, low: Any, high: Any
) -> bool:
    """Try the values up to the last root one by one; beyond it the sign does not change."""
    x = p.symbol
    if x not in product.free_symbols:
        return bool(product > 0 if relation is Relation.POSITIVE else product >= 0)
    if low == -sympy.oo:
        return False
    roots = sympy.real_roots(sympy.Poly(product, x), multiple=False)
    last = max([low, *(sympy.ceiling(r) for r, _ in roots)]) + 1
    last = min(last, high)
    if last - low > _MOST_INTEGERS:
        return False
    first = int(low) + (1 if p.open_low else 0) if low == int(low) else int(sympy.ceiling(low))
    top = int(sympy.floor(last)) - (1 if p.open_high and last == high == sympy.floor(high) else 0)
    for k in range(first, top + 1):
        value = product.subs(x, k)
        if denominator.subs(x, k) == 0 or value < 0 or (relation is Relation.POSITIVE and value == 0):
            return False
    return True


def _roots(polynomial: Any, x: sympy.Symbol, p: Parameter, low: Any, high: Any, *, closed: bool) -> int:
    """Count the real roots within the domain, its own ends included or not."""
    polynomial = sympy.sympify(polynomial)
    if x not in polynomial.free_symbols:
        return 0
    poly = sympy.Poly(polynomial, x)
    count = poly.count_roots(None if low == -sympy.oo else low, None if high == sympy.oo else high)
    for end, is_open in ((low, p.open_low), (high, p.open_high)):
        if end.is_finite and poly.eval(end) == 0 and (is_open or not closed):
            count -= 1
    return int(count)


def _limits(p: Parameter) -> tuple[Any, Any]:
    return (-sympy.oo if p.low is None else p.low), (sympy.oo if p.high is None else p.high)


def _numeric(p: Parameter) -> bool:
    return all(b is None or b.is_Rational for b in (p.low, p.high))


def _fraction_of(expr: Any) -> tuple[sympy.Expr, sympy.Expr]:
    numerator, denominator = sympy.fraction(sympy.cancel(expr))
    return sympy.expand(numerator), sympy.expand(denominator)


def _is_rational(expr: Any) -> bool:
    e = sympy.sympify(expr)
    return bool(e.is_rational_function(*e.free_symbols)) and not e.atoms(sympy.Float)


# -- several parameters ------------------------------------------------------------------------------------------------


def _decide_on_chart(expr: sympy.Expr, relation: Relation, chart: Chart, most: int) -> bool:
    """Multiply the signs of all factors on one chart; ``most`` pieces may be looked at for each."""
    image = chart.apply(expr)
    image = image if _is_rational(image) else sympy.factor(sympy.simplify(image))
    numerator, denominator = sympy.fraction(sympy.cancel(image))
    total, strict = 1, True
    for polynomial, is_denominator in ((numerator, False), (denominator, True)):
        if polynomial.is_number:
            total *= int(sympy.sign(polynomial))
            continue
        constant, factors = sympy.factor_list(polynomial)
        if not constant.is_number:
            return False
        total *= int(sympy.sign(constant))
        for factor, power in factors:
            sign, never_zero = _sign(factor, chart.variables, most)
            if power % 2 == 0 and not is_denominator:
                sign = 1  # a square
            if sign is None or (is_denominator and not never_zero):
                return False
            total *= sign
            strict &= never_zero
    return total >= 0 and (relation is Relation.NONNEGATIVE or (strict and total > 0))


def _sign(polynomial: sympy.Expr, variables: tuple[sympy.Symbol, ...], most: int) -> tuple[int | None, bool]:
    """Return the sign of a polynomial in non-negative variables, and whether it is never zero; ``None`` if unknown."""
    found, strict = 0, True
    waiting: deque[tuple[sympy.Expr, tuple[sympy.Symbol, ...], int]] = deque([(sympy.expand(polynomial), variables, 0)])
    pieces = 0
    while waiting:
        piece, own, depth = waiting.popleft()
        pieces += 1
        sign, never_zero = _factor_sign(piece)
        if sign is None:
            own = tuple(t for t in own if t in piece.free_symbols)
            if pieces + len(waiting) >= most or not own:
                return None, False
            waiting.extend((part, fresh, depth + 1) for part, fresh in _cut(piece, own, depth))
        elif found * sign < 0:
            return None, False
        else:
            found, strict = found or sign, strict and never_zero
    return found, strict


def _cut(
    polynomial: sympy.Expr, variables: tuple[sympy.Symbol, ...], depth: int
) -> list[tuple[sympy.Expr, tuple[sympy.Symbol, ...]]]:
    """Cut a chart in two: where one variable is the larger of a pair, or a single one at 1."""
    cuts: list[tuple[sympy.Symbol, ...]] = [*combinations(variables, 2), *((t,) for t in variables)]
    cut = cuts[depth % len(cuts)]
    fresh = [sympy.Symbol(f"{t.name}_", nonnegative=True) for t in cut]
    if len(cut) == 2:
        moves = [(cut[0], cut[1] + fresh[0], fresh[0]), (cut[1], cut[0] + fresh[1], fresh[1])]
    else:
        moves = [(cut[0], cut[0] / (1 + cut[0]), cut[0]), (cut[0], 1 + fresh[0], fresh[0])]
    found = []
    for old, image, new in moves:
        cleared = (1 + old) ** sympy.degree(polynomial, old) if image.is_Mul else 1  # a positive factor
        part = sympy.expand(sympy.cancel(polynomial.subs(old, image) * cleared))
        found.append((part, tuple(new if t == old else t for t in variables)))
    return found


def _factor_sign(factor: sympy.Expr) -> tuple[int | None, bool]:
    """Look at the coefficients: all of one sign, and some term without variables that may vanish."""
    expanded = sympy.expand(factor)
    if expanded.is_positive or expanded.is_negative:
        return (1 if expanded.is_positive else -1), True
    if not expanded.free_symbols:
        return int(sympy.sign(expanded)), expanded != 0
    poly = sympy.Poly(expanded)
    if len(poly.terms()) > _MOST_TERMS or not all(g.is_nonnegative for g in poly.gens):
        return None, False
    signs = set()
    never_zero = False
    for powers, coefficient in poly.terms():
        if not coefficient.is_number or not coefficient.is_real:
            return None, False
        signs.add(int(sympy.sign(coefficient)))
        never_zero |= all(g.is_positive for g, k in zip(poly.gens, powers, strict=True) if k)
    return (signs.pop(), never_zero) if len(signs) == 1 else (None, False)


def _whole_numbers_apart(expr: sympy.Expr, relation: Relation, parameters: Parameters, depth: int = 0) -> bool:
    """Split the first value off a whole-number parameter, and decide both parts."""
    whole = [p for p in parameters if p.integer and p.low is not None and p.low.is_Integer and p.high is None]
    if not whole or depth == 3:
        return False
    p = whole[0]
    first: Any = sympy.Integer(p.low) + (1 if p.open_low else 0)
    rest = [q for q in parameters if q is not p]
    fixed = [
        Parameter(
            q.symbol,
            None if q.low is None else q.low.subs(p.symbol, first),
            None if q.high is None else q.high.subs(p.symbol, first),
            q.open_low,
            q.open_high,
            q.integer,
        )
        for q in rest
    ]
    if decide(expr.subs(p.symbol, first), relation, Parameters(tuple(fixed))) is not True:
        return False
    later = Parameters(
        tuple(Parameter(q.symbol, first + 1, None, False, False, True) if q is p else q for q in parameters)
    )
    if all(_decide_on_chart(expr, relation, chart, _MOST_PIECES) for chart in later.charts()):
        return True
    return _whole_numbers_apart(expr, relation, later, depth + 1)


def as_fraction(value: Any) -> Fraction | None:
    """Turn a sympy number into a Fraction, if it is one."""
    value = sympy.cancel(sympy.sympify(value))
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None
