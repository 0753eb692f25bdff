r"""Small proofs by computer algebra: signs of rational functions, and best responses in symbols.

A rational function is proved non-negative on a domain by mapping the domain onto :math:`[0, \infty)^k` (an interval
:math:`[a, b)` by :math:`a + (b - a)\,t/(1+t)`, a ray by a shift) and finding that numerator and denominator have no
negative coefficient. This is sufficient but not necessary: ``False`` means "not proved".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex
from equiform.validation.closed_forms.base import Claim


@dataclass(frozen=True, eq=False)
class Domain:
    """Where the symbols live, as expressions in fresh symbols that range over the non-negative numbers."""

    map: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)

    @staticmethod
    def interval(symbol: sympy.Symbol, low: Any, high: Any) -> Domain:
        """Let a symbol range over ``[low, high)``; a closed inequality then holds at ``high`` too, by continuity."""
        t = sympy.Symbol(f"{symbol.name}_t", nonnegative=True)
        return Domain({symbol: low + (sympy.sympify(high) - low) * t / (1 + t)})

    @staticmethod
    def above(symbol: sympy.Symbol, low: Any) -> Domain:
        """Let a symbol range over ``[low, ∞)``; ``low`` may contain other symbols."""
        return Domain({symbol: low + sympy.Symbol(f"{symbol.name}_s", nonnegative=True)})

    def __and__(self, other: Domain) -> Domain:
        """Combine: the expressions of ``self`` may contain symbols of ``other``."""
        return Domain({**self.map, **other.map})

    def nonnegative(self, expr: Any) -> bool:
        """Return whether an expression was proved non-negative on the domain."""
        signs = [_sign(p) for p in self._fraction(expr)]
        return signs[0] == 0 or (None not in signs and signs[0] == signs[1])

    def positive(self, expr: Any) -> bool:
        """Return whether an expression was proved positive on the domain: some term has only positive symbols."""
        numerator, denominator = self._fraction(expr)
        least = [p.subs({s: 0 for s in p.free_symbols if not s.is_positive}) for p in (numerator, denominator)]
        return self.nonnegative(expr) and not any(is_zero(p) for p in least)

    def _fraction(self, expr: Any) -> tuple[sympy.Expr, sympy.Expr]:
        e = sympy.sympify(expr)
        for _ in self.map:  # symbols may refer to each other
            e = e.subs(self.map, simultaneous=True)
        numerator, denominator = sympy.fraction(sympy.cancel(sympy.together(e)))
        return numerator, denominator


def _sign(polynomial: sympy.Expr) -> int | None:
    """Return 1 or -1 if all coefficients have that sign, 0 for zero, ``None`` if they differ."""
    p = sympy.expand(polynomial)
    symbols = sorted(p.free_symbols, key=str)
    coefficients = sympy.Poly(p, *symbols).coeffs() if symbols else [p]
    signs = {int(sympy.sign(c)) for c in coefficients} - {0}
    if not signs:
        return 0
    return signs.pop() if len(signs) == 1 else None


def is_zero(expr: Any) -> bool:
    """Return whether an expression is identically zero."""
    # `cancel` may leave sums of numbers unevaluated; `expand` adds them up
    return bool(sympy.expand(sympy.cancel(sympy.together(sympy.expand(expr)))) == 0)


def gradient(game: SequenceForm, player: int, opponent: Sequence[Any]) -> list[sympy.Expr]:
    """Return a player's payoff per unit of each own sequence against a symbolic plan of the opponent, exactly."""
    payoff: MatrixPayoff = game.matrix_payoff
    rows, cols = (payoff.rows, payoff.cols) if player == 0 else (payoff.cols, payoff.rows)
    sign = 1 if player == 0 else -1
    result: list[Any] = [sympy.Integer(0)] * game.treeplexes[player].num_sequences
    for r, c, k in zip(rows.tolist(), cols.tolist(), payoff.numerators.tolist(), strict=True):
        result[r] += sympy.Rational(sign * int(k), payoff.denominator) * opponent[c]
    return result


def plan(treeplex: Treeplex, behavior: Sequence[Any]) -> list[sympy.Expr]:
    """Multiply a symbolic behavioural strategy out into its realization plan."""
    result = [sympy.Integer(1)] * treeplex.num_sequences
    for h in range(treeplex.num_infosets):
        for s in range(int(treeplex.start[h]), int(treeplex.start[h + 1])):
            result[s] = sympy.expand(result[int(treeplex.parent[h])] * behavior[s])
    return result


def best_response_claims(
    treeplex: Treeplex, earned: Sequence[Any], behavior: Sequence[Any], domain: Domain
) -> Iterator[Claim]:
    """Claim that a symbolic behavioural strategy is a best response, information set by information set.

    Working backwards, an action that may be played must be worth as much as every other action that may be played, and
    no less than the actions that are not.
    """
    value = [sympy.sympify(e) for e in earned]
    for h in range(treeplex.num_infosets - 1, -1, -1):
        own = range(int(treeplex.start[h]), int(treeplex.start[h + 1]))
        played = [s for s in own if not is_zero(behavior[s])]
        best = value[played[0]]
        where = f"{treeplex.player}, {treeplex.infoset_label(h)}"
        names = {s: treeplex.actions[h][s - own[0]] for s in own}
        yield Claim(f"{where}: the probabilities sum to one", is_zero(sum(behavior[s] for s in own) - 1))
        for s in own:
            if s in played:
                yield Claim(f"{where}: {names[s]} has a probability", domain.nonnegative(behavior[s]))
                if s != played[0]:
                    text = f"{where}: {names[s]} is as good as {names[played[0]]}"
                    yield Claim(text, is_zero(value[s] - best))
            else:
                text = f"{where}: {names[played[0]]} is no worse than {names[s]}"
                yield Claim(text, domain.nonnegative(best - value[s]))
        value[int(treeplex.parent[h])] += best


def equilibrium_claims(
    game: SequenceForm, behaviors: tuple[Sequence[Any], Sequence[Any]], value: Any, domain: Domain
) -> Iterator[Claim]:
    """Claim that two symbolic behavioural strategies are an equilibrium with the given value."""
    plans = [plan(t, b) for t, b in zip(game.treeplexes, behaviors, strict=True)]
    for player in (0, 1):
        earned = gradient(game, player, plans[1 - player])
        yield from best_response_claims(game.treeplexes[player], earned, behaviors[player], domain)
        if player == 0:
            total = sum(e * x for e, x in zip(earned, plans[0], strict=True))
            yield Claim("the profile is worth the claimed value", is_zero(total - value))
