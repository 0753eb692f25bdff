"""Inputs of the mixed-integer programs for games that are not zero-sum, or have more than two players."""

from __future__ import annotations

from typing import Any

from equiform.formulations.general_sum import mip_nash, mip_nash_extensive
from equiform.formulations.general_sum.conditions import Objective
from equiform.formulations.general_sum.mip_nash import NashResult
from equiform.formulations.general_sum.mip_nash_extensive import ExtensiveNashResult
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.piecewise_product import Pieces, encoding_for
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm


def build_mip_nash(game: NormalForm | ExtensiveGame, *, objective: Objective, breakpoints: int) -> Any:
    """Build the program of a table or of a tree."""
    build: Any = mip_nash.build if isinstance(game, NormalForm) else mip_nash_extensive.build
    return build(game, objective=objective, pieces=Pieces(breakpoints))


def solve_mip_nash(
    game: NormalForm | ExtensiveGame,
    *,
    objective: Objective = "any",
    breakpoints: int = 9,
    solver: SolverOptions = DEFAULT,
) -> NashResult | ExtensiveNashResult:
    """Solve a table or a tree; products are cut into pieces as the backend likes them."""
    solve: Any = mip_nash.solve if isinstance(game, NormalForm) else mip_nash_extensive.solve
    found: NashResult | ExtensiveNashResult = solve(
        game, objective=objective, pieces=Pieces(breakpoints, encoding_for(solver.backend)), solver=solver
    )
    return found
