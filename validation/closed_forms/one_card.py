r"""One-card poker with n cards: its value as a closed form, for every n from 3.

The thirteen-card game is Gordon's (Ganzfried 2015, §10.7.3, prints an equilibrium but not the value). We know of no
published formula for general n; this one is derived and proved here. With n cards the value is

.. math:: v_n = \frac{1}{n(n-1)} \left( c_{n \bmod 6} - \frac{n(n+1)}{18} \right), \qquad
          c = \left( \tfrac12, \tfrac19, \tfrac12, \tfrac13, \tfrac{11}{18}, \tfrac13 \right),

which is :math:`-1/18` for Kuhn's three cards, :math:`-5/78` for thirteen, and :math:`-1/18` again in the limit.

*Player 2* bluffs the lowest cards, of total weight S, bets the highest, V, after a check, and calls with the highest,
C. Player 1's indifference (calling with a middle card; betting the lowest; betting the highest) yields three equations:

.. math:: 3S = V, \qquad (n-1) - 3C = -(n-1), \qquad C = S + V .

*Player 1* bets the lowest cards with probability p and the highest with q, and after a check calls with the highest
cards only, of weight G among the middle ones. Player 2's indifference (calling with a middle card; the last bluff; and
for even n the middle card that is bet half the time) determines p, q and G. Odd n leave a choice; we balance the calls
below and above player 2's weakest bet.

A card at the edge of a weight is played with the remaining probability. Each residue of n modulo 6 is proved for all n
at once (:mod:`equiform.validation.closed_forms.card_blocks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import sympy

from equiform.games.poker.kuhn import Kuhn
from equiform.models.compile import compile_rules
from equiform.validation.closed_forms.base import Claim, ClosedForm, Comparison, Derivation, Parameters, Scope
from equiform.validation.closed_forms.card_blocks import Block, CardBlocks
from equiform.validation.closed_forms.proofs import is_zero
from equiform.validation.closed_forms.strategies import evaluate_behaviors, symbolic_behavior
from equiform.validation.exact.equilibrium import exact_equilibrium

M = sympy.Symbol("m", integer=True, nonnegative=True)
N = sympy.Symbol("n", integer=True, positive=True)
_RESIDUES = (1, 2, 3, 4, 5, 6)  # n = 6m + r
_LARGE = 7  # an m at which the cuts of the deck stand in their general order; the proof covers the smaller ones


def _first(r: int) -> int:
    """The smallest m with at least three cards."""
    return 0 if r >= 3 else 1


def weights_of_player_2() -> tuple[tuple[sympy.Eq, ...], dict[str, sympy.Expr]]:
    """Solve player 1's indifference equations for player 2's weights S, V and C, in n."""
    s, v, c = sympy.symbols("S V C")
    middle_card_calls = sympy.Eq(3 * s, v)
    lowest_card_bets = sympy.Eq((N - 1) - 3 * c, -(N - 1))
    highest_card_bets = sympy.Eq((N - 1) + (c - 1), (N - 1) + (s + v - 1))
    equations = (middle_card_calls, lowest_card_bets, highest_card_bets)
    solution = sympy.solve(equations, [s, v, c], dict=True)[0]
    return equations, {"S": solution[s], "V": solution[v], "C": solution[c]}


def weights_of_player_1(r: int) -> tuple[tuple[sympy.Eq, ...], dict[str, sympy.Expr]]:
    """Solve player 2's indifference equations for player 1's p, q and G, in m, for n = 6m + r."""
    n = 6 * M + r
    low = M if r == 1 else M + 1  # the cards that player 2 bluffs with, rounded up
    high = (n - 1 - (n - 1).subs(M, 0) % 2) / 2  # the cards that player 2 always bets, rounded down
    middle = sympy.expand(n - low - high)
    p, q, g = sympy.symbols("p q G")
    checked = high * (1 - q)  # high cards that player 1 checks
    middle_card_calls = sympy.Eq(3 * p * low, q * high)
    # the last bluff: folders above pay 2, callers above cost 1
    last_bluff = sympy.Eq(2 * (middle - g) - g - checked, 0)
    # even n: the highest middle card is bet half the time; odd n: calls below and above balance
    edge = sympy.Eq(g - 1, checked) if r % 2 == 0 else sympy.Eq(g, checked)
    equations = (middle_card_calls, last_bluff, edge)
    solution = sympy.solve(equations, [p, q, g], dict=True)[0]
    found = {"p": solution[p], "q": solution[q], "G": solution[g], "low": low, "high": high}
    return equations, {k: sympy.factor(f) for k, f in found.items()}


def profile(r: int, two: dict[str, sympy.Expr], one: dict[str, sympy.Expr]) -> CardBlocks:
    """Cut the deck of n = 6m + r cards into blocks."""
    n = 6 * M + r
    s, v, c = (sympy.expand(two[k].subs(N, n)) for k in "SVC")
    cuts: dict[sympy.Expr, None] = {sympy.Integer(0): None}
    for weight in (s, n - v, n - c, one["low"], n - one["high"] - one["G"], n - one["high"], n):
        whole = sympy.expand(weight)
        rest = whole.subs(M, 0) - sympy.floor(whole.subs(M, 0))
        cuts[sympy.expand(whole - rest)] = None
        if rest != 0:
            cuts[sympy.expand(whole - rest + 1)] = None
    edges = sorted(cuts, key=lambda cut: cut.subs(M, _LARGE))
    blocks = []
    for start, end in pairwise(edges):
        block = Block(
            length=sympy.expand(end - start),
            bet=one["p"] * _share(start, end, 0, one["low"]) + one["q"] * _share(start, end, n - one["high"], n),
            call=_share(start, end, n - one["high"] - one["G"], n),
            answer_bet=_share(start, end, 0, s) + _share(start, end, n - v, n),
            answer_call=_share(start, end, n - c, n),
        )
        blocks.append(block)
    return CardBlocks(blocks)


def _share(start: sympy.Expr, end: sympy.Expr, low: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
    """Return how much of each card between two cuts a weight from ``low`` to ``high`` covers.

    Cuts are made so that this is all, nothing, or the left-over part of a single card.
    """
    a, b, x, y = (sympy.sympify(e).subs(M, _LARGE) for e in (start, end, low, high))
    if y <= a or x >= b:
        return sympy.Integer(0)
    return sympy.Integer(1) if x <= a and b <= y else min(b, y) - max(a, x)


class OneCardPoker(ClosedForm):
    """The value of one-card poker with n cards."""

    name = "one-card"
    title = "One-card poker: the value for every deck"
    source = "our derivation; the game is thesis §10.7.3"
    scope = Scope("a whole number n ≥ 3", lambda n: n >= 3 and n.denominator == 1)

    def _derive(self) -> Derivation:
        equations, two = weights_of_player_2()
        formulas: dict[str, sympy.Expr] = {f"player 2: {k}": f for k, f in two.items()}
        for r in _RESIDUES:
            more, one = weights_of_player_1(r)
            equations += more
            formulas |= {f"player 1, n = 6m + {r}: {k}": f for k, f in one.items()}
            deals = profile(r, two, one).value()
            in_n = sympy.expand(deals.subs(M, (N - r) / sympy.Integer(6)))
            formulas[f"value, n = 6m + {r}"] = sympy.factor(in_n / (N * (N - 1)))
        return Derivation(equations, formulas)

    def _parts(self, d: Derivation, r: int) -> CardBlocks:
        two = {k: d[f"player 2: {k}"] for k in "SVC"}
        one = {k: d[f"player 1, n = 6m + {r}: {k}"] for k in ("p", "q", "G", "low", "high")}
        return profile(r, two, one)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        return [claim for r in _RESIDUES for claim in self.claims_for(r, d)]

    def claims_for(self, r: int, d: Derivation | None = None) -> list[Claim]:
        """Decide the claims about n = 6m + r cards, r from 1 to 6."""
        d = self.derive() if d is None else d
        blocks = self._parts(d, r)
        kind = f"n = 6m + {r}"
        claims = [Claim(f"{kind}: the blocks make up the deck", is_zero(blocks.cards - (6 * M + r)))]
        claims += [Claim(f"{kind}: {c.text}", c.proved) for c in blocks.claims(M, _first(r))]
        deals = d[f"value, n = 6m + {r}"] * N * (N - 1)
        return [*claims, Claim(f"{kind}: the value", is_zero(deals.subs(N, 6 * M + r) - blocks.value()))]

    def grid(self) -> Sequence[Parameters]:
        """Take 3 to 24 cards, and a few large decks."""
        return [{"n": n} for n in (*range(3, 25), 31, 44, 57)]

    def value(self, n: int, d: Derivation | None = None) -> Fraction:
        """Return the value for n cards.

        >>> print(OneCardPoker().value(13))
        -5/78
        """
        r = (n - 1) % 6 + 1
        return (self.derive() if d is None else d).at(f"value, n = 6m + {r}", n=n)

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        n = int(parameters["n"])
        r, m = (n - 1) % 6 + 1, (n - 1) // 6
        game = compile_rules(Kuhn(n))
        table: list[tuple[sympy.Expr, ...]] = []
        for block in self._parts(d, r).blocks:
            at = tuple(
                sympy.sympify(e).subs(M, m) for e in (block.bet, block.call, block.answer_bet, block.answer_call)
            )
            table += [at] * int(block.length.subs(M, m))
        if len(table) != n:
            return [Comparison("cards in the blocks", Fraction(len(table)), Fraction(n))]
        column = {"": 0, "cb": 1, "c": 2, "b": 3}

        def rule(key: tuple[int, str]) -> tuple[sympy.Expr, sympy.Expr]:
            p = table[key[0]][column[key[1]]]
            return 1 - p, p

        conv = evaluate_behaviors(game, [symbolic_behavior(t, rule) for t in game.treeplexes]).nash_conv
        return [
            Comparison("the value", self.value(n, d), exact_equilibrium(game).value),
            Comparison("nash_conv of the blocks' profile", Fraction(0), conv),
        ]

    def latex(self) -> str:
        """Write the value for each residue."""
        formulas = self.derive().formulas
        lines = [
            rf"v_n &= {sympy.latex(formulas[f'value, n = 6m + {r}'])} && n \equiv {r % 6} \pmod 6" for r in _RESIDUES
        ]
        return " \\\\\n".join(lines)
