"""Hierarchical abstraction: the transition table, Algorithm 4's distances, Algorithm 5's clusters, Algorithm 3."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.abstraction.cards.hierarchical import (
    by_strength,
    cluster_public,
    hierarchical,
    public_distances,
    public_states,
    transition_table,
)
from equiform.games.cards.card import parse
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import RHODE_ISLAND
from equiform.models.common.errors import ParameterError


def test_the_transition_table_against_dealing_hands() -> None:
    """Two flops dealt out by hand: 1,176 private hands each, counted bucket by bucket."""
    hands, boards = hand_indexer(2, 3), hand_indexer(3)
    rng = np.random.default_rng(0)
    buckets = rng.integers(0, 7, hands.sizes[-1])
    table = transition_table(hands, boards, buckets)
    assert table.shape == (1755, 7)
    assert (table.sum(axis=1) == 1176).all()
    for flop in ("AsKhQd", "7c7d2c"):
        board = parse(flop)
        left = [c for c in range(52) if c not in board]
        deals = [(a, b, *board) for i, a in enumerate(left) for b in left[:i]]
        counted = np.bincount(buckets[hands.index(deals)], minlength=7)
        np.testing.assert_array_equal(table[boards.index([board])[0]], counted)


def test_distances_against_the_listing() -> None:
    """Algorithm 4 spelled out in loops."""
    rng = np.random.default_rng(1)
    table = rng.multinomial(30, rng.dirichlet(np.ones(6)), 12)
    found = public_distances(table)
    for i in range(12):
        for j in range(12):
            similarity = sum(min(table[i, b], table[j, b]) for b in range(6))
            assert found[i, j] == pytest.approx((30 - similarity) / 30)


def test_clusters_find_planted_groups() -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(4), 15)
    rows = np.eye(4, dtype=np.int64)[group] * 80
    table = rows + rng.multinomial(20, np.full(4, 0.25), 60)
    found = cluster_public(public_distances(table), 4, seed=3)
    assert found.converged
    assert len({*zip(group.tolist(), found.labels.tolist(), strict=True)}) == 4


def test_a_converged_clustering_lets_nobody_gain() -> None:
    rng = np.random.default_rng(4)
    centres = rng.dirichlet(np.full(8, 0.3), 5)
    d = public_distances(np.array([rng.multinomial(50, centres[i % 5]) for i in range(40)]))
    found = cluster_public(d, 5, seed=5)
    assert found.converged
    k = int(found.labels.max()) + 1
    totals = np.array([[d[i, found.labels == c].sum() for c in range(k)] for i in range(40)])
    assert (totals[np.arange(40), found.labels] <= totals.min(axis=1) + 1e-12).all()
    assert found.cost == pytest.approx(
        sum(d[i, j] for i in range(40) for j in range(i) if found.labels[i] == found.labels[j])
    )


def test_moving_all_at_once_may_lose_clusters_and_moving_in_turn_does_not() -> None:
    """States that are equally far apart: the listing's simultaneous moves pile up, moves in turn balance."""
    d = 1.0 - np.eye(30)
    together, in_turn = (cluster_public(d, 6, at_once=flag, seed=1) for flag in (True, False))
    assert in_turn.converged
    assert np.bincount(in_turn.labels).tolist() == [5] * 6
    assert in_turn.cost < together.cost


def test_private_buckets_stay_inside_their_public_cluster() -> None:
    """Rhode Island: public clusters of the 13 flop ranks, then flop and turn hands of each cluster apart."""
    deck = RHODE_ISLAND.deck
    flop, turn, boards = HandIndexer((1, 1), deck), RHODE_ISLAND.indexer, HandIndexer((1,), deck)
    base = np.minimum((RHODE_ISLAND.equities[1].ehs * 20).astype(int), 19)
    table = transition_table(flop, boards, base)
    assert table.shape[0] == 13 and (table.sum(axis=1) == 51).all()
    clusters = cluster_public(public_distances(table), 4, seed=0)
    assert clusters.labels.max() + 1 == 4
    rounds = (flop, turn)
    method = by_strength(rounds, [RHODE_ISLAND.equities[1].ehs, RHODE_ISLAND.equities[2].ehs])
    levels = hierarchical(rounds, boards, clusters, (5, 8), method)
    for level, most in zip(levels, (5, 8), strict=True):
        assert max(level.sizes) <= most
        states, weights = public_states(level.indexer, boards)
        np.testing.assert_array_equal(level.public, clusters.labels[states])
        assert weights.sum() in (52 * 51, 52 * 51 * 50)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ParameterError, match="same positive number"):
        public_distances([[1, 2], [3, 4]])
    with pytest.raises(ParameterError, match="k is 4"):
        cluster_public(np.zeros((3, 3)), 4)
    with pytest.raises(ParameterError, match="bucket"):
        transition_table(hand_indexer(2, 3), hand_indexer(3), [0, 1])
