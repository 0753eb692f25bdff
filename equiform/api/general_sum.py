"""Equilibria of games that are not zero-sum, or have more than two players."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiform.api.inputs import GameLike, as_game
from equiform.formulations.general_sum.conditions import Objective
from equiform.formulations.inputs.general_sum import solve_mip_nash
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.html import EXPLORE, html_facts
from equiform.models.common.records import plain
from equiform.models.game import Game
from equiform.models.strategy import Strategy
from equiform.validation.certificates.certificate import Certificate, certify

TOLERANCE = 1e-7
"""The share of the payoffs' spread that a player may gain in what is called an equilibrium."""


@dataclass(frozen=True, eq=False)
class GeneralSumSolved:
    """A profile of all players and the certificate that says what each could still gain."""

    game: Game = field(repr=False)
    objective: str
    strategies: tuple[Strategy, ...]
    certificate: Certificate
    solution: Solution = field(repr=False)
    seconds: Mapping[str, float] = field(default_factory=dict)
    tolerance: float = TOLERANCE
    """What a player of an equilibrium may gain, as a share of the payoffs' spread."""
    programs: int = 1
    """How many programs were solved: one, and one more per refinement."""

    @property
    def approximate(self) -> bool:
        """Whether a player gains more than the tolerance allows, by the certificate."""
        return max(self.certificate.regrets) > self.certificate.allowed(self.tolerance)

    @property
    def verdict(self) -> str:
        """What was found: ``equilibrium``, or ``approximate`` with the largest regret."""
        return f"approximate, regret {max(self.certificate.regrets):.3g}" if self.approximate else "equilibrium"

    def _repr_html_(self) -> str:
        facts = {
            "game": self.game.name,
            "verdict": self.verdict,
            "payoffs": ", ".join(f"{p:.9g}" for p in self.certificate.payoffs),
            "backend": f"{self.solution.backend} {self.solution.version}",
        }
        return html_facts("Solved", facts, EXPLORE) + "".join(s._repr_html_() for s in self.strategies)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform mip-nash --json`` prints."""
        found = self.solution
        document = {
            "game": self.game.name,
            "objective": self.objective,
            "verdict": self.verdict,
            "approximate": self.approximate,
            "programs": self.programs,
            "payoffs": self.certificate.payoffs,
            "regrets": self.certificate.regrets,
            "nash_conv": self.certificate.nash_conv,
            "exploitability": self.certificate.exploitability,
            "witness": self.certificate.witness,
            "backend": found.backend,
            "backend_version": found.version,
            "algorithm": found.algorithm,
            "status": str(found.status),
            "termination": str(found.termination),
            "seconds": self.seconds,
            "strategies": {s.treeplex.player: s.table() for s in self.strategies},
        }
        answer: dict[str, Any] = plain(document)
        return answer


def mip_nash(
    game: GameLike,
    *,
    objective: Objective = "any",
    breakpoints: int = 9,
    backend: str = "highs",
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> GeneralSumSolved:
    """Find an equilibrium of any finite game by mixed-integer programming, and certify it.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes.
    objective
        ``any`` equilibrium, the one of largest ``welfare``, or of least ``regret``.
    breakpoints
        Breakpoints per curve that stands for a product, with three players or more.
    backend, time_limit, options
        See :class:`~equiform.formulations.optimization.options.SolverOptions`; the limit is for all refinements
        together.

    Returns
    -------
    GeneralSumSolved
        Exact up to rounding for two players. For more players the program is refined until the regrets vanish, too;
        ``approximate`` says if they do not.
    """
    loaded: Any = as_game(game)
    solver = SolverOptions(backend, time_limit=time_limit, options=options or {})
    started = time.perf_counter()
    found = solve_mip_nash(loaded, objective=objective, breakpoints=breakpoints, solver=solver)
    solved = time.perf_counter()
    certificate = certify(loaded, found.strategies)
    seconds = {"program": solved - started, "certificate": time.perf_counter() - solved}
    return GeneralSumSolved(
        loaded, objective, found.strategies, certificate, found.solution, seconds, programs=found.programs
    )
