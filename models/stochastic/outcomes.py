r"""What follows an outcome of a stage game: rewards, and a distribution over states and seats.

Outcomes of all states are numbered in one row; those of state :math:`s` are ``first[s]:first[s + 1]``. A player in seat
:math:`i` whose stage ends in outcome :math:`o` receives :math:`r_{oi}` and goes on to state :math:`t` and seat
:math:`j` with probability :math:`q_{oi,tj}`. If the probabilities sum to less than one, the game ends with the rest.
With values :math:`v_{tj}` and discount :math:`\gamma` the outcome is worth

.. math:: u_{oi} = r_{oi} + \gamma \sum_{t, j} q_{oi,tj} v_{tj}.

Seats matter where players change them: blinds move round the table after every hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ChanceError, GameError

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Rewards and successors of all outcomes of all states."""

    first: IntArray = field(repr=False)
    rewards: FloatArray = field(repr=False)  # [outcome, seat]
    successors: sp.csr_array = field(repr=False)  # [outcome * seats + seat, state * seats + seat]

    def __post_init__(self) -> None:
        if len(self.first) < 2 or self.first[0] != 0 or (np.diff(self.first) < 1).any():
            bad = int(np.argmax(np.diff(self.first) < 1)) if len(self.first) > 1 else 0
            raise GameError("a state has no outcome", where=f"state {bad}", fix="every stage must end somewhere")
        rows, columns = self.rewards.size, self.num_states * self.num_seats
        if len(self.rewards) != self.first[-1] or self.successors.shape != (rows, columns):
            raise GameError(
                f"rewards of shape {self.rewards.shape} and successors of shape {self.successors.shape}",
                where=f"{self.num_states} states, {self.first[-1]} outcomes",
                fix=f"use a row of rewards per outcome and a matrix of shape ({rows}, {columns})",
            )
        if not np.isfinite(self.rewards).all():
            raise GameError("a reward is not finite", where=self._place(~np.isfinite(self.rewards)), fix="use numbers")
        total = np.asarray(self.successors.sum(axis=1)).reshape(self.rewards.shape)
        negative = len(self.successors.data) > 0 and self.successors.data.min() < 0
        wrong = total > 1 + _TOLERANCE
        if negative or wrong.any():
            worst = "a negative probability" if negative else f"successors of total probability {total[wrong][0]:.9g}"
            raise ChanceError(
                worst,
                where=self._place(wrong) if wrong.any() else "successors",
                fix="let the probabilities sum to one, or to less where the game may end",
            )

    @property
    def num_states(self) -> int:
        """Count the states in which somebody moves."""
        return len(self.first) - 1

    @property
    def num_seats(self) -> int:
        """Count the seats, one per player."""
        return int(self.rewards.shape[1])

    @property
    def state(self) -> IntArray:
        """The state of each outcome."""
        return np.repeat(np.arange(self.num_states), np.diff(self.first))

    def payoffs(self, values: FloatArray, discount: float) -> FloatArray:
        """Return what each outcome is worth to each seat if states are worth ``values[state, seat]`` from then on."""
        return self.rewards + discount * (self.successors @ values.ravel()).reshape(self.rewards.shape)

    def stage_values(self, probabilities: FloatArray, payoffs: FloatArray) -> FloatArray:
        """Return the expected payoffs of all states, ``[state, seat]``."""
        return np.add.reduceat(probabilities[:, None] * payoffs, self.first[:-1], axis=0)

    def _place(self, wrong: np.ndarray) -> str:
        outcome, seat = (int(k[0]) for k in np.nonzero(wrong))
        state = int(np.searchsorted(self.first, outcome, side="right")) - 1
        return f"state {state}, outcome {outcome - int(self.first[state])}, seat {seat + 1}"
