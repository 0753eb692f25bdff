"""What every game program returns: the value, the strategies, and the solver's word on each program solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from equiform.formulations.optimization.solution import Solution, Status, TerminationCondition
from equiform.models.common.array_types import FloatArray
from equiform.models.common.html import html_facts
from equiform.models.common.records import plain
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy


@dataclass(frozen=True, eq=False)
class Result:
    """An answer as the solver gave it. It is a claim: :mod:`equiform.validation` turns it into a certificate."""

    game: str
    concept: str
    value: float
    """Expected payoff of player 1."""
    strategies: tuple[Strategy | None, Strategy | None]
    """One per player; ``None`` where the program decides for one side only."""
    plans: tuple[FloatArray | None, FloatArray | None] = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    build_seconds: float = 0.0

    def _repr_html_(self) -> str:
        facts = {
            "game": self.game,
            "concept": self.concept,
            "value": f"{self.value:.9g}",
            "backend": f"{self.backend} {self.version}",
            "status": f"{self.status}, {self.termination}",
            "seconds": f"{sum(self.seconds.values()):.3g}",
        }
        return html_facts("Result, as the solver claims it", facts)

    def require_certified(self) -> Self:
        """Return the result itself; concepts that have a proof of their own raise if it fails."""
        return self

    @property
    def solution(self) -> Solution:
        """The last program's solution: the one that gave the answer."""
        return self.solutions[-1]

    @property
    def termination(self) -> TerminationCondition:
        """Why the last solver stopped."""
        return self.solution.termination

    @property
    def status(self) -> Status:
        """The worst status among the programs solved."""
        order = (Status.OK, Status.WARNING, Status.ERROR)
        return max((s.status for s in self.solutions), key=order.index)

    @property
    def bound(self) -> float | None:
        """The solver's bound on the objective."""
        return self.solution.bound

    @property
    def gap(self) -> float | None:
        """Distance of objective and bound."""
        return self.solution.gap

    @property
    def backend(self) -> str:
        """The solver's name."""
        return self.solution.backend

    @property
    def version(self) -> str:
        """The solver's version."""
        return self.solution.version

    @property
    def algorithm(self) -> str:
        """The algorithm that was chosen, by the structure of the program or by the user."""
        return self.solution.algorithm

    @property
    def seconds(self) -> Mapping[str, float]:
        """Wall-clock seconds by phase."""
        return {
            "build": self.build_seconds,
            "compile": sum(s.seconds.compile for s in self.solutions),
            "load": sum(s.seconds.load for s in self.solutions),
            "solve": sum(s.seconds.solve for s in self.solutions),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return value, strategies and the solver's word as plain data."""
        document: dict[str, Any] = plain(
            {
                "game": self.game,
                "concept": self.concept,
                "value": self.value,
                "strategies": {s.treeplex.player: s.table() for s in self.strategies if s is not None},
                "solutions": self.solutions,
                "seconds": self.seconds,
            }
        )
        return document

    def require_optimal(self) -> Self:
        """Return the result itself, or raise the error that says what to do next."""
        for solution in self.solutions:
            solution.require_optimal()
        return self


def one_sided(
    game: SequenceForm,
    concept: str,
    player: int,
    model: Any,
    solutions: tuple[Solution, ...],
    build_seconds: float,
) -> Result:
    """Read one player's strategy off a solved model with a ``plan`` block and the player's payoff as objective."""
    plan = solutions[-1].values(model.plan.x)
    strategy = Strategy.from_plan(game.treeplexes[player], plan)
    value = solutions[-1].objective_value
    return Result(
        game=game.name,
        concept=concept,
        value=value if player == 0 else -value,
        strategies=(strategy, None) if player == 0 else (None, strategy),
        plans=(plan, None) if player == 0 else (None, plan),
        solutions=solutions,
        build_seconds=build_seconds,
    )
