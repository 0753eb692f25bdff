"""Behavioural strategies written down by rule: symbolic ones for proofs, rational ones for exact evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy

from equiform.models.game import Game
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import ExactEvaluation, exact_evaluate
from equiform.validation.closed_forms.base import rational


def symbolic_behavior(treeplex: Treeplex, rule: Callable[[Any], Sequence[Any]]) -> list[sympy.Expr]:
    """Write a behavioural strategy in treeplex order; the rule maps an information set's key to its probabilities."""
    behavior = [sympy.Integer(1)]
    for key in treeplex.infosets:
        behavior.extend(sympy.sympify(p) for p in rule(key))
    return behavior


def rational_strategy(treeplex: Treeplex, behavior: Sequence[Any]) -> Strategy:
    """Convert numbers to an exact strategy."""
    values = np.array([rational(p) for p in behavior], dtype=object)
    return Strategy(treeplex, values)


def evaluate_behaviors(game: Game, behaviors: Sequence[Sequence[Any]]) -> ExactEvaluation:
    """Evaluate a profile of rational behavioural strategies in rational arithmetic."""
    return exact_evaluate(game, [rational_strategy(t, b) for t, b in zip(game.treeplexes, behaviors, strict=True)])
