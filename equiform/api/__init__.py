"""The front door: what the command line does, as functions. A game in; a proved answer with ``to_dict()`` out."""

import equiform.formulations.optimization.compiling.pyomo_start  # noqa: F401  # before all that imports Pyomo

# isort: split

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
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

__getattr__ = lazy(
    __name__,
    {
        "EndgamesSolved": "equiform.api.endgames",
        "EndgamesSolvedExactly": "equiform.api.endgames",
        "ExactProof": "equiform.api.equilibrium",
        "GameLike": "equiform.api.inputs",
        "GeneralSumSolved": "equiform.api.general_sum",
        "ModelFile": "equiform.api.programs",
        "ReadSolution": "equiform.api.solution_reading",
        "SafeResponseFound": "equiform.api.responses",
        "Solved": "equiform.api.equilibrium",
        "TOLERANCE": "equiform.api.equilibrium",
        "ThresholdsFound": "equiform.api.thresholds",
        "Verification": "equiform.api.verification",
        "as_game": "equiform.api.inputs",
        "as_sequence_form": "equiform.models.game",
        "build_model": "equiform.api.programs",
        "draw": "equiform.api.viewing",
        "endgame": "equiform.api.endgames",
        "endgame_exactly": "equiform.api.endgames",
        "export_game": "equiform.api.export",
        "gifts": "equiform.api.responses",
        "list_formulations": "equiform.api.programs",
        "load_input": "equiform.api.programs",
        "mip_nash": "equiform.api.general_sum",
        "parametric": "equiform.api.thresholds",
        "read_solution": "equiform.api.solution_reading",
        "respond": "equiform.api.responses",
        "solve": "equiform.api.equilibrium",
        "verify": "equiform.api.verification",
        "view": "equiform.api.viewing",
        "write_model": "equiform.api.programs",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
