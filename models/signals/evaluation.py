r"""What a profile of a signal game is worth, exactly, and how far it is from an equilibrium at every signal.

A strategy is a matrix: the probability of each plan in each cell (:mod:`equiform.models.signals.deals`). With the
others' strategies fixed, player :math:`i`'s payoff of a plan at the point :math:`s \in [0, 1]` of a cell is a
polynomial in s of degree :math:`n - 1` at most: the mass :math:`W_j` of opponent j's signals that are worse is linear
in s, and a contest with the contenders :math:`S` is won against all of them at once,

.. math:: u_c(s) = \sum_{c_{-i}} \Bigl( \ell \prod_j M_j(c_j)
                   + (w - \ell) \prod_{j \in S} W_j(c_j, s) \prod_{j \notin S} M_j(c_j) \Bigr).

Players who tie on a finite signal share the prize, which is the same as ordering them at random inside the cell: the
finite payoff is :math:`\int_0^1 u_c(s)\,ds`. Expected payoffs are integrals of these polynomials, best responses their
upper envelope, and the EPSB ε (Definition 22) the largest gap at *any* signal. Nothing is sampled, and no program is
involved: this is the witness for all answers of the parametric formulations.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import polynomial as poly

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True, eq=False)
class SignalEvaluation:
    """Payoffs, best responses, and the gain by one: on average (``regrets``) and at the worst signal (``epsb``)."""

    payoffs: FloatArray
    best_responses: FloatArray
    epsb: FloatArray
    worst_signals: FloatArray
    regrets: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regrets", self.best_responses - self.payoffs)

    @property
    def epsilon(self) -> float:
        """The largest average gain of a player: the ε of an ε-equilibrium, as in §11.8.3."""
        return float(self.regrets.max())

    @property
    def epsb_epsilon(self) -> float:
        """The largest gain of a player at any single signal (Definition 22)."""
        return float(self.epsb.max())


def evaluate_signals(game: SignalGame, strategies: Sequence[FloatArray]) -> SignalEvaluation:
    """Evaluate a profile: one ``cell × plan`` matrix per player."""
    check_strategies(game, strategies)
    payoffs, best, epsb, worst = [], [], [], []
    for player, own in enumerate(strategies):
        values = plan_values(game, strategies, player)
        played = np.einsum("cq,qcd->cd", own, values)
        mass = game.signals.masses[player]
        payoffs.append(float(mass @ _integral(played)))
        best.append(float(mass @ _integral_of_maximum(values)))
        gap, cell, point = _largest_gap(values, played)
        epsb.append(gap)
        worst.append(float(cell + 1) if game.signals.is_finite else float(game.signals.values(cell + point)))
    return SignalEvaluation(np.array(payoffs), np.array(best), np.array(epsb), np.array(worst))


def plan_values(game: SignalGame, strategies: Sequence[FloatArray], player: int) -> FloatArray:
    """Return ``values[plan, cell, k]``: the payoff of each own plan in a cell, as coefficients of :math:`s^k`."""
    require_player(player, len(game.players), game.name)
    signals = game.signals
    others = [j for j in range(len(game.players)) if j != player]
    total, inside, worse = {}, {}, {}
    for j in others:
        total[j], below, inside[j] = _masses(game, strategies[j], player, j)
        if game.lower_wins:
            worse[j] = np.stack([total[j] - below, -inside[j]], axis=-1)
        else:
            worse[j] = np.stack([below, inside[j]], axis=-1)
    used = [np.flatnonzero(strategies[j].any(axis=0)).tolist() for j in others]
    values = np.zeros((len(game.plans[player]), signals.num_cells, len(game.players)))
    ends = np.moveaxis(game.outcome, player, 0)
    for combo in itertools.product(*used):
        plan_of = dict(zip(others, combo, strict=True))
        happens = np.prod([total[j][:, q] for j, q in plan_of.items()], axis=0)
        contests: dict[frozenset[int], FloatArray] = {}
        for own in range(len(values)):
            end = game.showdowns[ends[(own, *combo)]]
            values[own, :, 0] += float(end.lose[player]) * happens
            if player not in end.contenders:
                continue
            if end.contenders not in contests:
                contests[end.contenders] = _wins(plan_of, end.contenders, total, worse)
            won = contests[end.contenders]
            values[own, :, : won.shape[1]] += float(end.win[player] - end.lose[player]) * won
            if end.tie is not None and signals.is_finite:
                rival = next(j for j in others if j in end.contenders)
                rest = np.prod([total[j][:, q] for j, q in plan_of.items() if j != rival], axis=0)
                bonus = float(end.tie[player] - (end.win[player] + end.lose[player]) / 2)
                values[own, :, 0] += bonus * inside[rival][:, plan_of[rival]] * rest
    return _integral(values)[..., None] if signals.is_finite else values


def check_strategies(game: SignalGame, strategies: Sequence[FloatArray], *, tolerance: float = 1e-9) -> None:
    """Raise unless each player has a distribution over plans in each cell."""
    shapes = [(game.signals.num_cells, len(plans)) for plans in game.plans]
    if [s.shape for s in strategies] != shapes:
        raise StrategyError(
            f"strategies of shapes {[s.shape for s in strategies]} do not fit {shapes}",
            where=game.name,
            fix="pass one matrix per player, with a row per cell and a column per plan",
        )
    for player, own in enumerate(strategies):
        if not np.isfinite(own).all() or (own < -tolerance).any() or (abs(own.sum(axis=1) - 1) > tolerance).any():
            raise StrategyError(
                "a row of a strategy is not a distribution",
                where=f"{game.name}, {game.players[player]}",
                fix="probabilities are not negative and sum to one in every cell",
            )


def _masses(
    game: SignalGame, strategy: FloatArray, player: int, other: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mass of each plan of an opponent in total, below the player's own cell, and inside it."""
    if game.signals.joint is None:
        weights = game.signals.masses[other][:, None] * strategy
        upto = np.cumsum(weights, axis=0)
        return np.broadcast_to(upto[-1], upto.shape), upto - weights, weights
    beliefs = game.signals.beliefs(player, other)
    return beliefs @ strategy, np.tril(beliefs, -1) @ strategy, np.diag(beliefs)[:, None] * strategy


