"""Inputs of the threshold programs, and the choice between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.piecewise_product import Encoding, Pieces, encoding_for
from equiform.formulations.parametric import epsb, milfp
from equiform.formulations.parametric.result import ParametricResult
from equiform.models.signals.parametric_model import ParametricModel, common_us_refinement
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True)
class ModelledGame:
    """A game of signals and the qualitative models that may describe its equilibria."""

    game: SignalGame
    models: tuple[ParametricModel, ...]


def build_thresholds(modelled: ModelledGame, *, breakpoints: int) -> Any:
    """Build the feasibility program."""
    return milfp.build(modelled.game, modelled.models, pieces=Pieces(breakpoints), **_conditions(modelled.game))


def solve_thresholds(modelled: ModelledGame, *, breakpoints: int, solver: SolverOptions = DEFAULT) -> ParametricResult:
    """Find thresholds that fit one of the models."""
    pieces = Pieces(breakpoints, encoding_for(solver.backend))
    return milfp.solve(modelled.game, modelled.models, pieces=pieces, solver=solver, **_conditions(modelled.game))


def build_every_signal(modelled: ModelledGame) -> Any:
    """Build the program of the models' common refinement."""
    return epsb.build(modelled.game, common_us_refinement(list(modelled.models)))


def solve_every_signal(modelled: ModelledGame, *, solver: SolverOptions = DEFAULT) -> ParametricResult:
    """Find plans that are best at every signal."""
    return epsb.solve(modelled.game, common_us_refinement(list(modelled.models)), solver=solver)


def solve_best_suited(
    game: SignalGame,
    models: Sequence[ParametricModel],
    *,
    every_signal: bool = False,
    breakpoints: int = 9,
    encoding: Encoding | None = None,
    closest: bool = False,
    polish: bool = True,
    tighten: int = 8,
    solver: SolverOptions = DEFAULT,
) -> ParametricResult:
    """Solve by the program that suits the signals.

    Dependent signals, and finite ones of two players (where ties happen), need the every-signal program; the others are
    solved by the smaller feasibility program, with pieces for the products of three players or more.
    """
    many = len(game.players) > 2
    if every_signal or game.signals.is_dependent or (game.signals.is_finite and not many):
        return epsb.solve(game, common_us_refinement(list(models)), closest=closest, polish=polish, solver=solver)
    return milfp.solve(
        game,
        models,
        pieces=Pieces(breakpoints, encoding or encoding_for(solver.backend)),
        tighten=tighten,
        closest=closest,
        polish=polish,
        solver=solver,
        **_conditions(game),
    )


def _conditions(game: SignalGame) -> dict[str, Any]:
    """Compare with all plans for two players; with more, interpolation leaves no room for that.

    Of two players a model claims that its regions are all used: the every-signal program asks for less.
    """
    if len(game.players) == 2:
        return {"preferences": "all", "epsilon": None, "regions": "used"}
    return {"preferences": "omitted", "epsilon": 0.0, "regions": "any"}
