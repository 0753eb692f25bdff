r"""Payoff against risk: the value of the ε-safe best response for every ε at once.

The optimum :math:`\varphi(\varepsilon)` of :mod:`equiform.formulations.opponents.safe_response` is a linear program's
value as a function of its right-hand side: concave, piecewise linear, rising from the best equilibrium strategy's
payoff at ε = 0 to the best response's. Every solve at an ε yields a point of it and, through the price of the floor, a
line above it. Two such lines meet where a kink may be; solving there either proves the kink or finds a better line (M.
J. Eisner and D. G. Severance, *Mathematical techniques for efficient record segmentation in large shared databases*, J.
ACM 23, 1976). With k kinks at most 2k + 3 programs are solved, and nothing is lost between them: mixing the plans at
two neighbouring kinks is optimal in between, since payoffs are linear and guarantees concave in the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.records import Record
from equiform.models.game import Game, as_sequence_form

Number = TypeVar("Number")


@dataclass(frozen=True, eq=False)
class Sample(Generic[Number]):
    """A point of a concave function, the slope of a line that touches it there from above, and the plan behind it."""

    at: Number
    value: Number
    slope: Number
    plan: Any = field(repr=False, default=None)

    __repr__ = repr_of_fields


@dataclass(frozen=True, eq=False)
class TradeOff(Record):
    """The trade-off curve of one player against one opponent: its kinks, with the plan that is optimal at each."""

    game: str
    player: int
    value: float
    """The game's value for the player."""
    epsilons: FloatArray
    """From 0 to the first ε at which the best response is safe enough."""
    payoffs: FloatArray
    plans: FloatArray = field(repr=False)

    def payoff(self, epsilon: float) -> float:
        """Return the most that can be earned by risking ε."""
        return float(np.interp(_risk(epsilon), self.epsilons, self.payoffs))

    def plan(self, epsilon: float) -> FloatArray:
        """Return a realization plan that earns it: a mixture of the plans at the neighbouring kinks."""
        _risk(epsilon)
        k = int(np.clip(np.searchsorted(self.epsilons, epsilon), 1, max(len(self.epsilons) - 1, 1)))
        if len(self.epsilons) == 1:
            return self.plans[0]
        left, right = self.epsilons[k - 1], self.epsilons[k]
        share = min(max((epsilon - left) / (right - left), 0.0), 1.0)
        return (1 - share) * self.plans[k - 1] + share * self.plans[k]

    @property
    def slopes(self) -> FloatArray:
        """What each unit of risk buys between neighbouring kinks: a decreasing sequence."""
        return np.diff(self.payoffs) / np.diff(self.epsilons)


def solve(
    game: Game,
    opponent_plan: FloatArray,
    *,
    player: int = 0,
    responder: SafeResponder | None = None,
    tolerance: float = 1e-9,
) -> TradeOff:
    """Trace the curve of a player against a realization plan of the opponent.

    Parameters
    ----------
    game, opponent_plan, player
        A two-player zero-sum game, the opponent's realization plan, and the player who responds, 0 or 1.
    responder
        A responder of the same game and player, to save loading the program again.
    tolerance
        Differences below this are rounding errors.

    Returns
    -------
    TradeOff
        The kinks of the curve, with an optimal plan at each.

    Raises
    ------
    ParameterError
        If ``responder`` belongs to another game or player.

    >>> from equiform.models.normal_form import NormalForm
    >>> rps = NormalForm.from_matrix("rps", "RPS", "RPS", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).sequence_form()
    >>> curve = solve(rps, np.array([1.0, 1.0, 0.0, 0.0]))
    >>> [(round(float(e), 6), round(float(p), 6)) for e, p in zip(curve.epsilons, curve.payoffs)]
    [(0.0, 0.0), (0.333333, 0.666667), (1.0, 1.0)]
    """
    game = as_sequence_form(game)
    if responder is None:
        responder = SafeResponder(game, player=player)
    elif responder.game is not game or responder.player != player:
        raise ParameterError("the responder belongs to another game or player", where=game.name, fix="build a new one")
    gradient = game.gradient(player, opponent_plan)
    seat = for_player(game, player)
    best = seat.treeplexes[0].best_response(gradient)
    guaranteed = -seat.treeplexes[1].best_value(seat.gradient(1, best.plan))
    last = max(responder.value - guaranteed, 0.0)

    def sample(epsilon: float) -> Sample[float]:
        found = responder.maximize(gradient, epsilon)
        return Sample(epsilon, found.payoff, found.slope, found.plan)

    samples = concave_kinks(sample, Sample(last, best.value, 0.0, best.plan), tolerance=tolerance)
    return TradeOff(
        game=game.name,
        player=player,
        value=responder.value,
        epsilons=np.array([s.at for s in samples]),
        payoffs=np.array([s.value for s in samples]),
        plans=np.array([s.plan for s in samples]),
    )


def concave_kinks(sample: Callable[[Any], Sample[Any]], last: Sample[Any], *, tolerance: Any = 0) -> list[Sample[Any]]:
    """Find the ends and kinks of a concave piecewise-linear function on [0, last.at].

    ``last`` must hold the function's value there with slope 0 (its maximum). Works with floats and, with tolerance 0,
    with Fractions.
    """
    first = sample(last.at * 0)
    if last.value - first.value <= tolerance or last.at <= tolerance:
        return [first]
    found = [first]
    pending = [(first, last)]
    while pending:
        left, right = pending.pop()
        chord = (right.value - left.value) / (right.at - left.at)
        meets = (left.slope - right.slope) * (right.at - left.at)
        if abs(left.slope - chord) <= tolerance or abs(right.slope - chord) <= tolerance or meets <= tolerance:
            found.append(right)
            continue
        at = (right.value - left.value + left.slope * left.at - right.slope * right.at) / (left.slope - right.slope)
        middle = sample(at)
        above = left.value + left.slope * (at - left.at)
        if above - middle.value <= tolerance:
            found += [middle, right]
        else:
            pending += [(middle, right), (left, middle)]
    return _without_straight(found, tolerance)


def _without_straight(samples: list[Sample[Any]], tolerance: Any) -> list[Sample[Any]]:
    """Drop points inside a straight piece."""
    kept = [samples[0]]
    for middle, right in pairwise(samples[1:]):
        left = kept[-1]
        if middle.at - left.at <= tolerance or right.at - middle.at <= tolerance:
            continue
        before = (middle.value - left.value) / (middle.at - left.at)
        after = (right.value - middle.value) / (right.at - middle.at)
        if before - after > tolerance:
            kept.append(middle)
    last = samples[-1]
    # several best responses: the function may be flat before the last point
    return kept if len(kept) > 1 and last.value - kept[-1].value <= tolerance else [*kept, last]


def _risk(epsilon: float) -> float:
    if not epsilon >= 0:
        raise ParameterError(f"epsilon is {epsilon}", where="trade-off curve", fix="use a nonnegative number")
    return epsilon
