r"""Proposition 5: purifying an abstract equilibrium can gain any k (Ganzfried 2015, Figure 8.2).

.. math:: \begin{array}{c|ccc} & L & M & R \\ \hline U & 2 & 0 & -3k-1 \\ D & 0 & 1 & -1 \end{array}

The abstraction drops R. Its equilibrium follows from two indifference equations. That of the full game
follows from dominance: R is player 2's only best response to D, and D is player 1's only best response to R, so this
equilibrium is unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy

from equiform.games.matrix import figure_8_2
from equiform.models.normal_form import NormalForm
from equiform.validation.closed_forms.base import (
    Claim,
    ClosedForm,
    Comparison,
    Derivation,
    Parameters,
    Scope,
    rational,
)
from equiform.validation.closed_forms.proofs import Domain, is_zero
from equiform.validation.exact.equilibrium import exact_equilibrium

K = sympy.Symbol("k", positive=True)
_U, _D = (2, 0, -3 * K - 1), (0, 1, -1)


class Proposition5(ClosedForm):
    """Purification gains exactly k."""

    name = "proposition-5"
    title = "Purification can gain any k"
    source = "thesis §8.3, Proposition 5"
    scope = Scope("k > 0", lambda k: k > 0)

    def _derive(self) -> Derivation:
        u, left = sympy.symbols("u l")
        row_mixes = sympy.Eq(u * _U[0] + (1 - u) * _D[0], u * _U[1] + (1 - u) * _D[1])
        column_mixes = sympy.Eq(left * _U[0] + (1 - left) * _U[1], left * _D[0] + (1 - left) * _D[1])
        up = sympy.solve(row_mixes, u)[0]
        formulas = {
            "abstract U": up,
            "abstract L": sympy.solve(column_mixes, left)[0],
            "value": sympy.Integer(_D[2]),
            "unpurified": sympy.expand(up * _U[2] + (1 - up) * _D[2]),
            "purified": sympy.sympify(_D[2] if up < sympy.Rational(1, 2) else _U[2]),
        }
        formulas["gain"] = sympy.expand(formulas["purified"] - formulas["unpurified"])
        return Derivation((row_mixes, column_mixes), formulas)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        up, left = d["abstract U"], d["abstract L"]
        domain = Domain({K: K})
        return [
            Claim("abstract: player 2 is indifferent", is_zero(up * (_U[0] - _U[1]) + (1 - up) * (_D[0] - _D[1]))),
            Claim("abstract: player 1 is indifferent", is_zero(left * (_U[0] - _D[0]) + (1 - left) * (_U[1] - _D[1]))),
            Claim("abstract: both mix, so the equilibrium is unique", 0 < up < 1 and 0 < left < 1),
            Claim("full: D is player 1's only answer to R", domain.positive(_D[2] - _U[2])),
            Claim("full: R is player 2's only answer to D", _D[2] < min(_D[:2])),
            Claim("the purified strategy is D", bool(up < sympy.Rational(1, 2))),
            Claim("the value is the payoff at (D, R)", is_zero(d["value"] - _D[2])),
            Claim("the gain is k", is_zero(d["gain"] - K)),
        ]

    def grid(self) -> Sequence[Parameters]:
        """Take k from 1/10 to 1000."""
        ks = [Fraction(k, 10) for k in range(1, 11)] + [Fraction(k) for k in (2, 3, 5, 7, 10, 20, 50, 100, 300, 1000)]
        return [{"k": k} for k in ks]

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        full = figure_8_2(parameters["k"])
        abstract = NormalForm(
            "fig-8.2 without R", full.players, (full.actions[0], full.actions[1][:2]), full.payoffs[:, :, :2]
        )
        whole, part = exact_equilibrium(full), exact_equilibrium(abstract)
        row, column = part.strategies[0].probabilities[1:], whole.strategies[1].probabilities[1:]
        payoffs = full.payoffs[0]
        unpurified = sum(row[i] * payoffs[i, j] * column[j] for i in range(2) for j in range(3))
        pure = 0 if row[0] > row[1] else 1
        purified = sum(payoffs[pure, j] * column[j] for j in range(3))
        return [
            Comparison("the abstract probability of U", rational(d["abstract U"]), row[0]),
            Comparison("the abstract probability of L", rational(d["abstract L"]), part.strategies[1].probabilities[1]),
            Comparison("the value", d.at("value", **parameters), whole.value),
            Comparison("the unpurified payoff", d.at("unpurified", **parameters), Fraction(unpurified)),
            Comparison("the purified payoff", d.at("purified", **parameters), Fraction(purified)),
            Comparison("the gain", d.at("gain", **parameters), Fraction(purified - unpurified)),
        ]
