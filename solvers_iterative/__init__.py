"""CFR, fictitious play and first-order methods on the same models."""

from equiform.solvers_iterative.averaging.fictitious_play import FictitiousPlay, MultiplayerFictitiousPlay
from equiform.solvers_iterative.averaging.matrix_fictitious_play import MatrixFictitiousPlay
from equiform.solvers_iterative.base import IterativeSolver
from equiform.solvers_iterative.first_order.egt import EGT
from equiform.solvers_iterative.first_order.iterated_smoothing import IteratedSmoothing
from equiform.solvers_iterative.first_order.pdhg import PDHG
from equiform.solvers_iterative.progress import Checkpoint, IterativeResult, Until
from equiform.solvers_iterative.registry import ALGORITHMS, Algorithm, create, load_solver
from equiform.solvers_iterative.regret.cfr import CFR
from equiform.solvers_iterative.regret.mccfr import MCCFR
from equiform.solvers_iterative.regret.rule import RULES, Rule
from equiform.solvers_iterative.regret.tree_cfr import TreeCFR
from equiform.solvers_iterative.two_player import SequenceFormSolver

__all__ = [
    "ALGORITHMS",
    "CFR",
    "EGT",
    "MCCFR",
    "PDHG",
    "RULES",
    "Algorithm",
    "Checkpoint",
    "FictitiousPlay",
    "IteratedSmoothing",
    "IterativeResult",
    "IterativeSolver",
    "MatrixFictitiousPlay",
    "MultiplayerFictitiousPlay",
    "Rule",
    "SequenceFormSolver",
    "TreeCFR",
    "Until",
    "create",
    "load_solver",
]
