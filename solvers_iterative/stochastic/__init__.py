"""Iterative solvers of stochastic games: fictitious play with values or policies around it, and policy iteration."""

from equiform.solvers_iterative.stochastic.base import StochasticSolver
from equiform.solvers_iterative.stochastic.interleaved import Interleaved
from equiform.solvers_iterative.stochastic.mdp_play import FpMdp, FtplMdp
from equiform.solvers_iterative.stochastic.nested import PiFp, ViFp
from equiform.solvers_iterative.stochastic.policy_iteration import BestResponses, best_responses, profile_values
from equiform.solvers_iterative.stochastic.shapley import ShapleyResult, shapley

ALGORITHMS: dict[str, type[StochasticSolver]] = {
    "interleaved": Interleaved,
    "vi-fp": ViFp,
    "pi-fp": PiFp,
    "fp-mdp": FpMdp,
    "ftpl-mdp": FtplMdp,
}

__all__ = [
    "ALGORITHMS",
    "BestResponses",
    "FpMdp",
    "FtplMdp",
    "Interleaved",
    "PiFp",
    "ShapleyResult",
    "StochasticSolver",
    "ViFp",
    "best_responses",
    "profile_values",
    "shapley",
]
