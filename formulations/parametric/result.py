"""What the parametric programs return: thresholds with names, and their ε computed without the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiform.formulations.optimization.solution import Solution
from equiform.models.common.records import plain
from equiform.models.signals.evaluation import SignalEvaluation
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame
from equiform.models.signals.threshold_profile import ThresholdProfile


@dataclass(frozen=True, eq=False)
class ParametricResult:
    """A threshold profile that solves a parametric program, and its independent evaluation."""

    profile: ThresholdProfile
    evaluation: SignalEvaluation
    solution: Solution = field(repr=False)
    build_seconds: float = 0.0
    tried: tuple[str, ...] = ()
    violations: Mapping[str, float] = field(default_factory=dict)
    """Indifference that the program could not reach, by threshold; empty unless the closest profile was requested."""

    @property
    def game(self) -> SignalGame:
        """The game."""
        return self.profile.game

    @property
    def model(self) -> ParametricModel:
        """The model that fits."""
        return self.profile.model

    @property
    def thresholds(self) -> dict[str, float]:
        """Each threshold on the scale of the signals."""
        return self.profile.signals

    @property
    def epsilon(self) -> float:
        """The largest average gain of any player from another strategy."""
        return self.evaluation.epsilon

    @property
    def epsb_epsilon(self) -> float:
        """The largest gain of any player at any signal."""
        return self.evaluation.epsb_epsilon

    @property
    def seconds(self) -> Mapping[str, float]:
        """Wall-clock seconds by phase."""
        spent = self.solution.seconds
        return {"build": self.build_seconds, "compile": spent.compile, "load": spent.load, "solve": spent.solve}

    def to_dict(self) -> dict[str, Any]:
        """Return thresholds, payoffs and the check at every signal as plain data."""
        m, n = self.solution.program.shape
        document: dict[str, Any] = plain(
            {
                "game": self.game.name,
                "model": self.model.name,
                "tried": self.tried,
                "regions": dict(zip(self.game.players, self.model.regions, strict=True)),
                "thresholds": self.thresholds,
                "probabilities": self.profile.probabilities,
                "payoffs": self.evaluation.payoffs,
                "regrets": self.evaluation.regrets,
                "epsb": self.evaluation.epsb,
                "epsilon": self.epsilon,
                "epsb_epsilon": self.epsb_epsilon,
                "violations": self.violations,
                "rows": m,
                "columns": n,
                "backend": self.solution.backend,
                "termination": str(self.solution.termination),
                "seconds": self.seconds,
            }
        )
        return document

    def summary(self) -> str:
        """Return one line for people."""
        places = ", ".join(f"{name} = {value:.6g}" for name, value in self.thresholds.items())
        return (
            f"{self.game.name} with model {self.model.name}: {places}; "
            f"EPSB ε {self.epsb_epsilon:.2e}, regret {self.epsilon:.2e}; {self.solution.summary()}"
        )
