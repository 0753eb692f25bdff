"""Inputs of the programs about action translation: a no-limit game's rules and the bets of an abstraction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from equiform.abstraction.actions.action_abstraction import pot_fractions
from equiform.abstraction.actions.translated_strategy import TranslationProblem, translation_problem
from equiform.abstraction.actions.translation import by_name
from equiform.formulations.abstraction import least_exploitable, optimal_translation
from equiform.formulations.abstraction.least_exploitable import LeastExploitable
from equiform.formulations.abstraction.optimal_translation import OptimalTranslation
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import parse_fraction
from equiform.models.rules import Rules

_Answer = TypeVar("_Answer")

MAPPING = "Rand-psHar"
"""How bets outside the abstraction are read where a program needs it: the pseudo-harmonic mapping."""


def build_optimal_translation(rules: Rules, *, bets: str, player: int) -> Any:
    """Build the translator's program for the abstract equilibrium that the default solver finds."""
    problem = _problem(rules, bets, player)
    matrix = problem.tree.realised(problem.equilibrium.floats)
    return optimal_translation.build(problem.full_form, matrix, problem.tree.translator, player=player)


def solve_optimal_translation(
    rules: Rules, *, bets: str, player: int, solver: SolverOptions = DEFAULT
) -> OptimalTranslation:
    """Find the best translation."""
    problem = _problem(rules, bets, player)
    matrix = problem.tree.realised(problem.equilibrium.floats)
    return optimal_translation.solve(problem.full_form, matrix, problem.tree.translator, player=player, solver=solver)


def build_least_exploitable(rules: Rules, *, bets: str, player: int) -> Any:
    """Build the choice among abstract equilibria under the pseudo-harmonic mapping."""
    return _least_exploitable(least_exploitable.build, rules, bets, player)


def solve_least_exploitable(
    rules: Rules, *, bets: str, player: int, solver: SolverOptions = DEFAULT
) -> LeastExploitable:
    """Find the abstract equilibrium whose translation is least exploitable."""
    return _least_exploitable(partial(least_exploitable.solve, solver=solver), rules, bets, player)


def _least_exploitable(use: Callable[..., _Answer], rules: Rules, bets: str, player: int) -> _Answer:
    """Build or solve the choice among abstract equilibria."""
    problem = _problem(rules, bets, player)
    return use(
        problem.full_form,
        problem.abstract_form,
        problem.image(by_name(MAPPING)),
        abstract_value=problem.abstract_result.value,
        player=player,
    )


def _problem(rules: Rules, bets: str, player: int) -> TranslationProblem:
    try:
        shares = [parse_fraction(text) for text in bets.split(";")]
    except ValueError:
        raise ParameterError(f"{bets!r} is not a list of bets", where="bets", fix="e.g. 1/2;1") from None
    return translation_problem(rules, pot_fractions(*shares), player)
