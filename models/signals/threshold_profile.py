r"""Threshold strategies: a parametric model with numbers in it.

Each threshold is a position on the scale of the signals (:mod:`equiform.models.signals.deals`). In a continuous game a
region is an interval of signals; in a finite one the region gets the share of each signal's cell that it overlaps,
which is the mixed strategy of Ganzfried (2015), §11.6.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.signals.evaluation import SignalEvaluation, evaluate_signals, plan_values
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True, eq=False)
class ThresholdProfile:
    """A game, a model, and the position of every threshold in the order of ``model.names``."""

    game: SignalGame
    model: ParametricModel
    positions: FloatArray = field(repr=False)

    @staticmethod
    def at_signals(game: SignalGame, model: ParametricModel, signals: Mapping[str, float]) -> ThresholdProfile:
        """Place thresholds by name on the original scale of the signals."""
        if set(signals) != set(model.names):
            raise StrategyError(
                f"thresholds {sorted(signals)} were given for {sorted(model.names)}",
                where=model.name,
                fix="place every threshold of the model",
            )
        return ThresholdProfile(game, model, game.signals.positions([signals[n] for n in model.names]))

    def __post_init__(self) -> None:
        self.model.check(self.game)
        positions = np.array(self.positions, dtype=np.float64)
        if positions.shape != (len(self.model.names),) or not np.isfinite(positions).all():
            raise StrategyError(
                f"positions of shape {positions.shape} do not fit {len(self.model.names)} thresholds",
                where=self.model.name,
                fix="pass one finite position per threshold",
            )
        positions = np.clip(positions, 0.0, self.game.signals.num_cells)
        for player in range(len(self.model.regions)):
            own = self._own(player, positions)
            if (np.diff(own) < -1e-9).any():
                raise StrategyError(
                    f"the thresholds of {self.game.players[player]} are not in order",
                    where=f"{dict(zip(self.model.thresholds[player], own.tolist(), strict=True))}",
                    fix="a player's thresholds do not decrease",
                )
            start = self.model.number(player, 0)
            positions[start : start + len(own)] = np.maximum.accumulate(own)
        object.__setattr__(self, "positions", positions)

    def _own(self, player: int, positions: FloatArray) -> FloatArray:
        start = self.model.number(player, 0)
        return positions[start : start + len(self.model.thresholds[player])]

    @property
    def signals(self) -> dict[str, float]:
        """Each threshold by name on the original scale of the signals."""
        return dict(zip(self.model.names, self.game.signals.values(self.positions).tolist(), strict=True))

    @property
    def probabilities(self) -> dict[str, float]:
        """Each threshold's own player's CDF at it: the probability of a signal below."""
        pairs = zip(self.model.names, self.model.owners, self.positions.tolist(), strict=True)
        return {name: float(self.game.signals.cdf_at(player, position)) for name, (player, _), position in pairs}

    @cached_property
    def refined(self) -> tuple[SignalGame, tuple[FloatArray, ...]]:
        """The game with cells cut at every threshold, and the strategies as ``cell × plan`` matrices on them."""
        if self.game.signals.is_finite:
            game, edges = self.game, np.arange(self.game.signals.num_cells + 1.0)
        else:
            cut, edges = self.game.signals.refined(self.positions)
            game = self.game.with_signals(cut)
        return game, tuple(self._overlaps(p, edges) for p in range(len(self.game.players)))

    @property
    def strategies(self) -> tuple[FloatArray, ...]:
        """One matrix per player over the cells of ``refined``: in a finite game the mixed strategies of §11.6.2."""
        return self.refined[1]

    def _overlaps(self, player: int, edges: FloatArray) -> FloatArray:
        """Share each cell among the plans by the overlap of regions with it."""
        bounds = np.concatenate([[0.0], self._own(player, self.positions), [self.game.signals.num_cells]])
        low, high = edges[:-1, None], edges[1:, None]
        overlap = np.maximum(np.minimum(bounds[None, 1:], high) - np.maximum(bounds[None, :-1], low), 0.0)
        overlap /= overlap.sum(axis=1, keepdims=True)
        matrix = np.zeros((len(edges) - 1, len(self.game.plans[player])))
        for region, plan in enumerate(self.model.regions[player]):
            matrix[:, self.game.plan_index(player, plan)] += overlap[:, region]
        return matrix

    def indifference_gaps(self) -> FloatArray:
        """Return for each threshold the payoff of the plan below it minus that of the plan above it, at the threshold.

        With finite signals the comparison is at the signal whose cell the threshold lies in.
        """
        game, strategies = self.refined
        gaps = np.empty(len(self.positions))
        for player, plans in enumerate(self.model.regions):
            values = plan_values(game, strategies, player)
            for place in range(len(plans) - 1):
                k = self.model.number(player, place)
                lower, upper = (game.plan_index(player, plan) for plan in plans[place : place + 2])
                difference = values[lower] - values[upper]
                if game.signals.is_finite:
                    cell = min(int(self.positions[k]), game.signals.num_cells - 1)
                    gaps[k] = difference[cell, 0]
                else:
                    edge = int(np.argmin(np.abs(self._edges - self.positions[k])))
                    gaps[k] = difference[edge, 0] if edge == 0 else difference[edge - 1].sum()
        return gaps

    @cached_property
    def _edges(self) -> FloatArray:
        return self.game.signals.refined(self.positions)[1]

    def evaluate(self) -> SignalEvaluation:
        """Compute payoffs, regrets and the EPSB ε of the profile against all plans, whatever their shape."""
        game, strategies = self.refined
        return evaluate_signals(game, strategies)


def profile_from_cdf(game: SignalGame, model: ParametricModel, masses: ArrayLike) -> ThresholdProfile:
    """Place thresholds by their owner's CDF; where the CDF is flat, at the lowest such signal."""
    wanted = np.asarray(masses, dtype=np.float64)
    positions = np.empty(len(wanted))
    for k, (player, _) in enumerate(model.owners):
        cumulative = game.signals.cumulative[player]
        cell = min(max(int(np.searchsorted(cumulative, wanted[k], side="left")), 1), len(cumulative) - 1)
        width = cumulative[cell] - cumulative[cell - 1]
        share = (wanted[k] - cumulative[cell - 1]) / width if width > 0 else 0.0
        positions[k] = cell - 1 + min(max(share, 0.0), 1.0)
    return ThresholdProfile(game, model, positions)