def _wins(
    plan_of: dict[int, int], contenders: frozenset[int], total: dict[int, FloatArray], worse: dict[int, FloatArray]
) -> FloatArray:
    """Multiply, cell by cell, the chances that contenders hold worse signals and that others play their plans."""
    product = np.ones((next(iter(total.values())).shape[0], 1))
    for j, q in plan_of.items():
        if j in contenders:
            line = worse[j][:, q]
            longer = np.zeros((len(product), product.shape[1] + 1))
            longer[:, :-1] += product * line[:, :1]
            longer[:, 1:] += product * line[:, 1:]
            product = longer
        else:
            product = product * total[j][:, q : q + 1]
    return product


@dataclass(frozen=True)
class Stretch:
    """An interval of signals on which one plan is a best response."""

    low: float
    high: float
    plan: str


def best_response_stretches(
    game: SignalGame, strategies: Sequence[FloatArray], player: int, *, tolerance: float = 1e-9
) -> tuple[Stretch, ...]:
    """Return a best response signal by signal, whatever its shape; the plan that is played wins ties.

    This is the ex post check of §11.8.3 without any assumption on the order of thresholds. The ends of stretches are
    signals, or for finite signals the first and the last signal of the stretch.
    """
    check_strategies(game, strategies)
    values = plan_values(game, strategies, player)
    found: list[Stretch] = []
    for cell in range(game.signals.num_cells):
        here = values[:, cell]
        cuts = [0.0, 1.0]
        for a, b in itertools.combinations(here, 2):
            cuts += _real_roots(a - b).tolist()
        edges = np.unique(cuts) if here.shape[1] > 1 else np.array([0.0, 1.0])
        played = int(np.argmax(strategies[player][cell]))
        for low, high in itertools.pairwise(edges.tolist()):
            at = _at(here, np.full((len(here), 1), (low + high) / 2))[:, 0]
            best = played if at[played] >= at.max() - tolerance else int(np.argmax(at))
            plan = game.plans[player][best]
            if game.signals.is_finite:
                ends = (float(cell + 1), float(cell + 1))
            else:
                first, last = game.signals.values([cell + low, cell + high]).tolist()
                ends = (first, last)
            if found and found[-1].plan == plan:
                found[-1] = Stretch(found[-1].low, ends[1], plan)
            else:
                found.append(Stretch(*ends, plan))
    return tuple(found)


