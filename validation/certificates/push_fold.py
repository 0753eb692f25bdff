"""What charts of pushing and calling guarantee, straight from the table of all-in results."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from equiform.games.cards.all_in.tables import N_CLASSES, two_way_table
from equiform.games.tournament.push_fold import PushFold
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray

#: What sums of 169² products in double precision may be wrong by, per unit of the stack.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class PushFoldCertificate:
    """The small blind wins ``lower`` at least and ``upper`` at most, in big blinds per hand."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """How far the charts are from equilibrium, together."""
        return self.upper - self.lower

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"lower": self.lower, "upper": self.upper, "gap": self.gap}


def forced_jams(game: PushFold, call: FloatArray, floor: float) -> tuple[FloatArray, FloatArray]:
    r"""Bound the jamming probabilities of every equilibrium, hand by hand, with one calling chart.

    Against this chart the small blind gets u at most, and whoever jams hand h with probability p gets
    :math:`(1 - p)\,g_h` less, where :math:`g_h` is what jamming gains with h. An equilibrium strategy gets at least the
    value of the game, so :math:`p \ge 1 - (u - floor) / g_h` for any ``floor`` below the value; likewise for folds.

    Returns
    -------
    tuple
        The lower and the upper bound of each hand.
    """
    take = require_numbers(call, "probabilities", "push or fold", shape=(N_CLASSES,), least=0.0, most=1.0)
    jams, folds = _answers(game, take)
    slack = max(0.0, float(np.maximum(jams, folds).sum()) - floor) + _ROUNDING * float(game.stack)
    gain = jams - folds
    share = np.minimum(1.0, slack / np.maximum(np.abs(gain), np.finfo(float).tiny))
    return np.where(gain > 0, 1.0 - share, 0.0), np.where(gain < 0, share, 1.0)


def _answers(game: PushFold, take: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what jamming and folding bring the small blind with each hand, weighted by its probability."""
    results = two_way_table() / (comb(52, 2) * comb(50, 2) * comb(48, 5))
    stack, small, ante = (float(x) for x in (game.stack, game.small_blind, game.ante))
    mass = results.sum(axis=2)
    margin = (results[..., 0] - results[..., 1]) * stack
    return margin @ take + (1 + ante) * (mass @ (1 - take)), -(small + ante) * mass.sum(axis=1)


def certify_push_fold(game: PushFold, jam: FloatArray, call: FloatArray) -> PushFoldCertificate:
    """Let each player answer the other's chart hand by hand."""
    push, take = (
        require_numbers(chart, "probabilities", "push or fold", shape=(N_CLASSES,), least=0.0, most=1.0)
        for chart in (jam, call)
    )
    results = two_way_table() / (comb(52, 2) * comb(50, 2) * comb(48, 5))
    stack, small, ante = (float(x) for x in (game.stack, game.small_blind, game.ante))
    mass = results.sum(axis=2)
    margin = (results[..., 0] - results[..., 1]) * stack
    # The big blind answers: for each of its hands the smaller of calling and folding, against all jams.
    folded = -(small + ante) * ((1 - push) @ mass).sum()
    answers = np.minimum(push @ margin, (1 + ante) * (push @ mass))
    # The small blind answers: for each of its hands the larger of jamming and folding.
    best = np.maximum(*_answers(game, take))
    return PushFoldCertificate(float(folded + answers.sum()), float(best.sum()))
