"""Hold'em spots, solved and proved."""

from equiform.api.spots.accuracy import Accuracy
from equiform.api.spots.locks import Lock, read_locks
from equiform.api.spots.report import BoardReport, report
from equiform.api.spots.solution import SpotSolution, compare, read_solution
from equiform.api.spots.solve import METHODS, solve_spot, spot

__all__ = [
    "METHODS",
    "Accuracy",
    "BoardReport",
    "Lock",
    "SpotSolution",
    "compare",
    "read_locks",
    "read_solution",
    "report",
    "solve_spot",
    "spot",
]
