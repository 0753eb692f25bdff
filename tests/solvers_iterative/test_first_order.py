"""Prox functions, projections, the excessive gap technique and iterated smoothing: constants and bounds of theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equiform.games.poker.one_card_operator import one_card_operator
from equiform.games.random_game import random_game
from equiform.models import NormalForm, SequenceForm, Treeplex, reduced_plans, sequence_form
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.game import as_sequence_form
from equiform.solvers_iterative import EGT, IteratedSmoothing, Until
from equiform.solvers_iterative.first_order.projection import TreeplexProjection
from equiform.solvers_iterative.first_order.prox import KINDS, Prox, operator_norm
from tests.helpers.games import form
from tests.helpers.payoffs import BarePayoff

SPECS = ("fig-13.5", "kuhn", "leduc")


def forms() -> list[SequenceForm]:
    return [*(form(s) for s in SPECS), *(sequence_form(random_game(seed=s, depth=6)) for s in range(6))]


def random_plan(treeplex: Treeplex, rng: np.random.Generator, spikiness: float = 1.0) -> FloatArray:
    weights = rng.gamma(spikiness, size=treeplex.num_sequences) + 1e-9
    sums = np.add.reduceat(weights, treeplex.start[:-1])
    weights[1:] /= np.repeat(sums, np.diff(treeplex.start))
    return treeplex.realization(weights)


def dilated(treeplex: Treeplex, prox: Prox, plan: FloatArray) -> float:
    """The prox function by its definition."""
    total = 0.0
    for h in range(treeplex.num_infosets):
        reach = plan[treeplex.parent[h]]
        own = plan[treeplex.start[h] : treeplex.start[h + 1]]
        if reach > 0:
            b = own / reach
            local = math.log(len(b)) + sum(p * math.log(p) for p in b if p > 0)
            if prox.kind == "euclidean":
                local = 0.5 * float(b @ b) - 0.5 / len(b)
            total += float(prox.beta[h]) * reach * local
    return total


# -- prox functions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_prox_functions_are_strongly_convex(kind: str) -> None:
    """On random chords the prox function exceeds its value in the middle by what its modulus promises."""
    rng = np.random.default_rng(0)
    for game in forms():
        for treeplex in game.treeplexes:
            prox = Prox.of(treeplex, kind)
            widest = treeplex.best_value(np.append(0.0, np.ones(treeplex.num_sequences - 1)))
            for _ in range(10):
                x, y = (random_plan(treeplex, rng, spikiness) for spikiness in rng.choice([0.05, 0.3, 2.0], 2))
                excess = 0.5 * dilated(treeplex, prox, x) + 0.5 * dilated(treeplex, prox, y)
                excess -= dilated(treeplex, prox, 0.5 * (x + y))
                square = np.abs(x - y).sum() ** 2 / widest if kind == "entropy" else float((x - y) @ (x - y))
                assert excess >= square / 8 - 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_smoothed_responses_are_optimal(kind: str) -> None:
    rng = np.random.default_rng(1)
    for game in forms():
        for treeplex in game.treeplexes:
            prox = Prox.of(treeplex, kind)
            assert dilated(treeplex, prox, treeplex.realization(treeplex.uniform())) == pytest.approx(0.0, abs=1e-12)
            for mu in (1e-3, 0.3, 10.0):
                gradient = rng.normal(size=treeplex.num_sequences)
                plan = np.empty(treeplex.num_sequences)
                value = prox.respond(gradient, mu, plan)
                assert treeplex.flow_residual(plan) < 1e-12
                assert value == pytest.approx(gradient @ plan - mu * dilated(treeplex, prox, plan), abs=1e-9)
                for _ in range(5):  # moving towards any other plan only loses
                    other = 0.99 * plan + 0.01 * random_plan(treeplex, rng, 0.3)
                    assert gradient @ other - mu * dilated(treeplex, prox, other) <= value + 1e-12
                best = treeplex.best_value(gradient)
                assert best - mu * prox.diameter - 1e-9 <= value <= best + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_diameters_are_attained_at_pure_plans(kind: str) -> None:
    for treeplex in form("kuhn").treeplexes:
        prox = Prox.of(treeplex, kind)
        largest = max(dilated(treeplex, prox, plan) for plan in reduced_plans(treeplex))
        assert prox.diameter == pytest.approx(largest)


def test_operator_norms_bound_the_payoff() -> None:
    rng = np.random.default_rng(2)
    for game in forms():
        spectral = np.linalg.norm(game.A.toarray(), 2)
        bound = operator_norm(game, "euclidean")
        assert bound is not None and bound >= spectral * (1 - 1e-12)
        entropy = operator_norm(game, "entropy")
        assert entropy is not None
        first, second = game.treeplexes
        for _ in range(20):
            x, x2, y, y2 = (random_plan(t, rng, 0.5) for t in (first, first, second, second))
            z, w = x2 - x, y2 - y
            sizes = (z[1:] ** 2 / x[1:]).sum() * (w[1:] ** 2 / y[1:]).sum()
            assert abs(z @ (game.A @ w)) <= entropy * math.sqrt(sizes) + 1e-12


# -- projection --------------------------------------------------------------------------------------------------------


def test_projection_is_optimal() -> None:
    """x is the projection of w if and only if no plan has a larger product with w - x than x itself."""
    rng = np.random.default_rng(3)
    for game in [*forms(), one_card_operator(50)]:
        for treeplex in game.treeplexes:
            project = TreeplexProjection(treeplex)
            for scale in (0.01, 0.3, 3.0, 100.0):
                w = scale * rng.normal(size=treeplex.num_sequences)
                x = project(w)
                assert treeplex.flow_residual(x) < 1e-12
                assert treeplex.best_value(w - x) - (w - x) @ x <= 1e-12 * (1 + scale) * treeplex.num_sequences
            inside = random_plan(treeplex, rng)
            assert np.abs(project(inside) - inside).max() < 1e-12


@pytest.mark.parametrize("magnitude", [1e-300, 1e-17, 1.0, 1e8, 1e17, 1e160, 1e308])
def test_projection_of_any_finite_point_is_a_plan(magnitude: float) -> None:
    """Tiny and huge weights side by side leave masses so small that the price of the last one rounds away."""
    rng = np.random.default_rng(5)
    for treeplex in form("leduc-nl:stack=4").treeplexes:
        project = TreeplexProjection(treeplex)
        for spread in (0.0, 20.0, 300.0):
            exponents = rng.uniform(-spread, 0.0, treeplex.num_sequences)
            w = magnitude * 10.0**exponents * rng.choice([-1.0, 1.0], treeplex.num_sequences)
            plan = project(w)
            assert np.isfinite(plan).all() and (plan >= 0).all()
            assert treeplex.flow_residual(plan) < 1e-12


def test_projection_with_tiny_mass_goes_to_the_cheapest_sequence() -> None:
    """One unit in the last place arrives where all marginal costs are huge: nothing of it may be lost."""
    treeplex = form("kuhn").treeplexes[0]
    first = int(treeplex.parent[np.flatnonzero(treeplex.parent)[0]])  # a sequence with an information set below it
    below = int(np.flatnonzero(treeplex.parent == first)[0])
    low, high = treeplex.start[below], treeplex.start[below + 1]
    w = np.zeros(treeplex.num_sequences)
    w[low:high] = -1e17, -2e17
    siblings = treeplex.infoset_of[first]
    w[treeplex.start[siblings] : treeplex.start[siblings + 1]] = 1.0
    w[first] = 1e17 + 64.0
    plan = TreeplexProjection(treeplex)(w)
    assert treeplex.flow_residual(plan) < 1e-12
    assert plan[low] == plan[first]


def test_projection_refuses_what_is_not_finite() -> None:
    treeplex = form("kuhn").treeplexes[0]
    for bad in (np.nan, np.inf):
        with pytest.raises(ParameterError, match="not finite"):
            TreeplexProjection(treeplex)(np.full(treeplex.num_sequences, bad))


# -- the excessive gap technique ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spec", SPECS)
def test_egt_keeps_the_bound_of_theory(spec: str, kind: str) -> None:
    solver = EGT(form(spec), prox=kind, aggressive=False)
    assert solver.norm is not None
    scale = 4 * solver.norm * math.sqrt(solver.prox[0].diameter * solver.prox[1].diameter)
    for k in range(300):
        solver.step()  # the first step finds the initial profile, so this is k shrinks
        gap = solver.game.nash_conv(*solver.average_plans)
        assert gap <= scale / (k + 1) + 1e-12
        assert gap <= solver.bound + 1e-12 <= scale / (k + 1) * (1 + 1e-9) + 2e-12


@pytest.mark.parametrize("kind", KINDS)
def test_egt_heuristics_keep_the_condition_and_pay_off(kind: str) -> None:
    game = form("leduc")
    bold, timid = EGT(game, prox=kind), EGT(game, prox=kind, aggressive=False)
    for _ in range(400):
        bold.step()
        assert game.nash_conv(*bold.average_plans) <= bold.bound + 1e-12
    timid.run(Until(iterations=400))
    assert bold.run(Until(iterations=400)).nash_conv < timid.history[-1].nash_conv / 5


def test_balancing_only_lowers_the_smoothing() -> None:
    game = form("leduc")
    solver = EGT(game, balance_every=10**9)
    for _ in range(60):
        solver.step()
    before, plans = solver.bound, np.concatenate(solver.average_plans)
    solver._balance()
    assert solver.bound < before
    assert (np.concatenate(solver.average_plans) == plans).all()
    assert game.nash_conv(*solver.average_plans) <= solver.bound


@pytest.mark.parametrize("kind", KINDS)
def test_egt_converges(kind: str) -> None:
    result = EGT(form("kuhn"), prox=kind).run(Until(gap=1e-4, iterations=20_000))
    assert result.stopped_by == "gap"
    assert result.checkpoint.lower <= -1 / 18 <= result.checkpoint.upper
    result = EGT(form("leduc"), prox=kind).run(Until(gap=1e-2, iterations=5000))
    assert result.stopped_by == "gap"
    zero = NormalForm.from_matrix("zero", "ab", "ab", [[0, 0], [0, 0]]).sequence_form()
    assert EGT(zero, prox=kind).run(Until(iterations=5)).nash_conv == 0.0


def test_operators_without_a_magnitude() -> None:
    game = form("kuhn")
    bare = SequenceForm(game.name, game.treeplexes, BarePayoff(game.payoff))
    assert EGT(bare).run(Until(gap=1e-3, iterations=5000)).stopped_by == "gap"
    with pytest.raises(ParameterError, match="magnitude"):
        EGT(bare, aggressive=False)
    with pytest.raises(ParameterError, match="magnitude"):
        IteratedSmoothing(bare)
    assert IteratedSmoothing(bare, norm=1.0).run(Until(gap=1e-6, iterations=20_000)).stopped_by == "gap"


# -- iterated smoothing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "iterations"), [("kuhn", 6000), ("fig-13.5", 3000), ("rps-sequential", 500)])
def test_iterated_smoothing_is_log_linear(spec: str, iterations: int) -> None:
    solver = IteratedSmoothing(form(spec))
    history = solver.run(Until(gap=1e-11, iterations=iterations), checkpoint_every=25).history
    gaps = np.array([c.nash_conv for c in history])
    if gaps[-1] <= 1e-11 and len(gaps) < 10:
        return  # solved at once: uniform play is the equilibrium
    tail = [(c.iteration, math.log(c.nash_conv)) for c in history if 1e-11 < c.nash_conv < 0.1 * gaps[0]]
    t, logs = np.array(tail).T
    slope, intercept = np.polyfit(t, logs, 1)
    residual = logs - (slope * t + intercept)
    assert slope < 0
    assert 1 - residual.var() / logs.var() > 0.98
    # each stage divides the gap by e for a bounded price: the last ones are not longer than those before
    lengths = solver.stage_lengths
    assert max(lengths[len(lengths) // 2 :]) <= 1.5 * max(lengths[: len(lengths) // 2 + 1])


def test_stages_end_within_their_bound() -> None:
    """A stage from gap e·ε ends after 4 L D / ε steps at the latest, whatever the condition number."""
    game = form("leduc")
    solver = IteratedSmoothing(game)
    radius = 0.5 * sum(
        float(np.abs(t.best_value(np.ones(t.num_sequences)))) + t.num_sequences for t in game.treeplexes
    )  # crude: at least max |u - c|^2 / 2
    result = solver.run(Until(iterations=1500))
    gaps = [c.nash_conv for c in result.history]
    for stage, length in enumerate(solver.stage_lengths):
        target = gaps[0] / math.e ** (stage + 1)
        assert length <= 4 * solver.norm * radius / target
    assert gaps[-1] <= gaps[0] / math.e ** len(solver.stage_lengths) * (1 + 1e-9)
    assert len(solver.stage_lengths) >= 3


def _onto_simplex(point: FloatArray) -> FloatArray:
    """Project by bisection on the shift, which shares nothing with the treeplex's projection."""
    low, high = point.min() - 1.0, point.max()
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.maximum(point - middle, 0.0).sum() > 1.0 else (low, middle)
    return np.maximum(point - high, 0.0)


