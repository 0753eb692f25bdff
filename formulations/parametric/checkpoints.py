r"""Checkpoints of the every-signal program: the points at which the plan in use must be optimal.

A checkpoint records, for each of the opponent's thresholds, the mass of opponents below it in total, of those also
below the checkpoint, and of those who tie with it. A plan's payoff is linear in these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyomo.core as pyo

from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True)
class Point:
    """Opponents below the point, tied with it, and in total, each up to their thresholds and (last) up to the top.

    ``off`` is positive where the point does not exist (for a threshold at an edge, the edges are checked instead).
    """

    below: Sequence[Any]
    tied: Sequence[Any]
    total: Sequence[Any]
    off: Any = 0.0


class Checkpoints:
    """Add the rows of all checkpoints of a two-player game to a program with blocks ``scale`` and ``beliefs``."""

    def __init__(self, program: Any, game: SignalGame, model: ParametricModel) -> None:
        self.program, self.game, self.model = program, game, model
        self.scale, self.beliefs, self.signals = program.scale, program.beliefs, game.signals
        self.cells = range(1, self.signals.num_cells + 1)
        self.own = [[model.number(p, k) for k in range(len(model.thresholds[p]))] for p in range(2)]
        program.best = pyo.VarList()
        program.is_best = pyo.ConstraintList()
        program.used_is_best = pyo.ConstraintList()

    def add_all(self) -> None:
        """Check finite signals one by one, and the edges and thresholds of a continuous scale."""
        for p in range(2):
            for i in self.cells:
                if self.signals.is_finite:
                    self._finite_signal(p, i)
                else:
                    self._edges(p, i)
        if not self.signals.is_finite:
            self._empty_regions()
            self._pairs()
            for p in range(2):
                for place, k in enumerate(self.own[p]):
                    used: list[Any] = [0.0] * (len(self.own[p]) + 1)
                    used[place : place + 2] = [self.program.not_empty[p, place], self.program.not_empty[p, place + 1]]
                    self._rows(p, self._at_threshold(p, k), used)
                for m in self.own[1 - p]:
                    reached = [1.0, *(self._not_above(k, m) for k in self.own[p]), 0.0]
                    self._rows(p, self._at_threshold(p, m), [a - b for a, b in itertools.pairwise(reached)])

    # -- points that are always there -----------------------------------------------------------------------------

    def _finite_signal(self, p: int, i: int) -> None:
        below, through = self._around(p, i)
        used = self._covering(p, lambda k: self.scale.full[k, i], lambda k: self.scale.started[k, i])
        self._rows(p, Point(below, through, self._total(p, i)), used)

    def _edges(self, p: int, i: int) -> None:
        """Check just right of a cell's lower edge, and just left of its upper one."""
        below, through = self._around(p, i)
        nothing = [0.0] * len(below)
        upto = [b + t for b, t in zip(below, through, strict=True)]
        left = self._covering(p, lambda k: self.scale.started[k, i], lambda k: self.scale.started[k, i])
        right = self._covering(p, lambda k: self.scale.full[k, i], lambda k: self.scale.full[k, i])
        self._rows(p, Point(below, nothing, self._total(p, i)), left)
        self._rows(p, Point(upto, nothing, self._total(p, i)), right)

    def _around(self, p: int, i: int) -> tuple[list[Any], list[Any]]:
        """Return the opponents in the cells below cell i and in cell i, up to each of their thresholds."""
        row = self.signals.beliefs(p, 1 - p)[i - 1]
        inside, before = float(row[i - 1]), float(row[: i - 1].sum())
        below = [*(self.beliefs.lower[m, i] for m in self.own[1 - p]), before]
        return below, [*(inside * self.scale.delta[m, i] for m in self.own[1 - p]), inside]

    def _total(self, p: int, i: int) -> list[Any]:
        column = i if self.signals.is_dependent else 1
        return [*(self.beliefs.total[m, column] for m in self.own[1 - p]), 1.0]

    def _covering(self, p: int, passed: Callable[[int], Any], reached: Callable[[int], Any]) -> list[Any]:
        """Return which region of p covers a point: its lower threshold has not passed it, its upper one reaches it."""
        lows = [0.0, *(passed(k) for k in self.own[p])]
        highs = [*(reached(k) for k in self.own[p]), 1.0]
        return [high - low for low, high in zip(lows, highs, strict=True)]

    # -- thresholds -----------------------------------------------------------------------------------------------

    def _empty_regions(self) -> None:
        program, length = self.program, self.signals.num_cells
        regions = [(p, r) for p in range(2) for r in range(len(self.own[p]) + 1)]
        program.not_empty = pyo.Var(regions, domain=pyo.Binary)
        program.empty = pyo.ConstraintList()
        for p, r in regions:
            low = self.scale.position[self.own[p][r - 1]] if r else 0.0
            high = self.scale.position[self.own[p][r]] if r < len(self.own[p]) else float(length)
            program.empty.add(high - low <= length * program.not_empty[p, r])

    def _pairs(self) -> None:
        """Decide the order of every pair of the two players' thresholds: ``not_above[k, m]`` for k of the first."""
        program, delta = self.program, self.scale.delta
        pairs = [(k, m) for k in self.own[0] for m in self.own[1]]
        program.not_above = pyo.Var(pairs, domain=pyo.Binary)
        program.pair_order = pyo.ConstraintList()
        for k, m in pairs:
            first = program.not_above[k, m]
            if self.model.precedes[k, m] or self.model.precedes[m, k]:
                first.fix(int(self.model.precedes[k, m]))
                continue
            for c in self.cells:
                program.pair_order.add(delta[k, c] <= delta[m, c] + (1 - first))
                program.pair_order.add(delta[m, c] <= delta[k, c] + first)
        for k, m in pairs:
            if k + 1 in self.own[0]:
                program.pair_order.add(program.not_above[k + 1, m] <= program.not_above[k, m])
            if m + 1 in self.own[1]:
                program.pair_order.add(program.not_above[k, m] <= program.not_above[k, m + 1])

    def _not_above(self, k: int, m: int) -> Any:
        """Return whether threshold k lies at or below threshold m."""
        if (k in self.own[0]) == (m in self.own[0]):
            return float(k <= m)
        return self.program.not_above[k, m] if k in self.own[0] else 1 - self.program.not_above[m, k]

    def _at_threshold(self, p: int, at: int) -> Point:
        """Return the point at a threshold of either player, as player p sees it."""
        block = pyo.Block(concrete=True)
        self.program.add_component(f"at_{at}_for_{p}", block)
        opponents = self.own[1 - p]
        block.below = pyo.Var([*opponents, "top"], bounds=(0, 1))
        block.rows = pyo.ConstraintList()
        nothing = [0.0] * (len(opponents) + 1)
        if not self.signals.is_dependent:
            cdf = self.beliefs.cdf
            block.rows.add(block.below["top"] == cdf[1 - p, at])
            for m in opponents:
                for lower, upper in ((at, m), (m, at)):
                    block.rows.add(block.below[m] <= cdf[1 - p, lower])
                    block.rows.add(block.below[m] >= cdf[1 - p, lower] - (1 - self._not_above(lower, upper)))
            return Point(list(block.below.values()), nothing, self._total(p, 1))
        block.total = pyo.Var(opponents, bounds=(0, 1))
        for i in self.cells:
            outside = 1 - (self.scale.started[at, i] - self.scale.full[at, i])
            row = self.signals.beliefs(p, 1 - p)[i - 1]
            inside, before = float(row[i - 1]), float(row[: i - 1].sum())
            here = before + inside * self.scale.delta[at, i]
            _equal(block.rows, block.below["top"], here, outside)
            for m in opponents:
                _equal(block.rows, block.total[m], self.beliefs.total[m, i], outside)
                there = self.beliefs.lower[m, i] + inside * self.scale.delta[m, i]
                _equal(block.rows, block.below[m], here, outside + 1 - self._not_above(at, m))
                _equal(block.rows, block.below[m], there, outside + 1 - self._not_above(m, at))
        off = 1 - sum(self.scale.started[at, i] - self.scale.full[at, i] for i in self.cells)
        return Point(list(block.below.values()), nothing, [*block.total.values(), 1.0], off)

    # -- payoffs and rows -----------------------------------------------------------------------------------------

    def _payoff(self, p: int, plan: int, point: Point) -> Any:
        """Return a plan's payoff at a point, summed over the opponent's regions below, tied and above."""
        value: Any = 0.0
        previous = (0.0, 0.0, 0.0)
        for region, text in enumerate(self.model.regions[1 - p]):
            theirs = self.game.plan_index(1 - p, text)
            cell = (plan, theirs) if p == 0 else (theirs, plan)
            win, lose = float(self.game.win[p][cell]), float(self.game.lose[p][cell])
            if_below, if_above = (lose, win) if self.game.lower_wins else (win, lose)
            tie = (win + lose) / 2 + float(self.game.tie_bonus[p][cell])
            upto = (point.below[region], point.tied[region], point.total[region])
            below, tied, total = (b - a for a, b in zip(previous, upto, strict=True))
            value = value + if_above * total + (if_below - if_above) * below + (tie - if_above) * tied
            previous = upto
        return value

    def _rows(self, p: int, point: Point, used: Sequence[Any]) -> None:
        """Bound the best payoff at the point from below by every plan, and that of the region in use by the best."""
        program, pay = self.program, [*self.game.win[p].ravel(), *self.game.lose[p].ravel()]
        large = float(max(pay) - min(pay)) + float(abs(self.game.tie_bonus[p]).max())
        best = program.best.add()
        values = [self._payoff(p, plan, point) for plan in range(len(self.game.plans[p]))]
        for value in values:
            program.is_best.add(best >= value)
        for region, indicator in enumerate(used):
            if isinstance(indicator, float) and indicator <= 0:
                continue
            plan = self.game.plan_index(p, self.model.regions[p][region])
            program.used_is_best.add(values[plan] >= best - program.slack - large * (1 - indicator) - large * point.off)


def _equal(rows: Any, left: Any, right: Any, unless: Any) -> None:
    """Make two masses equal unless ``unless`` is at least one."""
    rows.add(left - right <= unless)
    rows.add(left - right >= -unless)
