"""What the solvers in Euclidean projections share: points inside the treeplexes, and the best profile so far."""

from __future__ import annotations

from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm
from equiform.solvers_iterative.first_order.projection import TreeplexProjection
from equiform.solvers_iterative.two_player import SequenceFormSolver


class ProjectingSolver(SequenceFormSolver):
    """A solver that projects onto the treeplexes and keeps the best profile it has seen."""

    _points: list[FloatArray]
    _best: list[FloatArray]

    def __init__(self, name: str, game: SequenceForm, *, threads: int) -> None:
        super().__init__(name, game, threads=threads)
        self._project = tuple(TreeplexProjection(t) for t in game.treeplexes)

    def _uniform_plans(self) -> list[FloatArray]:
        """Return a fresh pair of plans that play every move with the same probability."""
        return [t.realization(t.uniform()) for t in self.game.treeplexes]

    @property
    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """The best profile so far."""
        return self._best[0].copy(), self._best[1].copy()

    @property
    def current_plans(self) -> tuple[FloatArray, FloatArray]:
        """The last iterate."""
        return self._points[0].copy(), self._points[1].copy()
