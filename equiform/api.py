"""The front door: a game in, a proved equilibrium out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equiform.formulations import sequence_form_lp
from equiform.formulations.result import Result
from equiform.games.registry import load_game
from equiform.models.errors import ParameterError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.strategy import Strategy
from equiform.validation.certificate import Certificate, Game, certify
from equiform.validation.exact import ExactEquilibrium, exact_equilibrium

#: An answer that its own certificate puts further than this (in largest payoffs) from equilibrium is refused.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Solved:
    """A result, the certificate that proves it, and on demand the exact rational equilibrium."""

    game: Game = field(repr=False)
    result: Result
    certificate: Certificate
    exact: ExactEquilibrium | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """Player 0's expected payoff, as the certificate measured it."""
        return self.certificate.payoffs[0]

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """One a player: exact ones where they were asked for."""
        if self.exact is not None:
            return self.exact.strategies
        return tuple(s for s in self.result.strategies if s is not None)


def as_game(game: Game | str) -> Game:
    """Load a game by its name, path or specification; pass a game object through."""
    return load_game(game) if isinstance(game, str) else game


def as_sequence_form(game: Game) -> SequenceForm:
    """Give the sequence form of any two-player zero-sum game with perfect recall."""
    if isinstance(game, SequenceForm):
        return game
    return game.sequence_form() if isinstance(game, NormalForm) else sequence_form(game)


def solve(
    game: Game | str,
    *,
    concept: str = "nash",
    player: int = 0,
    backend: str = "highs",
    algorithm: str | None = None,
    exact: bool = False,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Solved:
    """Find an equilibrium of a two-player zero-sum game and prove it.

    >>> solved = solve("kuhn", exact=True)
    >>> print(solved.exact.value, f"{solved.certificate.exploitability:.0e}")
    -1/18 0e+00
    """
    if concept != "nash":
        raise ParameterError(f"unknown solution concept {concept!r}", where="concept", fix="use nash")
    started = time.perf_counter()
    game = as_game(game)
    loaded = time.perf_counter()
    form = as_sequence_form(game)
    formed = time.perf_counter()
    result = sequence_form_lp.solve(
        form, player=player, backend=backend, algorithm=algorithm, time_limit=time_limit, options=options
    )
    solved = time.perf_counter()
    proof = exact_equilibrium(form) if exact else None
    proved = time.perf_counter()
    profile = proof.strategies if proof is not None else result.strategies
    certificate = certify(game, [s for s in profile if s is not None])
    certificate.require(TOLERANCE * largest_payoff(game))
    seconds = {"load": loaded - started, "sequence form": formed - loaded, "program": solved - formed}
    if exact:
        seconds["exact"] = proved - solved
    seconds["certificate"] = time.perf_counter() - proved
    return Solved(game, result, certificate, proof, seconds)


def largest_payoff(game: Game) -> float:
    """Give the largest payoff in absolute value, at least one: the scale on which regrets are judged."""
    if isinstance(game, ExtensiveGame):
        return max(1.0, *(abs(float(v)) for row in game.payoff_table for v in row))
    if isinstance(game, NormalForm):
        return max(1.0, float(abs(game.payoff_floats).max()))
    return 1.0
