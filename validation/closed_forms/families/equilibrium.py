"""A claimed equilibrium of a finite game, and what a profile is worth at one point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from equiform.models.common.errors import ExactError, ParameterError, StrategyError
from equiform.models.game import Game
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import ExactEvaluation, exact_evaluate
from equiform.validation.closed_forms.base import Comparison
from equiform.validation.closed_forms.proving.parameters import Parameters, Point
from equiform.validation.closed_forms.proving.signs import as_fraction
from equiform.validation.closed_forms.proving.verdict import Check, Deviation
from equiform.validation.exact.equilibrium import exact_equilibrium


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A claimed equilibrium: probabilities, and payoffs if anything is claimed about them.

    Parameters
    ----------
    strategies
        One entry per player. For a table: the probabilities in the order of the actions, or by name. For a tree: by the
        words of the information set, then in the order of the actions or by name.
    values
        The players' expected payoffs, from the first player on; may be shorter, or empty.
    """

    strategies: Sequence[Any]
    values: Sequence[Any] = ()


def read_distribution(given: Any, actions: Sequence[str], parameters: Parameters, where: str) -> list[sympy.Expr]:
    """Read probabilities, in order or by name; what is not named is not played."""
    if isinstance(given, Mapping):
        unknown = [k for k in given if k not in actions]
        if unknown:
            raise ParameterError(
                f"there is no action {unknown[0]!r}", where=where, fix=f"use {', '.join(map(str, actions))}"
            )
        given = [given.get(a, 0) for a in actions]
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != len(actions):
        raise ParameterError(
            "the probabilities do not fit the actions",
            where=where,
            fix=f"pass one for each of {', '.join(map(str, actions))}",
        )
    return [parameters.parse(p, f"{where}, {a}") for p, a in zip(given, actions, strict=True)]


def number_at(expr: Any, parameters: Parameters, point: Point) -> Fraction:
    """Evaluate an expression at a point; a :class:`StrategyError` where it is not a rational number."""
    value = as_fraction(sympy.sympify(expr).subs(parameters.substitution(point)))
    if value is None:
        raise StrategyError(f"{expr} is not a rational number there", fix="correct the claim, or its domain")
    return value


def check_profile(
    game: Game,
    behaviors: Sequence[Sequence[Fraction]],
    values: Sequence[Fraction],
    point: Point,
) -> Check:
    """Evaluate a profile exactly, compare payoffs, and the value with the linear program where there is one."""
    strategies = [
        Strategy(t, np.array([Fraction(1), *b], dtype=object)) for t, b in zip(game.treeplexes, behaviors, strict=True)
    ]
    at = tuple(point.items())
    try:
        evaluation = exact_evaluate(game, strategies)
    except StrategyError as error:
        return Check(at, problem=error.what)
    comparisons = [
        Comparison(f"the payoff of {game.treeplexes[i].player}", v, evaluation.payoffs[i]) for i, v in enumerate(values)
    ]
    program = _value_by_program(game)
    if program is not None:
        comparisons.append(Comparison("the value, by the linear program", evaluation.payoffs[0], program))
    deviations = [_better(game, strategies, evaluation, i) for i, regret in enumerate(evaluation.regrets) if regret > 0]
    return Check(at, tuple(comparisons), tuple(deviations))


def _value_by_program(game: Game) -> Fraction | None:
    if len(game.treeplexes) != 2 or not getattr(game, "is_constant_sum", False):
        return None
    try:
        return exact_equilibrium(game).value
    except ExactError:
        return None


def _better(game: Game, strategies: list[Strategy], evaluation: ExactEvaluation, player: int) -> Deviation:
    """Name the single move that gains most; the gain is that of a best response."""
    treeplex = game.treeplexes[player]
    best, move = Fraction(0), "a best response"
    for h in range(treeplex.num_infosets):
        own = range(int(treeplex.start[h]), int(treeplex.start[h + 1]))
        for s in own:
            behavior = strategies[player].probabilities.copy()
            behavior[own.start : own.stop] = [Fraction(int(k == s)) for k in own]
            tried = list(strategies)
            tried[player] = Strategy(treeplex, behavior)
            gain = exact_evaluate(game, tried).payoffs[player] - evaluation.payoffs[player]
            if gain > best:
                best, move = gain, treeplex.sequence_label(s)
    return Deviation(treeplex.player, move.removeprefix("the only choice: "), evaluation.regrets[player])
