r"""Extensive games whose payoffs and chance probabilities are expressions.

The rules object is the same as everywhere (:class:`equiform.models.rules.Rules`); only that ``payoffs`` and
``probabilities`` return expressions. With :math:`w_i(\sigma)` the sum over leaves after player i's sequence
:math:`\sigma` of payoff, chance and the *others'* probabilities, a strategy is a best response if at every information
set, working backwards, an action that may be played is worth as much as the others that may be, and no less than those
that are not. Where a player's own strategy never arrives this asks more than Nash does: a claim that fails only there
comes out as open, never as refuted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from equiform.models.common.errors import GameError, ParameterError, StrategyError
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL, Rules
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.families.equilibrium import (
    Equilibrium,
    check_profile,
    number_at,
    read_distribution,
)
from equiform.validation.closed_forms.proving.parameters import Parameters, Point
from equiform.validation.closed_forms.proving.prove import require_claim
from equiform.validation.closed_forms.proving.signs import Relation, is_zero
from equiform.validation.closed_forms.proving.verdict import Check, Obligation

_MOST_NODES = 20_000

#: A player's sequence: the information set and the number of the move; ``None`` before the first.
Sequence_ = tuple[Hashable, int] | None


@dataclass(eq=False)
class _Infoset:
    player: int
    key: Hashable
    actions: tuple[str, ...]
    parent: Sequence_


@dataclass(eq=False)
class _Leaf:
    chance: sympy.Expr
    moves: tuple[tuple[int, Hashable, int], ...]
    payoffs: tuple[sympy.Expr, ...]


@dataclass(frozen=True, eq=False)
class TreeFamily(Family[Equilibrium]):
    """A game tree with expressions at its leaves and on chance's branches. Build one with :func:`tree_game`."""

    name: str
    rules: Rules
    parameters: Parameters
    infosets: dict[tuple[int, Hashable], _Infoset] = field(repr=False)
    leaves: list[_Leaf] = field(repr=False)
    chance: tuple[sympy.Expr, ...] = field(default=(), repr=False)
    """Chance's probabilities, as far as they contain parameters."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(self.rules.players)

    def own(self, player: int) -> list[_Infoset]:
        """Return a player's information sets, parents first."""
        return [h for h in self.infosets.values() if h.player == player]

    def read(self, claim: Any) -> Equilibrium:
        """Parse a claimed equilibrium: per player, probabilities by the words of the information set."""
        require_claim(claim, Equilibrium, self.name)
        if len(claim.strategies) != len(self.players):
            raise ParameterError(
                f"{len(claim.strategies)} strategies for {len(self.players)} players", where=self.name, fix="one each"
            )
        strategies: list[dict[Hashable, list[sympy.Expr]]] = []
        for i, given in enumerate(claim.strategies):
            words = {self.rules.describe(h.key): h for h in self.own(i)}
            if not isinstance(given, Mapping) or set(given) != set(words):
                wrong = set(words) ^ set(given if isinstance(given, Mapping) else ())
                raise ParameterError(
                    f"the strategy of {self.players[i]} does not fit its information sets",
                    where=f"{self.name}: {min(map(str, wrong), default='')!r}",
                    fix=f"pass probabilities for each of {', '.join(map(repr, words))}",
                )
            strategies.append(
                {
                    h.key: read_distribution(given[w], h.actions, self.parameters, f"{self.name}, {w}")
                    for w, h in words.items()
                }
            )
        return Equilibrium(strategies, [self.parameters.parse(v, f"{self.name}, value") for v in claim.values])

    def worth(self, player: int, strategies: Any) -> dict[Sequence_, sympy.Expr]:
        """Add up, for each of a player's sequences, the leaves right after it, weighted by chance and the others."""
        parts: dict[Sequence_, list[Any]] = {None: []}
        for h in self.own(player):
            parts.update({(h.key, k): [] for k in range(len(h.actions))})
        for leaf in self.leaves:
            own = [(key, k) for i, key, k in leaf.moves if i == player]
            others = [strategies[i][key][k] for i, key, k in leaf.moves if i != player]
            if any(o == 0 for o in others):
                continue
            parts[own[-1] if own else None].append(leaf.chance * sympy.prod(others) * leaf.payoffs[player])
        return {s: _added(terms) for s, terms in parts.items()}

    def obligations(self, claim: Equilibrium) -> Iterator[Obligation]:
        """Return the relations that make the claim an equilibrium, information set by information set."""
        for p in self.chance:
            yield self.must("chance has a probability", p)
        for i, player in enumerate(self.players):
            value = self.worth(i, claim.strategies)
            for h in reversed(self.own(i)):
                where = f"{player}, {self.rules.describe(h.key)}"
                yield from self._at_infoset(h, where, claim.strategies[i][h.key], value)
                played = [k for k, p in enumerate(claim.strategies[i][h.key]) if not is_zero(p)]
                value[h.parent] = _added([value[h.parent], value[h.key, played[0] if played else 0]])
            if i < len(claim.values):
                yield self.must(f"{player}: the payoff is as claimed", value[None] - claim.values[i], Relation.ZERO)

    def _at_infoset(self, h: _Infoset, where: str, own: list[Any], value: Any) -> Iterator[Obligation]:
        yield self.must(f"{where}: the probabilities sum to one", sum(own) - 1, Relation.ZERO)
        played = [k for k in range(len(own)) if not is_zero(own[k])]
        first = played[0] if played else 0
        for k, action in enumerate(h.actions):
            gap = _added([value[h.key, first], -value[h.key, k]])
            if k in played:
                yield self.must(f"{where}: {action} has a probability", own[k])
                if k != first:
                    yield self.must(f"{where}: {action} is as good as {h.actions[first]}", gap, Relation.ZERO)
            elif k != first:
                yield self.must(f"{where}: {action} is no better than {h.actions[first]}", gap)

    def game(self, point: Point) -> ExtensiveGame:
        """Return the game at one point."""
        return compile_rules(_RulesAt(self.rules, self.parameters, point))

    def check(self, claim: Equilibrium, point: Point) -> Check:
        """Evaluate the claim exactly; the value of a zero-sum game is compared with the linear program."""
        try:
            game = self.game(point)
            behaviors: list[list[Fraction]] = [
                [number_at(p, self.parameters, point) for key in t.infosets for p in claim.strategies[i][key]]
                for i, t in enumerate(game.treeplexes)
            ]
            values = [number_at(v, self.parameters, point) for v in claim.values]
        except (StrategyError, GameError) as error:
            return Check(tuple(point.items()), problem=error.what)
        return check_profile(game, behaviors, values, point)


