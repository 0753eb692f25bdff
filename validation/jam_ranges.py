"""How often a hand is jammed heads-up: in some equilibrium, and in any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum import selection, sequence_form_lp
from equiform.games.cards.charts import starting_hand
from equiform.games.tournament.push_fold import PushFold
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.push_fold import certify_push_fold, forced_jams


@dataclass(frozen=True)
class JamRange:
    """How often the small blind jams a hand: in some equilibrium, and at least and at most in any."""

    hand: str
    attained: tuple[float, float]
    """The lowest and the highest probability of an equilibrium, by two linear programs."""
    bounds: tuple[float, float]
    """No equilibrium leaves these bounds: proved by a calling chart alone."""

    @property
    def verdict(self) -> str:
        """What is proved: ``"jam"``, ``"fold"``, or nothing (``"open"``: the hand may be mixed)."""
        return "jam" if self.bounds[0] > 0.999 else "fold" if self.bounds[1] < 0.001 else "open"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "hand": self.hand,
            "attained": list(self.attained),
            "bounds": list(self.bounds),
            "verdict": self.verdict,
        }


def jam_range(game: PushFold, hand: str, *, solver: SolverOptions = DEFAULT) -> JamRange:
    """Find how often the small blind may jam a hand in equilibrium.

    Parameters
    ----------
    game
        Stack, small blind and ante in big blinds.
    hand
        A starting hand, such as ``"J5s"``.
    solver
        The backend of the linear programs and how to run it.
    """
    form, index = game.sequence_form(), starting_hand(hand)
    jam, call = equilibrium_charts(form, solver=solver)
    floor = certify_push_fold(game, jam, call).lower
    low, high = forced_jams(game, call, floor)
    chosen = np.zeros(form.treeplexes[0].num_sequences)
    chosen[1 + 2 * index] = 1.0
    ends = selection.solve_functional(form, chosen, value=floor, solver=solver)
    worst, best = (float(np.clip(_bold(end.strategies[0])[index], 0.0, 1.0)) for end in (ends.worst, ends.best))
    return JamRange(hand, (worst, best), (float(low[index]), float(high[index])))


def equilibrium_charts(form: SequenceForm, *, solver: SolverOptions = DEFAULT) -> tuple[FloatArray, FloatArray]:
    """Return how often an equilibrium of push or fold jams and calls each hand, by a linear program."""
    found = sequence_form_lp.solve(form, solver=solver).require_optimal()
    jam, call = (np.clip(_bold(strategy), 0.0, 1.0) for strategy in found.strategies)
    return jam, call


def _bold(strategy: Strategy | None) -> FloatArray:
    assert strategy is not None
    return strategy.floats[1::2]
