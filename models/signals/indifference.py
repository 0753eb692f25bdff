r"""Indifference at a threshold, derived from game and model.

At threshold :math:`t_k` between plans a and b player i must be indifferent: :math:`u_a(t_k) = u_b(t_k)`. With
independent continuous signals both sides are polynomials in CDF values: opponent j plays the plan of region r with
probability :math:`F_j(t_{r+1}) - F_j(t_r)`, and does so below :math:`t_k` with probability
:math:`F_j(\min(t_k, t_{r+1})) - F_j(\min(t_k, t_r))`. Each opponent contributes one factor, so the degree is
:math:`n - 1`: linear for two players (Ganzfried 2015, §11.6.1), and multilinear in values of different players' CDFs
in general (§11.7.3). The order of the model decides the minima; a pair it leaves open stays a minimum.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame


class CdfValue(NamedTuple):
    """:math:`F_j` at the lowest of some thresholds (a single one where the order is known)."""

    player: int
    thresholds: tuple[int, ...]


Monomial: TypeAlias = tuple[CdfValue, ...]
"""A product of CDF values of different players; the empty product is one."""

BOTTOM, TOP = -1, -2
"""The two ends of the scale, where a plan's payoff can be computed as at a threshold."""

_Linear: TypeAlias = dict[Monomial, Fraction]


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with exact coefficients."""

    terms: Mapping[Monomial, Fraction]

    def __sub__(self, other: Polynomial) -> Polynomial:
        """Subtract, dropping terms that cancel."""
        difference = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            difference[monomial] = difference.get(monomial, Fraction(0)) - coefficient
        return Polynomial({m: c for m, c in difference.items() if c})

    def __hash__(self) -> int:
        """Hash the terms: polynomials are equal if their terms are."""
        return hash(frozenset(self.terms.items()))

    @property
    def bounds(self) -> tuple[float, float]:
        """Return what the terms allow if every CDF value is anywhere in [0, 1]."""
        constant = float(self.terms.get((), 0))
        others = [float(c) for m, c in self.terms.items() if m]
        return constant + sum(min(c, 0.0) for c in others), constant + sum(max(c, 0.0) for c in others)

    @property
    def degree(self) -> int:
        """The largest number of factors in a monomial."""
        return max((len(m) for m in self.terms), default=0)

    def value(self, of: Callable[[CdfValue], float]) -> float:
        """Evaluate with given CDF values."""
        return sum(float(c) * float(np.prod([of(v) for v in m])) for m, c in self.terms.items())

    def gradient(self, of: Callable[[CdfValue], float]) -> dict[CdfValue, float]:
        """Differentiate by every CDF value, at given CDF values."""
        slopes: dict[CdfValue, float] = {}
        for monomial, coefficient in self.terms.items():
            for k, variable in enumerate(monomial):
                rest = np.prod([of(v) for v in monomial[:k] + monomial[k + 1 :]])
                slopes[variable] = slopes.get(variable, 0.0) + float(coefficient) * float(rest)
        return slopes


def plan_polynomial(game: SignalGame, model: ParametricModel, player: int, plan: str, at: int) -> Polynomial:
    """Return the payoff of a plan at a threshold (by number), or at ``BOTTOM`` or ``TOP``, in terms of CDF values."""
    if game.signals.is_dependent:
        raise UnsupportedGameError("beliefs about dependent signals are not products of CDF values")
    others = [j for j in range(len(game.players)) if j != player]
    masses = {j: _plan_masses(game, model, j, at) for j in others}
    own = game.plan_index(player, plan)
    terms: dict[Monomial, Fraction] = {}
    for combo in itertools.product(*(masses[j] for j in others)):
        cell = dict(zip(others, combo, strict=True)) | {player: own}
        end = game.showdowns[game.outcome[tuple(cell[p] for p in range(len(game.players)))]]
        _add(terms, end.lose[player], [masses[j][cell[j]][0] for j in others])
        if player in end.contenders:
            factors = [masses[j][cell[j]][1 if j in end.contenders else 0] for j in others]
            _add(terms, end.win[player] - end.lose[player], factors)
    return Polynomial({m: c for m, c in terms.items() if c})


def indifference(game: SignalGame, model: ParametricModel, threshold: int) -> Polynomial:
    """Return ``u_lower - u_upper`` at a threshold, for the plans on its two sides."""
    player, place = model.owners[threshold]
    lower, upper = model.regions[player][place : place + 2]
    return plan_polynomial(game, model, player, lower, threshold) - plan_polynomial(
        game, model, player, upper, threshold
    )


def cdf_reader(game: SignalGame, positions: FloatArray) -> Callable[[CdfValue], float]:
    """Read CDF values off the positions of the thresholds."""

    def read(value: CdfValue) -> float:
        lowest = min(positions[k] for k in value.thresholds)
        return float(game.signals.cdf_at(value.player, lowest))

    return read


@lru_cache(maxsize=512)  # each threshold is looked up for every plan of its owner
def _plan_masses(game: SignalGame, model: ParametricModel, player: int, at: int) -> dict[int, tuple[_Linear, _Linear]]:
    """Return the probability of each plan that a player uses, and of using it with a worse signal than ``at``."""
    masses: dict[int, tuple[_Linear, _Linear]] = {}
    last = len(model.regions[player]) - 1
    for region, plan in enumerate(model.regions[player]):
        total, below = masses.setdefault(game.plan_index(player, plan), ({}, {}))
        ends = (
            (model.number(player, region) if region < last else None, Fraction(1)),
            (model.number(player, region - 1) if region else BOTTOM, Fraction(-1)),
        )
        for threshold, sign in ends:
            if threshold == BOTTOM:
                continue
            whole: Monomial = () if threshold is None else (CdfValue(player, (threshold,)),)
            _accumulate(total, whole, sign)
            if at != BOTTOM:
                part = whole if at == TOP else (CdfValue(player, _lowest(model, at, threshold)),)
                _accumulate(below, part, sign)
    if game.lower_wins:
        for total, below in masses.values():
            for monomial in total.keys() | below.keys():
                below[monomial] = total.get(monomial, Fraction(0)) - below.get(monomial, Fraction(0))
    return masses


def _lowest(model: ParametricModel, at: int, other: int | None) -> tuple[int, ...]:
    if other is None or model.precedes[at, other]:
        return (at,)
    return (other,) if model.precedes[other, at] else (min(at, other), max(at, other))


def _accumulate(terms: _Linear, monomial: Monomial, coefficient: Fraction) -> None:
    terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient


def _add(terms: dict[Monomial, Fraction], scale: Fraction, factors: list[_Linear]) -> None:
    """Add ``scale`` times the product of linear forms."""
    if not scale:
        return
    product: dict[Monomial, Fraction] = {(): scale}
    for factor in factors:
        product = {a + b: c * d for a, c in product.items() for b, d in factor.items() if d}
    for monomial, coefficient in product.items():
        _accumulate(terms, monomial, coefficient)
