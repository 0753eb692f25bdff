"""Stochastic games: states, a stage game in each, and where every outcome of a stage leads."""

from equiform.models.stochastic.game import StochasticGame
from equiform.models.stochastic.outcomes import Outcomes
from equiform.models.stochastic.stages import Nearby, Prospects, StageGames
from equiform.models.stochastic.tree_stages import TreeStages
from equiform.models.stochastic.values import NodeChain, node_chain

__all__ = ["Nearby", "NodeChain", "Outcomes", "Prospects", "StageGames", "StochasticGame", "TreeStages", "node_chain"]