def without_empty_regions(profile: ThresholdProfile, *, tolerance: float = 1e-9) -> ThresholdProfile:
    """Leave out regions of no length, and merge neighbours that play the same plan; the strategies do not change."""
    top = float(profile.game.signals.num_cells)
    regions, thresholds, positions = [], [], []
    for player, plans in enumerate(profile.model.regions):
        bounds = [0.0, *profile._own(player, profile.positions).tolist(), top]
        names = (*profile.model.thresholds[player], "")
        kept: list[tuple[str, float, str]] = []  # plan, upper end, name of the upper threshold
        for plan, low, high, name in zip(plans, bounds, bounds[1:], names, strict=False):
            if high - low <= tolerance:
                continue
            if kept and kept[-1][0] == plan:
                kept.pop()
            kept.append((plan, high, name))
        regions.append(tuple(plan for plan, _, _ in kept))
        thresholds.append(tuple(name for _, _, name in kept[:-1]))
        positions += [high for _, high, _ in kept[:-1]]
    left = {name: profile.model.names.index(name) for own in thresholds for name in own}
    below = profile.model.precedes
    order = frozenset((a, b) for a, k in left.items() for b, m in left.items() if a != b and below[k, m])
    model = ParametricModel(profile.model.name, tuple(regions), tuple(thresholds), order)
    return ThresholdProfile(profile.game, model, np.array(positions))
