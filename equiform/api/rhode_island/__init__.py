"""Rhode Island hold'em, solved and proved."""

from equiform.api.rhode_island.solution import RhodeIslandSolution, RoundTable, read_rhode_island
from equiform.api.rhode_island.solve import METHODS, solve_rhode_island

__all__ = ["METHODS", "RhodeIslandSolution", "RoundTable", "read_rhode_island", "solve_rhode_island"]
