"""Abstractions of Rhode Island hold'em: trees of buckets, their games, and their strategies in the real game."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.abstraction.cards.rhode_island import HandBuckets, RealGame, abstract_game, rhode_island_buckets
from equiform.abstraction.cards.rhode_island.contest import contest
from equiform.api.rhode_island import solve_rhode_island
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.bucketed import BucketStrategy
from equiform.models.common.errors import ImperfectRecallError, ParameterError, StrategyError
from equiform.solvers_iterative.progress import Until

DECK = RhodeIsland(ranks=4, suits=2, raises=1)
METHODS = [("eb", (4, 8, 20), 0), ("eb2", (4, 8, 20), 0), ("pa", (4, 8, 20), 1), ("counted", (), 0), ("mutual", (), 0)]


@pytest.fixture(scope="module")
def real() -> RealGame:
    return RealGame(DECK)


@pytest.mark.parametrize(("method", "sizes", "seed"), METHODS)
def test_buckets_remember_and_strategies_are_worth_the_same_in_both_games(
    real: RealGame, method: str, sizes: tuple[int, ...], seed: int
) -> None:
    """A pair of strategies over buckets is the same play in the abstract and in the real game."""
    buckets = rhode_island_buckets(DECK, method, sizes, seed=seed)
    assert all(n <= most for n, most in zip(buckets.sizes, sizes, strict=False))
    game, histories = abstract_game(real, buckets)
    assert game.deals.perfect_recall and game.deals.total == 8 * 7 * 6 * 5
    assert game.deals.sizes(0) == buckets.sizes
    assert np.array_equal(game.deals.counts, game.deals.counts.T)
    assert np.array_equal(game.leaves.matrices[0], -game.leaves.matrices[0].T)
    rng = np.random.default_rng(seed)
    plans, lifted = [], []
    for player, treeplex in enumerate(game.treeplexes):
        behavior = treeplex.behavior(np.append(1.0, rng.random(treeplex.num_sequences - 1)))
        plans.append(treeplex.realization(behavior))
        strategy = BucketStrategy.from_behavior(game, player, behavior)
        lifted.append(real.plan(player, histories, strategy))
    assert real.form.value(*lifted) == pytest.approx(game.sequence_form().value(*plans), abs=1e-10)
    coarse, fine = game.sequence_form().bracket(*plans), real.form.bracket(*lifted)
    assert fine[0] <= coarse[0] + 1e-10 and fine[1] >= coarse[1] - 1e-10  # the real game offers more responses


def test_lossless_classes_lose_nothing_and_counted_ones_do(real: RealGame) -> None:
    """Mutual classes have the real game's value and exploitability; equal counts of wins and ties do not suffice."""
    built = [rhode_island_buckets(DECK, method) for method in ("mutual", "counted")]
    found = contest(real, built, Until(0.02))
    mutual, counted = found.solutions
    assert mutual.exploitability == pytest.approx(mutual.gap / 2, abs=1e-9)
    value = solve_rhode_island(DECK).bracket
    assert mutual.bracket[0] <= value[1] and value[0] <= mutual.bracket[1]
    assert counted.exploitability > 2 * counted.gap
    assert found.winnings == pytest.approx(-found.winnings.T)
    assert found.winnings[0, 1] > -mutual.gap  # an equilibrium of the real game does not lose


def test_equal_abstractions_are_solved_once_and_win_nothing(real: RealGame) -> None:
    one, two = (rhode_island_buckets(DECK, "pa", (4, 8, 20), seed=1) for _ in range(2))
    found = contest(real, [one, two], Until(iterations=10))
    assert (found.winnings == 0).all()
    assert found.solutions[0].plans[0] is found.solutions[1].plans[0]


def test_seeds_decide_potential_aware_buckets_and_nothing_else() -> None:
    for method in ("eb", "pa"):
        one, two = (rhode_island_buckets(RhodeIsland(), method, (13, 30, 60), seed=7) for _ in range(2))
        assert all(np.array_equal(a, b) for a, b in zip(one.labels, two.labels, strict=True))
    assert one.sizes == (13, 30, 60)


def test_players_who_forget_are_told_apart_by_their_paths(real: RealGame) -> None:
    """Buckets of the turn that unite hands of several flop buckets: the game is built, and has no sequence form."""
    tree = rhode_island_buckets(DECK, "eb", (4, 8, 20))
    forgets = HandBuckets(DECK, "strength alone", (tree.labels[0], tree.labels[1], tree.labels[2] % 3))
    game, _ = abstract_game(real, forgets)
    assert not game.deals.perfect_recall
    with pytest.raises(ImperfectRecallError):
        game.sequence_form()
    assert game.refined().sequence_form().treeplexes[0].num_sequences == game.num_sequences[0]


def test_bad_abstractions_are_refused(real: RealGame) -> None:
    with pytest.raises(ParameterError, match="method"):
        rhode_island_buckets(DECK, "ehs", (4, 8, 20))
    with pytest.raises(ParameterError, match="sizes"):
        rhode_island_buckets(DECK, "eb", (4, 8))
    with pytest.raises(ParameterError, match="own number"):
        rhode_island_buckets(DECK, "counted", (4, 8, 20))
    eb = rhode_island_buckets(DECK, "eb", (4, 8, 20))
    with pytest.raises(ParameterError, match="buckets for"):
        HandBuckets(RhodeIsland(), "eb", eb.labels)
    _, histories = abstract_game(real, eb)
    other, _ = abstract_game(real, rhode_island_buckets(DECK, "eb", (4, 6, 12)))
    strategy = BucketStrategy.from_behavior(other, 0, other.treeplexes[0].uniform())
    with pytest.raises(StrategyError, match="other buckets"):
        real.plan(0, histories, strategy)
