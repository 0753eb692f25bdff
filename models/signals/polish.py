r"""Remove a solver's rounding from thresholds: Newton steps on the indifference equations themselves.

A mixed-integer solver stops at tolerances of 1e-6. It has found the cells and the order of the thresholds, though, and
inside these the gaps :math:`u_a(t_k) - u_b(t_k)` are polynomials: affine for two players, so one exact step suffices.
Gaps are computed by :meth:`ThresholdProfile.indifference_gaps`, not taken from the program; a step that does not bring
the profile closer to an equilibrium is not taken.
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.signals.threshold_profile import ThresholdProfile

_STEP = 1e-5


def polish(profile: ThresholdProfile, *, iterations: int = 8, tolerance: float = 1e-14) -> ThresholdProfile:
    """Solve the indifference equations near a profile; return the profile with the smallest EPSB ε met on the way."""
    signals = profile.game.signals
    best, best_epsilon = profile, profile.evaluate().epsb_epsilon
    inner = _free(profile)
    if not inner.any():
        return profile
    positions = profile.positions.copy()
    for _ in range(iterations):
        if best_epsilon <= tolerance:
            break
        current = _placed(profile, positions)
        if current is None:
            break
        gaps = current.indifference_gaps()[inner]
        jacobian = _jacobian(current, inner)
        step = np.linalg.lstsq(jacobian, -gaps, rcond=1e-10)[0]
        moved = positions.copy()
        moved[inner] += step
        if signals.is_finite:  # a finite threshold stays at its signal: beyond it other equations hold
            cell = np.minimum(np.floor(profile.positions), signals.num_cells - 1)
            moved = np.clip(moved, cell, cell + 1)
        candidate = _placed(profile, np.clip(moved, 0.0, signals.num_cells))
        if candidate is None:
            break
        positions = candidate.positions
        epsilon = candidate.evaluate().epsb_epsilon
        if epsilon < best_epsilon:
            best, best_epsilon = candidate, epsilon
        elif np.abs(step).max() < 1e-13:
            break
    return best


def _free(profile: ThresholdProfile) -> BoolArray:
    """Mark thresholds that obey an equation: off the ends, and with finite signals inside a cell."""
    positions, last = profile.positions, profile.game.signals.num_cells
    if profile.game.signals.is_finite:
        return np.abs(positions - np.round(positions)) > 1e-7
    return (positions > 1e-9) & (positions < last - 1e-9)


def _jacobian(profile: ThresholdProfile, inner: BoolArray) -> FloatArray:
    """Differentiate the gaps by central differences, which are exact for polynomials of degree two."""
    columns = []
    for k in np.flatnonzero(inner):
        gaps: list[FloatArray] = []
        at: list[float] = []
        for sign in (1.0, -1.0):
            moved = profile.positions.copy()
            moved[k] += sign * _STEP
            other = _placed(profile, moved)
            if other is not None:
                gaps.append(other.indifference_gaps()[inner])
                at.append(float(moved[k]))
        if not gaps:  # squeezed between its neighbours: it cannot move
            columns.append(np.zeros(int(inner.sum())))
            continue
        if len(gaps) == 1:
            gaps.append(profile.indifference_gaps()[inner])
            at.append(float(profile.positions[k]))
        columns.append((gaps[0] - gaps[1]) / (at[0] - at[1]))
    return np.stack(columns, axis=1)


def _placed(profile: ThresholdProfile, positions: FloatArray) -> ThresholdProfile | None:
    try:
        return ThresholdProfile(profile.game, profile.model, positions)
    except StrategyError:  # thresholds of a player crossed
        return None
