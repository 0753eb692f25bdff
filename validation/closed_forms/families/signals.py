r"""Games with signals uniform on [0, 1], and strategies in thresholds.

Both players see a signal of their own and follow a *plan* (``BET``, ``CHECK-CALL``, …); the outcome of two plans
depends only on whose signal is higher. A strategy is a list of plans with thresholds between them. The payoff of a
plan is piecewise affine in the signal, so a best response is proved at the ends of finitely many intervals
(:mod:`equiform.validation.closed_forms.unit_interval`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy

from equiform.models.common.errors import ParameterError, StrategyError
from equiform.validation.closed_forms.base import Comparison
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.families.equilibrium import number_at
from equiform.validation.closed_forms.proving.expressions import require_names
from equiform.validation.closed_forms.proving.parameters import Parameters, Point
from equiform.validation.closed_forms.proving.prove import require_claim
from equiform.validation.closed_forms.proving.signs import Relation
from equiform.validation.closed_forms.proving.verdict import Check, Deviation, Obligation
from equiform.validation.closed_forms.unit_interval import UnitIntervalGame, regions

#: A plan with the signals that follow it, in numbers.
_Piece = tuple[Fraction, Fraction, str]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """A claimed equilibrium in thresholds.

    Parameters
    ----------
    thresholds
        Expressions by name.
    regions
        One text per player, from signal 0 up: plans and the thresholds between them, as in ``"BET a CHECK b BET"``.
    order
        All thresholds from the lowest to the highest.
    value
        Player 1's expected payoff, if anything is claimed about it.
    """

    thresholds: Mapping[str, Any]
    regions: Sequence[str]
    order: Sequence[str]
    value: Any = None


@dataclass(frozen=True, eq=False)
class SignalFamily(Family[Thresholds]):
    """A two-player game with signals on [0, 1]. Build one with :func:`signal_game`."""

    name: str
    plans: tuple[tuple[str, ...], tuple[str, ...]]
    outcomes: Mapping[tuple[str, str], tuple[sympy.Expr, sympy.Expr]]
    total: sympy.Expr
    parameters: Parameters

    def read(self, claim: Any) -> Thresholds:
        """Parse a claim in thresholds."""
        require_claim(claim, Thresholds, self.name)
        names = require_names(claim.thresholds, f"{self.name}, thresholds")
        if sorted(claim.order) != sorted(names) or len(claim.regions) != 2:
            raise ParameterError(
                "the order does not list every threshold once, or there are not two strategies",
                where=f"{self.name}: {' <= '.join(map(str, claim.order))}",
                fix=f"order {', '.join(names)}, and give one text of regions per player",
            )
        for player, text in enumerate(claim.regions):
            words = text.split()
            plans, cuts = words[::2], words[1::2]
            wrong = [w for w in plans if w not in self.plans[player]] + [w for w in cuts if w not in names]
            if wrong or len(words) % 2 == 0:
                raise ParameterError(
                    f"{text!r} is not a strategy of player {player + 1}",
                    where=f"{self.name}: {(wrong or ['it ends with a threshold'])[0]}",
                    fix=f"put thresholds between plans out of {', '.join(self.plans[player])}",
                )
        thresholds = {k: self.parameters.parse(claim.thresholds[k], f"{self.name}, {k}") for k in names}
        value = None if claim.value is None else self.parameters.parse(claim.value, f"{self.name}, value")
        return Thresholds(thresholds, tuple(claim.regions), tuple(claim.order), value)

    def symbolic(self, claim: Thresholds) -> UnitIntervalGame:
        """Return the game with the claimed strategies, in symbols."""
        first, second = (regions(claim.thresholds, text) for text in claim.regions)
        order = (sympy.Integer(0), *(claim.thresholds[k] for k in claim.order), sympy.Integer(1))
        return UnitIntervalGame(lambda a, b: self.outcomes[a, b], self.plans, (first, second), order, self.total)

    def obligations(self, claim: Thresholds) -> Iterator[Obligation]:
        """Return the relations that make the claim an equilibrium."""
        game = self.symbolic(claim)
        for text, expression in game.relations():
            yield self.must(text, expression)
        if claim.value is not None:
            yield self.must("the payoff is as claimed", game.value() - claim.value, Relation.ZERO)

    def check(self, claim: Thresholds, point: Point) -> Check:
        """Compute payoffs and best responses in fractions, signal by signal, from the outcomes alone."""
        at = tuple(point.items())
        try:
            cuts = {k: number_at(e, self.parameters, point) for k, e in claim.thresholds.items()}
            table = {
                pair: tuple(number_at(e, self.parameters, point) for e in both) for pair, both in self.outcomes.items()
            }
            total = number_at(self.total, self.parameters, point)
            claimed = None if claim.value is None else number_at(claim.value, self.parameters, point)
        except StrategyError as error:
            return Check(at, problem=error.what)
        strategies = [_pieces(text, cuts) for text in claim.regions]
        if any(low > high for pieces in strategies for low, high, _ in pieces):
            return Check(at, problem="the thresholds are not in order")
        deviations = []
        for player in (0, 1):
            best = self._best_deviation(player, strategies, table, total)
            if best is not None:
                deviations.append(best)
        value = _expected(strategies, table)
        found = () if claimed is None else (Comparison("the payoff of player 1", claimed, value),)
        return Check(at, found, tuple(deviations))

    def _best_deviation(self, player: int, strategies: Any, table: Any, total: Fraction) -> Deviation | None:
        """Find the signal at which another plan gains most: at an end of an interval, as payoffs are affine inside."""
        ends = sorted({e for pieces in strategies for low, high, _ in pieces for e in (low, high)})
        best: Deviation | None = None
        for low, high in pairwise(ends):
            plan = next(p for a, b, p in strategies[player] if a <= low and high <= b)
            for s in (low, high):
                mine = _payoff(player, plan, s, strategies[1 - player], table, total)
                for other in self.plans[player]:
                    gain = _payoff(player, other, s, strategies[1 - player], table, total) - mine
                    if gain > (0 if best is None else best.gain):
                        best = Deviation(f"player {player + 1}", f"{other} instead of {plan} at signal {s}", gain)
        return best


def _pieces(text: str, cuts: Mapping[str, Fraction]) -> list[_Piece]:
    words = text.split()
    ends = [Fraction(0), *(cuts[w] for w in words[1::2]), Fraction(1)]
    return [(low, high, plan) for (low, high), plan in zip(pairwise(ends), words[::2], strict=True)]


def _payoff(player: int, plan: str, s: Fraction, other: list[_Piece], table: Any, total: Fraction) -> Fraction:
    """Add up what a plan gets with signal s against a strategy: lower signals of the opponent lose."""
    earned = Fraction(0)
    for low, high, theirs in other:
        below, above = max(min(s, high) - low, Fraction(0)), max(high - max(s, low), Fraction(0))
        win, lose = table[plan, theirs] if player == 0 else (total - x for x in reversed(table[theirs, plan]))
        earned += below * win + above * lose
    return earned


def _expected(strategies: Any, table: Any) -> Fraction:
    """Integrate player 1's payoff: affine between neighbouring thresholds, so the mean of both ends."""
    ends = sorted({e for pieces in strategies for low, high, _ in pieces for e in (low, high)})
    total = Fraction(0)
    for low, high in pairwise(ends):
        plan = next(p for a, b, p in strategies[0] if a <= low and high <= b)
        middle = _payoff(0, plan, (low + high) / 2, strategies[1], table, Fraction(0))
        total += (high - low) * middle
    return total


