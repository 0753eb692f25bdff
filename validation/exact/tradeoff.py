"""The trade-off curve of :mod:`equiform.formulations.opponents.tradeoff`, with its kinks as Fractions."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from equiform.formulations.opponents.tradeoff import Sample, concave_kinks
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import RationalVector
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import exact_best_value, exact_gradient, exact_plan
from equiform.validation.exact.equilibrium import exact_equilibrium
from equiform.validation.exact.refinements import exact_safe_response
from equiform.validation.exact.strategies import exact_best_behavior


@dataclass(frozen=True, eq=False)
class ExactTradeOff:
    """Kinks of the curve, from ε = 0 to the first ε at which the best response is safe enough."""

    game: str
    player: int
    value: Fraction
    """The game's value for the player."""
    epsilons: tuple[Fraction, ...]
    payoffs: tuple[Fraction, ...]
    plans: tuple[RationalVector, ...] = field(repr=False)

    __repr__ = repr_of_fields


def exact_tradeoff(game: SequenceForm, opponent: Strategy, *, player: int = 0) -> ExactTradeOff:
    """Trace the curve of a player against an exact strategy of the opponent.

    Parameters
    ----------
    game
        A two-player zero-sum game in sequence form.
    opponent
        A strategy of the opponent with Fractions for probabilities.
    player
        The player who responds, 0 or 1.

    Returns
    -------
    ExactTradeOff
        The kinks of the curve, with an optimal plan at each.

    Examples
    --------
    >>> import numpy as np
    >>> from equiform.games.matrix import rock_paper_scissors
    >>> rps = rock_paper_scissors().sequence_form()
    >>> rock = Strategy(rps.treeplexes[1], np.array([Fraction(1), Fraction(1), Fraction(0), Fraction(0)]))
    >>> curve = exact_tradeoff(rps, rock)
    >>> print(*zip(map(str, curve.epsilons), map(str, curve.payoffs)))
    ('0', '0') ('1/3', '2/3') ('1', '1')
    """
    value = exact_equilibrium(game).value * (1 if player == 0 else -1)
    gradient = exact_gradient(game, player, exact_plan(opponent))
    seat = for_player(game, player)
    own, other = seat.treeplexes
    best = exact_plan(Strategy(own, exact_best_behavior(own, gradient)))
    guaranteed = -exact_best_value(other, exact_gradient(seat, 1, best))

    def sample(epsilon: Fraction) -> Sample[Fraction]:
        found = exact_safe_response(game, gradient, floor=value - epsilon, player=player)
        return Sample(epsilon, found.payoff, found.slope, found.plan)

    last = Sample(value - guaranteed, exact_best_value(own, gradient), Fraction(0), best)
    samples = concave_kinks(sample, last)
    return ExactTradeOff(
        game.name,
        player,
        value,
        tuple(s.at for s in samples),
        tuple(s.value for s in samples),
        tuple(s.plan for s in samples),
    )
