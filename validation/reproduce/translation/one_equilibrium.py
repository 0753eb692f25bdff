"""One abstract equilibrium that attains the exploitabilities of several mappings together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from equiform.formulations.abstraction import least_exploitable
from equiform.models.common.array_types import FloatArray
from equiform.validation.reproduce.cell import rounds_to

if TYPE_CHECKING:
    from equiform.abstraction.actions.translated_strategy import TranslationProblem


def whole_column(
    problem: TranslationProblem, readings: Mapping[str, FloatArray], printed: Mapping[str, str]
) -> FloatArray | None:
    """Look for an abstract equilibrium plan whose exploitability rounds to the printed number under every mapping.

    It searches the segments between the least exploitable equilibria and the most exploitable ones that were found, of
    every mapping: a plan that is returned is a proof (each number is a best response in the full game), ``None`` is
    not.
    """
    images = {name: problem.image(reading) for name, reading in readings.items()}

    def exploitability(name: str, plan: FloatArray) -> float:
        return problem.own_value + problem.full_form.best_response(1 - problem.player, images[name] @ plan).value

    least = [
        least_exploitable.solve(
            problem.full_form,
            problem.abstract_form,
            image,
            abstract_value=problem.abstract_result.value,
            player=problem.player,
        ).plan
        for image in images.values()
    ]
    most = [problem.worst_equilibrium(reading)[1] for reading in readings.values()]
    for name, text in printed.items():
        target = float(text)
        for low in _distinct(least):
            for high in _distinct(most):
                plan = _between(lambda plan, name=name: exploitability(name, plan), low, high, target)  # type: ignore[misc]
                if all(rounds_to(exploitability(n, plan), t) for n, t in printed.items()):
                    return plan
    return None


def _between(number: Callable[[FloatArray], float], low: FloatArray, high: FloatArray, target: float) -> FloatArray:
    """Bisect a segment of plans for the one whose number is nearest to the target."""
    bottom, top = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (bottom + top)
        below = number((1 - middle) * low + middle * high) < target
        bottom, top = (middle, top) if below else (bottom, middle)
    return (1 - bottom) * low + bottom * high


def _distinct(plans: list[FloatArray]) -> list[FloatArray]:
    kept: list[FloatArray] = []
    for plan in plans:
        if all(np.abs(plan - other).max() > 1e-9 for other in kept):
            kept.append(plan)
    return kept
