r"""The five desiderata of an action translation mapping as executable checks (Ganzfried 2015, §7.3 and §7.7).

Each check searches for a counterexample and returns it. Finding none is evidence, not proof, over the ranges below;
what can be proved symbolically about the pseudo-harmonic mapping is in :mod:`equiform.validation.closed_forms`.

=====================  ==========================================  =================================================
desideratum            required                                    stronger form (``strong=True``)
=====================  ==========================================  =================================================
boundary constraints   :math:`f_{A,B}(A) = 1`, :math:`f(B) = 0`    the same
monotonicity           :math:`f` does not increase in x            it decreases strictly
scale invariance       :math:`f_{kA,kB}(kx) = f_{A,B}(x)`          k multiplies the bets but not the pot
action robustness      continuous in x                             Lipschitz continuous in x
boundary robustness    continuous in A and in B, in the maximum    Lipschitz continuous in A and in B
                       norm over x
=====================  ==========================================  =================================================

*Scale.* The thesis measures every amount in pots, so that k multiplies the pot along with A, B and x and all seven
mappings pass. Read literally, with the pot held at 1, the pseudo-harmonic mapping is not scale invariant: the strong
form shows it.

*Lipschitz constants* are required while :math:`A \le B/2`: as A approaches B no mapping that keeps the boundary
constraints has a bounded one. A quotient above :data:`STEEP` counts as unbounded; the mappings that pass stay
an order of magnitude below it, and for those that fail it grows without limit as A shrinks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from equiform.abstraction.actions.translation import MAPPINGS, TranslationMapping
from equiform.models.common.arguments import require_all, require_kind, require_name
from equiform.models.common.array_types import FloatArray

#: A change of f that persists however close the arguments come.
JUMP = 0.05
#: A difference quotient that counts as unbounded.
STEEP = 1e4
_TOLERANCE = 1e-9
_UPPER = (1.0, 2.0, 7.0, 30.0, 100.0, 0.5, 0.1)  # values of B, in pots
_RATIOS = (0.25, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-4)  # values of A / B
_GRID = 400


class Desideratum(StrEnum):
    """The thesis's five."""

    BOUNDARY = "boundary constraints"
    MONOTONICITY = "monotonicity"
    SCALE = "scale invariance"
    ACTION = "action robustness"
    ROBUST_BOUNDARY = "boundary robustness"


class Case(StrEnum):
    """Whether the smaller size is a real bet or a check, where the geometric mappings degenerate."""

    POSITIVE = "A > 0"
    ZERO = "A = 0"


@dataclass(frozen=True)
class Point:
    """A value of the mapping: ``f`` at A, B, x with the given pot."""

    A: float
    B: float
    x: float
    f: float
    pot: float = 1.0