# -- polynomials on [0, 1], coefficients along the last axis ----------------------------------------------------------


def _integral(coefficients: FloatArray) -> FloatArray:
    return coefficients @ (1.0 / np.arange(1, coefficients.shape[-1] + 1))


def _at(coefficients: FloatArray, points: FloatArray) -> FloatArray:
    """Evaluate polynomials ``[..., k]`` at points ``[..., m]`` by Horner's rule."""
    value = np.zeros(np.broadcast_shapes((*coefficients.shape[:-1], 1), points.shape))
    for k in range(coefficients.shape[-1] - 1, -1, -1):
        value = value * points + coefficients[..., k : k + 1]
    return value


def _candidates(coefficients: FloatArray) -> FloatArray:
    """Return points among which each polynomial attains its maximum on [0, 1]: the ends and the critical points."""
    shape = coefficients.shape[:-1]
    degree = coefficients.shape[-1] - 1
    ends = np.broadcast_to(np.array([0.0, 1.0]), (*shape, 2))
    if degree < 2:
        return ends
    if degree == 2:
        slope, curve = coefficients[..., 1:2], coefficients[..., 2:3]
        vertex = np.divide(-slope, 2 * curve, out=np.zeros_like(slope), where=curve != 0)
        return np.concatenate([ends, np.clip(vertex, 0.0, 1.0)], axis=-1)
    inner = np.zeros((*shape, degree - 1))
    for index in np.ndindex(*shape):
        roots = _real_roots(np.asarray(poly.polyder(coefficients[index]), dtype=np.float64))
        inner[(*index, slice(0, len(roots)))] = roots
    return np.concatenate([ends, inner], axis=-1)


def _real_roots(coefficients: FloatArray) -> FloatArray:
    """Return the real roots inside (0, 1)."""
    trimmed = poly.polytrim(coefficients, tol=1e-14 * max(1.0, float(np.abs(coefficients).max())))
    roots = poly.polyroots(trimmed)
    real = np.real(roots[np.abs(np.imag(roots)) < 1e-9])
    return np.sort(real[(real > 0) & (real < 1)])


def _largest_gap(values: FloatArray, played: FloatArray) -> tuple[float, int, float]:
    """Find where a plan beats what is played by most: the gap, the cell and the point inside it."""
    gaps = values - played[None]
    points = _candidates(gaps)
    at = _at(gaps, points)
    _, cell, which = np.unravel_index(int(np.argmax(at)), at.shape)
    plan = int(np.unravel_index(int(np.argmax(at)), at.shape)[0])
    return max(float(at.max()), 0.0), int(cell), float(points[plan, cell, which])


def _integral_of_maximum(values: FloatArray) -> FloatArray:
    """Integrate the upper envelope of the plans' payoffs over each cell."""
    degree = values.shape[-1] - 1
    if degree == 0:
        return values[..., 0].max(axis=0)
    integrals = _integral(values)
    result = np.empty(values.shape[1])
    at_ends = _at(values, np.array([0.0, 1.0]))
    for cell in range(values.shape[1]):
        leaders = [int(np.argmax(integrals[:, cell]))]
        start, end = at_ends[:, cell, 0], at_ends[:, cell, 1]
        straight = degree == 1 and start[leaders[0]] >= start.max() and end[leaders[0]] >= end.max()
        result[cell] = integrals[leaders[0], cell] if straight else _envelope(values[:, cell])
    return result


def _envelope(lines: FloatArray) -> float:
    """Integrate the maximum of a few polynomials over [0, 1]: cut at all crossings, take the best in each piece."""
    distinct = np.unique(lines, axis=0)
    cuts = [np.array([0.0, 1.0])]
    for a, b in itertools.combinations(distinct, 2):
        cuts.append(_real_roots(a - b))
    edges = np.unique(np.concatenate(cuts))
    middles = (edges[1:] + edges[:-1]) / 2
    best = distinct[np.argmax(_at(distinct, middles[None, :].repeat(len(distinct), axis=0)), axis=0)]
    primitive = best / np.arange(1, lines.shape[1] + 1)
    upper = _at(primitive, edges[1:, None])[:, 0] * edges[1:]
    lower = _at(primitive, edges[:-1, None])[:, 0] * edges[:-1]
    return float((upper - lower).sum())
