r"""One-card poker with blocks of cards that are played the same way, for any number of cards at once.

The deck is cut, from the lowest card up, into blocks; within a block every card is played with the same
probabilities. For the card at place t of a block, what a player gains by one action over the other is a sum over the
other cards, lower and higher: **linear in t**. So an inequality holds throughout a block if it holds at its two ends,
and with lengths and probabilities in symbols a finite number of inequalities proves an equilibrium for all decks of a
family.

All gains below are multiplied by the number n − 1 of cards that the opponent may hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from equiform.validation.closed_forms.base import Claim
from equiform.validation.closed_forms.proofs import Domain, is_zero

_T = sympy.Symbol("t")


@dataclass(frozen=True, eq=False)
class Block:
    """Consecutive cards that are played the same way."""

    length: sympy.Expr
    bet: sympy.Expr
    call: sympy.Expr
    answer_bet: sympy.Expr
    answer_call: sympy.Expr


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weights of the opponent's cards below and above the card at place t of a block."""

    below: sympy.Expr
    above: sympy.Expr


class CardBlocks:
    """A profile of one-card poker in blocks, lowest first."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = [b for b in blocks if not is_zero(b.length)]
        self.cards = sympy.expand(sum(b.length for b in self.blocks))

    def _sums(self, k: int, weights: Sequence[Any]) -> _Sums:
        """Sum a weight per card over the cards below and above place t of block k, excluding the card itself."""
        below = sum((b.length * w for b, w in zip(self.blocks[:k], weights[:k], strict=True)), sympy.Integer(0))
        above = sum(
            (b.length * w for b, w in zip(self.blocks[k + 1 :], weights[k + 1 :], strict=True)), sympy.Integer(0)
        )
        own = self.blocks[k].length
        return _Sums(below + (_T - 1) * weights[k], above + (own - _T) * weights[k])

    def gains(self, k: int) -> dict[str, sympy.Expr]:
        """Return what betting or calling gains over the other action, for each decision at place t of block k."""
        bets = self._sums(k, [b.bet for b in self.blocks])
        callers = self._sums(k, [(1 - b.bet) * b.call for b in self.blocks])
        folders = self._sums(k, [(1 - b.bet) * (1 - b.call) for b in self.blocks])
        their_bets = self._sums(k, [b.answer_bet for b in self.blocks])
        return {
            # a call wins 2 or loses 2, a fold loses 1
            "answer_call": 3 * bets.below - bets.above,
            "call": 3 * their_bets.below - their_bets.above,
            # a bet after a check wins 1 more of callers below, loses 1 more to those above, takes 2 from folders above
            "answer_bet": callers.below - callers.above + 2 * folders.above,
            "bet": self._opening(k)["bet"] - self._opening(k)["check"],
        }

    def _opening(self, k: int) -> dict[str, sympy.Expr]:
        """Return player 1's payoffs from betting and from checking (and playing on as the profile says)."""
        calls = self._sums(k, [b.answer_call for b in self.blocks])
        folds = self._sums(k, [1 - b.answer_call for b in self.blocks])
        bets = self._sums(k, [b.answer_bet for b in self.blocks])
        checks = self._sums(k, [1 - b.answer_bet for b in self.blocks])
        call = self.blocks[k].call
        facing = call * 2 * (bets.below - bets.above) - (1 - call) * (bets.below + bets.above)
        return {
            "bet": 2 * (calls.below - calls.above) + folds.below + folds.above,
            "check": checks.below - checks.above + facing,
        }

    def value(self) -> sympy.Expr:
        """Return player 1's payoff, times the number n(n − 1) of deals."""
        total = sympy.Integer(0)
        for k, block in enumerate(self.blocks):
            opening = self._opening(k)
            mixed = sympy.expand(block.bet * opening["bet"] + (1 - block.bet) * opening["check"])
            total += sympy.summation(mixed, (_T, 1, block.length))
        return sympy.factor(sympy.expand(total))

    def claims(self, symbol: sympy.Symbol, first: int) -> Iterator[Claim]:
        """Claim that the profile is an equilibrium: every decision of every card is a best response.

        The symbol of the lengths is a whole number from ``first`` on. A block that is empty for the smallest of them
        imposes no condition there.
        """
        for k, block in enumerate(self.blocks):
            yield Claim(f"block {k} is in its place", Domain.above(symbol, first).nonnegative(block.length))
            start = next((m for m in range(first, first + 10) if block.length.subs(symbol, m) >= 1), first)
            domain = Domain.above(symbol, start)
            yield Claim(f"block {k} has cards", domain.nonnegative(block.length - 1))
            for decision, gain in self.gains(k).items():
                p = getattr(block, decision)
                where = f"block {k}, {decision.replace('_', ' ')}"
                yield Claim(f"{where}: a probability", domain.nonnegative(p) and domain.nonnegative(1 - p))
                ends = [sympy.expand(gain.subs(_T, t)) for t in (sympy.Integer(1), block.length)]
                if is_zero(p - 1):
                    yield Claim(f"{where}: it gains", all(domain.nonnegative(e) for e in ends))
                elif is_zero(p):
                    yield Claim(f"{where}: it does not gain", all(domain.nonnegative(-e) for e in ends))
                else:
                    yield Claim(f"{where}: indifferent", all(is_zero(e) for e in ends))