@dataclass(frozen=True)
class Check:
    """The outcome of one check; ``witness`` is the counterexample, empty if none was found."""

    desideratum: Desideratum
    mapping: str
    case: Case
    strong: bool
    witness: tuple[Point, ...] = field(default=())
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether no counterexample was found."""
        return not self.witness


def check(mapping: TranslationMapping, desideratum: Desideratum, case: Case, *, strong: bool = False) -> Check:
    """Look for a counterexample to one desideratum.

    >>> from equiform.abstraction.actions.translation import by_name
    >>> found = check(by_name("Rand-Geo-2"), Desideratum.BOUNDARY, Case.ZERO)
    >>> found.holds, found.witness[0].f
    (False, 0.0)
    """
    require_kind(mapping, TranslationMapping, "mapping", "desiderata")
    wanted = Desideratum(require_name(desideratum, Desideratum, "desideratum"))
    kind = Case(require_name(case, Case, "case", "desiderata"))
    find = {
        Desideratum.BOUNDARY: _boundary,
        Desideratum.MONOTONICITY: _monotonicity,
        Desideratum.SCALE: _scale,
        Desideratum.ACTION: _action,
        Desideratum.ROBUST_BOUNDARY: _robust_boundary,
    }[wanted]
    for A, B in _pairs(kind):
        witness, why = find(mapping, A, B, strong)
        if witness:
            return Check(wanted, mapping.name, kind, strong, witness, why)
    return Check(wanted, mapping.name, kind, strong)


def check_all(mappings: tuple[TranslationMapping, ...] = MAPPINGS) -> tuple[Check, ...]:
    """Check every mapping against every desideratum, in both cases and both forms."""
    return tuple(
        check(mapping, desideratum, case, strong=strong)
        for mapping in require_all(mappings, TranslationMapping, "mappings", "desiderata")
        for desideratum in Desideratum
        for case in Case
        for strong in (False, True)
    )


_Found = tuple[tuple[Point, ...], str]
_NOTHING: _Found = ((), "")


def _pairs(case: Case) -> list[tuple[float, float]]:
    return [(0.0, B) for B in _UPPER] if case is Case.ZERO else [(r * B, B) for B in _UPPER for r in _RATIOS]


def _value(mapping: TranslationMapping, A: float, B: float, x: float, pot: float = 1.0) -> float:
    return float(mapping.probability(A, B, x, pot=pot))


def _point(mapping: TranslationMapping, A: float, B: float, x: float, pot: float = 1.0) -> Point:
    return Point(A, B, x, _value(mapping, A, B, x, pot), pot)


def _boundary(mapping: TranslationMapping, A: float, B: float, strong: bool) -> _Found:
    for x, wanted in ((A, 1.0), (B, 0.0)):
        if abs(_value(mapping, A, B, x) - wanted) > _TOLERANCE:
            return (_point(mapping, A, B, x),), f"f should be {wanted:g} at a size of the abstraction"
    return _NOTHING


def _monotonicity(mapping: TranslationMapping, A: float, B: float, strong: bool) -> _Found:
    xs = np.linspace(A, B, _GRID + 1)
    steps = np.diff(mapping.probability(A, B, xs))
    bad = np.flatnonzero(steps >= 0 if strong else steps > _TOLERANCE)
    if not len(bad):
        return _NOTHING
    k = int(bad[0])
    both = (_point(mapping, A, B, float(xs[k])), _point(mapping, A, B, float(xs[k + 1])))
    return both, "f does not decrease" if strong else "f increases"


def _scale(mapping: TranslationMapping, A: float, B: float, strong: bool) -> _Found:
    what = "bet" if strong else "amount"
    for x in np.linspace(A, B, 12)[1:-1].tolist():
        base = _value(mapping, A, B, x)
        for k in (0.1, 0.5, 3.0, 50.0):
            scaled = _point(mapping, k * A, k * B, k * x, 1.0 if strong else k)
            if abs(scaled.f - base) > 1e-7:
                return (_point(mapping, A, B, x), scaled), f"f changes when every {what} is multiplied by {k:g}"
    return _NOTHING


def _action(mapping: TranslationMapping, A: float, B: float, strong: bool) -> _Found:
    """Close in on the steepest step of a grid by bisection: a jump stays, a slope flattens out."""
    xs = np.linspace(A, B, _GRID + 1)
    k = int(np.argmax(np.abs(np.diff(mapping.probability(A, B, xs)))))
    low, high = float(xs[k]), float(xs[k + 1])
    for _ in range(60):
        middle = 0.5 * (low + high)
        if high - low <= 4e-9 * max(1.0, high):
            break
        at = mapping.probability(A, B, [low, middle, high])
        low, high = (low, middle) if abs(at[1] - at[0]) >= abs(at[2] - at[1]) else (middle, high)
    both = (_point(mapping, A, B, low), _point(mapping, A, B, high))
    change = abs(both[0].f - both[1].f)
    if change > JUMP:
        return both, f"f jumps by {change:.3g} between bets that differ by {high - low:.2g}"
    if strong and change > STEEP * (high - low):
        return both, f"f has slope {change / (high - low):.3g}"
    return _NOTHING


def _robust_boundary(mapping: TranslationMapping, A: float, B: float, strong: bool) -> _Found:
    """Move A or B a little and compare the two mappings where both are defined."""
    steps = [B * 10.0**-k for k in (range(2, 7) if strong else (6,))]
    for step in steps:
        for A2, B2 in ((A + step, B), (A, B + step)):
            if A2 > 0.75 * B:
                continue
            both, distance = _farthest(mapping, (A, B), (A2, B2))
            moved = abs(A2 - A) + abs(B2 - B)
            if distance > JUMP and moved <= 1e-5 * B:
                return both, f"f changes by {distance:.3g} when a size of the abstraction moves by {moved:.2g}"
            if strong and distance > STEEP * moved:
                return both, f"f changes by {distance / moved:.3g} times the move of a size of the abstraction"
    if strong and A > 0:
        # follow the sizes down to 0: (a, 2a) is where a mapping that degenerates at 0 is steepest
        for a in (A * 2.0**-k for k in range(1, 40)):
            both, distance = _farthest(mapping, (a, B), (2 * a, B))
            if distance > STEEP * a:
                return both, f"f changes by {distance / a:.3g} times the move of A"
    return _NOTHING


def _farthest(
    mapping: TranslationMapping, one: tuple[float, float], two: tuple[float, float]
) -> tuple[tuple[Point, Point], float]:
    """Return the bet at which two mappings differ most, with both values."""
    low, high = max(one[0], two[0]), min(one[1], two[1])
    medians = np.array([float(mapping.median(*pair)) for pair in (one, two)])
    xs: FloatArray = np.concatenate([np.linspace(low, high, _GRID + 1), medians, [medians.mean()]])
    xs = np.clip(xs, low, high)
    gaps = np.abs(mapping.probability(*one, xs) - mapping.probability(*two, xs))
    x = float(xs[int(np.argmax(gaps))])
    return (_point(mapping, *one, x), _point(mapping, *two, x)), float(gaps.max())
