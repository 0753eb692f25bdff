r"""Remove rounding from a mixed equilibrium: solve its indifference equations on the supports found.

With supports :math:`S_i` fixed, an equilibrium solves :math:`u_i(a, p_{-i}) = v_i` for :math:`a \in S_i` and
:math:`\sum_{a \in S_i} p_i(a) = 1`: linear for two players (one Newton step), multilinear for more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.normal_form import NormalForm

SUPPORTS = (1e-6, 1e-3, 1e-2, 5e-2, 0.15)
"""Probabilities up to which an action is taken for unplayed, one after the other."""


def polish_profile(
    game: NormalForm, profile: Sequence[FloatArray], *, supports: Sequence[float] = SUPPORTS, iterations: int = 20
) -> tuple[FloatArray, ...]:
    """Take Newton steps on the supports; return the profile with the smallest regret met on the way.

    A profile from an interpolated program plays what it should not with small probabilities, so larger and larger ones
    are taken for zero until the regret vanishes.
    """
    start = [np.clip(p, 0.0, None) for p in profile]
    best = tuple(p / p.sum() for p in start)
    sizes = game.payoff_floats.reshape(len(best), -1)
    rounding = 1e-13 * (sizes.max(axis=1) - sizes.min(axis=1))
    tried: set[bytes] = set()
    for support in supports:
        masks = [(p > support) | (p == p.max()) for p in profile]
        key = np.concatenate(masks).tobytes()
        if tried and (game.regrets(best) <= rounding).all():
            break
        if key not in tried:
            tried.add(key)
            best = _newton(game, profile, masks, best, iterations)
    return best


def _newton(
    game: NormalForm,
    profile: Sequence[FloatArray],
    masks: Sequence[BoolArray],
    best: tuple[FloatArray, ...],
    iterations: int,
) -> tuple[FloatArray, ...]:
    """Return the best of the profiles met by Newton steps on these supports and of ``best``."""
    best_regret = float(game.regrets(best).max())
    current = [np.where(m, p, 0.0) for p, m in zip(profile, masks, strict=True)]
    current = [p / p.sum() for p in current]
    point = np.concatenate([p[m] for p, m in zip(current, masks, strict=True)])
    point = np.concatenate([point, game.expected_payoffs(current)])
    for step in range(iterations + 1):
        if step:
            residual, jacobian = _system(game, point, masks)
            if not (np.isfinite(jacobian).all() and np.isfinite(residual).all()):
                break
            point = point - np.linalg.lstsq(jacobian, residual, rcond=1e-12)[0]
        moved = _unpack(point, masks)
        if any((p < -1e-6).any() for p in moved):
            break
        moved = [np.clip(p, 0.0, None) for p in moved]
        moved = [p / p.sum() for p in moved]
        regret = float(game.regrets(moved).max())
        if regret < best_regret:
            best, best_regret = tuple(moved), regret
        elif step > 3:
            break
    return best


def _unpack(point: FloatArray, masks: Sequence[BoolArray]) -> list[FloatArray]:
    profile, start = [], 0
    for mask in masks:
        own = np.zeros(len(mask))
        own[mask] = point[start : start + int(mask.sum())]
        start += int(mask.sum())
        profile.append(own)
    return profile


def _system(game: NormalForm, point: FloatArray, masks: Sequence[BoolArray]) -> tuple[FloatArray, FloatArray]:
    """Return the residuals of the equations and their Jacobian; a payoff is linear in each player's probabilities."""
    profile = _unpack(point, masks)
    players = len(masks)
    sizes = [int(m.sum()) for m in masks]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    values = point[starts[-1] :]
    residuals, rows = [], []
    for i, mask in enumerate(masks):
        residuals.append(game.action_values(i, profile)[mask] - values[i])
        block = np.zeros((sizes[i], len(point)))
        for j in range(players):
            if j != i:
                for column, action in enumerate(np.flatnonzero(masks[j])):
                    unit = np.zeros(len(masks[j]))
                    unit[action] = 1.0
                    changed = [unit if k == j else p for k, p in enumerate(profile)]
                    block[:, starts[j] + column] = game.action_values(i, changed)[mask]
        block[:, starts[-1] + i] = -1.0
        rows.append(block)
        total = np.zeros((1, len(point)))
        total[0, starts[i] : starts[i + 1]] = 1.0
        rows.append(total)
        residuals.append(np.array([profile[i].sum() - 1.0]))
    return np.concatenate(residuals), np.concatenate(rows)
