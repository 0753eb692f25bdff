"""Inputs of the programs about a known, or partly known, opponent."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.formulations.inputs.strategies import StrategyLike, plan_of, strategy_of
from equiform.formulations.opponents import dbbr_l1, dbbr_l2, gifts, safe_response
from equiform.formulations.opponents.consistent_behavior import FittedBehavior
from equiform.formulations.opponents.gifts import Gifts
from equiform.formulations.opponents.opponent_model import (
    FrequencyProblem,
    bucket_posteriors,
    fit_opponent,
    public_frequencies,
)
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game, as_sequence_form
from equiform.models.public_histories import public_histories
from equiform.models.sequence_form import SequenceForm


def build_safe_response(game: Game, *, against: StrategyLike, epsilon: Fraction, player: int) -> Any:
    """Build the program with the floor that the game's value and ε make."""
    form = as_sequence_form(game)
    gradient = form.gradient(player, plan_of(form, 1 - player, against))
    return safe_response.build(form, gradient, floor=_own_value(form, player) - float(epsilon), player=player)


def solve_safe_response(
    game: Game, *, against: StrategyLike, epsilon: Fraction, player: int, solver: SolverOptions = DEFAULT
) -> Result:
    """Respond best among the strategies that risk at most ε."""
    form = as_sequence_form(game)
    plan = plan_of(form, 1 - player, against)
    return safe_response.solve(form, plan, epsilon=float(epsilon), player=player, solver=solver)


def build_gift_most(game: Game, *, move: int, player: int) -> Any:
    """Build the program of the most that a move gives."""
    seat, value = _receiver(game, move, player)
    return gifts.build_most(seat, move, value=value)


def build_gift_least(game: Game, *, move: int, player: int) -> Any:
    """Build the program of the least that a move gives."""
    seat, value = _receiver(game, move, player)
    return gifts.build_least(seat, move, value=value)


def solve_gifts(game: Game, *, move: int, player: int, solver: SolverOptions = DEFAULT) -> Gifts:
    """List all gifts."""
    return gifts.solve(game, player=player, solver=solver)


def build_opponent_l1(game: Game, *, against: StrategyLike, hands: int, level: int, player: int) -> Any:
    """Build the linear program of one level of the opponent's public histories."""
    return dbbr_l1.build(_problem(game, against, hands, level, player, dbbr_l1.behavior))


def solve_opponent_l1(
    game: Game, *, against: StrategyLike, hands: int, level: int, player: int, solver: SolverOptions = DEFAULT
) -> FittedBehavior:
    """Fit one level."""
    return dbbr_l1.solve(_problem(game, against, hands, level, player, dbbr_l1.behavior), solver=solver)


def build_opponent_l2(game: Game, *, against: StrategyLike, hands: int, level: int, player: int) -> Any:
    """Build the quadratic program of one level of the opponent's public histories."""
    return dbbr_l2.build(_problem(game, against, hands, level, player, dbbr_l2.behavior))


def solve_opponent_l2(
    game: Game, *, against: StrategyLike, hands: int, level: int, player: int, solver: SolverOptions = DEFAULT
) -> FittedBehavior:
    """Fit one level."""
    problem = _problem(game, against, hands, level, player, dbbr_l2.behavior)
    return dbbr_l2.solve(problem, solver=None if solver == DEFAULT else solver)


def _problem(
    game: Game,
    against: StrategyLike,
    hands: int,
    level: int,
    player: int,
    fit: Callable[[FrequencyProblem], FloatArray],
) -> FrequencyProblem:
    """Count what a strategy would show in so many hands, and fit the levels before the one asked for."""
    if not isinstance(game, ExtensiveGame):
        raise UnsupportedGameError(f"{game.name} has no public histories", fix="use a game tree")
    form = as_sequence_form(game)
    opponent = 1 - player
    view = public_histories(game, opponent)
    prior = sequence_form_lp.solve(form).strategies[opponent]
    shown = strategy_of(form, opponent, against)
    buckets = bucket_posteriors(view, shown.plan, view.bucket_weights())
    counts = hands * public_frequencies(view, buckets, shown.floats)
    floats = shown.floats if prior is None else prior.floats
    problems = fit_opponent(view, floats, counts, fit).problems
    if not 1 <= level <= len(problems):
        raise ParameterError(f"there is no level {level}", where=game.name, fix=f"use 1 to {len(problems)}")
    return problems[level - 1]


def _receiver(game: Game, move: int, player: int) -> tuple[SequenceForm, float]:
    form = as_sequence_form(game)
    seat = for_player(form, player)
    last = seat.treeplexes[1].num_sequences - 1
    if not isinstance(move, int | np.integer) or not 1 <= move <= last:
        raise ParameterError(f"the opponent has no move {move}", where=form.name, fix=f"use 1 to {last}")
    return seat, _own_value(form, player)


def _own_value(form: SequenceForm, player: int) -> float:
    value = sequence_form_lp.solve(form, player=player).require_optimal().value
    return value if player == 0 else -value
