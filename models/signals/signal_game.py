r"""Signal games: every player sees a private signal, the players bet, and the better signal wins at a showdown.

Ganzfried (2015), §11.4: players :math:`N`, signals with CDFs :math:`F_i`, a finite set :math:`C_i` of *plans* each
(what to do in every betting situation), and payoffs that depend on the plans and on who holds the best signal. A
profile of plans leads to one :class:`Showdown`: its *contenders* compare signals, and a player's payoff is what they
get by winning or losing there; those who share the best signal share the difference equally (or get an explicit
``tie``).

A game is most easily written as a betting tree of :class:`Decision` and :class:`Showdown`; plans are then its reduced
pure strategies, named as in the thesis: ``BET-CALL`` bets first and calls if the betting comes back, ``RAISE/BET``
raises after the opponent's first move and bets after the second.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import EmptyNodeError, GameError, ParameterError, PayoffError
from equiform.models.common.rational import Number, as_fraction
from equiform.models.signals.deals import Signals


@dataclass(frozen=True)
class Showdown:
    """How the betting ends: who compares signals, and each player's payoff for winning and for losing.

    Without contenders (everyone else folded) ``lose`` alone counts. ``tie`` may replace the equal split between two.
    """

    contenders: frozenset[int]
    win: tuple[Fraction, ...]
    lose: tuple[Fraction, ...]
    tie: tuple[Fraction, ...] | None = None

    @staticmethod
    def settled(*payoffs: Number) -> Showdown:
        """End without comparing signals."""
        pay = tuple(as_fraction(p) for p in payoffs)
        return Showdown(frozenset(), pay, pay)

    @staticmethod
    def contest(
        contenders: Sequence[int], win: Sequence[Number], lose: Sequence[Number], tie: Sequence[Number] | None = None
    ) -> Showdown:
        """Compare the contenders' signals for freely chosen payoffs."""
        given = [tuple(as_fraction(x) for x in row) for row in (win, lose, tie or ())]
        return Showdown(frozenset(contenders), given[0], given[1], given[2] if tie is not None else None)

    @staticmethod
    def pot(contributions: Sequence[Number], contenders: Sequence[int], *, extra: Number = 0) -> Showdown:
        """Let the contenders play for all contributions (and ``extra`` money already in the pot).

        >>> Showdown.pot((1, 1), (0, 1)).win
        (Fraction(1, 1), Fraction(1, 1))
        """
        paid = [as_fraction(c) for c in contributions]
        total = sum(paid, as_fraction(extra))
        win = tuple(total - c if p in contenders else -c for p, c in enumerate(paid))
        lose = tuple(-c for c in paid)
        if len(contenders) == 1:  # nobody to compare with
            return Showdown(frozenset(), win, win)
        return Showdown(frozenset(contenders), win, lose)


@dataclass(frozen=True)
class Decision:
    """A node of the betting tree: who moves, and where each move leads."""

    player: int
    moves: Mapping[str, Decision | Showdown]


