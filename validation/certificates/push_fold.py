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
    jams, folds = _answers(game, _chart(call))
    return _bounds(game, jams - folds, float(np.maximum(jams, folds).sum()) - floor)


def forced_calls(game: PushFold, jam: FloatArray, ceiling: float) -> tuple[FloatArray, FloatArray]:
    """Bound the calling probabilities of every equilibrium, hand by hand, with one jamming chart.

    The argument is that of :func:`forced_jams` with the players exchanged: ``ceiling`` is at least the value of the
    game, and what the big blind saves by calling is its gain.
    """
    folded, calls, folds = _replies(game, _chart(jam))
    return _bounds(game, folds - calls, ceiling - folded - float(np.minimum(calls, folds).sum()))


def _bounds(game: PushFold, gain: FloatArray, slack: float) -> tuple[FloatArray, FloatArray]:
    """Bound how often to be bold with each hand if being bold gains so much, and nobody loses more than ``slack``."""
    lost = max(0.0, slack) + _ROUNDING * float(game.stack)
    share = np.minimum(1.0, lost / np.maximum(np.abs(gain), np.finfo(float).tiny))
    return np.where(gain > 0, 1.0 - share, 0.0), np.where(gain < 0, share, 1.0)


def _chart(probabilities: FloatArray) -> FloatArray:
    return require_numbers(probabilities, "probabilities", "push or fold", shape=(N_CLASSES,), least=0.0, most=1.0)


def _shares(game: PushFold) -> tuple[FloatArray, FloatArray]:
    """Return the probability of every pair of hands, and what a showdown between them is worth to the small blind."""
    results = two_way_table() / (comb(52, 2) * comb(50, 2) * comb(48, 5))
    return results.sum(axis=2), (results[..., 0] - results[..., 1]) * float(game.stack)


def _answers(game: PushFold, take: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what jamming and folding bring the small blind with each hand, weighted by its probability."""
    mass, margin = _shares(game)
    small, ante = float(game.small_blind), float(game.ante)
    return margin @ take + (1 + ante) * (mass @ (1 - take)), -(small + ante) * mass.sum(axis=1)


def _replies(game: PushFold, push: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return what the small blind gets when it folds, and when the big blind calls or folds with each hand."""
    mass, margin = _shares(game)
    small, ante = float(game.small_blind), float(game.ante)
    return float(-(small + ante) * ((1 - push) @ mass).sum()), push @ margin, (1 + ante) * (push @ mass)


def certify_push_fold(game: PushFold, jam: FloatArray, call: FloatArray) -> PushFoldCertificate:
    """Let each player answer the other's chart hand by hand."""
    # The big blind answers: for each of its hands the smaller of calling and folding, against all jams.
    folded, calls, folds = _replies(game, _chart(jam))
    # The small blind answers: for each of its hands the larger of jamming and folding.
    best = np.maximum(*_answers(game, _chart(call)))
    return PushFoldCertificate(folded + float(np.minimum(calls, folds).sum()), float(best.sum()))
