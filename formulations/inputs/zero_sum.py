"""Inputs of the programs about equilibria and best responses in two-player zero-sum games."""

from __future__ import annotations

from typing import Any

import pyomo.core as pyo

from equiform.formulations.abstraction import purified_selection
from equiform.formulations.abstraction.purified_selection import PurifiedSelection
from equiform.formulations.inputs.strategies import StrategyLike, plan_of
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import (
    best_response_lp,
    dominance,
    minimal_support,
    proper,
    selection,
    sequence_form_lp,
    undominated,
)
from equiform.formulations.zero_sum.dominance import Dominance
from equiform.formulations.zero_sum.selection import Selection
from equiform.models.common.array_types import FloatArray
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm


def build_undominated(game: Game, *, player: int) -> Any:
    """Build the second step, with the value that the first one finds."""
    form = as_sequence_form(game)
    return undominated.build(form, value=_value(form), player=player)


def solve_undominated(game: Game, *, player: int, solver: SolverOptions = DEFAULT) -> Result:
    """Solve for both players; whose program comes first makes no difference."""
    return undominated.solve(game, solver=solver)


def solve_proper(game: Game, *, player: int, solver: SolverOptions = DEFAULT) -> Result:
    """Solve for both players; whose rounds come first makes no difference."""
    return proper.solve(game, solver=solver)


def build_minimal_support(game: Game, *, player: int) -> Any:
    """Build the program, with the value that the sequence-form program finds."""
    form = as_sequence_form(game)
    return minimal_support.build(form, value=_value(form), player=player)


def build_best_response(game: Game, *, against: StrategyLike, player: int) -> Any:
    """Build a player's program against a strategy."""
    form = as_sequence_form(game)
    return best_response_lp.build(form, plan_of(form, 1 - player, against), player=player)


def solve_best_response(game: Game, *, against: StrategyLike, player: int, solver: SolverOptions = DEFAULT) -> Result:
    """Respond best to a strategy."""
    form = as_sequence_form(game)
    return best_response_lp.solve(form, plan_of(form, 1 - player, against), player=player, solver=solver)


def build_dominance(game: Game, *, strategy: StrategyLike, player: int) -> Any:
    """Build the search for what dominates a strategy."""
    form = as_sequence_form(game)
    return dominance.build(form, plan_of(form, player, strategy), player=player)


def solve_dominance(game: Game, *, strategy: StrategyLike, player: int, solver: SolverOptions = DEFAULT) -> Dominance:
    """Decide whether a strategy is dominated."""
    form = as_sequence_form(game)
    return dominance.solve(form, plan_of(form, player, strategy), player=player, solver=solver)


def build_selection(game: Game, *, against: StrategyLike, worst: bool, player: int) -> Any:
    """Build the program of one end of the interval."""
    form = as_sequence_form(game)
    functional = form.gradient(player, plan_of(form, 1 - player, against))
    return selection.build(form, functional, value=_value(form), player=player, sense=_sense(worst))


def solve_selection(
    game: Game, *, against: StrategyLike, worst: bool, player: int, solver: SolverOptions = DEFAULT
) -> Selection:
    """Find both ends of the interval."""
    form = as_sequence_form(game)
    return selection.solve(form, plan_of(form, 1 - player, against), player=player, solver=solver)


def build_purified_selection(game: Game, *, against: StrategyLike, worst: bool, gain: bool, player: int) -> Any:
    """Build the program of one end."""
    form, functional = _purified(game, against, player)
    sense = _sense(worst)
    return purified_selection.build(form, functional, value=_value(form), player=player, gain=gain, sense=sense)


def solve_purified_selection(
    game: Game, *, against: StrategyLike, worst: bool, gain: bool, player: int, solver: SolverOptions = DEFAULT
) -> PurifiedSelection:
    """Find the equilibrium strategy whose rounding earns most, or least."""
    form, functional = _purified(game, against, player)
    return purified_selection.solve(
        form, functional, value=_value(form), player=player, worst=worst, gain=gain, solver=solver
    )


def _purified(game: Game, against: StrategyLike, player: int) -> tuple[SequenceForm, FloatArray]:
    form = as_sequence_form(game)
    return form, form.gradient(player, plan_of(form, 1 - player, against))


def _value(form: SequenceForm) -> float:
    return sequence_form_lp.solve(form).require_optimal().value


def _sense(worst: bool) -> Any:
    return pyo.minimize if worst else pyo.maximize
