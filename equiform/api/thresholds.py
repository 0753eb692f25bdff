"""Thresholds from a qualitative model of an equilibrium."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equiform.formulations.inputs.parametric import solve_best_suited
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import Encoding
from equiform.formulations.parametric.result import ParametricResult
from equiform.games.poker.signal_games import load_signal_game
from equiform.models.signals.deals import Signals
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True, eq=False)
class ThresholdsFound:
    """A threshold profile with its evaluation at every signal, and how long everything took."""

    name: str
    result: ParametricResult
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform parametric --json`` prints."""
        document = self.result.to_dict()
        return {**document, "game": self.name, "seconds": {**document["seconds"], "all": self.seconds}}


def parametric(
    game: str | SignalGame,
    models: Sequence[ParametricModel | str] = (),
    *,
    signals: Signals | None = None,
    breakpoints: int = 9,
    encoding: Encoding | None = None,
    every_signal: bool = False,
    closest: bool = False,
    polish: bool = True,
    tighten: int = 8,
    backend: str = "highs",
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> ThresholdsFound:
    """Find the thresholds of a qualitative model and check them at every signal.

    The program is chosen by the signals: dependent ones, and finite ones of two players, need the every-signal program.

    Parameters
    ----------
    game
        A specification such as ``limit-river:pot=6``, or a game of signals.
    models
        Models, or texts such as ``"BET a CHECK b BET | CALL c FOLD; a <= c <= b"``; the game's own if there are none.
    signals
        A distribution of the signals that replaces the game's own.
    breakpoints, encoding, tighten
        How products of three players or more are cut into pieces.
    every_signal
        Whether plans must be best at every signal, which allows any order and empty regions (two players).
    closest
        Whether to return the closest profile where nothing fits.
    polish
        Whether to remove the solver's rounding by Newton steps.
    backend, time_limit, options
        See :class:`~equiform.formulations.optimization.options.SolverOptions`.
    """
    rules, chosen = load_signals(game, models, signals)
    started = time.perf_counter()
    found = solve_best_suited(
        rules,
        chosen,
        every_signal=every_signal,
        breakpoints=breakpoints,
        encoding=encoding,
        closest=closest,
        polish=polish,
        tighten=tighten,
        solver=SolverOptions(backend, time_limit=time_limit, options=options or {}),
    )
    return ThresholdsFound(game if isinstance(game, str) else game.name, found, time.perf_counter() - started)


def load_signals(
    game: str | SignalGame, models: Sequence[ParametricModel | str] = (), signals: Signals | None = None
) -> tuple[SignalGame, list[ParametricModel]]:
    """Load a game of signals and the models to try."""
    given = [parse_model(m, f"model {k}") if isinstance(m, str) else m for k, m in enumerate(models, 1)]
    if isinstance(game, SignalGame):
        return game, given
    rules, entry = load_signal_game(game, signals)
    return rules, given or list(entry.models())


def parse_model(text: str, name: str) -> ParametricModel:
    """Read ``player | player | …; order; order`` into a model."""
    players, _, order = text.partition(";")
    return ParametricModel.parse(name, [p.strip() for p in players.split("|")], order=order)
