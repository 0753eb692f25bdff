"""Exact evaluations of the stage games now and then, cheap ones in between.

Where stage games are dear, a solver evaluates them exactly every ``refresh`` iterations and in between near the last
exact profile, the *anchor* (:meth:`equiform.models.stochastic.StageGames.near`). The anchor belongs to the state of a
run: what is built from it is built again after a resume, and the run goes on bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import Nearby, Prospects, StageGames, StochasticGame
from equiform.solvers_iterative.stochastic.base import StochasticSolver


class Anchor:
    """The profile of the last exact evaluation, and the stages near it."""

    def __init__(self, stages: StageGames, profile: Sequence[FloatArray], refresh: int) -> None:
        self._stages, self._refresh = stages, refresh
        self._profile = [strategy.copy() for strategy in profile]
        self._near: Nearby | None = None

    def prospects(self, iteration: int, profile: Sequence[FloatArray]) -> tuple[Prospects, ...]:
        """Return the prospects of a profile in iteration number ``iteration``, from 1."""
        if self._refresh == 1:
            return self._stages.prospects(tuple(profile))
        if (iteration - 1) % self._refresh == 0:
            for anchor, strategy in zip(self._profile, profile, strict=True):
                anchor[...] = strategy
            self._near = None
        if self._near is None:
            self._near = self._stages.near(tuple(self._profile))
        return self._near.prospects(tuple(profile))

    def near(self, profile: Sequence[FloatArray]) -> tuple[Prospects, ...]:
        """Return the prospects of another profile in the same iteration."""
        return (self._near or self._stages).prospects(tuple(profile))

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that a saved run needs."""
        return {f"anchor{seat}": strategy for seat, strategy in enumerate(self._profile)}

    def forget(self) -> None:
        """Build the stages again: the anchor was read from a file."""
        self._near = None


class AnchoredSolver(StochasticSolver):
    """Base of the solvers that evaluate the stage games exactly now and then.

    Parameters
    ----------
    game, values
        As for all solvers of stochastic games.
    refresh
        Iterations between two exact evaluations of the stage games; with 1 all are exact.
    """

    def __init__(self, game: StochasticGame, *, values: FloatArray | None = None, refresh: int = 40) -> None:
        super().__init__(game, values=values)
        self.refresh = require_count(refresh, "refresh", self.name)
        self._anchor = Anchor(game.stages, self._profile, self.refresh)

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that rebuild this solver."""
        return {"refresh": self.refresh}

    def _state(self) -> Mapping[str, NDArray[Any]]:
        return {**super()._state(), **self._anchor.state()}

    def load(self, path: str | Path) -> Self:
        """Take over a saved state of the same algorithm with the same options on the same game."""
        super().load(path)
        self._anchor.forget()
        return self
