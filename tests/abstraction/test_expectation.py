"""Optimal clustering on a line, the division of children by integer and dynamic programming, and GS2's tree."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.abstraction.cards.bucket_lookup import look_up
from equiform.abstraction.cards.build import build_abstraction
from equiform.abstraction.cards.card_abstraction import read_card_abstraction
from equiform.abstraction.cards.expectation import expectation_abstraction
from equiform.abstraction.cards.scored_rounds import METRICS, one_card_rounds, texas_rounds
from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.formulations.abstraction import abstraction_ip
from equiform.formulations.abstraction.allocation import allocation_problem, divide_budget, promising
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.games.cards.equity import equity
from equiform.games.cards.one_card import LEDUC, RHODE_ISLAND
from equiform.models.common.errors import InfeasibleError, ParameterError

BACKENDS = ("highs", "cbc", "scip")


def brute_force_line(x: np.ndarray, w: np.ndarray, k: int) -> float:
    """Try every way to cut sorted points into k intervals."""
    best = np.inf
    for cuts in combinations(range(1, len(x)), k - 1):
        parts = np.split(np.arange(len(x)), list(cuts))
        best = min(best, sum(w[p] @ (x[p] - np.average(x[p], weights=w[p])) ** 2 for p in parts))
    return best


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10_000))
def test_line_clustering_is_globally_optimal(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, w = np.sort(rng.random(n)), rng.random(n) + 0.1
    found = kmeans_line(x, n, w)
    for k in range(1, found.most + 1):
        assert found.errors[k - 1] == pytest.approx(brute_force_line(x, w, k), abs=1e-12)
        labels = found.labels(k, x)
        means = found.means(k)
        assert w @ (x - means[labels]) ** 2 == pytest.approx(found.errors[k - 1], abs=1e-12)
        assert sorted(set(labels.tolist())) == list(range(k))


def test_errors_of_optimal_line_clusterings_are_convex_in_their_number() -> None:
    rng = np.random.default_rng(3)
    errors = kmeans_line(rng.beta(2, 3, 4000), 60).errors
    assert (np.diff(errors) <= 0).all()
    assert (np.diff(errors, 2) >= -1e-12).all()


def test_line_clustering_refuses_nonsense() -> None:
    for values, k, weights in (([], 2, None), ([1.0, np.nan], 2, None), ([1.0], 0, None), ([1.0, 2.0], 1, [-1.0, 2.0])):
        with pytest.raises(ParameterError):
            kmeans_line(values, k, weights)


@pytest.mark.parametrize("seed", range(4))
def test_three_solvers_agree_with_the_dynamic_program(seed: int) -> None:
    """Random tables, neither convex nor monotone, some choices impossible."""
    rng = np.random.default_rng(seed)
    parents, most = 8, 6
    errors = rng.random((parents, most))
    errors[rng.random(errors.shape) < 0.2] = np.inf
    errors[:, 0] = rng.random(parents)
    weights = rng.random(parents)
    budget = int(rng.integers(parents, 3 * parents))
    exact = divide_budget(errors, weights, budget)
    assert sum(exact.children) <= budget
    for backend, reduce in product(BACKENDS, (True, False)):
        found = abstraction_ip.solve(errors, weights, budget, reduce=reduce, solver=SolverOptions(backend))
        assert found.error == pytest.approx(exact.error, rel=1e-9)
        assert sum(found.children) <= budget
    assert abstraction_ip.lp_bound(errors, weights, budget) <= exact.error + 1e-9


def test_the_dynamic_program_against_all_divisions() -> None:
    rng = np.random.default_rng(7)
    errors, weights = rng.random((4, 4)), rng.random(4)
    for budget in (4, 7, 11, 16):
        every = [k for k in product(range(1, 5), repeat=4) if sum(k) <= budget]
        best = min(sum(weights[i] * errors[i, k[i] - 1] for i in range(4)) for k in every)
        assert divide_budget(errors, weights, budget).error == pytest.approx(best, rel=1e-12)


def test_the_program_at_gs2_size() -> None:
    """225 parents with up to 30 children and a budget of 900; errors of real clusterings, so that the LP is tight."""
    rng = np.random.default_rng(0)
    samples = [rng.beta(rng.uniform(1, 5), rng.uniform(1, 5), 400) for _ in range(225)]
    errors = np.array([kmeans_line(sample, 30).errors for sample in samples])
    weights = rng.dirichlet(np.ones(225))
    exact = divide_budget(errors, weights, 900)
    assert promising(allocation_problem(errors, weights, 900)).possible.sum() < 1.1 * 225
    for backend, reduce in product(BACKENDS, (True, False)):
        found = abstraction_ip.solve(errors, weights, 900, reduce=reduce, solver=SolverOptions(backend))
        assert found.error == pytest.approx(exact.error, rel=1e-9)
    assert abstraction_ip.lp_bound(errors, weights, 900) == pytest.approx(exact.error, rel=1e-6)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 8), st.integers(1, 7), st.integers(0, 20), st.integers(0, 10_000))
def test_bounds_keep_the_optimum_of_any_table(parents: int, most: int, spare: int, seed: int) -> None:
    """Ties, impossible numbers, errors that grow with the children: the dynamic program sees no difference."""
    rng = np.random.default_rng(seed)
    errors = rng.random((parents, most)) if seed % 2 else rng.integers(-2, 3, (parents, most)).astype(float)
    errors[rng.random(errors.shape) < 0.3] = np.inf
    errors[np.arange(parents), rng.integers(most, size=parents)] = 1.0
    weights = rng.random(parents)
    budget = int((np.isfinite(errors).argmax(axis=1) + 1).sum()) + spare
    kept = promising(allocation_problem(errors, weights, budget))
    assert (kept.errors[kept.possible] == errors[kept.possible]).all()
    exact = divide_budget(errors, weights, budget).error
    assert divide_budget(kept.errors, weights, budget).error == pytest.approx(exact, abs=1e-12)


def test_what_is_left_of_a_budget_is_spent_before_anything_is_ruled_out() -> None:
    """Three parents, five children, and a second child saves 10: two parents get one more, the third child is useless.

    At the price of 10 one and two children cost the same, so the prices alone leave two children unspent. Only with
    these spent is the division good enough to rule a third child out, which costs 10 more than it saves.
    """
    kept = promising(allocation_problem([[10.0, 0.0, 0.0]] * 3, [1.0] * 3, 5))
    assert kept.possible.tolist() == [[True, True, False]] * 3


def test_a_budget_too_small_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="cannot serve"):
        abstraction_ip.solve([[1.0], [1.0]], [0.5, 0.5], 1)


def test_own_constraints_and_utilities() -> None:
    """The best division by utility gives the second parent three; a constraint on its choices takes one away."""
    utility = np.array([[0, 5, 7], [0, 2, 9]])
    assert abstraction_ip.solve(-utility, [1, 1], 5).children == (2, 3)
    model = abstraction_ip.build(-utility, [1, 1], 5)
    assert model.choices == ((0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3))
    model.x[model.choices.index((1, 3))].fix(0)
    assert solve_model(model).require_optimal().objective == pytest.approx(-9)  # (3, 2): 7 + 2
    with pytest.raises(ParameterError):
        divide_budget([[1.0, np.nan]], [1.0], 1)


def test_an_abstraction_tree_of_rhode_island() -> None:
    """Budgets are kept, children refine their parents, and errors are what the buckets' means say."""
    rounds = one_card_rounds(RHODE_ISLAND)
    tree = expectation_abstraction(rounds, (5, 30, 120))
    assert [level.n_buckets for level in tree.levels] == [5, 30, 120]
    last = rounds[2]
    deals = last.indexer.deals(2, np.arange(last.indexer.sizes[2]))
    weights = last.indexer.orbits(deals)
    first, second, third = (tree.buckets(deals[:, : r + 1]) for r in range(3))
    for fine, coarse in ((second, first), (third, second)):
        pairs = {(int(a), int(b)) for a, b in zip(fine, coarse, strict=True)}
        assert len(pairs) == fine.max() + 1  # every bucket has one parent: perfect recall
    strength = last.scores / last.highest
    error = weights @ (strength - tree.levels[2].means[third]) ** 2 / weights.sum()
    assert error == pytest.approx(tree.levels[2].error, rel=1e-9)
    counted = np.bincount(third, weights=weights) / weights.sum()
    np.testing.assert_allclose(counted, tree.levels[2].weights, atol=1e-12)


