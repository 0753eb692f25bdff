"""Algorithms 13 to 17 on rivers: against the pseudocode written out, and judged in the real game."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.api.spots import solve_spot
from equiform.endgames.river.distribution import board_index, by_ranges, hand_distribution, hole_index
from equiform.endgames.river.percentiles import interval_buckets, weight_buckets
from equiform.endgames.river.solve import solve_river
from equiform.formulations.optimization.options import SolverOptions
from equiform.games.cards.card import STANDARD
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.ranges import all_hands
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.public.factors import factored_form
from equiform.models.public.game import PublicGame
from tests.api.test_spots import random_spot

BOARD = STANDARD.cards("Jc6s2cKdQc")


def test_indices_are_those_of_the_pseudocode() -> None:
    live = all_hands()[~np.isin(all_hands(), BOARD).any(axis=1)]
    for index, hand in enumerate(live.tolist()):
        low, high = hand
        below = [sum(card < own for card in BOARD) for own in (low, high)]
        low, high = low - below[0], high - below[1]
        assert index == high * (high - 1) // 2 + low  # Algorithm 16, written out
    assert board_index(live, np.array(BOARD)).tolist() == list(range(1081))
    assert hole_index(all_hands()).tolist() == list(range(1326))


def test_one_look_up_per_hand_gives_bayes_rule() -> None:
    """Pair by pair: the product of what both play, over the same for all pairs without a common card."""
    spot = random_spot(5, hands=25)
    calls: list[int] = []
    ranges = spot.ranges

    def look_up(player: int, holes: IntArray) -> FloatArray:
        calls.append(len(holes))
        return by_ranges(*ranges)(player, holes)

    found = hand_distribution(spot.board, look_up)
    assert calls == [1081, 1081]
    cards, expected = all_hands()[found.holes], np.zeros((1081, 1081))
    for i in np.flatnonzero(found.marginals[0]).tolist():
        for j in np.flatnonzero(found.marginals[1]).tolist():
            if not set(cards[i].tolist()) & set(cards[j].tolist()):
                weights = ranges[0].weights[found.holes[i]], ranges[1].weights[found.holes[j]]
                expected[i, j] = weights[0] * weights[1]
    assert found.joint == pytest.approx(expected / expected.sum(), abs=1e-15)
    rank = strengths(np.hstack([cards, np.tile(spot.board, (1081, 1))])).astype(np.int64)
    equities = found.equities()
    for i in np.flatnonzero(expected.sum(axis=1)).tolist():
        row = expected[i]
        won, tied = row[rank < rank[i]].sum(), row[rank == rank[i]].sum()
        assert equities[0][i] == pytest.approx((won + tied / 2) / row.sum(), abs=1e-12)
    assert np.isnan(equities[0][expected.sum(axis=1) == 0]).all()
    mass = found.joint.sum(axis=0)
    value = np.nansum(equities[1] * mass) + np.nansum(equities[0] * found.joint.sum(axis=1))
    assert value == pytest.approx(1.0, abs=1e-12)


def test_intervals_of_equity() -> None:
    """Algorithm 17 with k = 5 and a top bucket from 0.8: intervals of 0.2, and none for those without hands."""
    equity = np.array([0.0, 0.1999, 0.2, 0.59, np.nan, 0.61, 0.7999, 0.8, 1.0])
    assert interval_buckets(equity, 5, 0.8).tolist() == [0, 0, 1, 2, -1, 3, 3, 4, 4]
    assert interval_buckets(np.array([0.05, 0.9, 0.95]), 5, 0.8).tolist() == [0, 1, 1]
    assert interval_buckets(equity, 1, 0.8).tolist() == [0, 0, 0, 0, -1, 0, 0, 0, 0]
    third = np.array([1 / 3, 0.1 + 0.2, 0.3, np.nan])
    assert interval_buckets(third, 11, 1.0).tolist() == [0, 0, 0, -1]  # 0.1 + 0.2 is no more than 0.3
    assert weight_buckets(np.array([0.5, 0.1, 0.9, 0.1, np.nan]), np.array([1.0, 1, 2, 0, 5]), 2).tolist() == [
        0, 0, 1, 0, -1,
    ]  # fmt: skip


def bucket_plans(game: PublicGame, seed: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [t.realization(t.behavior(np.append(1.0, rng.random(t.num_sequences - 1)))) for t in game.treeplexes]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_bucket_game_is_the_real_game_for_those_who_play_by_buckets(seed: int) -> None:
    spot = random_spot(seed, hands=60)
    found = solve_river(spot, budget=60, solver=SolverOptions("highs"))
    assert found.asked == (60 // found.sequences[0], 60 // found.sequences[1])
    assert max(found.buckets) <= max(found.asked) and found.gap < 1e-8
    solution = solve_spot(spot, method="endgame", options={"budget": 60})
    assert solution.ev == pytest.approx(found.result.value + spot.betting.pot / 2, abs=1e-8)
    certificate = solution.certificate
    assert certificate.residual < 1e-9 and certificate.lower <= certificate.ev <= certificate.upper
    exact = solve_spot(spot, method="lp").certificate
    assert certificate.lower - 1e-8 <= exact.lower and exact.upper <= certificate.upper + 1e-8
    fine = solve_spot(spot, method="endgame", options={"budget": 6000, "top": 1.0}).certificate
    assert fine.nash_conv < certificate.nash_conv


def test_every_concept_has_the_value_between_buckets() -> None:
    spot = random_spot(2, hands=60)
    nash = solve_river(spot, budget=60)
    for concept, epsilon in (("une", None), ("qpe", 1e-4)):
        found = solve_river(spot, budget=60, concept=concept, epsilon=epsilon)
        assert found.result.value == pytest.approx(nash.result.value, abs=1e-6 if epsilon is None else 1e-2)
    small = factored_form(spot.game())
    assert small.payoff.shape == spot.game().num_sequences


def test_the_pot_is_the_real_one_whatever_the_trunk_thought() -> None:
    """A turn is the trunk; its river begins with the hands that come there, and with pot and stacks as they are."""
    turn = Spot.of("2c2d2h3c", pot=100, stack=100, oop="AA,QQ,JJ", ip="KK,TT", sizes=BetSizes("50%,a", "a"))
    trunk = solve_spot(turn, until="iterations=60", options={"dtype": "float64"})
    line = "bet 50–call/"
    river = trunk.after(line, "3d")
    assert (river.betting.pot, river.betting.stack, river.betting.street) == (200, 50, "river")
    rows = {row.hand: row.probabilities for row in trunk.table().rows}
    bet = trunk.table().moves.index("bet 50")
    for hand, weight in river.oop.items():
        assert weight == pytest.approx(rows[hand][bet], abs=1e-12)
    other = trunk.after(line, "3d", pot=260, stack=20, sizes=BetSizes("a", "a"))
    assert (other.betting.pot, other.betting.stack) == (260, 20) and other.oop == river.oop
    assert solve_river(other, budget=40).gap < 1e-8
    for history, cards in (("bet 50", "3d"), ("check–check/", "3d4d"), ("", "3d")):
        with pytest.raises(ParameterError, match="no street begins"):
            trunk.after(history, cards)


def test_bad_input_is_refused() -> None:
    spot = random_spot(0)
    with pytest.raises(ParameterError, match="fewer than two buckets"):
        solve_river(spot, budget=3)
    with pytest.raises(ParameterError, match="epsilon"):
        solve_river(spot, concept="qpe")
    with pytest.raises(ParameterError, match="top"):
        solve_river(spot, top=1.5)
    with pytest.raises(ParameterError, match="no distribution"):
        solve_river(spot, look_up=lambda player, holes: np.zeros(len(holes)))
    with pytest.raises(UnsupportedGameError):
        solve_river(random_spot(0, cards=4))
    with pytest.raises(ParameterError, match="does not take until"):
        solve_spot(spot, method="endgame", until="1%")
    with pytest.raises(ParameterError, match="does not take magic"):
        solve_spot(spot, method="endgame", options={"magic": 1})
