r"""Symmetric auctions with independent private values and a claimed bid function.

Values in [0, 1] are drawn from a distribution F; the highest of the other n − 1 has distribution
:math:`G = F^{n-1}` and density g. A bidder of value v who bids as if it were z gets, if all others follow b,

======================  ==================================================================================
first price             :math:`U(v, z) = (v - b(z))\,G(z)`
second price            :math:`U(v, z) = v\,G(z) - \int_0^z b\,g`
all-pay                 :math:`U(v, z) = v\,G(z) - b(z)`
war of attrition        :math:`U(v, z) = v\,G(z) - \int_0^z b\,g - b(z)\,(1 - G(z))`
======================  ==================================================================================

(the last is the second-price all-pay auction). If b rises from 0 and :math:`\partial U/\partial z` is non-negative for
:math:`z \le v` and non-positive for :math:`z \ge v`, nobody gains by another bid: those above b(1) win no more often
than b(1) and cost no less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from equiform.models.common.arguments import require_name
from equiform.validation.closed_forms.base import Comparison
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.proving.parameters import Parameter, Parameters, Point
from equiform.validation.closed_forms.proving.prove import require_claim
from equiform.validation.closed_forms.proving.signs import Relation, as_fraction
from equiform.validation.closed_forms.proving.verdict import Check, Deviation, Obligation

V, Z = (sympy.Symbol(name, positive=True) for name in "vz")


@dataclass(frozen=True)
class _Rule:
    """How an auction is paid for."""

    slope: Callable[..., Any]
    """The derivative of U in z, from v, b(z), b'(z), G(z) and g(z)."""
    own: Callable[[Any], Any]
    """The share of the own bid in the average payment, from G: what is paid whatever the others bid below."""
    of_others: bool
    """Whether the winner pays the highest other bid."""


RULES: Mapping[str, _Rule] = {
    "first price": _Rule(lambda v, b, slope, G, g: (v - b) * g - slope * G, lambda G: G, False),
    "second price": _Rule(lambda v, b, slope, G, g: (v - b) * g, lambda G: 0, True),
    "all-pay": _Rule(lambda v, b, slope, G, g: v * g - slope, lambda G: 1, False),
    "war of attrition": _Rule(lambda v, b, slope, G, g: v * g - slope * (1 - G), lambda G: 1 - G, True),
}
_STEPS = 6
_ROUNDING = Fraction(1, 10**15)  # where logarithms stay, twenty digits are compared


@dataclass(frozen=True, eq=False)
class BidFunction:
    """A claimed symmetric equilibrium: the bid as an expression in the value v, and the seller's expected revenue."""

    bid: Any
    revenue: Any = None