def signal_game(
    name: str,
    plans: Sequence[Sequence[str]],
    outcomes: Mapping[tuple[str, str], Sequence[Any]],
    parameters: Mapping[str, str] | Parameters | None = None,
    total: Any = 0,
) -> SignalFamily:
    """Return a family of games with signals on [0, 1].

    Parameters
    ----------
    name
        What to call it.
    plans
        Both players' plans.
    outcomes
        For each pair of plans, what player 1 gets with the higher and with the lower signal.
    parameters
        Conditions by name.
    total
        What both payoffs sum to: 0, or the pot.
    """
    known = Parameters.of(parameters)
    if len(plans) != 2:
        raise ParameterError(f"there are plans for {len(plans)} players", where=name, fix="pass them for two")
    both: dict[tuple[str, str], tuple[Any, Any]] = {}
    for a in plans[0]:
        for b in plans[1]:
            given = outcomes.get((a, b))
            if given is None or isinstance(given, str) or len(given) != 2:
                raise ParameterError(
                    f"the outcome of {a} and {b} is missing",
                    where=name,
                    fix="pass what player 1 gets with the higher and with the lower signal",
                )
            first, second = (known.parse(e, f"{name}, {a} / {b}") for e in given)
            both[a, b] = (first, second)
    return SignalFamily(name, (tuple(plans[0]), tuple(plans[1])), both, known.parse(total, name), known)
