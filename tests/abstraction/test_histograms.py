"""Earth mover's distances, k-means over histograms, potential-aware and hierarchical abstraction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from equiform.abstraction.cards.potential_aware import (
    RoundBuckets,
    by_distribution,
    by_equity,
    by_potential,
    class_weights,
    one_card_potential_aware,
)
from equiform.abstraction.clustering.emd import emd_exact, emd_greedy, emd_line
from equiform.abstraction.clustering.histogram_spaces import BucketSpace, LineSpace
from equiform.abstraction.clustering.kmeans import HistogramSpace, kmeans
from equiform.games.cards.card import cards_text, parse
from equiform.games.cards.equity import river_distribution
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import LEDUC, RHODE_ISLAND
from equiform.games.cards.rounds.transitions import transition_histograms
from equiform.models.common.errors import ParameterError

FLOPS = (("TcQd", "7h9hQh"), ("5c9d", "3d5d7d"))


def turn_histograms(hand: str, flop: str) -> np.ndarray:
    """River histograms after each of the 47 turn cards."""
    dealt = parse(hand + flop)
    turns = [c for c in range(52) if c not in dealt]
    return np.array([river_distribution(hand, flop + cards_text([c])).histogram() for c in turns])


def line_distances(histograms: np.ndarray) -> np.ndarray:
    cumulated = np.cumsum(histograms, axis=1)
    return np.abs(cumulated[:, None] - cumulated[None]).sum(axis=2)


def test_the_domain_independent_example() -> None:
    """Thesis §5.1.1: signals x1 and x2 have the same final histogram, and are 2 apart by the route they take."""
    final = np.array([0.5, 0, 0, 0, 0.5])
    states = np.array([[0.5, 0, 0, 0, 0.5], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1.0]])  # B, D, E
    assert emd_line(final, final) == 0.0
    ground = line_distances(states)
    x1, x2 = [1.0, 0, 0], [0, 0.5, 0.5]
    assert (ground[0, 1], ground[0, 2]) == (2.0, 2.0)
    assert emd_exact(x1, x2, ground) == pytest.approx(2.0, abs=1e-12)
    assert emd_greedy(x1, x2, ground) == pytest.approx(2.0, abs=1e-12)


def test_two_flops_that_only_potential_tells_apart() -> None:
    """Thesis §5.1.2: .559 on the river. With every turn hand a bucket of its own the potential-aware distance is exact;
    the thesis has 4.519 with its 5,000 buckets."""
    river = [river_distribution(*flop).histogram() for flop in FLOPS]
    assert round(emd_line(*river), 3) == 0.559
    first, second = (turn_histograms(*flop) for flop in FLOPS)
    ground = line_distances(np.vstack([first, second]))
    p, q = np.repeat([1 / 47, 0], 47), np.repeat([0, 1 / 47], 47)
    exact = emd_exact(p, q, ground)
    assert 4.0 < exact < 6.0
    assert exact <= emd_greedy(p, q, ground) < 1.5 * exact


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10_000))
def test_line_greedy_and_exact_distances_on_a_line(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    ground = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    exact = emd_exact(p, q, ground)
    assert emd_line(p, q) == pytest.approx(exact, abs=1e-9)
    assert emd_greedy(p, q, ground) >= exact - 1e-9
    assert emd_greedy(p, p, ground) == pytest.approx(0.0, abs=1e-12)


def test_greedy_moves_what_the_listing_says() -> None:
    """Worked by hand: pass 1 gives bucket 0 its own half and bucket 1 nothing left nearby, pass 2 the rest."""
    ground = [[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]]
    # pass 1: 0 takes .5 from 0 (cost 0), 1 takes 0 of 1; pass 2: 1 finds 0 empty; pass 3: 1 takes .5 from 2 (cost 2)
    assert emd_greedy([0.5, 0.5, 0.0], [0.5, 0.0, 0.5], ground) == pytest.approx(2.0)


def test_algorithm_2_on_random_flops() -> None:
    """Relative error beside the thesis's .1496, on a small sample (the benchmark takes a large one)."""
    rng = np.random.default_rng(1)
    hands = rng.permuted(np.tile(np.arange(52), (24, 1)), axis=1)[:, :5]
    tables = [turn_histograms(cards_text(h[:2]), cards_text(h[2:])) for h in hands]
    ground = line_distances(np.vstack(tables))
    errors = []
    for i in range(0, len(tables), 2):
        p, q = np.zeros(len(ground)), np.zeros(len(ground))
        p[47 * i : 47 * (i + 1)] = q[47 * (i + 1) : 47 * (i + 2)] = 1 / 47
        exact = emd_exact(p, q, ground)
        errors.append((emd_greedy(p, q, ground) - exact) / exact)
    assert min(errors) >= -1e-9
    assert 0.005 < float(np.mean(errors)) < 0.25


