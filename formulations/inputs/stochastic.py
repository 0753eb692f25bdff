"""Inputs of the program about best responses in stochastic games: the others choose uniformly."""

from __future__ import annotations

from typing import Any

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.stochastic import mdp_lp
from equiform.formulations.stochastic.mdp_lp import MdpResult
from equiform.models.stochastic import StochasticGame


def build_best_responses(game: StochasticGame) -> Any:
    """Build the program of the decision processes that players face against uniform play."""
    return mdp_lp.build(game, game.start())


def solve_best_responses(game: StochasticGame, *, solver: SolverOptions = DEFAULT) -> MdpResult:
    """Compute what best responses to uniform play are worth."""
    return mdp_lp.solve(game, game.start(), solver=solver)
