r"""The clairvoyance game for every stack n (Ankenman and Chen 2006; Ganzfried 2015, Proposition 1 and §7.5).

Player 1 knows whether the hand wins; both put 1/2 into the pot. Let c be the probability that player 2 calls a bet x.
A losing hand gains nothing by bluffing x if :math:`\tfrac12 - c(1+x) = -\tfrac12`; facing the all-in n, player 2 gains
nothing by calling if player 1 bluffs with the right fraction of losing hands. The same two inequalities, solved for
equality, are the ends of the interval in which c may lie without giving player 1 a reason to bet x at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.validation.closed_forms.base import Claim, ClosedForm, Comparison, Derivation, Parameters, Scope, truth
from equiform.validation.closed_forms.proofs import Domain, is_zero
from equiform.validation.closed_forms.strategies import evaluate_behaviors, symbolic_behavior
from equiform.validation.exact.equilibrium import exact_equilibrium

N, X = sympy.symbols("n x", positive=True)
_HALF = sympy.Rational(1, 2)


def _with_winner(x: Any, call: Any) -> Any:
    """Player 1's payoff from betting x with a winning hand."""
    return _HALF + call * x


def _with_loser(x: Any, call: Any) -> Any:
    """Player 1's payoff from betting x with a losing hand."""
    return (1 - call) * _HALF - call * (_HALF + x)


def _caller(bluff: Any) -> Any:
    """Player 2's gain from calling the all-in rather than folding, if winning hands always bet."""
    return bluff * (_HALF + N) - (_HALF + N) + _HALF * (1 + bluff)


class ClairvoyanceGame(ClosedForm):
    """The clairvoyance game."""

    name = "clairvoyance"
    title = "The clairvoyance game for stack n"
    source = "Ankenman and Chen 2006; thesis §7.5, Proposition 1"
    scope = Scope("n > 0", lambda n: n > 0)

    def _derive(self) -> Derivation:
        c, b = sympy.symbols("c b")
        indifferent_loser = sympy.Eq(_with_loser(X, c), -_HALF)
        indifferent_caller = sympy.Eq(_caller(b), 0)
        call = sympy.solve(indifferent_loser, c)[0]
        tempted_winner = sympy.Eq(_with_winner(X, c), _with_winner(N, call.subs(X, N)))
        value = _HALF * _with_winner(N, call.subs(X, N)) - _HALF * _HALF
        formulas = {
            "call": call,
            "bluff": sympy.solve(indifferent_caller, b)[0],
            "value": sympy.factor(value),
            "lowest call": call,
            "highest call": sympy.solve(tempted_winner, c)[0],
        }
        return Derivation((indifferent_loser, indifferent_caller, tempted_winner), formulas)

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        s = sympy.Symbol("s", nonnegative=True)
        domain = Domain.above(N, X) & Domain({X: X})  # x ≤ n
        all_in = d["call"].subs(X, N)
        best = _with_winner(N, all_in)
        low, high = d["lowest call"], d["highest call"]
        between = low + (high - low) * s / (1 + s)
        return [
            Claim("a losing hand is indifferent to every bluff", is_zero(_with_loser(X, d["call"]) + _HALF)),
            Claim("a winning hand bets everything", domain.nonnegative(best - _with_winner(X, d["call"]))),
            Claim("player 2 is indifferent to calling the all-in", is_zero(_caller(d["bluff"]))),
            Claim("the bluffing frequency is a probability", domain.nonnegative(d["bluff"])),
            Claim("and at most one", domain.nonnegative(1 - d["bluff"])),
            Claim("the value is both hands' average", is_zero(d["value"] - _HALF * (best - _HALF))),
            Claim("the interval is not empty", domain.nonnegative(high - low)),
            Claim("inside it no bluff of x gains", domain.nonnegative(-_HALF - _with_loser(X, between))),
            Claim("inside it no value bet of x gains", domain.nonnegative(best - _with_winner(X, between))),
            Claim("below it a bluff of x gains", domain.positive(_with_loser(X, low - 1) + _HALF)),
            Claim("above it a value bet of x gains", domain.positive(_with_winner(X, high + 1) - best)),
        ]

    def grid(self) -> Sequence[Parameters]:
        """Take stacks from 1/2 to 100."""
        stacks = [Fraction(k, 2) for k in range(1, 19)] + [Fraction(s) for s in (12, 15, 20, 50, 100)]
        return [{"n": stack} for stack in stacks]

    def game(self, n: Fraction) -> ExtensiveGame:
        """The game with six bets."""
        return compile_rules(Clairvoyance(n, n / 6))

    def behaviors(self, d: Derivation, n: Fraction, calls: str) -> tuple[list[Any], list[Any]]:
        """Return the formulas' strategies, player 2 calling smaller bets by the formula named ``calls``."""
        game = self.game(n)
        sizes = [n * k / 6 for k in range(1, 7)]
        bluff = d.at("bluff", n=n)

        def opens(key: tuple[str, str]) -> list[Fraction]:
            rate = Fraction(1) if key[0] == "a winning hand" else bluff
            return [1 - rate, *([Fraction(0)] * 5), rate]

        def answers(key: tuple[str, str]) -> list[Fraction]:
            x = sizes[list(_bets(game)).index(key[1])]
            call = min(d.at("call" if x == n else calls, n=n, x=x), Fraction(1))
            return [1 - call, call]

        first, second = game.treeplexes
        return symbolic_behavior(first, opens), symbolic_behavior(second, answers)

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        n = parameters["n"]
        game = self.game(n)
        found = [Comparison("the value", d.at("value", n=n), exact_equilibrium(game).value)]
        for calls in ("call", "lowest call", "highest call"):
            conv = evaluate_behaviors(game, self.behaviors(d, n, calls)).nash_conv
            found.append(Comparison(f"nash_conv when smaller bets meet the {calls}", Fraction(0), conv))
        # one step outside the interval, at the third smallest bet, player 1 gains
        for calls, step in (("lowest call", -1), ("highest call", 1)):
            first, second = self.behaviors(d, n, calls)
            outside = second[6] + sympy.Rational(step, 1000)
            if 0 <= outside <= 1:
                second[5:7] = [1 - outside, outside]
                gains = evaluate_behaviors(game, (first, second)).nash_conv > 0
                found.append(Comparison(f"player 1 gains beyond the {calls}", truth(True), truth(gains)))
        return found


def _bets(game: ExtensiveGame) -> tuple[str, ...]:
    return game.treeplexes[0].actions[0][1:]  # type: ignore[return-value]
