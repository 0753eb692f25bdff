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
    jams = margin @ take + (1 + ante) * (mass @ (1 - take))
    best = np.maximum(jams, -(small + ante) * mass.sum(axis=1))
    return PushFoldCertificate(float(folded + answers.sum()), float(best.sum()))
