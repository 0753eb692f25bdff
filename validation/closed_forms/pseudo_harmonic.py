r"""The pseudo-harmonic mapping as the solution of its equation (Ganzfried 2015, §7.5 and Proposition 2).

In the clairvoyance game, player 2 still calls every bet x with probability 1/(1+x) while responding only to the sizes A
and B of the abstraction if

.. math:: f \cdot \frac{1}{1+A} + (1-f) \cdot \frac{1}{1+B} = \frac{1}{1+x} .

The Lipschitz constants are the largest difference quotients over x, found where the remaining factor is monotone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from equiform.abstraction.actions.translation import pseudo_harmonic, pseudo_harmonic_median
from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.models.compile import compile_rules
from equiform.validation.closed_forms.base import Claim, ClosedForm, Comparison, Derivation, Parameters, Scope
from equiform.validation.closed_forms.proofs import Domain, is_zero
from equiform.validation.closed_forms.strategies import evaluate_behaviors, symbolic_behavior

A, B, X = sympy.symbols("A B x", nonnegative=True)
A2, B2, X2 = sympy.symbols("A_2 B_2 x_2", nonnegative=True)


class PseudoHarmonic(ClosedForm):
    """The pseudo-harmonic mapping."""

    name = "pseudo-harmonic"
    title = "The pseudo-harmonic mapping"
    source = "thesis §7.5, Proposition 2"
    scope = Scope("0 ≤ A < B", lambda A, B: 0 <= A < B)

    def _derive(self) -> Derivation:
        f = sympy.Symbol("f")
        equation = sympy.Eq(f / (1 + A) + (1 - f) / (1 + B), 1 / (1 + X))
        mapping = sympy.factor(sympy.solve(equation, f)[0])
        median_equation = sympy.Eq(mapping, sympy.Rational(1, 2))
        formulas = {
            "f": mapping,
            "median": sympy.simplify(sympy.solve(median_equation, X)[0]),
            # difference quotients; each is largest at one end of the bets that both arguments allow
            "Lipschitz in x": sympy.factor(_quotient(mapping, X, X2).subs(X, A).subs(X2, A)),
            "Lipschitz in A": sympy.factor(_quotient(mapping, A, A2).subs(X, A2)),
            "Lipschitz in B": sympy.factor(_quotient(mapping, B, B2).subs(X, B)),
        }
        return Derivation((equation, median_equation), formulas)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        f = d["f"]
        t, u = sympy.symbols("t u", nonnegative=True)
        g = sympy.Symbol("g", positive=True)
        domain = Domain.interval(X, A, B) & Domain.above(B, A + g)
        claims = [
            Claim("f(A) = 1", is_zero(f.subs(X, A) - 1)),
            Claim("f(B) = 0", is_zero(f.subs(X, B))),
            Claim("f is not negative", domain.nonnegative(f)),
            Claim("f is at most one", domain.nonnegative(1 - f)),
            Claim("f decreases in x", domain.positive(-sympy.diff(f, X))),
            Claim("f is one half at the median", is_zero(f.subs(X, d["median"]) - sympy.Rational(1, 2))),
        ]
        # x ≤ x₂ anywhere in [A, B]
        steep = d["Lipschitz in x"] - _quotient(f, X, X2)
        at = {X: A + t, X2: A + t + u, B: A + t + u + g}
        claims.append(
            Claim("the Lipschitz constant in x holds", Domain().nonnegative(steep.subs(at, simultaneous=True)))
        )
        # A < A₂ ≤ x ≤ B: the quotient is largest at x = A₂
        steep = d["Lipschitz in A"] - _quotient(f, A, A2)
        at = {A2: A + g, X: A + g + t, B: A + g + t + u}
        claims.append(
            Claim("the Lipschitz constant in A holds", Domain().nonnegative(steep.subs(at, simultaneous=True)))
        )
        # A ≤ x ≤ B < B₂: the quotient is largest at x = B
        steep = d["Lipschitz in B"] - _quotient(f, B, B2)
        at = {X: A + t, B: A + t + u, B2: A + t + u + g}
        claims.append(
            Claim("the Lipschitz constant in B holds", Domain().nonnegative(steep.subs(at, simultaneous=True)))
        )
        return claims

    def grid(self) -> Sequence[Parameters]:
        """Take twenty-five pairs of sizes."""
        lows = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3))
        return [{"A": low, "B": low + gap} for low in lows for gap in (Fraction(1, 2), 1, 2, 7, 50)]

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        low, high = parameters["A"], parameters["B"]
        inside = [low + (high - low) * k / 8 for k in range(9)]
        found = [Comparison("the median", d.at("median", **parameters), pseudo_harmonic_median(low, high))]
        found += [Comparison(f"f at {x}", d.at("f", x=x, **parameters), pseudo_harmonic(low, high, x)) for x in inside]
        middle, further = low + (high - low) / 3, high + 1
        change = pseudo_harmonic(low, high, middle) - pseudo_harmonic(middle, high, middle)
        bound = d.at("Lipschitz in A", A_2=middle, **parameters)
        found.append(Comparison("the constant in A is attained", bound, abs(change) / (middle - low)))
        change = pseudo_harmonic(low, further, high) - pseudo_harmonic(low, high, high)
        bound = d.at("Lipschitz in B", B_2=further, **parameters)
        found.append(Comparison("the constant in B is attained", bound, abs(change)))
        found.append(Comparison("exploitability in the clairvoyance game", Fraction(0), self._exploited(d, low, high)))
        return found

    def _exploited(self, d: Derivation, low: Fraction, high: Fraction) -> Fraction:
        """Translate the equilibrium of the abstraction {0, A, B} in the clairvoyance game with stack B, exactly."""
        game = compile_rules(Clairvoyance(high, high / 8))
        sizes = sorted({Fraction(0), low, high})
        bets = dict(zip(game.treeplexes[0].actions[0][1:], (high * k / 8 for k in range(1, 9)), strict=True))
        bluff = high / (1 + high)

        def opens(key: tuple[str, str]) -> list[Fraction]:
            rate = Fraction(1) if key[0] == "a winning hand" else bluff
            return [1 - rate, *([Fraction(0)] * 7), rate]

        def answers(key: tuple[str, str]) -> list[Any]:
            x = bets[key[1]]
            above = next(s for s in sizes if s >= x)
            below = max(s for s in sizes if s <= x)
            f = Fraction(1) if above == below else d.at("f", A=below, B=above, x=x)
            call = f / (1 + below) + (1 - f) / (1 + above)
            return [1 - call, call]

        first, second = game.treeplexes
        behaviors = symbolic_behavior(first, opens), symbolic_behavior(second, answers)
        return evaluate_behaviors(game, behaviors).nash_conv


def _quotient(f: sympy.Expr, symbol: sympy.Symbol, other: sympy.Symbol) -> sympy.Expr:
    """Return the absolute difference quotient of f between two values, its removable singularity cancelled."""
    change = f - f.subs(symbol, other)
    sign = -1 if symbol == X else 1  # f falls in x and rises in A and in B
    return sympy.cancel(sympy.together(sign * change / (symbol - other)))