def test_the_metric_of_gs2_against_a_count_by_hand() -> None:
    """Leduc: every opponent's card and every public card, w − l + d/2, where equity has a tie as half a win."""
    rounds = {metric: one_card_rounds(LEDUC, metric=metric) for metric in METRICS}
    rank = [0, 0, 1, 1, 2, 2]

    def outcomes(own: int, boards: list[int]) -> tuple[int, int, int]:
        counts = [0, 0, 0]
        for board in boards:
            for other in set(range(6)) - {own, board}:
                mine, theirs = ((rank[c] == rank[board], rank[c]) for c in (own, other))
                counts[0 if mine > theirs else 1 if mine < theirs else 2] += 1
        return counts[0], counts[1], counts[2]

    for own in range(6):
        w, lost, d = outcomes(own, [c for c in range(6) if c != own])
        n = w + lost + d
        assert rounds["gs2"][0].score([[own]])[0] == 2 * (w - lost + d / 2) + 2 * n
        assert rounds["equity"][0].score([[own]])[0] == 2 * w + d
        for board in set(range(6)) - {own}:
            w, lost, d = outcomes(own, [board])
            assert rounds["gs2"][1].score([[own, board]])[0] == 2 * (w - lost + d / 2) + 2 * (w + lost + d)


def test_the_metric_is_stored_and_decides_the_bucket_of_a_hand(tmp_path: Path) -> None:
    for metric in METRICS:
        made = build_abstraction("rhode-island", "expectation", (4, 12), metric=metric)
        made.write(tmp_path / f"{metric}.npz")
        read = read_card_abstraction(tmp_path / f"{metric}.npz")
        assert read.metric == metric
        rounds = one_card_rounds(RHODE_ISLAND, metric=metric)[:2]
        deals = rounds[1].representatives[::37]
        expected = expectation_abstraction(rounds, (4, 12)).buckets(deals)
        np.testing.assert_array_equal(look_up(read, deals)["flop"], expected)
    with np.load(tmp_path / "equity.npz") as file:
        arrays = dict(file)
    meta = json.loads(arrays["meta"].tobytes())
    del meta["metric"]  # a file from before there was a choice
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    np.savez(tmp_path / "old.npz", **arrays)
    assert read_card_abstraction(tmp_path / "old.npz").metric == "equity"
    for method, rounds_ in (("potential", (2, 2, 2)), ("lossless", ())):
        with pytest.raises(ParameterError, match="metric"):
            build_abstraction("rhode-island", method, rounds_, metric="gs2")
    with pytest.raises(ParameterError, match="river"):
        build_abstraction("texas", "expectation", (2, 2, 2, 2), metric="gs2")
    with pytest.raises(ParameterError, match="no metric"):
        build_abstraction("leduc", "expectation", (2, 2), metric="luck")