def tree_game(rules: Rules, parameters: Mapping[str, str] | Parameters | None = None) -> TreeFamily:
    """Return a family from a rules object whose payoffs and chance probabilities are expressions.

    Chance's probabilities must sum to one for all parameters; that they are not negative is proved with every claim.
    """
    known = Parameters.of(parameters)
    infosets: dict[tuple[int, Hashable], _Infoset] = {}
    leaves: list[_Leaf] = []
    symbolic: dict[sympy.Expr, None] = {}
    # depth first: state, chance so far, moves so far, each player's last sequence
    start: tuple[Any, Any, Any, Any] = (rules.initial(), sympy.Integer(1), (), (None,) * len(rules.players))
    waiting, seen = [start], 0
    while waiting:
        state, chance, moves, last = waiting.pop()
        seen += 1
        if seen > _MOST_NODES:
            raise GameError(f"the tree has more than {_MOST_NODES} nodes", where=rules.name, fix="use a smaller game")
        turn = rules.turn(state)
        if turn == TERMINAL:
            payoffs = tuple(known.parse(_plain(p), f"{rules.name}, payoffs") for p in rules.payoffs(state))
            leaves.append(_Leaf(chance, moves, payoffs))
            continue
        actions = tuple(rules.actions(state))
        if turn == CHANCE:
            odds = [known.parse(_plain(p), f"{rules.name}, chance") for p in rules.probabilities(state)]
            if not is_zero(sum(odds) - 1):
                raise GameError(f"chance's probabilities sum to {sum(odds)}", where=rules.name, fix="make it one")
            symbolic.update({p: None for p in odds if p.free_symbols})
            children = [(rules.next(state, a), chance * p, moves, last) for a, p in zip(actions, odds, strict=True)]
        else:
            key = rules.infoset(state)
            h = infosets.setdefault((turn, key), _Infoset(turn, key, actions, last[turn]))
            if h.parent != last[turn] or h.actions != actions:
                raise GameError(
                    "an information set joins nodes with different pasts or moves",
                    where=f"{rules.name}, {rules.describe(key)}",
                    fix="use different keys for such nodes",
                )
            children = [
                (
                    rules.next(state, a),
                    chance,
                    (*moves, (turn, key, k)),
                    (*last[:turn], (key, k), *last[turn + 1 :]),
                )
                for k, a in enumerate(actions)
            ]
        waiting.extend(reversed(children))
    return TreeFamily(rules.name, rules, known, infosets, leaves, tuple(symbolic))


def _added(terms: list[Any]) -> sympy.Expr:
    """Add up, and put in order: polynomials by expansion, which is fast."""
    total = sympy.Add(*terms)
    return sympy.expand(total) if total.is_polynomial(*total.free_symbols) else sympy.cancel(total)


def _plain(number: Any) -> Any:
    return number if isinstance(number, str | sympy.Basic | int) else Fraction(number)


class _RulesAt:
    """Rules at one point: every expression is a number."""

    def __init__(self, rules: Rules, parameters: Parameters, point: Point) -> None:
        self.rules, self.parameters, self.point = rules, parameters, point
        self.name, self.players = rules.name, tuple(rules.players)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rules, name)

    def _numbers(self, expressions: Any) -> list[Fraction]:
        return [number_at(self.parameters.parse(_plain(e)), self.parameters, self.point) for e in expressions]

    def payoffs(self, state: Any) -> list[Fraction]:
        return self._numbers(self.rules.payoffs(state))

    def probabilities(self, state: Any) -> list[Fraction]:
        return self._numbers(self.rules.probabilities(state))
