"""equiform: turn games into mathematical programs, solve them with the solver you have, and prove the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
    from equiform.api.endgames import EndgamesSolved, EndgamesSolvedExactly, endgame, endgame_exactly
    from equiform.api.equilibrium import Solved, solve
    from equiform.api.export import export_game
    from equiform.api.general_sum import GeneralSumSolved, mip_nash
    from equiform.api.inputs import as_game
    from equiform.api.programs import ModelFile, build_model, write_model
    from equiform.api.responses import SafeResponseFound, gifts, respond
    from equiform.api.solution_reading import ReadSolution, read_solution
    from equiform.api.spots.solution import SpotSolution
    from equiform.api.spots.solve import spot
    from equiform.api.thresholds import ThresholdsFound, parametric
    from equiform.api.verification import Verification, verify
    from equiform.api.viewing import draw, view
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.formulations.registry import Formulation
    from equiform.formulations.registry import formulations as list_formulations
    from equiform.games.entry import GameEntry
    from equiform.games.registry import known_games as list_games
    from equiform.games.registry import load_game
    from equiform.models.common.errors import EquiformError
    from equiform.models.common.parameters import Parameter
    from equiform.models.game import as_sequence_form
    from equiform.validation.certificates.certificate import Certificate, certify
    from equiform.validation.closed_forms.deriving.derive import derive
    from equiform.validation.closed_forms.proving.prove import prove

__version__ = "0.1.0"
__all__ = [
    "Certificate",
    "EndgamesSolved",
    "EndgamesSolvedExactly",
    "EquiformError",
    "Formulation",
    "GameEntry",
    "GeneralSumSolved",
    "ModelFile",
    "Parameter",
    "ReadSolution",
    "SafeResponseFound",
    "Solved",
    "SolverOptions",
    "SpotSolution",
    "ThresholdsFound",
    "Verification",
    "__version__",
    "as_game",
    "as_sequence_form",
    "build_model",
    "certify",
    "derive",
    "draw",
    "endgame",
    "endgame_exactly",
    "export_game",
    "gifts",
    "list_formulations",
    "list_games",
    "load_game",
    "mip_nash",
    "parametric",
    "prove",
    "read_solution",
    "respond",
    "solve",
    "spot",
    "verify",
    "view",
    "write_model",
]

_HOMES = {
    "Certificate": "equiform.validation.certificates.certificate",
    "EndgamesSolved": "equiform.api.endgames",
    "EndgamesSolvedExactly": "equiform.api.endgames",
    "EquiformError": "equiform.models.common.errors",
    "Formulation": "equiform.formulations.registry",
    "GameEntry": "equiform.games.entry",
    "GeneralSumSolved": "equiform.api.general_sum",
    "ModelFile": "equiform.api.programs",
    "Parameter": "equiform.models.common.parameters",
    "ReadSolution": "equiform.api.solution_reading",
    "SafeResponseFound": "equiform.api.responses",
    "Solved": "equiform.api.equilibrium",
    "SolverOptions": "equiform.formulations.optimization.options",
    "SpotSolution": "equiform.api.spots.solution",
    "ThresholdsFound": "equiform.api.thresholds",
    "Verification": "equiform.api.verification",
    "as_game": "equiform.api.inputs",
    "as_sequence_form": "equiform.models.game",
    "build_model": "equiform.api.programs",
    "certify": "equiform.validation.certificates.certificate",
    "derive": "equiform.validation.closed_forms.deriving.derive",
    "draw": "equiform.api.viewing",
    "endgame": "equiform.api.endgames",
    "endgame_exactly": "equiform.api.endgames",
    "export_game": "equiform.api.export",
    "gifts": "equiform.api.responses",
    "list_formulations": "equiform.formulations.registry:formulations",
    "list_games": "equiform.games.registry:known_games",
    "load_game": "equiform.games.registry",
    "mip_nash": "equiform.api.general_sum",
    "parametric": "equiform.api.thresholds",
    "prove": "equiform.validation.closed_forms.proving.prove",
    "read_solution": "equiform.api.solution_reading",
    "respond": "equiform.api.responses",
    "solve": "equiform.api.equilibrium",
    "spot": "equiform.api.spots.solve",
    "verify": "equiform.api.verification",
    "view": "equiform.api.viewing",
    "write_model": "equiform.api.programs",
}


__getattr__ = lazy(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
