r"""Games with signals uniform on [0, 1] and threshold strategies: payoffs and best responses in symbols.

A *plan* says what a player does at every turn (``CHECK-CALL``, ``FOLD/BET``); a strategy is a list of regions from 0
to 1, each with a plan. For a signal s between two neighbouring thresholds of either player, the payoff of a plan is
affine in s: whole regions of the opponent lie below or above, and at most one is cut by s. So "this plan is a best
response throughout this interval" is proved by checking the two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import sympy

from equiform.validation.closed_forms.base import Claim
from equiform.validation.closed_forms.proofs import Domain

#: What player 1 gets for a pair of plans, with the higher signal and with the lower one.
Outcome = tuple[Any, Any]

_S = sympy.Symbol("s")


@dataclass(frozen=True, eq=False)
class Region:
    """Signals from ``low`` to ``high`` follow ``plan``."""

    low: Any
    high: Any
    plan: str


@dataclass(frozen=True, eq=False)
class UnitIntervalGame:
    """Two strategies and the outcome of every pair of plans; ``order`` lists all thresholds from 0 to 1."""

    outcome: Callable[[str, str], Outcome]
    plans: tuple[Sequence[str], Sequence[str]]
    regions: tuple[Sequence[Region], Sequence[Region]]
    order: Sequence[Any]
    total: Any = 0
    """What both payoffs sum to: 0, or the pot."""

    def payoff(self, player: int, plan: str, at: int) -> sympy.Expr:
        """Return the payoff of a plan for signals s between thresholds ``at`` and ``at + 1``: affine in s."""
        low, high = self.order[at], self.order[at + 1]
        places = [self._place(p) for p in (low, high)]
        result = sympy.Integer(0)
        for region in self.regions[1 - player]:
            wins, loses = self._outcome(player, plan, region.plan)
            start, end = self._place(region.low), self._place(region.high)
            if end <= places[0]:
                below, above = region.high - region.low, sympy.Integer(0)
            elif start >= places[1]:
                below, above = sympy.Integer(0), region.high - region.low
            else:
                below, above = _S - region.low, region.high - _S
            result += below * wins + above * loses
        return sympy.expand(result)

    def _outcome(self, player: int, own: str, other: str) -> Outcome:
        if player == 0:
            return self.outcome(own, other)
        wins, loses = self.outcome(other, own)
        return self.total - loses, self.total - wins  # player 2 wins where player 1 loses

    def _place(self, threshold: Any) -> int:
        """Find a threshold in the order; equal ones share the first place."""
        wanted = _canonical(threshold)
        return next(k for k, t in enumerate(self.order) if _canonical(t) == wanted)

    def value(self) -> sympy.Expr:
        """Return player 1's payoff."""
        total = sympy.Integer(0)
        for region in self.regions[0]:
            for at in range(self._place(region.low), self._place(region.high)):
                bounds = (_S, self.order[at], self.order[at + 1])
                total += sympy.integrate(self.payoff(0, region.plan, at), bounds)
        return sympy.factor(total)

    def relations(self) -> Iterator[tuple[str, sympy.Expr]]:
        """Return what must not be negative if both strategies are best responses at every signal."""
        for k, (low, high) in enumerate(pairwise(self.order)):
            yield f"threshold {k} is not above the next", high - low
        for player in (0, 1):
            for region in self.regions[player]:
                for at in range(self._place(region.low), self._place(region.high)):
                    best = self.payoff(player, region.plan, at)
                    for other in self.plans[player]:
                        if other == region.plan:
                            continue
                        gap = best - self.payoff(player, other, at)
                        text = f"player {player + 1}, interval {at}: {region.plan} is no worse than {other}"
                        for k, end in ((at, "below"), (at + 1, "above")):
                            yield f"{text}, at its end {end}", gap.subs(_S, self.order[k])

    def claims(self, domain: Domain) -> Iterator[Claim]:
        """Claim that both strategies are best responses at every signal."""
        for text, expression in self.relations():
            yield Claim(text, domain.nonnegative(expression))


@cache
def _canonical(expr: Any) -> Any:
    return sympy.cancel(sympy.together(sympy.sympify(expr)))


def regions(thresholds: Mapping[str, Any], text: str) -> list[Region]:
    """Read ``"BET a CHECK b BET"``: plans and the thresholds between them."""
    words = text.split()
    cuts = [sympy.Integer(0), *(thresholds[w] for w in words[1::2]), sympy.Integer(1)]
    return [Region(low, high, plan) for (low, high), plan in zip(pairwise(cuts), words[::2], strict=True)]