def test_histograms_that_do_not_fit_are_refused() -> None:
    for p, q in (([1.0], [0.5, 0.5]), ([1.0, 0.0], [0.5, 0.4]), ([1.5, -0.5], [0.5, 0.5])):
        with pytest.raises(ParameterError):
            emd_line(p, q)
    with pytest.raises(ParameterError, match="ground"):
        emd_greedy([1.0, 0.0], [0.0, 1.0], [[0.0]])


def sample_spaces() -> tuple[LineSpace, BucketSpace]:
    rng = np.random.default_rng(5)
    line = LineSpace(rng.multinomial(46, rng.dirichlet(np.full(10, 0.3), 400)))
    centres = kmeans(line, 12, seed=1).centres
    counts = rng.multinomial(47, rng.dirichlet(np.full(12, 0.2), 300))
    return line, BucketSpace(csr_array(counts), line.distances(centres))


def test_pruning_changes_no_assignment() -> None:
    """Every point's distance to every mean, computed one by one, against what the spaces find with their bounds."""
    line, bucket = sample_spaces()
    found = kmeans(line, 15, seed=2)
    points = line.points(np.arange(line.size))
    every = np.abs(points[:, None] - found.centres[None]).sum(axis=2)
    for start in (np.zeros(line.size, dtype=np.int64), line.first_guess(found.centres), found.labels):
        labels, distances = line.assign(found.centres, start)
        np.testing.assert_allclose(distances, every.min(axis=1), atol=1e-12)
        np.testing.assert_allclose(every[np.arange(line.size), labels], every.min(axis=1), atol=1e-12)
    means = kmeans(bucket, 10, seed=3)
    dense = bucket.points(np.arange(60))
    slow = np.array([[emd_greedy(p, c, bucket.ground) for c in means.centres] for p in dense])
    _, distances = bucket.assign(means.centres, np.zeros(bucket.size, dtype=np.int64))
    np.testing.assert_allclose(distances[:60], slow.min(axis=1), atol=1e-9)


@pytest.mark.parametrize("which", [0, 1])
def test_kmeans_is_reproducible_and_restarts_help(which: int) -> None:
    space: HistogramSpace = sample_spaces()[which]
    one, again, five = kmeans(space, 8, seed=4), kmeans(space, 8, seed=4), kmeans(space, 8, seed=4, restarts=5)
    np.testing.assert_array_equal(one.labels, again.labels)
    assert one.inertia == again.inertia
    assert five.inertia == min(five.restarts) <= one.inertia
    assert set(one.labels.tolist()) == set(range(8))
    assert kmeans(space, 1).inertia > one.inertia > kmeans(space, 40).inertia


def test_as_many_clusters_as_points_cost_nothing() -> None:
    space = LineSpace(np.eye(6))
    assert kmeans(space, 6).inertia == 0.0
    with pytest.raises(ParameterError, match="k is 7"):
        kmeans(space, 7)


