"""What the solvers of stochastic games share: a profile, values of the states, and the measure of their quality."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import Prospects, StochasticGame
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.stochastic.policy_iteration import BestResponses, best_responses


class StochasticSolver(IterativeSolver):
    """Base of the solvers: subclasses say what an iteration does to ``profile`` and ``values``.

    Parameters
    ----------
    game
        The stochastic game.
    values
        Where the values of the states start, ``[state, seat]`` (zeros by default). Total rewards need a start that is
        not above the truth, or an algorithm that evaluates policies: thesis §9.4.
    """

    name = ""

    def __init__(self, game: StochasticGame, *, values: FloatArray | None = None) -> None:
        super().__init__(self.name, game.name)
        self.game = game
        shape = (game.num_states, game.num_seats)
        start = np.zeros(shape) if values is None else require_numbers(values, "values", game.name, shape=shape)
        self.values: FloatArray = start.copy()
        self._start_values = start
        self._profile = [strategy.copy() for strategy in game.start()]
        self._measured: BestResponses | None = None

    @property
    def profile(self) -> tuple[FloatArray, ...]:
        """The strategies, one vector per seat (see :mod:`equiform.models.stochastic.stages`)."""
        return tuple(strategy.copy() for strategy in self._profile)

    @property
    def measured(self) -> BestResponses | None:
        """Best responses at the last checkpoint: the solver's own word, in its own precision."""
        return self._measured

    @abstractmethod
    def _iterate(self, iteration: int) -> None:
        """Do iteration number ``iteration``, from 1."""

    def _advance(self, count: int) -> None:
        for k in range(count):
            self._iterate(self.iteration + k + 1)

    def _mix(self, prospects: tuple[Prospects, ...], payoffs: FloatArray, weight: float) -> None:
        """Move every seat's strategy towards its best response to the others, all at the same time."""
        answers = [own.respond(payoffs[:, seat]) for seat, own in enumerate(prospects)]
        for strategy, answer in zip(self._profile, answers, strict=True):
            strategy += weight * (answer - strategy)

    def _state(self) -> Mapping[str, NDArray[Any]]:
        return {"values": self.values, **{f"seat{k}": strategy for k, strategy in enumerate(self._profile)}}

    def _measure(self) -> Measurement:
        self._measured = best_responses(self.game, self._profile)
        return Measurement(math.nan, math.nan, (self._measured.epsilon,))

    def _fingerprint(self) -> str:
        outcomes = self.game.outcomes
        return fingerprint(
            [
                outcomes.first,
                outcomes.rewards,
                outcomes.successors.data,
                outcomes.successors.indices,
                self._start_values,
            ]
        )

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver; the start values are part of the fingerprint."""
        return {}

    @property
    def average(self) -> tuple[Strategy, ...]:
        """Nothing: strategies of a stochastic game are vectors for all states, see :attr:`profile`."""
        return ()

    @property
    def current(self) -> tuple[Strategy, ...]:
        """Nothing, as above."""
        return ()
