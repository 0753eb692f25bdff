"""Counts, seeds and arrays that no abstraction can use: refused by type, before any work."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from equiform.abstraction.actions import (
    translation,
)
from equiform.abstraction.cards import (
    bucket_lookup,
    card_view,
    expectation,
    game_size,
    hierarchical,
    potential_aware,
    river,
    score_cuts,
    scored_rounds,
)
from equiform.abstraction.cards.lossless import gameshrink
from equiform.abstraction.clustering import emd, histogram_spaces, kmeans, kmeans1d
from equiform.games.cards.card import CardError
from equiform.games.cards.one_card import LEDUC
from equiform.models.common.errors import (
    ParameterError,
)
from tests.helpers.abstractions import (
    BETTING,
    CLUSTERINGS,
    CUTS,
    EHS,
    GROUND,
    INF,
    LAST,
    LINE,
    MAPPING,
    NAN,
    ONE,
    PROBLEM,
    READING,
    ROWS,
    SAME,
    SIGNALS,
    SIZES,
    STAGES,
    STORED,
    TREE,
    TWO,
    leduc,
)
from tests.helpers.refusals import BAD_COUNTS, Use, refusal

# -- counts and seeds --------------------------------------------------------------------------------------------------

COUNTS: dict[str, Use] = {
    "k": lambda n: kmeans.kmeans(LINE, n),
    "restarts": lambda n: kmeans.kmeans(LINE, 2, restarts=n),
    "iterations": lambda n: kmeans.kmeans(LINE, 2, iterations=n),
    "clusters on a line": lambda n: kmeans1d.kmeans_line([0.0, 1.0], n),
    "starts": CLUSTERINGS.starts,
    "means": CLUSTERINGS.means,
    "anchors": lambda n: histogram_spaces.BucketSpace(csr_array(ROWS), GROUND, anchors=n),
    "public clusters": lambda n: hierarchical.cluster_public(GROUND, n),
    "moves": lambda n: hierarchical.cluster_public(GROUND, 2, iterations=n),
    "flops": lambda n: hierarchical.cluster_flops(np.zeros(1_286_792), n),
    "by equity": lambda n: potential_aware.by_equity(TWO, EHS, n),
    "by distribution": lambda n: potential_aware.by_distribution(ONE, ROWS[:3], n),
    "by potential": lambda n: potential_aware.by_potential(ONE, LAST, n),
    "rounds of a game": lambda n: potential_aware.one_card_potential_aware(LEDUC, (2, n)),
    "rounds of texas": lambda n: potential_aware.texas_potential_aware((5, 5, n)),
    "buckets of a tree": lambda n: expectation.expectation_abstraction(STAGES, (1, n)),
    "children": lambda n: expectation.expectation_abstraction(STAGES, (2, 4), most_children=n),
    "river": expectation.river_by_strength,
    "highest score": lambda n: scored_rounds.ScoredRound(TWO, STAGES[1].scores, n),
    "rounds of betting": lambda n: game_size.limit_betting(n, 1),
    "hands": lambda n: game_size.game_size(BETTING, (3, n)),
    "cards": lambda n: game_size.dealings(n, 1),
    "dealings": lambda n: game_size.dealings(52, n),
    "ties": lambda n: PROBLEM.tree.tie_variants(MAPPING, limit=n),
    "climbs": lambda n: PROBLEM.highest(MAPPING, starts=n),
    "climbs of a range": lambda n: PROBLEM.attainable(MAPPING, starts=n),
    "climbs of a size": lambda n: SIZES.can_be_best(MAPPING, Fraction(1, 2), starts=n),
    "buckets of a game": lambda n: leduc(buckets=(2, n)),
    "clusters of flops": lambda n: leduc("hierarchical", public=n),
}
#: None leaves it to us.
OPTIONAL: dict[str, Use] = {
    "threads": lambda n: histogram_spaces.LineSpace(ROWS, threads=n),
    "threads of buckets": lambda n: histogram_spaces.BucketSpace(csr_array(ROWS), GROUND, threads=n),
    "threads of distances": lambda n: hierarchical.public_distances([[1, 1], [2, 0]], threads=n),
    "threads of a tree": lambda n: expectation.expectation_abstraction(STAGES, (2, 4), threads=n),
    "threads of a game": lambda n: leduc(threads=n),
    "threads of texas": lambda n: potential_aware.texas_potential_aware(threads=n),
    "threads of rivers": lambda n: river.RiverRound(threads=n).score([range(7)]),
    "sample": lambda n: potential_aware.by_potential(ONE, LAST, 2, sample=n),
    "sample of a game": lambda n: leduc(sample=n),
    "buckets": lambda n: hierarchical.transition_table(TWO, ONE, np.zeros(15), n),
}
SEEDS: dict[str, Use] = {
    "k-means": lambda s: kmeans.kmeans(LINE, 2, seed=s),
    "public clusters": lambda s: hierarchical.cluster_public(GROUND, 2, seed=s),
    "flops": lambda s: hierarchical.cluster_flops(np.zeros(1_286_792), seed=s),
    "potential": lambda s: potential_aware.by_potential(ONE, LAST, 2, seed=s),
    "a game": lambda s: leduc(seed=s),
    "climbs": lambda s: PROBLEM.highest(MAPPING, seed=s),
}


@pytest.mark.parametrize("count", BAD_COUNTS, ids=repr)
@pytest.mark.parametrize("use", COUNTS)
def test_counts(use: str, count: object) -> None:
    refusal(ParameterError, lambda: COUNTS[use](count), " is ", "use a whole number")


@pytest.mark.parametrize("count", [c for c in BAD_COUNTS if c is not None], ids=repr)
@pytest.mark.parametrize("use", OPTIONAL)
def test_counts_that_may_be_left_out(use: str, count: object) -> None:
    refusal(ParameterError, lambda: OPTIONAL[use](count), " is ", "use a whole number")


@pytest.mark.parametrize("seed", [c for c in BAD_COUNTS if type(c) is not int or c], ids=repr)
@pytest.mark.parametrize("use", SEEDS)
def test_seeds(use: str, seed: object) -> None:
    refusal(ParameterError, lambda: SEEDS[use](seed), "seed is ")


# -- arrays ------------------------------------------------------------------------------------------------------------

NOT_NUMBERS: list[Any] = [..., "abc", {}, 1 + 2j, ["a", "b", "c"], [[1, 2], [3]], [1j, 0, 0], [NAN, 0, 0], [INF, 0, 0]]
#: An array of numbers by what takes it.
ARRAYS: dict[str, Use] = {
    "first histogram": lambda a: emd.emd_line(a, [1, 0, 0]),
    "second histogram": lambda a: emd.emd_greedy([1, 0, 0], a, GROUND),
    "exact histogram": lambda a: emd.emd_exact(a, [1, 0, 0], GROUND),
    "ground": lambda a: emd.emd_greedy([1, 0, 0], [0, 1, 0], a),
    "histograms": histogram_spaces.LineSpace,
    "weights": lambda a: histogram_spaces.LineSpace(ROWS[:3], a),
    "sparse histograms": lambda a: histogram_spaces.BucketSpace(a, GROUND),
    "ground of buckets": lambda a: histogram_spaces.BucketSpace(csr_array(ROWS), a),
    "weights of buckets": lambda a: histogram_spaces.BucketSpace(csr_array(ROWS[:3]), GROUND, a),
    "values": lambda a: kmeans1d.kmeans_line(a, 2),
    "weights of values": lambda a: kmeans1d.kmeans_line([0.0, 0.5, 1.0], 2, a),
    "values to label": lambda a: CLUSTERINGS.labels(2, a),
    "labels": lambda a: hierarchical.transition_table(TWO, ONE, a),
    "table": hierarchical.public_distances,
    "distances": lambda a: hierarchical.cluster_public(a, 2),
    "strengths": lambda a: potential_aware.by_equity(ONE, a, 2),
    "strengths of a round": lambda a: hierarchical.by_strength([ONE], [a]),
    "equity histograms": lambda a: potential_aware.by_distribution(ONE, a, 2),
    "cuts": lambda a: score_cuts.score_cuts(a, [4]),
    "parents": lambda a: CUTS.buckets(a, [1, 2, 3]),
    "scores": lambda a: CUTS.buckets([0, 0, 1], a),
    "thresholds": lambda a: gameshrink.game_shrink(SIGNALS, a),
    "buckets of cards": lambda a: card_view.card_view(LEDUC, [a, [0] * 15]),
    "an abstract strategy": lambda a: SAME.lift(0, a),
    "a translation": PROBLEM.readings,
    "behaviour": PROBLEM.tree.realised,
    "translator's plan": lambda a: PROBLEM.tree.behavior(PROBLEM.equilibrium.floats, a),
    "lower size": lambda a: MAPPING.probability(a, 1, 0.5),
    "upper size": lambda a: MAPPING.probability(0, a, 0.5),
    "bet": lambda a: MAPPING.probability(0, 1, a),
    "pot": lambda a: MAPPING.probability(0, 1, 0.5, pot=a),
    "sizes": lambda a: translation.read_bets(MAPPING, a, [1]),
    "bets": lambda a: translation.read_bets(MAPPING, [0, 1], a),
    "values of sizes": READING.expected,
    "flops": lambda a: river.river_masses(a, np.zeros(3, dtype=np.int64), CUTS),
}
#: Deals by what takes them.
DEALS: dict[str, Use] = {
    "tree": TREE.buckets,
    "round": STAGES[1].score,
    "buckets": LAST.buckets,
    "stored": lambda deals: bucket_lookup.look_up(STORED, deals),
    "river": river.RiverRound().score,
}


@pytest.mark.parametrize("array", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("use", ARRAYS)
def test_what_is_not_an_array_of_numbers(use: str, array: object) -> None:
    refusal(ParameterError, lambda: ARRAYS[use](array))


@pytest.mark.parametrize(
    "deals", [*NOT_NUMBERS, [], [[0.5, 1]], [[0, 99]], [[-1, 0]], [[0, 1, 2]], [[True, False]]], ids=repr
)
@pytest.mark.parametrize("use", DEALS)
def test_what_is_not_a_deal(use: str, deals: object) -> None:
    refusal(CardError, lambda: DEALS[use](deals))