def test_two_steps_of_iterated_smoothing_by_hand() -> None:
    """The step is mu over the squared spectral norm, the momentum that of Nesterov's method."""
    matrix = np.array([[2.0, -1.0, 0.5], [-3.0, 4.0, 1.0]])
    game = as_sequence_form(NormalForm.from_matrix("toy", ("a", "b"), ("c", "d", "e"), matrix.tolist()))
    solver = IteratedSmoothing(game, norm=5.5)
    centers = [np.full(2, 1 / 2), np.full(3, 1 / 3)]
    gap = (matrix @ centers[1]).max() - (matrix.T @ centers[0]).min()
    spread = 0.5 * (1 - 1 / 2) + 0.5 * (1 - 1 / 3)  # half the squared distance from the middle to a corner
    mu = gap / math.e / (2 * spread)
    points, ahead, momentum = [c.copy() for c in centers], [c.copy() for c in centers], 1.0
    for number in (1, 2):
        solver.run(Until(iterations=number))
        replies = [
            _onto_simplex(centers[0] + matrix @ ahead[1] / mu),
            _onto_simplex(centers[1] - matrix.T @ ahead[0] / mu),
        ]
        gradients = [matrix @ replies[1], -matrix.T @ replies[0]]
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        for p in (0, 1):
            new = _onto_simplex(ahead[p] + mu / 5.5**2 * gradients[p])
            ahead[p] = new + (momentum - 1) / following * (new - points[p])
            points[p] = new
            np.testing.assert_allclose(solver.current_plans[p][1:], new, atol=1e-12)
        momentum = following
    assert solver.stage_lengths == () or sum(solver.stage_lengths) == 2


def test_iterated_smoothing_finds_the_value() -> None:
    result = IteratedSmoothing(form("kuhn")).run(Until(gap=1e-12, iterations=10_000))
    assert result.stopped_by == "gap"
    assert result.checkpoint.lower == pytest.approx(-1 / 18, abs=1e-12)
    with pytest.raises(ParameterError, match="gamma"):
        IteratedSmoothing(form("kuhn"), gamma=1.0)
