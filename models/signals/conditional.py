"""The conditional representation of a parametric model: one column per betting situation (Ganzfried 2015, Figure 11.9).

A joint model says for each interval what a player does in *every* situation; a conditional one has one column per
player and betting situation, each with its own, usually fewer, thresholds. Both describe the same strategies and give
the same program; the conditional form is easier to read, and its largest number of thresholds may replace T in (11.3).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from equiform.models.common.errors import GameError
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import History, SignalGame

UNREACHED = "–"
"""Stands in a column where the player's own earlier move avoids the situation."""


@dataclass(frozen=True)
class Column:
    """What a player does in one betting situation: actions from the lowest signal up, and the thresholds between."""

    player: int
    history: History
    actions: tuple[str, ...]
    thresholds: tuple[str, ...]


@dataclass(frozen=True)
class ConditionalModel:
    """A parametric model by betting situation."""

    name: str
    columns: tuple[Column, ...]
    order: frozenset[tuple[str, str]] = frozenset()

    @property
    def most_thresholds(self) -> int:
        """The largest number of thresholds in a column, which may replace T in (11.3)."""
        return max(len(c.thresholds) for c in self.columns)

    def joint(self, game: SignalGame) -> ParametricModel:
        """Merge the columns of each player; the order must say how a player's own thresholds lie."""
        regions, thresholds = [], []
        for player in range(len(game.players)):
            own = [c for c in self.columns if c.player == player]
            names = self._sorted({t for c in own for t in c.thresholds})
            plans = []
            for place in range(len(names) + 1):
                passed = set(names[:place])
                doing = {c.history: c.actions[sum(t in passed for t in c.thresholds)] for c in own}
                plans.append(_matching_plan(game, player, doing))
            regions.append(tuple(plans))
            thresholds.append(tuple(names))
        return ParametricModel(self.name, tuple(regions), tuple(thresholds), self.order)

    def _sorted(self, names: set[str]) -> list[str]:
        """Sort a player's thresholds by the order, which must decide every pair."""
        everyone = sorted({t for c in self.columns for t in c.thresholds})
        probe = ParametricModel(
            "", tuple(("", "") for _ in everyone), tuple((t,) for t in everyone), self._full_order()
        )
        index = {t: k for k, t in enumerate(everyone)}
        below = probe.precedes
        for a in sorted(names):
            for b in sorted(names):
                if a != b and not below[index[a], index[b]] and not below[index[b], index[a]]:
                    raise GameError(
                        f"model {self.name!r}: the order does not say whether {a} or {b} comes first",
                        fix="order all thresholds of a player, as Figure 11.6 does",
                    )
        return sorted(names, key=lambda t: (sum(below[index[s], index[t]] for s in names), t))

    def _full_order(self) -> frozenset[tuple[str, str]]:
        inside = {pair for c in self.columns for pair in zip(c.thresholds, c.thresholds[1:], strict=False)}
        return self.order | inside


def conditional(game: SignalGame, model: ParametricModel) -> ConditionalModel:
    """Split a model into one column per player and betting situation."""
    model.check(game)
    columns = []
    for player, plans in enumerate(model.regions):
        for history, _ in game.decisions(player):
            doing = [game.action_of(player, plan, history) or UNREACHED for plan in plans]
            changes = [k for k in range(1, len(doing)) if doing[k] != doing[k - 1]]
            actions = (doing[0], *(doing[k] for k in changes))
            columns.append(Column(player, history, actions, tuple(model.thresholds[player][k - 1] for k in changes)))
    own_order = {pair for own in model.thresholds for pair in itertools.pairwise(own)}
    return ConditionalModel(model.name, tuple(columns), model.order | own_order)


def _matching_plan(game: SignalGame, player: int, doing: dict[History, str]) -> str:
    situations: Sequence[History] = [h for h, _ in game.decisions(player)]
    missing = [h for h in situations if h not in doing]
    if missing:
        raise GameError(
            f"no column says what {game.players[player]} does after {' '.join(missing[0]) or 'the deal'}",
            fix="add a column for every betting situation",
        )
    for plan in game.plans[player]:
        if all((game.action_of(player, plan, h) or UNREACHED) == doing[h] for h in situations):
            return plan
    raise GameError(
        f"the columns of {game.players[player]} do not make a plan",
        where=", ".join(f"{' '.join(h) or 'deal'}: {a}" for h, a in doing.items()),
        fix=f"write {UNREACHED} where the player's own earlier move avoids the situation",
    )
