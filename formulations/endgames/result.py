"""What the programs of endgames return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class EndgameResult:
    """One player's play in one endgame, as the solver gave it."""

    method: str
    player: int
    objective: float
    """What the program maximised, in the words of its own page."""
    plan: FloatArray = field(repr=False)
    """Weights of the player's sequences in the entry form; the classes carry the trunk's weights."""
    conceded: FloatArray = field(repr=False)
    """What the player gets at least out of each class of the opponent."""
    solution: Solution = field(repr=False)

    @staticmethod
    def read(method: str, player: int, model: Any, solution: Solution) -> EndgameResult:
        """Read the answer off a solved model with the blocks ``plan`` and ``conceded``."""
        solution.require_optimal()
        plan, won = solution.values(model.plan.x), solution.values(model.conceded.w)
        return EndgameResult(method, player, solution.objective_value, plan, won, solution)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "method": self.method,
            "player": self.player + 1,
            "objective": self.objective,
            "plan": self.plan.tolist(),
            "conceded": self.conceded.tolist(),
            "backend": self.solution.backend,
        }