Betting: TypeAlias = Decision | Showdown
History: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SignalGame:
    """Players, plans, the showdown each profile of plans leads to, and the signals."""

    name: str
    players: tuple[str, ...]
    plans: tuple[tuple[str, ...], ...]
    outcome: Int32Array = field(repr=False)  # plan of player 1 × plan of player 2 × … → index into showdowns
    showdowns: tuple[Showdown, ...] = field(repr=False)
    signals: Signals = field(repr=False)
    lower_wins: bool = True
    tree: Decision | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        n = len(self.players)
        if self.signals.num_players != n or len(self.plans) != n or self.outcome.shape != tuple(map(len, self.plans)):
            raise GameError(
                f"{self.name}: players, plans, outcomes and signals do not fit together",
                where=f"{n} players, {len(self.plans)} lists of plans, signals for {self.signals.num_players}",
                fix="pass a list of plans and a distribution per player, and an outcome per profile of plans",
            )
        if n < 2 or any(len(set(p)) != len(p) or not p for p in self.plans):
            raise GameError(f"{self.name}: every player needs distinct plans, and there are two players at least")
        for s in self.showdowns:
            _check_showdown(s, n, self.name)

    # -- making them ----------------------------------------------------------------------------------------------

    @staticmethod
    def from_betting(
        name: str, players: Sequence[str], root: Decision, signals: Signals, *, lower_wins: bool = True
    ) -> SignalGame:
        """Write a betting tree out as plans (its reduced pure strategies) and outcomes."""
        choices = [_plans_below(root, p) for p in range(len(players))]
        numbers: dict[Showdown, int] = {}
        outcome = np.empty([len(c) for c in choices], dtype=np.int32)
        for cell in itertools.product(*(range(len(c)) for c in choices)):
            end = _walk(root, [choices[p][k][1] for p, k in enumerate(cell)])
            outcome[cell] = numbers.setdefault(end, len(numbers))
        plans = tuple(tuple(label for label, _ in c) for c in choices)
        return SignalGame(name, tuple(players), plans, outcome, tuple(numbers), signals, lower_wins, root)

    def with_signals(self, signals: Signals) -> SignalGame:
        """Keep the rules and change what is dealt."""
        return dataclasses.replace(self, signals=signals)

    # -- asking them ----------------------------------------------------------------------------------------------

    def plan_index(self, player: int, plan: str) -> int:
        """Find a plan by name."""
        if plan not in self.plans[player]:
            raise ParameterError(
                f"{self.players[player]} has no plan {plan!r}",
                where=self.name,
                fix=f"use one of {', '.join(self.plans[player])}",
            )
        return self.plans[player].index(plan)

    @cached_property
    def win(self) -> FloatArray:
        """``win[player][plans…]``: the payoff with the best signal, in floats."""
        return self._table([s.win for s in self.showdowns])

    @cached_property
    def lose(self) -> FloatArray:
        """``lose[player][plans…]``: the payoff without the best signal (or without a comparison)."""
        return self._table([s.lose for s in self.showdowns])

    @cached_property
    def tie_bonus(self) -> FloatArray:
        """``tie_bonus[player][plans…]``: what an explicit tie payoff adds to the equal split."""
        bonus = [
            [Fraction(0)] * len(self.players)
            if s.tie is None
            else [t - (w + v) / 2 for t, w, v in zip(s.tie, s.win, s.lose, strict=True)]
            for s in self.showdowns
        ]
        return self._table(bonus)

    @cached_property
    def payoff_range(self) -> float:
        """The highest payoff of any player minus the lowest."""
        everything = [x for s in self.showdowns for x in (*s.win, *s.lose, *(s.tie or ()))]
        return float(max(everything) - min(everything))

    @cached_property
    def constant_sum(self) -> Fraction | None:
        """The sum of all payoffs if every outcome has the same, else None (two players, or no ties to share)."""
        totals: set[Fraction] = set()
        for s in self.showdowns:
            winners: list[int | None] = [*s.contenders] or [None]
            for w in winners:
                paid = ((s.win if p == w else s.lose)[p] for p in range(len(self.players)))
                totals.add(sum(paid, Fraction(0)))
            if s.tie is not None:
                totals.add(sum(s.tie, Fraction(0)))
        return totals.pop() if len(totals) == 1 else None

    def decisions(self, player: int) -> list[tuple[History, Decision]]:
        """List a player's betting situations: the moves that lead to each, and the node."""
        return [] if self.tree is None else [(h, d) for h, d in _decisions(self.tree, ()) if d.player == player]

    def action_of(self, player: int, plan: str, history: History) -> str | None:
        """Tell what a plan does in a betting situation; None if its own earlier moves avoid it."""
        if self.tree is None:
            raise ParameterError(f"{self.name} has no betting tree", fix="build it with SignalGame.from_betting")
        choices = dict(_plans_below(self.tree, player))[plan]
        node: Betting = self.tree
        for depth, move in enumerate(history):
            if isinstance(node, Showdown):
                return None
            if node.player == player and choices.get(history[:depth]) != move:
                return None
            node = node.moves[move]
        return choices.get(history)

    def _table(self, rows: Sequence[Sequence[Fraction]]) -> FloatArray:
        by_showdown = np.array([[float(x) for x in row] for row in rows])
        return np.moveaxis(by_showdown[self.outcome], -1, 0)


def _check_showdown(s: Showdown, n: int, name: str) -> None:
    lengths = {len(s.win), len(s.lose), n if s.tie is None else len(s.tie)}
    if lengths != {n} or not s.contenders <= set(range(n)) or len(s.contenders) == 1:
        raise PayoffError(
            f"{name}: a showdown does not fit {n} players",
            where=str(s),
            fix="pass a payoff for winning and one for losing per player, and no contenders or at least two",
        )
    if s.tie is not None and len(s.contenders) != 2:
        raise PayoffError(f"{name}: an explicit tie needs exactly two contenders", where=str(s), fix="leave it out")
    if any(s.win[p] != s.lose[p] for p in range(n) if p not in s.contenders):
        raise PayoffError(
            f"{name}: the payoff of a player outside the showdown depends on it",
            where=str(s),
            fix="use the same payoff for winning and losing for a player who folded",
        )


def _decisions(node: Betting, history: History) -> Iterator[tuple[History, Decision]]:
    if isinstance(node, Decision):
        yield history, node
        for move, below in node.moves.items():
            yield from _decisions(below, (*history, move))


_Choices: TypeAlias = dict[History, str]


def _plans_below(node: Betting, player: int, history: History = ()) -> list[tuple[str, _Choices]]:
    """List a player's plans from a node on: a label and the choice at each own node that the plan can reach."""
    if isinstance(node, Showdown):
        return [("", {})]
    if not node.moves:
        raise EmptyNodeError("a decision has no moves", where=" ".join(history) or "the root", fix="end in a Showdown")
    below = [(m, _plans_below(n, player, (*history, m))) for m, n in node.moves.items()]
    if node.player == player:
        return [
            (f"{m}-{_group(label)}" if label else m, {history: m, **choices})
            for m, plans in below
            for label, choices in plans
        ]
    merged: list[tuple[str, _Choices]] = [("", {})]
    for _, plans in below:
        merged = [("/".join(filter(None, (a, b))), x | y) for a, x in merged for b, y in plans]
    return merged


def _group(label: str) -> str:
    return f"({label})" if "/" in label else label


def _walk(node: Betting, choices: Sequence[_Choices]) -> Showdown:
    history: History = ()
    while isinstance(node, Decision):
        move = choices[node.player][history]
        node, history = node.moves[move], (*history, move)
    return node