def test_more_buckets_never_hurt() -> None:
    rounds = one_card_rounds(RHODE_ISLAND)
    errors = [expectation_abstraction(rounds, (5, k)).levels[1].error for k in (5, 20, 80)]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.slow
def test_gs2_at_its_published_size() -> None:
    """15, 225 and 900 buckets for Texas hold'em (sweeps all river boards if the equities are not cached)."""
    tree = expectation_abstraction(texas_rounds(), (15, 225, 900))
    assert [level.n_buckets for level in tree.levels] == [15, 225, 900]
    for level in tree.levels:
        assert level.weights.sum() == pytest.approx(1.0)
        assert max(level.children) < 30  # the paper's bound on children is not met by any parent
    division = tree.levels[2].division
    assert division is not None
    data = division.errors, division.weights, division.budget
    for backend in BACKENDS:
        assert abstraction_ip.solve(*data, solver=SolverOptions(backend)).error == pytest.approx(
            divide_budget(*data).error, rel=1e-9
        )
    rng = np.random.default_rng(0)
    deals = rng.permuted(np.tile(np.arange(52), (200, 1)), axis=1)[:, :6]
    flop, turn = tree.buckets(deals[:, :5]), tree.buckets(deals)
    parent_of = np.repeat(np.arange(225), tree.levels[2].children)
    np.testing.assert_array_equal(parent_of[turn], flop)  # perfect recall
    for deal, bucket in zip(deals[:20], turn[:20], strict=True):
        own = abs(equity(deal[:2].tolist(), deal[2:].tolist()).ehs - tree.levels[2].means[bucket])
        siblings = tree.levels[2].means[parent_of == parent_of[bucket]]
        # nearest mean among the siblings, as k-means wants it
        assert own == pytest.approx(np.abs(equity(deal[:2].tolist(), deal[2:].tolist()).ehs - siblings).min(), abs=1e-9)


def test_a_tree_spends_its_budget_as_well_as_any_division() -> None:
    level = expectation_abstraction(one_card_rounds(LEDUC), (2, 4)).levels[1]
    division = level.division
    assert division is not None
    parents, most = division.errors.shape
    costs = [
        division.error(children)
        for children in product(range(1, most + 1), repeat=parents)
        if sum(children) <= division.budget
    ]
    assert division.error(level.children) == pytest.approx(min(costs))
