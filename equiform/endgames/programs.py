"""Inputs of the programs of endgames: a game tree, a cut and a blueprint, all in words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from equiform.endgames.endgame_property import (
    EndgameProperty,
    WorstPlayData,
    build_path,
    epsilon_star,
    worst_play_data,
)
from equiform.endgames.entry_form import Endgame
from equiform.endgames.methods import PROGRAMS, Blueprint, program_data
from equiform.endgames.reading import BlueprintLike, read_blueprint, require_tree
from equiform.formulations.endgames import joint, worst_play
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.array_types import BoolArray
from equiform.models.common.errors import ParameterError


def build_unsafe(game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, floor: Fraction, player: int) -> Any:
    """Build the endgame that the trunk strategies induce."""
    return _build("unsafe", _prepared(game, cut, blueprint), endgame, player, float(floor))


def solve_unsafe(
    game: Any,
    *,
    cut: str,
    blueprint: BlueprintLike,
    endgame: int,
    floor: Fraction,
    player: int,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Solve the endgame that the trunk strategies induce."""
    return _solve("unsafe", _prepared(game, cut, blueprint), endgame, player, solver, float(floor))


def build_resolve(game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, player: int) -> Any:
    """Build the re-solve gadget."""
    return _build("resolve", _prepared(game, cut, blueprint), endgame, player)


def solve_resolve(
    game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, player: int, solver: SolverOptions = DEFAULT
) -> EndgameResult:
    """Solve the re-solve gadget."""
    return _solve("resolve", _prepared(game, cut, blueprint), endgame, player, solver)


def build_max_margin(game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, player: int) -> Any:
    """Build the max-margin program."""
    return _build("max-margin", _prepared(game, cut, blueprint), endgame, player)


def solve_max_margin(
    game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, player: int, solver: SolverOptions = DEFAULT
) -> EndgameResult:
    """Solve the max-margin program."""
    return _solve("max-margin", _prepared(game, cut, blueprint), endgame, player, solver)


def build_joint(game: Any, *, cut: str, blueprint: BlueprintLike, player: int) -> Any:
    """Build the program of all endgames together."""
    prepared = _prepared(game, cut, blueprint)
    plan, trunk = prepared.strategies[player].plan, prepared.cut.trunk_sequences(player)
    return joint.build(prepared.form, plan, trunk, player=player)


def solve_joint(
    game: Any, *, cut: str, blueprint: BlueprintLike, player: int, solver: SolverOptions = DEFAULT
) -> Result:
    """Find the least exploitable play below the trunk."""
    prepared = _prepared(game, cut, blueprint)
    plan, trunk = prepared.strategies[player].plan, prepared.cut.trunk_sequences(player)
    return joint.solve(prepared.form, plan, trunk, player=player, solver=solver)


def build_worst_play(
    game: Any, *, cut: str, blueprint: BlueprintLike, endgame: int, classes: str, delta: Fraction, player: int
) -> Any:
    """Build the search for the good play that loses the most to certain classes of the opponent."""
    part, chosen, data = _worst_play(_prepared(game, cut, blueprint), endgame, classes, delta, player)
    return worst_play.build(part.form, data.weights, data.faced, chosen, floor=data.floor, player=player)


def solve_worst_play(
    game: Any,
    *,
    cut: str,
    blueprint: BlueprintLike,
    endgame: int,
    classes: str,
    delta: Fraction,
    player: int,
    solver: SolverOptions = DEFAULT,
) -> EndgameResult:
    """Find the good play that loses the most to certain classes of the opponent."""
    part, chosen, data = _worst_play(_prepared(game, cut, blueprint), endgame, classes, delta, player)
    return worst_play.solve(part.form, data.weights, data.faced, chosen, floor=data.floor, player=player, solver=solver)


def build_property(game: Any, *, cut: str, blueprint: BlueprintLike, delta: Fraction, player: int) -> Any:
    """Build the opponent's choice of a path through the trunk, with what the default solver finds in the endgames."""
    return build_path(_prepared(game, cut, blueprint), float(delta), player=player)


def solve_property(
    game: Any, *, cut: str, blueprint: BlueprintLike, delta: Fraction, player: int, solver: SolverOptions = DEFAULT
) -> EndgameProperty:
    """Compute ε*(δ)."""
    prepared = _prepared(game, cut, blueprint)
    value = sequence_form_lp.solve(prepared.form, solver=solver).require_optimal().value
    return epsilon_star(prepared, float(delta), value=value, player=player, solver=solver)


def _prepared(game: Any, cut: str, blueprint: BlueprintLike) -> Blueprint:
    return read_blueprint(require_tree(game), cut, blueprint)


def _build(method: str, prepared: Blueprint, number: int, player: int, floor: float = 0.0) -> Any:
    part = _endgame(prepared, number)
    data = program_data(part, prepared, method, player=player, floor=floor)
    return PROGRAMS[method].build(part.form, *_entered(part, data), player=player)


def _solve(
    method: str, prepared: Blueprint, number: int, player: int, solver: SolverOptions, floor: float = 0.0
) -> EndgameResult:
    part = _endgame(prepared, number)
    data = program_data(part, prepared, method, player=player, floor=floor)
    found: EndgameResult = PROGRAMS[method].solve(part.form, *_entered(part, data), player=player, solver=solver)
    return found


def _endgame(prepared: Blueprint, number: int) -> Endgame:
    last = len(prepared.endgames)
    if not isinstance(number, int | np.integer) or not 1 <= number <= last:
        raise ParameterError(f"there is no endgame {number}", where=prepared.cut.game.name, fix=f"use 1 to {last}")
    return prepared.endgames[number - 1]


def _entered(part: Endgame, data: Any) -> Any:
    """Refuse an endgame that the trunk never enters: it has no program."""
    if data is None:
        raise ParameterError(
            "the trunk strategies never enter this endgame", where=part.name, fix="use another endgame or blueprint"
        )
    return data


def _worst_play(
    prepared: Blueprint, number: int, classes: str, delta: Fraction, player: int
) -> tuple[Endgame, BoolArray, WorstPlayData]:
    part = _endgame(prepared, number)
    chosen = _classes(classes, part, 1 - player)
    data: WorstPlayData = _entered(part, worst_play_data(part, prepared, float(delta), player=player))
    return part, chosen, data


def _classes(text: str, part: Endgame, player: int) -> BoolArray:
    """Mark the classes that a text lists, from 1."""
    count = part.num_classes(player)
    numbers = [str(k + 1) for k in range(count)]
    asked = numbers if text == "all" else [word.strip() for word in str(text).split(";")]
    wrong = [word for word in asked if word not in numbers]
    if wrong:
        raise ParameterError(
            f"there is no class {wrong[0]!r}", where=part.name, fix=f"use all, or numbers from 1 to {count}, like 1;2"
        )
    return np.array([number in asked for number in numbers])