@dataclass(frozen=True, eq=False)
class AuctionFamily(Family[BidFunction]):
    """An auction rule with a number of bidders and a distribution of values. Build one with :func:`auction`."""

    name: str
    rule: str
    bidders: sympy.Expr
    distribution: sympy.Expr
    parameters: Parameters

    def read(self, claim: Any) -> BidFunction:
        """Parse a bid function in v."""
        require_claim(claim, BidFunction, self.name)
        bid = self.parameters.parse(claim.bid, f"{self.name}, bid", {"v": V})
        revenue = None if claim.revenue is None else self.parameters.parse(claim.revenue, f"{self.name}, revenue")
        return BidFunction(bid, revenue)

    def G(self, at: Any) -> sympy.Expr:
        """The distribution of the highest of the other values."""
        return self.distribution.subs(V, at) ** (self.bidders - 1)

    def g(self, at: Any) -> sympy.Expr:
        """Its density."""
        F, f = self.distribution, sympy.diff(self.distribution, V)
        return ((self.bidders - 1) * F ** (self.bidders - 2) * f).subs(V, at)

    def obligations(self, claim: BidFunction) -> Iterator[Obligation]:
        """Return the relations that make the bid function an equilibrium."""
        one = sympy.Integer(1)
        value = self.parameters.with_parameter(Parameter(V, sympy.Integer(0), one, True, True))
        yield self.must("nobody has a value below 0", self.distribution.subs(V, 0), Relation.ZERO)
        yield self.must("nobody has a value above 1", self.distribution.subs(V, 1) - 1, Relation.ZERO)
        yield self.must("the distribution rises", sympy.diff(self.distribution, V), Relation.NONNEGATIVE, value)
        yield self.must("the least value bids nothing", _at_zero(claim.bid), Relation.ZERO)
        yield self.must("the bid rises with the value", sympy.diff(claim.bid, V), Relation.POSITIVE, value)
        bid, slope = claim.bid.subs(V, Z), sympy.diff(claim.bid, V).subs(V, Z)
        gain = sympy.simplify(RULES[self.rule].slope(V, bid, slope, self.G(Z), self.g(Z)))
        below = value.with_parameter(Parameter(Z, sympy.Integer(0), V, True, False))
        above = value.with_parameter(Parameter(Z, V, one, False, True))
        yield self.must("bidding less loses", gain, Relation.NONNEGATIVE, below)
        yield self.must("bidding more loses", -gain, Relation.NONNEGATIVE, above)
        if claim.revenue is not None:
            yield self.must("the revenue is as claimed", self.revenue(claim) - claim.revenue, Relation.ZERO)

    def revenue(self, claim: BidFunction) -> sympy.Expr:
        r"""Return the seller's expected revenue: what bidders pay of their own bids, and of the highest other one.

        The latter is :math:`\int_0^1 \int_0^v b g f = \int_0^1 b\, g\, (1 - F)`.
        """
        rule, F, f = RULES[self.rule], self.distribution, sympy.diff(self.distribution, V)
        paid = claim.bid * rule.own(self.G(V)) * f
        if rule.of_others:
            paid += claim.bid * self.g(V) * (1 - F)
        if paid.has(sympy.log(1 - V)):
            paid = paid.subs(V, 1 - V)  # sympy integrates log(v) more safely than log(1 - v)
        return sympy.simplify(self.bidders * sympy.integrate(sympy.expand(sympy.powsimp(paid)), (V, 0, 1)))

    def _paid(self, bid: sympy.Expr, z: Any) -> sympy.Expr:
        """Return what a bidder pays on average who bids as if the value were z, a number."""
        rule = RULES[self.rule]
        paid = bid.subs(V, z) * rule.own(self.G(z))
        return paid + (sympy.integrate(sympy.expand(bid * self.g(V)), (V, 0, z)) if rule.of_others else 0)

    def check(self, claim: BidFunction, point: Point) -> Check:
        """Compare U itself, not its derivative, at values and bids on a grid, and the revenue by integration."""
        numbers = self.parameters.substitution(point)
        here = AuctionFamily(self.name, self.rule, self.bidders.subs(numbers), self.distribution.subs(numbers), _NONE)
        bid = sympy.sympify(claim.bid).subs(numbers)
        grid = [sympy.Rational(k, _STEPS) for k in range(1, _STEPS)]
        wins, paid = {z: here.G(z) for z in grid}, {z: here._paid(bid, z) for z in grid}
        best: Deviation | None = None
        for v, z in product(grid, grid):
            gain = _number(v * (wins[z] - wins[v]) - (paid[z] - paid[v]))
            if gain > (_ROUNDING if best is None else best.gain):
                best = Deviation(f"a bidder of value {v}", f"bidding as if it were {z}", gain)
        comparisons = []
        if claim.revenue is not None:
            claimed = as_fraction(sympy.simplify(claim.revenue.subs(numbers)))
            computed = as_fraction(sympy.simplify(here.revenue(BidFunction(bid))))
            if claimed is not None and computed is not None:
                comparisons.append(Comparison("the revenue", claimed, computed))
        return Check(tuple(point.items()), tuple(comparisons), () if best is None else (best,))


_NONE = Parameters()


def _at_zero(bid: sympy.Expr) -> sympy.Expr:
    value = bid.subs(V, 0)
    return sympy.limit(bid, V, 0, "+") if value.has(sympy.nan, sympy.zoo, sympy.oo) else value


def _number(value: Any) -> Fraction:
    exact = as_fraction(value)
    return Fraction(str(sympy.N(value, 20))) if exact is None else exact


def auction(
    name: str,
    rule: str,
    bidders: Any = 2,
    distribution: Any = "v",
    parameters: Mapping[str, str] | Parameters | None = None,
) -> AuctionFamily:
    """Return a family of symmetric auctions.

    Parameters
    ----------
    name
        What to call it.
    rule
        One of :data:`RULES`.
    bidders
        Their number, at least two: an expression in the parameters.
    distribution
        The distribution function of a value on [0, 1], an expression in v; ``"v"`` is uniform.
    parameters
        Conditions by name.
    """
    known = Parameters.of(parameters)
    return AuctionFamily(
        name,
        require_name(rule, RULES, "auction rule", name),
        known.parse(bidders, f"{name}, bidders"),
        known.parse(distribution, f"{name}, distribution", {"v": V}),
        known,
    )
