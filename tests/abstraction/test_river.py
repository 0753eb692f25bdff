"""River buckets without a table of river hands: scores, their distribution, perfect and imperfect recall."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import phevaluator
import pytest
from typer.testing import CliRunner

from equiform.abstraction.cards.bucket_lookup import look_up
from equiform.abstraction.cards.build import build_abstraction
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction, read_card_abstraction
from equiform.abstraction.cards.expectation import expectation_abstraction, river_by_strength
from equiform.abstraction.cards.river import RiverRound, river_masses
from equiform.abstraction.cards.score_cuts import score_cuts
from equiform.abstraction.cards.scored_rounds import texas_rounds
from equiform.cli.app import app
from equiform.games.cards.card import CardError, DuplicateCardError, parse
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.rounds.river_scores import HIGHEST, MANY, river_score_counts, river_scores
from equiform.games.cards.showdown import showdown
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import FormatError, ParameterError

run = CliRunner()


def test_scores_by_another_librarys_evaluator() -> None:
    rng = np.random.default_rng(0)
    deals = rng.permuted(np.tile(np.arange(52), (12, 1)), axis=1)[:, :7]
    for deal, score in zip(deals.tolist(), river_scores(deals).tolist(), strict=True):
        own = phevaluator.evaluate_cards(*deal)  # lower is better
        rest = [c for c in range(52) if c not in deal]
        others = [phevaluator.evaluate_cards(*pair, *deal[2:]) for pair in combinations(rest, 2)]
        assert score == sum(2 * (own < other) + (own == other) for other in others)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_hands_of_a_board_and_few_give_the_same(threads: int) -> None:
    """Whole boards are sorted, single hands compared one by one."""
    boards = [parse("7dQh4h2s3c"), parse("AcAdAhAsKc"), parse("2c3c4c5c6c")]
    hands = [showdown(board).hands for board in boards]
    whole = np.vstack([np.hstack([h, np.tile(b, (len(h), 1))]) for h, b in zip(hands, boards, strict=True)])
    scores = river_scores(whole, threads=threads)
    expected = np.concatenate([2 * showdown(b).wins + showdown(b).ties for b in boards])
    np.testing.assert_array_equal(scores, expected)
    few = np.random.default_rng(1).choice(len(whole), MANY - 1, replace=False)
    np.testing.assert_array_equal(river_scores(whole[few][:, [1, 0, 6, 5, 2, 3, 4]]), expected[few])


def test_bad_river_hands_are_refused() -> None:
    with pytest.raises(CardError, match="seven"):
        river_scores([[0, 1, 2, 3, 4, 5]])
    with pytest.raises(DuplicateCardError):
        river_scores([[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5, 0]])
    with pytest.raises(CardError):
        river_scores([[0, 1, 2, 3, 4, 5, 52]])


@pytest.fixture(scope="module")
def counts() -> IntArray:
    return river_score_counts()


def test_the_distribution_of_all_river_strengths(counts: IntArray) -> None:
    assert counts.sum() == comb(52, 5) * 1081
    # what one hand wins another loses: all scores average half the highest, exactly
    assert 2 * int(counts @ np.arange(HIGHEST + 1)) == HIGHEST * int(counts.sum())
    boards = [0, 77_777, 134_458]
    deals = hand_indexer(5).deals(0, boards)
    expected = np.zeros(HIGHEST + 1, dtype=np.int64)
    for board, orbit in zip(deals, hand_indexer(5).orbits(deals), strict=True):
        found = showdown(board)
        np.add.at(expected, 2 * found.wins + found.ties, orbit)
    np.testing.assert_array_equal(river_score_counts(boards), expected)


def test_buckets_by_strength_are_a_clustering_of_all_hands(counts: IntArray) -> None:
    level = river_by_strength(20)
    assert level.n_buckets == 20
    scores = np.arange(HIGHEST + 1)
    labels = level.cuts.buckets(np.zeros_like(scores), scores)
    mass = np.bincount(labels, weights=counts)
    np.testing.assert_allclose(mass / mass.sum(), level.weights, rtol=1e-12)
    np.testing.assert_allclose(np.bincount(labels, weights=counts * scores / HIGHEST) / mass, level.means, rtol=1e-12)
    error = counts @ (scores / HIGHEST - level.means[labels]) ** 2 / counts.sum()
    assert error == pytest.approx(level.error, rel=1e-9)
    nearest = np.abs(scores[:, None] / HIGHEST - level.means).argmin(axis=1)
    np.testing.assert_array_equal(labels[counts > 0], nearest[counts > 0])


def test_the_sweep_by_turn_buckets_deal_by_deal() -> None:
    """Two flops with different symmetries; made-up buckets and turn scores, so that any mix-up of classes shows."""
    rng = np.random.default_rng(5)
    flop_hands, turn_hands, flops = hand_indexer(2, 3), hand_indexer(2, 4), hand_indexer(3)
    flop_buckets = rng.integers(0, 3, flop_hands.sizes[1])
    turn_scores = rng.integers(0, 100, turn_hands.sizes[1])
    cuts = score_cuts([20, 50, 10, 70], [3, 1, 3])
    for which in flops.index([parse("2c3c4c"), parse("7d7h7s")]):
        flop = flops.deals(0, [which])[0]
        rest = np.setdiff1d(np.arange(52), flop)
        expected = np.zeros((7, HIGHEST + 1), dtype=np.int64)
        for turn in rest:
            cards = np.setdiff1d(rest, [turn])
            hands = cards[np.stack(np.triu_indices(len(cards), 1), axis=1)]
            public = np.tile([*flop, turn], (len(hands), 1))
            before = np.hstack([hands, public])
            parents = cuts.buckets(flop_buckets[flop_hands.index(before[:, :5])], turn_scores[turn_hands.index(before)])
            row, river = (hands[:, :, None] != cards).all(axis=1).nonzero()
            deals = np.hstack([before[row], cards[river][:, None]])
            np.add.at(expected, (parents[row], river_scores(deals)), flops.orbits([flop])[0])
        found = river_masses(flop_buckets, turn_scores, cuts, [int(which)])
        np.testing.assert_array_equal(found, expected)


def test_cuts_of_several_parents() -> None:
    cuts = score_cuts([10, 20, 5], [3, 1, 2])
    parents, scores = np.repeat([0, 1, 2], 40), np.tile(np.arange(40), 3)
    children = [[10, 20], [], [5]]
    first = [0, 3, 4]
    expected = [first[p] + sum(s >= c for c in children[p]) for p, s in zip(parents, scores, strict=True)]
    np.testing.assert_array_equal(cuts.buckets(parents, scores), expected)
    for bad, counts in (([1, 2], [2]), ([2, 1], [3]), ([], []), ([-1], [2])):
        with pytest.raises(ParameterError):
            score_cuts(bad, counts)


def test_river_buckets_from_the_command_line(tmp_path: Path, counts: IntArray, monkeypatch: pytest.MonkeyPatch) -> None:
    # the same 2.4 billion hands need not be counted twice
    monkeypatch.setattr("equiform.abstraction.cards.expectation.river_score_counts", lambda **_: counts)
    file = tmp_path / "river.npz"
    arguments = ["texas", "--method", "distribution", "--rounds", "river", "--buckets", "10"]
    made = run.invoke(app, ["abstract", *arguments, "--out", str(file), "--json"])
    assert made.exit_code == 0, made.output
    assert [(r["name"], r["buckets"]) for r in json.loads(made.stdout)["rounds"]] == [("river", 10)]
    stored = read_card_abstraction(file).rounds[0]
    looked = run.invoke(app, ["buckets", str(file), "--hand", "KcQc 7dQh4h2s3c", "--json"])
    bucket = json.loads(looked.stdout)["buckets"]["river"]
    strength = float(showdown("7dQh4h2s3c").equity_of("KcQc"))
    assert bucket == np.abs(stored.means - strength).argmin()
    assert f"bucket {bucket} of 10" in run.invoke(app, ["buckets", str(file), "--hand", "KcQc7dQh4h2s3c"]).stdout
    assert "by score" in run.invoke(app, ["buckets", str(file), "--show"]).stdout
    for hand in ("KcQc", "KcQc7dQh4h2sKc", "KcQx7dQh4h2s3c"):
        refused = run.invoke(app, ["buckets", str(file), "--hand", hand])
        assert refused.exit_code != 0 and "Traceback" not in refused.output


def test_rounds_by_name() -> None:
    for method, rounds, buckets in (
        ("expectation", ["river"], (5,)),
        ("potential", ["flop", "turn"], (5, 5)),
        ("distribution", ["street"], (5,)),
        ("distribution", ["river", "river"], (5, 5)),
    ):
        with pytest.raises(ParameterError):
            build_abstraction("texas", method, buckets, rounds=rounds)
    with pytest.raises(ParameterError, match="after preflop, flop and turn"):
        expectation_abstraction([RiverRound()], (5,))


def test_files_that_contradict_themselves_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "cards.npz"
    river = BucketRound("river", (2, 3, 1, 1), np.full(3, 1 / 3), cuts=np.array([5, 9]), children=np.array([3]))
    CardAbstraction("texas", "by hand", (river,)).write(file)
    assert read_card_abstraction(file).rounds[0].n_buckets == 3
    with np.load(file) as stored:
        whole = dict(stored)
    for part, edited in (
        ("cuts", np.array([5])),
        ("cuts", np.array([9, 5])),
        ("cuts", np.array([5.0, np.nan])),
        ("children", np.array([2, 2])),
        ("children", np.array([2, 1])),
        ("children", np.array([2**62, 2**62])),
        ("labels", np.array([3], dtype=np.int32)),
        ("labels", np.array(["a"])),
        ("means", np.zeros(2)),
        ("means", np.full(3, np.nan)),
        ("weights", np.array([0.5, 0.5, -0.1])),
        ("weights", np.empty(0)),
    ):
        np.savez(file, **{**whole, f"{part}_0": edited})
        with pytest.raises(FormatError, match="file of buckets is inconsistent"):
            read_card_abstraction(file)
    short = BucketRound("preflop", (2,), np.ones(1), np.zeros(3, dtype=np.int32))
    with pytest.raises(FormatError, match="hand classes"):
        look_up(CardAbstraction("texas", "by hand", (short,)), [parse("KcQc")])


@pytest.mark.slow
def test_four_rounds_with_perfect_recall() -> None:
    """Children of a turn bucket hold its hands, and strength does not change on average when the river is dealt."""
    tree = expectation_abstraction(texas_rounds(), (15, 225, 900, 2700))
    turn, river = tree.levels[2:]
    assert river.n_buckets == 2700 and len(river.children) == 900
    parent = np.repeat(np.arange(900), river.children)
    np.testing.assert_allclose(np.bincount(parent, weights=river.weights), turn.weights, rtol=1e-9)
    strength = np.bincount(parent, weights=river.weights * river.means)
    np.testing.assert_allclose(strength, turn.weights * turn.means, rtol=1e-9)
    deals = np.random.default_rng(0).permuted(np.tile(np.arange(52), (500, 1)), axis=1)[:, :7]
    np.testing.assert_array_equal(parent[tree.buckets(deals)], tree.buckets(deals[:, :6]))
