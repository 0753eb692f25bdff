r"""A profile without a program: simultaneous regret matching (Hart and Mas-Colell 2000), its least exploitable moment.

With more than two players it need not come to an equilibrium. It is what remains to be said when a program ran out of
time before it found any point.
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.normal_form import NormalForm

_ITERATIONS = 2_000
_LOOKS = 50  # measure every so many iterations


def play_by_regrets(game: NormalForm) -> tuple[FloatArray, ...]:
    """Return the best profile met: uniform play, an average or an iterate."""
    sizes = [len(actions) for actions in game.actions]
    regrets = [np.zeros(n) for n in sizes]
    totals = [np.zeros(n) for n in sizes]
    best = current = tuple(np.full(n, 1.0 / n) for n in sizes)
    least = float(game.regrets(best).max())
    for t in range(1, _ITERATIONS + 1):
        values = [_values(game, player, current) for player in range(len(sizes))]
        for player, value in enumerate(values):
            regrets[player] = np.maximum(regrets[player] + value - value @ current[player], 0.0)
            totals[player] += t * current[player]
        current = tuple(r / r.sum() if r.any() else np.full(len(r), 1.0 / len(r)) for r in regrets)
        if t % _LOOKS == 0:
            for profile in (current, tuple(total / total.sum() for total in totals)):
                worst = float(game.regrets(profile).max())
                if worst < least:
                    best, least = profile, worst
    return best


def _values(game: NormalForm, player: int, profile: tuple[FloatArray, ...]) -> FloatArray:
    """Return what each action of a player is worth against the others."""
    table = np.moveaxis(game.payoff_floats[player], player, 0)
    for other in reversed([p for j, p in enumerate(profile) if j != player]):
        table = table @ other
    values: FloatArray = table
    return values
