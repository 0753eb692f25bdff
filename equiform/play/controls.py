r"""Control variates: take out the luck of which opponents were drawn.

Opponents of a class differ far more than the cards do, so that a mean over m matches mostly tells how weak these m
opponents were. Two things about an opponent's strategy are cheap to compute and move with what is won against it: what
a full best response earns, and what the best equilibrium strategy does. With these in x, fitted to the outcomes y by
least squares, and their mean in a far larger sample of N fresh opponents of the class,

.. math:: \hat\mu = \bar y - \hat\beta^\top (\bar x_m - \bar x_N), \qquad
    \operatorname{Var} \hat\mu \approx \frac{s^2}{m} + \frac{\hat\beta^\top S_x \hat\beta}{N} ,

where s² is the variance of the residuals. The estimate is consistent whatever the relation between x and y (its bias is
of order 1/m); the better the line fits, the narrower the interval (Lavenberg and Welch 1981).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.models.common.array_types import FloatArray
from equiform.play.batches import best_behaviors, realizations
from equiform.play.match import Estimate, MatchSpec, seat_of
from equiform.play.opponents.classes import draw_behaviors, fixed_behaviors

#: Fresh opponents that the mean of a class is estimated from.
POPULATION = 100_000


def opponent_controls(game: str, player: int, behaviors: FloatArray) -> FloatArray:
    """Return what the full best response and the best equilibrium strategy earn, one row per opponent."""
    seat = seat_of(game, player)
    gradients = seat.gradients(realizations(seat.opponent, behaviors))
    best = (gradients * realizations(seat.own, best_behaviors(seat.own, gradients))).sum(axis=1)
    safe = SafeResponder(seat.form).maximize_many(gradients, np.zeros(len(gradients))).payoffs
    return np.column_stack([best, safe])


def adjust(outcomes: FloatArray, controls: FloatArray, population: FloatArray) -> Estimate:
    """Estimate the mean outcome over a class from matches with known controls and the controls of fresh opponents.

    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(400, 1))
    >>> found = adjust(3.0 + x[:, 0], x, rng.normal(size=(100_000, 1)))
    >>> abs(found.mean - 3.0) < found.half_width < 0.01 < Estimate.of(3.0 + x[:, 0]).half_width
    True
    """
    matches, size = controls.shape
    if matches <= size + 1:
        return Estimate(float(outcomes.mean()), math.inf)
    beta = np.linalg.lstsq(controls - controls.mean(axis=0), outcomes - outcomes.mean(), rcond=None)[0]
    mean = outcomes.mean() - beta @ (controls.mean(axis=0) - population.mean(axis=0))
    residuals = outcomes - outcomes.mean() - (controls - controls.mean(axis=0)) @ beta
    variance = (residuals @ residuals) / (matches - size - 1) / matches + (population @ beta).var() / len(population)
    return Estimate(float(mean), 1.96 * math.sqrt(variance))


def adjusted_worth(spec: MatchSpec, worth: FloatArray) -> Estimate:
    """Estimate what the agent earns against a class of opponents from what matches were worth."""
    if spec.opponent not in ("random", "sophisticated", "dynamic"):
        return Estimate.of(worth)
    near = spec.opponent == "sophisticated"
    behaviors = fixed_behaviors(seat_of(spec.game, spec.player), near, np.arange(spec.opponents), spec.seed)
    drawn = opponent_controls(spec.game, spec.player, behaviors)
    return adjust(worth, drawn, _population(spec.game, spec.player, near))


@lru_cache(maxsize=8)
def _population(game: str, player: int, near: bool) -> FloatArray:
    """Return the controls of fresh opponents of a class; dynamic ones start out as random ones do."""
    rng = np.random.default_rng(POPULATION)  # a stream that no match uses: theirs are seeded by two numbers
    return opponent_controls(game, player, draw_behaviors(seat_of(game, player), near, rng, POPULATION))
