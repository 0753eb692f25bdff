"""Exact plans as strategies: behaviour in Fractions, and what to play where a plan never arrives.

The exact twin of :mod:`equiform.models.completion`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_name
from equiform.models.common.rational_vector import RationalVector, as_object, reduced
from equiform.models.completion import UNREACHED
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import exact_gradient, exact_plan

#: The share of uniform play that decides where the opponent's plan does not.
_TREMBLE = Fraction(1, 10**6)


def exact_profile(
    game: SequenceForm, plans: tuple[RationalVector, RationalVector], unreached: str = "best-response"
) -> tuple[Strategy, Strategy]:
    """Turn both players' exact plans into strategies; ``unreached`` is one of :data:`UNREACHED`."""
    require_name(unreached, UNREACHED, "way to complete a plan", game.name)
    first, second = game.treeplexes
    if unreached == "uniform":
        return exact_strategy(first, plans[0]), exact_strategy(second, plans[1])
    filled = [
        exact_best_behavior(t, exact_gradient(game, p, _trembling(game.treeplexes[1 - p], plans[1 - p])))
        for p, t in enumerate((first, second))
    ]
    return exact_strategy(first, plans[0], filled[0]), exact_strategy(second, plans[1], filled[1])


def _trembling(treeplex: Treeplex, plan: RationalVector) -> RationalVector:
    """Mix a plan with a little uniform play."""
    uniform = uniform_plan(treeplex)
    share, rest = _TREMBLE, 1 - _TREMBLE
    numerators = as_object(plan.numerators) * (rest.numerator * uniform.denominator) + as_object(uniform.numerators) * (
        share.numerator * plan.denominator
    )
    return reduced(numerators, plan.denominator * uniform.denominator * share.denominator)


def exact_behavior(treeplex: Treeplex, plan: RationalVector) -> NDArray[Any]:
    """Turn a realization plan into behavioural Fractions, uniform where the plan never arrives."""
    weights, start = plan.numerators.tolist(), treeplex.start.tolist()
    behavior = np.empty(treeplex.num_sequences, dtype=object)
    behavior[0] = Fraction(1)
    for h, above in enumerate(treeplex.parent.tolist()):
        own, reach = range(start[h], start[h + 1]), weights[above]
        for s in own:
            behavior[s] = Fraction(weights[s], reach) if reach else Fraction(1, len(own))
    return behavior


def exact_strategy(treeplex: Treeplex, plan: RationalVector, unreached: NDArray[Any] | None = None) -> Strategy:
    """Turn an exact plan into a strategy that plays ``unreached`` (by default uniformly) where it never arrives."""
    behavior = exact_behavior(treeplex, plan)
    if unreached is not None:
        arriving = plan.numerators[treeplex.parent][treeplex.infoset_of[1:]]
        behavior[1:] = np.where(arriving == 0, unreached[1:], behavior[1:])
    return Strategy(treeplex, behavior)


def exact_best_behavior(treeplex: Treeplex, gradient: RationalVector) -> NDArray[Any]:
    """Maximise a gradient from every information set on, in integers (ties: the first action)."""
    value, start = gradient.numerators.tolist(), treeplex.start.tolist()
    best = [Fraction(0)] * len(value)
    best[0] = Fraction(1)
    for h in range(treeplex.num_infosets - 1, -1, -1):
        choice = max(range(start[h], start[h + 1]), key=value.__getitem__)
        best[choice] = Fraction(1)
        value[treeplex.parent[h]] += value[choice]
    return _objects(best)


def uniform_plan(treeplex: Treeplex) -> RationalVector:
    """Return the exact realization plan of uniform play."""
    sizes = np.diff(treeplex.start).tolist()
    behavior = [Fraction(1)] + [Fraction(1, k) for k in sizes for _ in range(k)]
    return exact_plan(Strategy(treeplex, _objects(behavior)))


def _objects(values: list[Any]) -> NDArray[Any]:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result
