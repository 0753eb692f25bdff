r"""Games with continuous actions: quantities, prices, effort; in one stage or several.

Every player chooses a number x from an interval. Later players see earlier actions, so their claimed actions may be
expressions in them, and must be best responses to *all* earlier actions (subgame perfection). With everybody else, and
everybody later, as claimed, a player's payoff is a function of x alone. It is largest at the claimed :math:`x^*` if

.. math:: \pi'(x^*) = 0 \quad\text{and}\quad \pi''(x) \le 0 \ \text{ for all } x ,

or, where the payoff is given in pieces (who undercuts takes the market), if no piece exceeds :math:`\pi(x^*)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from equiform.models.common.errors import ParameterError, StrategyError
from equiform.validation.closed_forms.base import Comparison
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.families.equilibrium import number_at
from equiform.validation.closed_forms.proving.expressions import require_names
from equiform.validation.closed_forms.proving.parameters import Parameter, Parameters, Point
from equiform.validation.closed_forms.proving.prove import require_claim
from equiform.validation.closed_forms.proving.signs import Relation, is_zero
from equiform.validation.closed_forms.proving.verdict import Check, Deviation, Obligation

_STEPS = 12


@dataclass(frozen=True, eq=False)
class Piece:
    """A payoff for own actions strictly between two ends, or at one point if both are the same."""

    low: Any
    high: Any
    payoff: Any


@dataclass(frozen=True, eq=False)
class ContinuousPlayer:
    """A player, the name of the action, its payoff in all actions, and the interval to choose from.

    ``high`` may be left out for an unbounded interval. ``pieces`` replace ``payoff`` where it is not smooth. Players
    with a larger ``stage`` move later and see what came before.
    """

    name: str
    action: str
    payoff: Any = None
    low: Any = 0
    high: Any = None
    pieces: Sequence[Piece] = ()
    stage: int = 0


@dataclass(frozen=True, eq=False)
class Actions:
    """Claimed actions by name, in the parameters and in earlier actions; and payoffs, in the players' order."""

    actions: Mapping[str, Any]
    values: Sequence[Any] = ()