def test_algorithm_1_on_rhode_island() -> None:
    """Fine potential-aware buckets tell apart what equity cannot; every class has a bucket of its round."""
    levels = one_card_potential_aware(RHODE_ISLAND, (13, 40, 30))
    assert [level.n_buckets for level in levels] == [13, 40, 30]
    for level, size in zip(levels, RHODE_ISLAND.indexer.sizes, strict=True):
        assert level.labels.shape == (size,)
        assert level.labels.min() >= 0 and level.labels.max() < level.n_buckets
        np.testing.assert_allclose(level.distances, level.distances.T)
    assert levels[0].inertia == 0.0  # 13 buckets for 13 ranks
    coarse = one_card_potential_aware(RHODE_ISLAND, (13, 8, 30))
    assert coarse[1].inertia > levels[1].inertia


def test_with_enough_buckets_potential_separates_exactly_the_different_futures() -> None:
    """Hands of equal strength with different futures share no bucket, hands with equal futures do."""
    flop = HandIndexer((1, 1), RHODE_ISLAND.deck)
    equities = RHODE_ISLAND.equities[2].ehs
    last = by_equity(RHODE_ISLAND.indexer, equities, len(np.unique(equities)))  # nothing lost in the last round
    futures = transition_histograms(flop, last.indexer, last.labels).counts.toarray()
    _, future = np.unique(futures, axis=0, return_inverse=True)
    n_futures = int(future.max()) + 1
    found = by_potential(flop, last, n_futures, iterations=1)
    assert found.inertia == pytest.approx(0.0, abs=1e-12)
    assert len({*zip(future.tolist(), found.labels.tolist(), strict=True)}) == n_futures
    ehs = RHODE_ISLAND.equities[1].ehs
    alike = [(a, b) for a in range(len(ehs)) for b in range(a) if ehs[a] == ehs[b] and future[a] != future[b]]
    assert alike  # strength alone cannot tell these apart
    assert all(found.labels[a] != found.labels[b] for a, b in alike)


def test_means_of_a_sample_serve_all_hands() -> None:
    """Three planted groups of flop hands, found from a fifth of them by either method."""
    hands, later = HandIndexer((1, 1)), HandIndexer((1, 1, 1))
    groups, next_groups = (i.deals(r, np.arange(i.sizes[r]))[:, 0] // 20 for i, r in ((hands, 1), (later, 2)))
    ground = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    following = RoundBuckets(later, next_groups.astype(np.int32), ground, 0.0)
    for found in (
        by_distribution(hands, np.eye(3, dtype=np.int64)[groups], 3, sample=65, restarts=5),
        by_potential(hands, following, 3, sample=65, restarts=5),
    ):
        assert found.n_buckets == 3 and found.inertia == pytest.approx(0.0, abs=1e-12)
        assert len(set(zip(found.labels.tolist(), groups.tolist(), strict=True))) == 3
        assert sorted(set(found.labels.tolist())) == [0, 1, 2]


def test_weights_are_deals() -> None:
    assert class_weights(hand_indexer(2)).sum() == 1326
    assert class_weights(LEDUC.indexer).sum() == 30


def test_greedy_and_exact_distances_against_a_linear_program() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(2, 6))
        p, q = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        points = rng.random((n, 2))
        ground = np.abs(points[:, None] - points).sum(axis=2)
        sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
        best = linprog(ground.ravel(), A_eq=sums, b_eq=np.concatenate([p, q])).fun
        assert emd_exact(p, q, ground) == pytest.approx(best, abs=1e-9)
        assert emd_greedy(p, q, ground) >= best - 1e-9


def test_lloyd_steps_from_the_same_seeds_never_end_worse() -> None:
    rng = np.random.default_rng(2)
    space = LineSpace(rng.multinomial(30, np.full(6, 1 / 6), size=60))
    costs = [kmeans(space, 4, iterations=n, seed=1).inertia for n in (1, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
