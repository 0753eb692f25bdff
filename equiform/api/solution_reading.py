"""From a foreign solver's solution file back to strategies, certified."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equiform.api.inputs import GameLike, as_game
from equiform.api.programs import build_model
from equiform.formulations.optimization.names import labeler
from equiform.formulations.optimization.solution_files import SolutionFile, read_solution_file
from equiform.formulations.registry import find_formulation
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError, UnsupportedGameError
from equiform.models.common.files import read_text
from equiform.models.common.records import plain
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.certificate import Certificate, certify


@dataclass(frozen=True, eq=False)
class ReadSolution:
    """A profile made of a solution file, and its certificate."""

    game: Game = field(repr=False)
    formulation: str
    player: int
    """Whose plan the file holds."""
    solver: str
    status: str
    objective: float | None
    opponent: str
    """Where the other player's strategy comes from: the file's ``duals``, or a program ``solved here``."""
    strategies: tuple[Strategy, ...] = field(repr=False)
    certificate: Certificate
    tolerance: float = 1e-6

    @property
    def equilibrium(self) -> bool:
        """Whether no player gains more than the tolerance."""
        return max(self.certificate.regrets) <= self.tolerance

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform read-solution --json`` prints; players count from 1."""
        found = self.certificate
        document = {
            "game": self.game.name,
            "formulation": self.formulation,
            "player": self.player + 1,
            "solver": self.solver,
            "status": self.status,
            "objective": self.objective,
            "opponent": self.opponent,
            "payoffs": found.payoffs,
            "bracket": found.bracket,
            "regrets": found.regrets,
            "nash_conv": found.nash_conv,
            "witness": found.witness,
            "tolerance": self.tolerance,
            "equilibrium": self.equilibrium,
            "strategies": {s.treeplex.player: s.table() for s in self.strategies},
        }
        answer: dict[str, Any] = plain(document)
        return answer


def read_solution(model: str | Path, solution: str | Path, game: GameLike, *, tolerance: float = 1e-6) -> ReadSolution:
    """Turn a solver's solution of a written model into strategies, and certify them.

    Parameters
    ----------
    model
        The ``.lp`` or ``.mps`` file that ``equiform model`` wrote; its first line says which program it is.
    solution
        What HiGHS, CBC, Gurobi or SCIP wrote.
    game
        The game that the model was built from.
    tolerance
        What a player may gain in something that is still called an equilibrium.

    Returns
    -------
    ReadSolution
        Where the file has no duals of the opponent's rows, the opponent's own program is solved here.
    """
    header = _header(model)
    name, parameters = header["formulation"], header["parameters"]
    entry = find_formulation(name)
    values = entry.complete(parameters)
    if entry.takes != "zero-sum game":
        raise UnsupportedGameError(
            f"a solution of {name} is not a pair of strategies", where=str(model), fix="use nash, une or qpe, say"
        )
    found = read_solution_file(solution)
    loaded = as_game(game)
    form = as_sequence_form(loaded if isinstance(loaded, SequenceForm) else loaded.zero_sum())
    built = build_model(form, name, **values)
    name_of = labeler(built) if header["names"] else _pyomo_names(built)
    player = values.get("player", 0)
    own = _plan(found, [name_of(x) for x in built.plan.x.values()], str(solution))
    prices = _prices(found, [name_of(row) for row in built.guarantee.response.values()]) if _has_prices(built) else None
    other = prices if prices is not None and name == "nash" else _solved_here(form, 1 - player)
    plans = (own, other) if player == 0 else (other, own)
    strategies = tuple(Strategy.from_plan(t, p) for t, p in zip(form.treeplexes, plans, strict=True))
    return ReadSolution(
        game=loaded,
        formulation=name,
        player=player,
        solver=found.solver,
        status=found.status,
        objective=found.objective,
        opponent="duals" if other is prices else "solved here",
        strategies=strategies,
        certificate=certify(loaded, strategies),
        tolerance=tolerance,
    )


def _header(path: str | Path) -> Mapping[str, Any]:
    first = read_text(path, "the model").partition("\n")[0]
    match = re.search(r"\{.*\}", first)
    try:
        header = json.loads(match.group())["equiform"] if match else None
        if isinstance(header, dict) and {"formulation", "parameters", "names"} <= set(header):
            return header
    except (ValueError, KeyError, TypeError):
        pass
    raise FormatError(
        "the model does not say which program it is",
        where=f"{path}, line 1",
        fix="write it with `equiform model GAME --out FILE.lp`, and leave its first line alone",
    )


def _pyomo_names(model: Any) -> Any:
    from pyomo.core.base.label import LPFileLabeler

    return LPFileLabeler()


def _plan(found: SolutionFile, names: list[str], source: str) -> FloatArray:
    known = [name for name in names if name in found.values]
    if not known:
        raise FormatError(
            "no column of the model appears in the solution",
            where=f"{source}, e.g. {names[0]!r}",
            fix="pass the solution of this model, and the game that the model was built from",
        )
    return np.array([found.values.get(name, 0.0) for name in names])


def _has_prices(model: Any) -> bool:
    return hasattr(model, "guarantee") and hasattr(model.guarantee, "response")


def _prices(found: SolutionFile, names: list[str]) -> FloatArray | None:
    """Read the opponent's plan off the duals of the response rows; their sign is the solver's own matter."""
    by_row = {re.sub(r"^[cr]_[eulr]_(.*)_$", r"\1", name): value for name, value in found.duals.items()}
    if not any(name in by_row for name in names):
        return None
    return np.abs([by_row.get(name, 0.0) for name in names])


def _solved_here(form: SequenceForm, player: int) -> FloatArray:
    plan = sequence_form_lp.solve(form, player=player).require_optimal().plans[player]
    if plan is None:  # pragma: no cover - the program always returns its own player's plan
        raise FormatError("the opponent's program has no plan", where=form.name)
    return plan