@dataclass(frozen=True, eq=False)
class OligopolyFamily(Family[Actions]):
    """Players with continuous actions. Build one with :func:`continuous_game`."""

    name: str
    players: tuple[ContinuousPlayer, ...]
    symbols: Mapping[str, sympy.Symbol]
    parameters: Parameters

    def read(self, claim: Any) -> Actions:
        """Parse claimed actions."""
        require_claim(claim, Actions, self.name)
        if set(claim.actions) != set(self.symbols) or len(claim.values) > len(self.players):
            raise ParameterError(
                "the claim does not name every action exactly once",
                where=self.name,
                fix=f"pass {', '.join(self.symbols)}, and at most one value per player",
            )
        found = {}
        for player in self.players:
            before = {p.action: self.symbols[p.action] for p in self.players if p.stage < player.stage}
            where = f"{self.name}, {player.action}"
            found[player.action] = self.parameters.parse(claim.actions[player.action], where, before)
        return Actions(found, [self.parameters.parse(v, f"{self.name}, value") for v in claim.values])

    def _others(self, claim: Actions, player: ContinuousPlayer) -> list[tuple[sympy.Symbol, sympy.Expr]]:
        """Return the claimed actions of those in the same stage and later, latest first."""
        later = sorted((p for p in self.players if p.stage >= player.stage and p is not player), key=lambda p: -p.stage)
        return [(self.symbols[p.action], claim.actions[p.action]) for p in later]

    def _substituted(self, claim: Actions, player: ContinuousPlayer, expr: Any) -> sympy.Expr:
        e = sympy.sympify(expr)
        for symbol, action in self._others(claim, player):
            e = e.subs(symbol, action)
        return e

    def _before(self, player: ContinuousPlayer) -> Parameters:
        """Return the parameters with the actions that a player has seen."""
        known = self.parameters
        for p in self.players:
            if p.stage < player.stage:
                known = known.with_parameter(Parameter(self.symbols[p.action], p.low, p.high))
        return known

    def obligations(self, claim: Actions) -> Iterator[Obligation]:
        """Return the relations that make the claim an equilibrium."""
        for player in self.players:
            seen = self._before(player)
            x, mine = self.symbols[player.action], claim.actions[player.action]
            low, high = (None if b is None else self._substituted(claim, player, b) for b in (player.low, player.high))
            yield self.must(f"{player.name}: {player.action} is not too low", mine - low, where=seen)
            if high is not None:
                yield self.must(f"{player.name}: {player.action} is not too high", high - mine, where=seen)
            if player.pieces:
                yield from self._piecewise(claim, player, seen)
                continue
            payoff = self._substituted(claim, player, player.payoff)
            slope = sympy.diff(payoff, x)
            yield self.must(f"{player.name}: first-order condition", slope.subs(x, mine), Relation.ZERO, seen)
            own = seen.with_parameter(Parameter(x, low, high))
            yield self.must(f"{player.name}: second-order condition", -sympy.diff(slope, x), where=own)
        for player, value in zip(self.players, claim.values, strict=False):
            gap = self._on_path(claim, self._payoff_at(claim, player)) - value
            yield self.must(f"{player.name}: the payoff is as claimed", gap, Relation.ZERO)

    def _piecewise(self, claim: Actions, player: ContinuousPlayer, seen: Parameters) -> Iterator[Obligation]:
        x = self.symbols[player.action]
        best = self._payoff_at(claim, player)
        for k, piece in enumerate(player.pieces):
            low, high = (None if e is None else self._substituted(claim, player, e) for e in (piece.low, piece.high))
            payoff = self._substituted(claim, player, piece.payoff)
            text = f"{player.name}: piece {k + 1} does not pay more"
            if high is not None and is_zero(high - low):
                yield self.must(text, best - payoff.subs(x, low), where=seen)
            else:
                yield self.must(text, best - payoff, where=seen.with_parameter(Parameter(x, low, high, True, True)))

    def _payoff_at(self, claim: Actions, player: ContinuousPlayer) -> sympy.Expr:
        """Return a player's payoff from the claimed action."""
        x, mine = self.symbols[player.action], claim.actions[player.action]
        if not player.pieces:
            return self._substituted(claim, player, player.payoff).subs(x, mine)
        for piece in player.pieces:  # a point wins over an interval that ends there
            low, high = (None if e is None else self._substituted(claim, player, e) for e in (piece.low, piece.high))
            if high is not None and is_zero(high - low) and is_zero(mine - low):
                return self._substituted(claim, player, piece.payoff).subs(x, mine)
        raise ParameterError(
            f"no piece of {player.name}'s payoff is the claimed action itself",
            where=self.name,
            fix="pass a piece for that very point",
        )

    def _on_path(self, claim: Actions, expr: sympy.Expr) -> sympy.Expr:
        for p in sorted(self.players, key=lambda p: -p.stage):
            expr = expr.subs(self.symbols[p.action], claim.actions[p.action])
        return expr

    def check(self, claim: Actions, point: Point) -> Check:
        """Try other actions on a grid, exactly, with everybody later responding as claimed."""
        at = tuple(point.items())
        try:
            deviations = [d for p in self.players if (d := self._better(claim, p, point)) is not None]
            comparisons = [
                Comparison(
                    f"the payoff of {p.name}",
                    number_at(v, self.parameters, point),
                    number_at(self._on_path(claim, self._payoff_at(claim, p)), self.parameters, point),
                )
                for p, v in zip(self.players, claim.values, strict=False)
            ]
        except StrategyError as error:
            return Check(at, problem=error.what)
        return Check(at, tuple(comparisons), tuple(deviations))

    def _better(self, claim: Actions, player: ContinuousPlayer, point: Point) -> Deviation | None:
        """Find the action on a grid that gains most, where those before have played as claimed."""
        x, at = self.symbols[player.action], self.parameters.substitution(point)

        def alone(expr: Any) -> sympy.Expr | None:
            """Leave nothing but the own action."""
            if expr is None:
                return None
            e = self._substituted(claim, player, expr)
            for p in sorted(self.players, key=lambda p: -p.stage):
                if p.stage < player.stage:
                    e = e.subs(self.symbols[p.action], claim.actions[p.action])
            return e.subs(at)

        mine = number_at(alone(claim.actions[player.action]), _NONE, {})
        low = number_at(alone(player.low), _NONE, {})
        high = max(2 * mine - low, low) + 1 if player.high is None else number_at(alone(player.high), _NONE, {})
        if not low <= mine <= high:
            raise StrategyError(f"{player.action} = {mine} is not between {low} and {high}")
        pieces = player.pieces or (Piece(None, None, player.payoff),)
        parts = [(alone(p.low), alone(p.high), alone(p.payoff)) for p in pieces]
        tried = {low + (high - low) * Fraction(k, _STEPS) for k in range(_STEPS + 1)}
        tried |= {mine * Fraction(k, 8) for k in (6, 7, 9, 10) if low <= mine * Fraction(k, 8) <= high}
        here, best = _payoff(parts, x, mine), None
        for other in sorted(tried):
            payoff = _payoff(parts, x, other)
            if payoff is not None and here is not None and payoff - here > (0 if best is None else best.gain):
                best = Deviation(player.name, f"choosing {player.action} = {other}", payoff - here)
        return best


_NONE = Parameters()


def _payoff(parts: Any, x: sympy.Symbol, action: Fraction) -> Fraction | None:
    """Evaluate the piece that an action falls into."""
    value = sympy.Rational(action.numerator, action.denominator)
    for low, high, payoff in parts:
        point = high is not None and low == high == value
        between = (low is None or low < value) and (high is None or value < high)
        if point or between:
            return number_at(payoff.subs(x, value), _NONE, {})
    return None


def continuous_game(
    name: str, players: Sequence[ContinuousPlayer], parameters: Mapping[str, str] | Parameters | None = None
) -> OligopolyFamily:
    """Return a family of games with continuous actions; expressions may be texts in parameters and actions."""
    known = Parameters.of(parameters)
    names = require_names([p.action for p in players], f"{name}, actions")
    if len(set(names)) != len(names) or set(names) & set(known.symbols):
        raise ParameterError("an action's name is used twice", where=name, fix="use a different name for each action")
    symbols = {action: sympy.Symbol(action, real=True) for action in names}

    def parse(expr: Any) -> Any:
        return None if expr is None else known.parse(expr, f"{name}, payoffs", symbols)

    read = tuple(
        ContinuousPlayer(
            p.name,
            p.action,
            parse(p.payoff),
            parse(p.low),
            parse(p.high),
            tuple(Piece(parse(q.low), parse(q.high), parse(q.payoff)) for q in p.pieces),
            p.stage,
        )
        for p in players
    )
    if any((p.payoff is None) == (not p.pieces) for p in read):
        raise ParameterError("a player has no payoff, or two", where=name, fix="pass either `payoff` or `pieces`")
    return OligopolyFamily(name, read, symbols, known)
