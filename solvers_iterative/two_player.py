"""What solvers of two-player zero-sum sequence forms share: the game's arrays, gradients and the gap."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from equiform.models.common.arguments import require_workers
from equiform.models.common.array_types import FloatArray
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import form_fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.kernels.rows import Rows, Shape, gradient_rows, multiply, no_rows, treeplex_shape
from equiform.solvers_iterative.kernels.threads import ThreadedPayoff


class SequenceFormSolver(IterativeSolver):
    """An iterative solver on two treeplexes and a payoff operator.

    With a written-out payoff and one thread (``compiled``) whole runs happen inside one compiled loop; any other
    operator, and a payoff shared by threads, is asked for its products from Python, iteration by iteration.
    """

    def __init__(self, algorithm: str, game: SequenceForm, *, threads: int = 1) -> None:
        super().__init__(algorithm, game.name)
        self.game = game
        self.threads = require_workers(threads, "threads", algorithm)
        self.compiled = isinstance(game.payoff, MatrixPayoff) and threads == 1
        self._shapes: tuple[Shape, Shape] = (treeplex_shape(game.treeplexes[0]), treeplex_shape(game.treeplexes[1]))
        self._rows: tuple[Rows, Rows] = (no_rows(), no_rows())
        self._products = game
        if isinstance(game.payoff, MatrixPayoff):
            self._rows = (gradient_rows(game.payoff, 0), gradient_rows(game.payoff, 1))
            if threads > 1:
                self._products = SequenceForm(game.name, game.treeplexes, ThreadedPayoff(self._rows, threads))

    @property
    @abstractmethod
    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """The averaged realization plans."""

    @property
    @abstractmethod
    def current_plans(self) -> tuple[FloatArray, FloatArray]:
        """The last realization plans."""

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The averaged profile, the one whose gap is measured."""
        return self._strategies(self.average_plans)

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last iterate."""
        return self._strategies(self.current_plans)

    def _strategies(self, plans: tuple[FloatArray, FloatArray]) -> tuple[Strategy, ...]:
        return tuple(Strategy.from_plan(t, plan) for t, plan in zip(self.game.treeplexes, plans, strict=True))

    def _gradient(self, player: int, opponent_plan: FloatArray) -> FloatArray:
        """Return a player's payoff per unit of each own sequence, by our own rows or by the operator."""
        if self.compiled:
            out = np.empty(self.game.payoff.shape[player])
            multiply(self._rows[player], opponent_plan, out)
            return out
        return self._products.gradient(player, opponent_plan)

    def _measure(self) -> Measurement:
        x, y = self.average_plans
        lower, upper = self.game.bracket(x, y)
        value = self.game.value(x, y)
        return Measurement(lower, upper, (upper - value, value - lower))

    def _fingerprint(self) -> str:
        return form_fingerprint(self.game)
