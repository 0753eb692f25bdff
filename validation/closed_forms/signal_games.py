r"""Two games on the unit interval: §11.3 for every pot ρ, and Kuhn poker with infinitely many cards for every bet b.

§11.3: player 1 bets 1 or checks a pot of ρ, player 2 calls or folds, the *lower* signal wins; three thresholds. Kuhn
poker on the interval, :math:`G_\infty` of §11.8.1, with antes of 1 and a bet of b (the thesis has b = 1): six
thresholds. The equations are indifference at each threshold. They are compared with the equations that
:mod:`equiform.models.signals.indifference` generates from the betting tree, solved in rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from equiform.games.poker.signal_games import bet_or_check, bet_or_check_model
from equiform.models.signals.deals import uniform_signals
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import Decision, Showdown, SignalGame
from equiform.validation.closed_forms.base import (
    Claim,
    ClosedForm,
    Comparison,
    Derivation,
    Parameters,
    Scope,
    rational,
)
from equiform.validation.closed_forms.parametric import RHO, bet_or_check_closed_form, exact_thresholds
from equiform.validation.closed_forms.proofs import Domain, is_zero
from equiform.validation.closed_forms.unit_interval import Outcome, UnitIntervalGame, regions

BET = sympy.Symbol("b", positive=True)


class Section113(ClosedForm):
    """The motivating example of chapter 11 for every pot."""

    name = "section-11.3"
    title = "Value bet and bluff on the unit interval, pot ρ"
    source = "thesis §11.3"
    scope = Scope("rho > 0", lambda rho: rho > 0)

    def _derive(self) -> Derivation:
        thresholds = bet_or_check_closed_form()
        game = self._game(thresholds)
        return Derivation((), {**thresholds, "value": sympy.factor(game.value())})

    def _game(self, d: Any) -> UnitIntervalGame:
        # the lower signal wins: count signals from the top, so that the higher one does
        flipped = {k: 1 - d[k] for k in "abc"}

        def outcome(first: str, second: str) -> Outcome:
            if first == "CHECK":
                return RHO, 0
            return (RHO + 1, -1) if second == "CALL" else (RHO, RHO)

        return UnitIntervalGame(
            outcome,
            (("BET", "CHECK"), ("CALL", "FOLD")),
            (regions(flipped, "BET b CHECK a BET"), regions(flipped, "FOLD c CALL")),
            (sympy.Integer(0), flipped["b"], flipped["c"], flipped["a"], sympy.Integer(1)),
            total=RHO,
        )

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        game = self._game(d.formulas)
        claims = list(game.claims(Domain({RHO: RHO})))
        return [*claims, Claim("the value is that of the profile", is_zero(game.value() - d["value"]))]

    def grid(self) -> Sequence[Parameters]:
        """Take pots from 1/4 to 100; the thesis's figure has 1."""
        return [{"rho": Fraction(k, 4)} for k in range(1, 18)] + [{"rho": Fraction(k)} for k in (6, 10, 30, 100)]

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        exact = exact_thresholds(bet_or_check(parameters["rho"]), bet_or_check_model())
        return [Comparison(f"threshold {k}", d.at(k, **parameters), exact[k]) for k in "abc"]


class InfiniteKuhn(ClosedForm):
    """Kuhn poker on the unit interval for every bet."""

    name = "kuhn-infinity"
    title = "Kuhn poker with infinitely many cards, bet b"
    source = "thesis §11.8.1 (b = 1)"
    scope = Scope("b > 0", lambda b: b > 0)

    def _derive(self) -> Derivation:
        a, b, c, d, e, f = names = sympy.symbols("a b c d e f")
        pot = 1 + BET  # what a called bet wins
        equations = (
            sympy.Eq(e - pot * (1 - e), -1),  # at a: bet, or check and fold
            sympy.Eq(pot * d - pot * (1 - f), -d - (1 - f)),  # at b: call or fold to bluffs below d and bets above f
            sympy.Eq(pot * d + (f - d) + pot * (c - f), e + pot * (c - e)),  # at c: check and call, or bet
            sympy.Eq((b - a) - pot * (c - b), (d - a) - (c - d)),  # at d: bluff after a check, or check
            sympy.Eq(pot * a - pot * (1 - c), -a - (1 - c)),  # at e: call or fold to bluffs and value bets
            sympy.Eq((f - a) - (c - f), (b - a) + pot * (f - b) - pot * (c - f)),  # at f: check, or bet for value
        )
        (solved,) = sympy.linsolve(equations, *names)
        formulas = {str(s): sympy.factor(x) for s, x in zip(names, solved, strict=True)}
        formulas["value"] = sympy.factor(self._game(formulas).value())
        return Derivation(equations, formulas)

    def _game(self, d: Any) -> UnitIntervalGame:
        at_one = sorted("abcdef", key=lambda k: rational(sympy.sympify(d[k]).subs(BET, 1)))

        def outcome(first: str, second: str) -> Outcome:
            facing_bet, facing_check = second.split("/")
            if first == "BET":
                return (1 + BET, -1 - BET) if facing_bet == "CALL" else (1, 1)
            if facing_check == "CHECK":
                return 1, -1
            return (1 + BET, -1 - BET) if first == "CHECK-CALL" else (-1, -1)

        answers = [f"{x}/{y}" for x in ("CALL", "FOLD") for y in ("BET", "CHECK")]
        return UnitIntervalGame(
            outcome,
            (("BET", "CHECK-FOLD", "CHECK-CALL"), answers),
            (
                regions(d, "BET a CHECK-FOLD b CHECK-CALL c BET"),
                regions(d, "FOLD/BET d FOLD/CHECK e CALL/CHECK f CALL/BET"),
            ),
            (sympy.Integer(0), *(d[k] for k in at_one), sympy.Integer(1)),
        )

    def _prove(self, d: Derivation) -> Sequence[Claim]:
        game = self._game(d.formulas)
        claims = list(game.claims(Domain({BET: BET})))
        return [*claims, Claim("the value is that of the profile", is_zero(game.value() - d["value"]))]

    def grid(self) -> Sequence[Parameters]:
        """Take bets from 1/4 to 50; the thesis has 1."""
        return [{"b": Fraction(k, 4)} for k in range(1, 18)] + [{"b": Fraction(k)} for k in (6, 10, 50)]

    def game(self, bet: Fraction) -> SignalGame:
        """Build the betting tree with antes of 1 and this bet."""
        stake = 1 + bet
        called = Showdown.pot((stake, stake), (0, 1))
        after_bet = Decision(1, {"CALL": called, "FOLD": Showdown.settled(1, -1)})
        check_bet = Decision(0, {"CALL": called, "FOLD": Showdown.settled(-1, 1)})
        after_check = Decision(1, {"BET": check_bet, "CHECK": Showdown.pot((1, 1), (0, 1))})
        root = Decision(0, {"BET": after_bet, "CHECK": after_check})
        players = ("player 1", "player 2")
        return SignalGame.from_betting(f"bet {bet}", players, root, uniform_signals(), lower_wins=False)

    def _compare(self, d: Derivation, **parameters: Fraction) -> Sequence[Comparison]:
        players = ["BET a CHECK-FOLD b CHECK-CALL c BET", "FOLD/BET d FOLD/CHECK e CALL/CHECK f CALL/BET"]
        model = ParametricModel.parse("bluff, check, value bet", players, order="a <= d <= b <= e <= f <= c")
        exact = exact_thresholds(self.game(parameters["b"]), model)
        return [Comparison(f"threshold {k}", d.at(k, **parameters), exact[k]) for k in "abcdef"]
