"""The front door: what the command line does, as functions. A game in; a proved answer with ``to_dict()`` out."""

import equiform.formulations.optimization.compiling.pyomo_start  # noqa: F401  # before all that imports Pyomo

# isort: split
from equiform.api.endgames import EndgamesSolved, EndgamesSolvedExactly, endgame, endgame_exactly
from equiform.api.equilibrium import TOLERANCE, ExactProof, Solved, solve
from equiform.api.export import export_game
from equiform.api.general_sum import GeneralSumSolved, mip_nash
from equiform.api.inputs import GameLike, as_game
from equiform.api.programs import ModelFile, build_model, list_formulations, load_input, write_model
from equiform.api.responses import SafeResponseFound, gifts, respond
from equiform.api.solution_reading import ReadSolution, read_solution
from equiform.api.thresholds import ThresholdsFound, parametric
from equiform.api.verification import Verification, verify
from equiform.api.viewing import draw, view
from equiform.models.game import as_sequence_form

__all__ = [
    "TOLERANCE",
    "EndgamesSolved",
    "EndgamesSolvedExactly",
    "ExactProof",
    "GameLike",
    "GeneralSumSolved",
    "ModelFile",
    "ReadSolution",
    "SafeResponseFound",
    "Solved",
    "ThresholdsFound",
    "Verification",
    "as_game",
    "as_sequence_form",
    "build_model",
    "draw",
    "endgame",
    "endgame_exactly",
    "export_game",
    "gifts",
    "list_formulations",
    "load_input",
    "mip_nash",
    "parametric",
    "read_solution",
    "respond",
    "solve",
    "verify",
    "view",
    "write_model",
]
