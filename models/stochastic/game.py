"""A stochastic game: stage games, what follows their outcomes, and a discount."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import GameError
from equiform.models.stochastic.outcomes import Outcomes
from equiform.models.stochastic.stages import StageGames


@dataclass(frozen=True, eq=False)
class StochasticGame:
    """States in which a stage game is played; its outcome pays and leads to the next state.

    Parameters
    ----------
    name, seats, states
        What to call the game, the seats and the states.
    stages
        The stage games of all states: trees and tables (:class:`TreeStages`), or a family that is evaluated at once.
    outcomes
        Rewards and successors.
    discount
        Weight of the future, above 0 and at most 1; with 1 the total reward counts.
    """

    name: str
    seats: tuple[str, ...]
    states: tuple[str, ...]
    stages: StageGames = field(repr=False)
    outcomes: Outcomes = field(repr=False)
    discount: float = 1.0

    def __post_init__(self) -> None:
        require_number(self.discount, "discount", self.name, least=0.0, most=1.0)
        counts = (len(self.states), len(self.seats))
        if counts != (self.outcomes.num_states, self.outcomes.num_seats) or len(self.seats) != self.stages.num_seats:
            raise GameError(
                f"{counts[0]} states and {counts[1]} seats are named",
                where=self.name,
                fix=f"name {self.outcomes.num_states} states and {self.outcomes.num_seats} seats",
            )
        if not np.array_equal(self.stages.first, self.outcomes.first):
            wrong = np.flatnonzero(np.asarray(self.stages.first) != self.outcomes.first)
            raise GameError(
                "the outcomes do not fit the stage games",
                where=f"{self.name}, state {self.states[max(0, int(wrong[0]) - 1)]}",
                fix="describe every outcome of every stage once",
            )

    @property
    def num_states(self) -> int:
        """Count the states in which somebody moves."""
        return len(self.states)

    @property
    def num_seats(self) -> int:
        """Count the players."""
        return len(self.seats)

    def start(self) -> tuple[FloatArray, ...]:
        """Return the profile in which everybody chooses uniformly."""
        return tuple(self.stages.start(seat) for seat in range(self.num_seats))

    def payoffs(self, values: FloatArray) -> FloatArray:
        """Return what each outcome is worth to each seat, given values of the states."""
        return self.outcomes.payoffs(values, self.discount)
