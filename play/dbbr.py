r"""Deviation-based best response: model the opponent by how his public play departs from equilibrium, and respond.

S. Ganzfried and T. Sandholm, AAMAS 2011; Ganzfried (2015), Algorithms 19 and 21. Only public moves are counted; what
the opponent holds is never seen. DBBR(T, k, N) plays equilibrium for T hands, then a best response to the model of
:func:`equiform.models.opponent_model.fit_opponent`, made anew every k hands from the counts and N fictitious hands.
"""

from __future__ import annotations

import numpy as np

from equiform.formulations import dbbr_l1, dbbr_l2
from equiform.models.errors import ParameterError
from equiform.models.opponent_model import Fit, fit_opponent, shift_weights
from equiform.models.public import public_histories
from equiform.models.treeplex import FloatArray
from equiform.play.agents import Round, Setting

VARIANTS: dict[str, Fit] = {"ws": shift_weights, "l1": dbbr_l1.behavior, "l2": dbbr_l2.behavior}


class DeviationAgent:
    """DBBR in many matches, one row each."""

    def __init__(
        self,
        setting: Setting,
        variant: str = "ws",
        *,
        wait: int | None = None,
        every: int = 50,
        prior_plays: float = 5.0,
    ) -> None:
        """Take the thesis's parameters T (``wait``; a third of the match, as in §12.3), k and N."""
        if variant not in VARIANTS:
            raise ParameterError(f"unknown variant {variant!r}", where="dbbr", fix=f"use one of {', '.join(VARIANTS)}")
        wait = setting.hands // 3 if wait is None else wait
        if wait < 0 or every < 1:
            raise ParameterError(
                f"cannot wait {wait} hands and model every {every}", where="dbbr", fix="use wait ≥ 0, every ≥ 1"
            )
        seat = setting.seat
        self._seat, self._fit = seat, VARIANTS[variant]
        self._wait, self._every, self._prior_plays = wait, every, prior_plays
        self._view = public_histories(seat.game, 1 - seat.player)
        self.counts = np.zeros((setting.matches, self._view.num_slots))
        """How often each public move of each opponent was seen."""
        self._plans = np.tile(seat.own.realization(seat.equilibrium[0]), (setting.matches, 1))
        self.gifts = np.full(setting.matches, np.nan)

    def choose(self, number: int) -> FloatArray:
        """Give the plans, made anew when it is time."""
        if number >= self._wait and (number == self._wait or number % self._every == 0):
            self._plans = np.array([self.respond(counts) for counts in self.counts])
        return self._plans

    def respond(self, counts: FloatArray) -> FloatArray:
        """Model one opponent from the counts and respond."""
        seat = self._seat
        model = fit_opponent(self._view, seat.equilibrium[1], counts, self._fit, prior_plays=self._prior_plays)
        behavior = seat.own.best_behavior(seat.form.gradient(0, model.strategy.plan))
        return seat.own.realization(behavior)

    def learn(self, played: Round) -> None:
        """Count the opponents' public moves."""
        opponent = self._seat.opponent
        rows = np.arange(len(played.leaves))
        last = self._seat.opponent_sequence[played.leaves].astype(np.int64)
        while (moved := last > 0).any():
            rows, last = rows[moved], last[moved]
            self.counts[rows, self._view.slot_of[last]] += 1.0
            last = opponent.parent[opponent.infoset_of[last]].astype(np.int64)
