"""Simulated rivers: frequencies whose outcome is known, and frequencies measured in self-play."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equiform.abstraction.holdem.boards import Sweep, hands_on
from equiform.abstraction.holdem.estimate import estimate_deals
from equiform.abstraction.holdem.hand_buckets import all_pairs
from equiform.abstraction.holdem.leaves import BINS, RiverFrequencies, river_frequencies, simulated_leaves, value_bins
from equiform.games.cards.card import STANDARD
from equiform.games.cards.equity import equity
from equiform.games.poker.holdem.tree import HoldemBetting, line_of
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import Int32Array
from equiform.models.common.errors import ParameterError

SWEEP = Sweep(2, 2)


def _buckets(rounds: int) -> Any:
    """Return buckets that need no tables: on the turn whether a hand's higher card is at least a nine."""

    def on(board: Sequence[int]) -> Int32Array:
        pairs = all_pairs()
        free = ~np.isin(pairs, board).any(axis=1)
        high = (pairs[:, 1] // 4 >= 7) if len(board) == 4 else np.zeros(len(pairs), dtype=bool)
        return np.where(free, high, -1).astype(np.int32)

    def path(board: Sequence[int]) -> tuple[Int32Array, ...]:
        return tuple(on(board[:k]) for k in (0, 3, 4, 5)[:rounds])

    counts = (1, 1, 2, 2)[:rounds]
    return SimpleNamespace(
        rounds=rounds, perfect_recall=True, n_buckets=counts, on=on, path=path,
        up=lambda s: np.arange(counts[s], dtype=np.int32) * 0,
    )  # fmt: skip


def _frequencies(first: int, facing_bet: int) -> RiverFrequencies:
    """Let the first to act make one move, whoever faces a bet another, and whoever is checked to check."""
    tree = HoldemBetting(4, raises=(0, 0, 0, 4)).tree()
    tables = {}
    for node in np.flatnonzero((tree.street == 3) & (tree.turn >= 0)).tolist():
        line = line_of(tree, node).rsplit("/", 1)[1]
        kids = len(tree.children[node])
        move = first if line == "" else facing_bet if "r" in line else 0
        tables[line] = np.tile(np.eye(kids)[move], (BINS, 1))
    return RiverFrequencies(tables, 0.0, "made up")


def test_known_frequencies_give_known_leaves() -> None:
    buckets, betting = _buckets(3), HoldemBetting(rounds=3)
    found = estimate_deals(buckets, SWEEP)
    assert found.deals.counts.shape == (2, 2)
    passive = simulated_leaves(betting, buckets, found, _frequencies(0, 0), SWEEP)
    assert np.allclose(passive.matrices[0], found.margin, atol=1e-6 * found.deals.total)
    assert np.abs(passive.matrices[1]).max() == 0.0
    folded = simulated_leaves(betting, buckets, found, _frequencies(1, 0), SWEEP)  # to a bet of the big blind
    assert np.allclose(folded.matrices[0], -found.deals.counts) and np.abs(folded.matrices[1]).max() == 0.0
    called = simulated_leaves(betting, buckets, found, _frequencies(1, 1), SWEEP)  # one bet of four chips more
    assert np.allclose(called.matrices[1], 4 * called.matrices[0])
    assert np.allclose(called.matrices[0], passive.matrices[0])
    with pytest.raises(ParameterError, match="limit game of three rounds"):
        simulated_leaves(HoldemBetting(rounds=4), _buckets(4), found, _frequencies(0, 0), SWEEP)


def test_frequencies_are_those_of_the_strategy() -> None:
    betting = HoldemBetting(4, raises=(0, 0, 0, 1))
    tree, profile = betting.tree(), []
    for player, seat in enumerate(tree.seats):
        tables = [np.zeros((n, int(w))) for n, w in zip((1, 1, 2, 2), seat.width, strict=True)]
        for street in range(4):
            for low, size in zip(seat.first[street].tolist(), seat.size[street].tolist(), strict=True):
                tables[street][:, low : low + size] = np.array([0.0, 1.0]) if street == 0 and player == 0 else 1 / size
        profile.append(BucketStrategy(tree, player, tuple(tables)))
    found = river_frequencies(_buckets(4), (profile[0], profile[1]), boards=2, hands=50)
    assert found.hands == pytest.approx(100)  # nobody folds before the river
    assert set(found.tables) == {"", "c", "r", "cr"}
    assert all(np.allclose(t, 0.5) for t in found.tables.values())


def test_values_are_rounded_to_multiples_of_25() -> None:
    board = tuple(STANDARD.parse("Kd7c2s9h3d"))
    on = hands_on(board, ranked=True)
    bins = value_bins(board, on)
    pair = sorted(STANDARD.parse("KsQc"))
    place = int(np.flatnonzero((on.hands == pair).all(axis=1))[0])
    one = equity("KsQc", "Kd7c2s9h3d")
    value = one.wins - (one.total - one.wins - one.ties) + one.ties / 2
    assert bins[place] == round(value / 25) + (BINS - 1) // 2
    assert bins.min() >= 0 and bins.max() < BINS
