r"""Deviation-based best response: model the opponent by how his public play departs from equilibrium, and respond.

S. Ganzfried and T. Sandholm, AAMAS 2011; Ganzfried (2015), Algorithms 19 and 21. Only public moves are counted; what
the opponent holds is never seen. DBBR(T, k, N) plays equilibrium for T hands, then a best response to the model of
:func:`equiform.formulations.opponents.opponent_model.fit_opponent`, refitted every k hands from the counts and N
fictitious hands.

The model serves the safe agents as well (:class:`equiform.play.agents.safe_agents.Exploiter`): that is §13.1.1's first
use of safe exploitation, which makes any architecture safe by bounding what its strategies may risk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiform.formulations.opponents import dbbr_l1, dbbr_l2
from equiform.formulations.opponents.opponent_model import Fit, fit_opponent, shift_weights
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.public_histories import public_histories
from equiform.play.agents.safe_agents import Round, Setting
from equiform.play.batches import best_behaviors, realizations
from equiform.play.interim import stored_array, stored_count

VARIANTS: dict[str, Fit] = {"ws": shift_weights, "l1": dbbr_l1.behavior, "l2": dbbr_l2.behavior}


class DeviationModel:
    """Models of many opponents from their public moves, one row each."""

    def __init__(
        self,
        setting: Setting,
        variant: str = "ws",
        *,
        every: int = 1,
        prior_plays: float = 5.0,
        grouping: str = "public",
    ) -> None:
        """Start at the equilibrium.

        Parameters
        ----------
        setting
            The game, and how many matches are played side by side.
        variant
            How a model is fitted: ``ws`` (weight shifting), ``l1`` or ``l2``.
        every
            After how many hands the models are refitted.
        prior_plays
            How many fictitious plays of the equilibrium each public history begins with.
        grouping
            Which public histories are distinguished: ``public``, or ``moves`` to merge boards.

        Raises
        ------
        ParameterError
            If there is no such variant, or if ``every`` is less than 1.
        """
        require_name(variant, VARIANTS, "variant", "dbbr")
        if every < 1:
            raise ParameterError(f"cannot model every {every} hands", where="dbbr", fix="use at least 1")
        seat = setting.seat
        self._seat, self._fit = seat, VARIANTS[variant]
        self._every, self._prior_plays = every, prior_plays
        self.view = public_histories(seat.game, 1 - seat.player, grouping)
        """The opponent's public histories."""
        self.counts = np.zeros((setting.matches, self.view.num_slots))
        """How often each public move of each opponent was seen."""
        self._hands, self._most = 0, setting.hands
        self._plans = np.tile(seat.opponent.realization(seat.equilibrium[1]), (setting.matches, 1))

    def plans(self) -> FloatArray:
        """Return the latest models as realization plans."""
        return self._plans

    def update(self, leaves: IntArray) -> None:
        """Count the opponents' public moves in one hand of every match."""
        opponent = self._seat.opponent
        rows = np.arange(len(leaves))
        last = self._seat.opponent_sequence[leaves].astype(np.int64)
        while (moved := last > 0).any():
            rows, last = rows[moved], last[moved]
            self.counts[rows, self.view.slot_of[last]] += 1.0
            last = opponent.parent[opponent.infoset_of[last]].astype(np.int64)
        self._hands += 1
        if self._hands % self._every == 0:
            self.refit()

    def refit(self) -> None:
        """Refit the models to the counts."""
        equilibrium = self._seat.equilibrium[1]
        for row, counts in enumerate(self.counts):
            model = fit_opponent(self.view, equilibrium, counts, self._fit, prior_plays=self._prior_plays)
            self._plans[row] = model.strategy.plan

    def state(self) -> dict[str, Any]:
        """Return the counts, how many hands they are of, and the models, which may be older."""
        return {"counts": self.counts, "counted": self._hands, "models": self._plans}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from the counts and models."""
        self.counts = stored_array(state, "counts", self.counts)
        self._plans = stored_array(state, "models", self._plans)
        self._hands = stored_count(state, "counted", self._most)


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
        grouping: str = "public",
    ) -> None:
        """Take the thesis's parameters.

        Parameters
        ----------
        setting
            The game, and how many matches are played side by side.
        wait
            T: the hands of equilibrium play before the first model; a third of the match by default, as in §12.3.
        every
            k: after how many hands the model is refitted.
        variant, prior_plays, grouping
            As for :class:`DeviationModel`; ``prior_plays`` is N.

        Raises
        ------
        ParameterError
            If there is no such variant, or if a number is out of range.
        """
        wait = setting.hands // 3 if wait is None else wait
        if wait < 0 or every < 1:
            raise ParameterError(
                f"cannot wait {wait} hands and model every {every}", where="dbbr", fix="use wait ≥ 0, every ≥ 1"
            )
        seat = setting.seat
        self._seat, self._wait, self._every = seat, wait, every
        # counts alone: the agent says when a model is due
        self.model = DeviationModel(
            setting, variant, every=setting.hands + 1, prior_plays=prior_plays, grouping=grouping
        )
        self._plans = np.tile(seat.own.realization(seat.equilibrium[0]), (setting.matches, 1))
        self.gifts = np.full(setting.matches, np.nan)

    def choose(self, number: int) -> FloatArray:
        """Return the plans, refitted when it is time."""
        if number >= self._wait and (number == self._wait or number % self._every == 0):
            self.model.refit()
            gradients = self._seat.gradients(self.model.plans())
            self._plans = realizations(self._seat.own, best_behaviors(self._seat.own, gradients))
        return self._plans

    def learn(self, played: Round) -> None:
        """Count the opponents' public moves."""
        self.model.update(played.leaves)

    def state(self) -> dict[str, Any]:
        """Return the model and the plans that answer it."""
        return {"plans": self._plans, **self.model.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from the model and the plans."""
        self._plans = stored_array(state, "plans", self._plans)
        self.model.restore(state)
