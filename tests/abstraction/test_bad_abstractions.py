"""Abstractions of numbers, histograms, rounds and games that cannot be: refused by type, before any work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from equiform.abstraction import information_abstraction, postprocess
from equiform.abstraction.actions import (
    action_abstraction,
    bet_sizes,
    desiderata,
    public_tree,
    translated_strategy,
    translation,
    translation_tree,
)
from equiform.abstraction.cards import (
    bucket_lookup,
    build,
    card_view,
    expectation,
    game_size,
    gameshrink,
    hierarchical,
    leduc_cards,
    one_card_shrink,
    potential_aware,
    river,
    score_cuts,
    scored_rounds,
)
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction, read_card_abstraction
from equiform.abstraction.clustering import emd, histogram_spaces, kmeans, kmeans1d
from equiform.games import Kuhn, KuhnNoLimit
from equiform.games.cards.card import LEDUC as LEDUC_DECK
from equiform.games.cards.card import CardError
from equiform.games.cards.indexing import HandIndexer, hand_indexer
from equiform.games.cards.one_card import LEDUC
from equiform.models import compile_rules
from equiform.models.common.errors import (
    BackendMissingError,
    EquiformError,
    FormatError,
    GameError,
    InfeasibleError,
    ParameterError,
    StrategyError,
)
from tests.refusals import BAD_COUNTS, refusal

NAN, INF = float("nan"), float("inf")
ONE, TWO = HandIndexer((1,), LEDUC_DECK), HandIndexer((1, 1), LEDUC_DECK)
EHS = LEDUC.equities[1].ehs
GROUND = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
ROWS = np.array([[4, 0, 0], [0, 4, 0], [0, 0, 4], [2, 2, 0]])
LINE = histogram_spaces.LineSpace(ROWS)
CLUSTERINGS = kmeans1d.kmeans_line([0.0, 0.1, 0.5], 3)
LAST = potential_aware.by_equity(TWO, EHS, 3)
STAGES = scored_rounds.one_card_rounds(LEDUC)
TREE = expectation.expectation_abstraction(STAGES, (2, 4))
SIGNALS = one_card_shrink.one_card_signals(LEDUC)
CUTS = score_cuts.score_cuts([10, 20, 5], [3, 2])
STORED = build.build_abstraction("leduc", "expectation", (2, 4))
PUBLIC = hierarchical.cluster_public(GROUND, 2)
BETTING = game_size.limit_betting(2, 2)
GAME = compile_rules(Kuhn())
UNIFORM = [t.uniform() for t in GAME.treeplexes]
SAME = information_abstraction.abstract_information(GAME, lambda player, key: key)
RULES = KuhnNoLimit(stack=2)
MAPPING = translation.RAND_PSHAR
PROBLEM = translated_strategy.translation_problem(RULES, action_abstraction.pot_fractions(1), 1)
READING = translation.read_bets(MAPPING, [0, 1, 10], [0.25, 4])
SIZES = bet_sizes.bet_sizes(KuhnNoLimit(stack=1), mappings=(MAPPING,))


def leduc(method: str = "potential", buckets: Any = (2, 4), **options: Any) -> object:
    return build.build_abstraction("leduc", method, buckets, **options)


# -- counts and seeds --------------------------------------------------------------------------------------------------

COUNTS: dict[str, Callable[[Any], object]] = {
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
OPTIONAL: dict[str, Callable[[Any], object]] = {
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
SEEDS: dict[str, Callable[[Any], object]] = {
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

NO_NUMBERS: list[Any] = [..., "abc", {}, 1 + 2j, ["a", "b", "c"], [[1, 2], [3]], [1j, 0, 0], [NAN, 0, 0], [INF, 0, 0]]
#: An array of numbers by what takes it.
ARRAYS: dict[str, Callable[[Any], object]] = {
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
DEALS: dict[str, Callable[[Any], object]] = {
    "tree": TREE.buckets,
    "round": STAGES[1].score,
    "buckets": LAST.buckets,
    "stored": lambda deals: bucket_lookup.look_up(STORED, deals),
    "river": river.RiverRound().score,
}


@pytest.mark.parametrize("array", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("use", ARRAYS)
def test_what_is_no_array_of_numbers(use: str, array: object) -> None:
    refusal(ParameterError, lambda: ARRAYS[use](array))


@pytest.mark.parametrize(
    "deals", [*NO_NUMBERS, [], [[0.5, 1]], [[0, 99]], [[-1, 0]], [[0, 1, 2]], [[True, False]]], ids=repr
)
@pytest.mark.parametrize("use", DEALS)
def test_what_is_no_deal(use: str, deals: object) -> None:
    refusal(CardError, lambda: DEALS[use](deals))


# -- objects and names -------------------------------------------------------------------------------------------------

STRANGERS: list[Any] = [None, ..., 3, "texas", [], NAN]
OBJECTS: dict[str, Callable[[Any], object]] = {
    "space": lambda o: kmeans.kmeans(o, 2),
    "hands": lambda o: hierarchical.transition_table(o, ONE, [0]),
    "boards": lambda o: hierarchical.public_states(TWO, o),
    "rounds": lambda o: hierarchical.by_strength([o], [EHS]),
    "clusters": lambda o: hierarchical.hierarchical([TWO], ONE, o, [2], hierarchical.by_strength([TWO], [EHS])),
    "clustering": lambda o: hierarchical.hierarchical([TWO], ONE, PUBLIC, [2], o),
    "classes": potential_aware.class_weights,
    "following": lambda o: potential_aware.by_potential(ONE, o, 2),
    "last": lambda o: potential_aware.potential_aware([ONE], o, [2]),
    "game of potential": lambda o: potential_aware.one_card_potential_aware(o, (2, 3)),
    "stage": lambda o: expectation.expectation_abstraction([o], (2,)),
    "scored": lambda o: scored_rounds.ScoredRound(o, STAGES[1].scores, 10),
    "cards": scored_rounds.one_card_rounds,
    "cuts": lambda o: river.river_masses([0], np.zeros(3, dtype=np.int64), o),
    "tree": gameshrink.game_shrink,
    "signals": one_card_shrink.one_card_signals,
    "counted": one_card_shrink.counted_shrink,
    "mutual": one_card_shrink.mutual_shrink,
    "betting": lambda o: game_size.tree_nodes([o], [3]),
    "view of cards": lambda o: card_view.card_view(o, [[0], [0]]),
    "game": lambda o: information_abstraction.abstract_information(o, lambda player, key: key),
    "view": lambda o: information_abstraction.abstract_information(GAME, o),
    "treeplex": lambda o: postprocess.PURIFICATION.behavior(o, UNIFORM[0]),
    "strategy": postprocess.PURIFICATION.strategy,
    "filter": lambda o: action_abstraction.AbstractRules(RULES, o),
    "real strategy": PROBLEM.exploitability,
    "mapping": PROBLEM.tree.probabilities,
    "mapping to read": lambda o: translation.read_bets(o, [0, 1], [0.5]),
    "mapping to check": lambda o: desiderata.check(o, desiderata.Desideratum.SCALE, desiderata.Case.ZERO),
    "mapping of sizes": SIZES.best,
    "generator": READING.draw,
    "rules of sizes": bet_sizes.bet_sizes,
    "stored": bucket_lookup.deck_of,
    "round": lambda o: CardAbstraction("leduc", "by hand", (o,)),
}
NAMES: dict[str, Callable[[Any], object]] = {
    "game": lambda name: build.build_abstraction(name, "expectation", (2,)),
    "method": lambda name: leduc(name),
    "Leduc view": lambda name: leduc_cards.card_view(name, (1, -1, "")),
    "Leduc": lambda name: leduc_cards.leduc_abstraction("full", name, GAME),
    "own": lambda name: leduc_cards.abstract_equilibrium(name, "full"),
    "assumed": lambda name: leduc_cards.attainable_gains("full", name),
    "mapping": translation.by_name,
    "ties": lambda name: translation.DET_ARITH.probability(0, 1, 0.5, ties=name),
    "ties of bets": lambda name: translation.read_bets(MAPPING, [0, 1], [0.5], ties=name),
    "ties of sizes": lambda name: SIZES.best(MAPPING, ties=name),
    "after zero": lambda name: translated_strategy.translation_problem(RULES, lambda node: (), 1, after_zero=name),
    "desideratum": lambda name: desiderata.check(MAPPING, name, desiderata.Case.ZERO),
    "case": lambda name: desiderata.check(MAPPING, desiderata.Desideratum.SCALE, name),
}


@pytest.mark.parametrize("stranger", STRANGERS, ids=repr)
@pytest.mark.parametrize("use", OBJECTS)
def test_objects_of_another_class(use: str, stranger: object) -> None:
    refusal(ParameterError, lambda: OBJECTS[use](stranger))


@pytest.mark.parametrize("name", [None, 3, "", "nobody", ["full"], {}, True], ids=repr)
@pytest.mark.parametrize("use", NAMES)
def test_names_nobody_knows(use: str, name: object) -> None:
    refusal(ParameterError, lambda: NAMES[use](name), "there is no")


# -- what fits the type but not the rest -------------------------------------------------------------------------------

THREE_PARENTS = BucketRound("public", (1, 1), np.full(4, 0.25), cuts=np.array([5]), children=np.array([1, 2, 1]))


def signal_tree(**change: Any) -> object:
    return replace(SIGNALS, **change)


def keeping(*moves: Any) -> object:
    return action_abstraction.AbstractRules(RULES, lambda node: moves)


ARGUMENTS: dict[str, tuple[Callable[[], object], type[EquiformError], str]] = {
    "negative mass": (lambda: emd.emd_line([2, -1], [1, 0]), ParameterError, "entry -1"),
    "no mass": (lambda: emd.emd_line([0, 0], [0, 0]), ParameterError, "same mass"),
    "other mass": (lambda: emd.emd_greedy([1, 0], [2, 0], np.zeros((2, 2))), ParameterError, "same mass"),
    "mass beyond floats": (lambda: emd.emd_line([1e308, 1e308], [1e308, 1e308]), ParameterError, "entry 1e+308"),
    "distances below zero": (lambda: emd.emd_exact([1, 0], [0, 1], -np.ones((2, 2))), ParameterError, "entry -1"),
    "negative counts": (lambda: histogram_spaces.LineSpace([[-1, 5], [2, 2]]), ParameterError, "entry -1"),
    "tiny counts of other mass": (
        lambda: histogram_spaces.LineSpace([[1e-10, 0.0], [3e-10, 0.0]]),
        ParameterError,
        "same mass",
    ),
    "too few weights": (lambda: histogram_spaces.LineSpace(ROWS, [1.0]), ParameterError, "shape (1,)"),
    "weights of nothing": (lambda: histogram_spaces.LineSpace(ROWS, [1, 1, 1, 0]), ParameterError, "weighs nothing"),
    "an empty row": (
        lambda: histogram_spaces.BucketSpace(csr_array(ROWS * (np.arange(4) > 0)[:, None]), GROUND),
        ParameterError,
        "row 0",
    ),
    "more clusters than a sample": (
        lambda: potential_aware.by_potential(TWO, LAST, 5, sample=3),
        ParameterError,
        "cannot make 5 clusters",
    ),
    "values beyond squares": (lambda: kmeans1d.kmeans_line([0.0, 1e200], 2), ParameterError, "entry 1e+200"),
    "distances one way": (
        lambda: hierarchical.cluster_public([[0, 1], [2, 0]], 2),
        ParameterError,
        "symmetric",
    ),
    "distances that are not a square": (
        lambda: hierarchical.cluster_public(np.zeros((2, 3)), 1),
        ParameterError,
        "(2, 3)",
    ),
    "a table of gaps": (
        lambda: hierarchical.transition_table(TWO, ONE, np.full(15, 10**15)),
        ParameterError,
        "too large a table",
    ),
    "boards within a round": (
        lambda: hierarchical.public_states(hand_indexer(2, 4), hand_indexer(3)),
        ParameterError,
        "end within a round",
    ),
    "boards of another deck": (
        lambda: hierarchical.public_states(TWO, hand_indexer(1)),
        ParameterError,
        "from one deck",
    ),
    "labels of other boards": (
        lambda: hierarchical.hierarchical([TWO], TWO, PUBLIC, [2], lambda r, classes, k: classes),
        ParameterError,
        "labels of the clusters",
    ),
    "more private buckets than agreed": (
        lambda: hierarchical.hierarchical([TWO], ONE, PUBLIC, [2], lambda r, classes, k: classes),
        ParameterError,
        "private buckets have the entry",
    ),
    "no rounds": (lambda: expectation.expectation_abstraction((), ()), ParameterError, "every round needs"),
    "a falling budget": (lambda: expectation.expectation_abstraction(STAGES, (3, 2)), InfeasibleError, "3 parents"),
    "no such backend": (
        lambda: expectation.expectation_abstraction(STAGES, (2, 4), backend="abacus"),
        BackendMissingError,
        "abacus",
    ),
    "scores above the highest": (
        lambda: scored_rounds.ScoredRound(TWO, STAGES[1].scores, 1),
        ParameterError,
        "scores have the entry",
    ),
    "parents that are not there": (lambda: CUTS.buckets([2], [0]), ParameterError, "parents have the entry 2"),
    "scores of other hands": (lambda: CUTS.buckets([0, 1], [0]), ParameterError, "shape (1,)"),
    "cuts that fall": (lambda: score_cuts.score_cuts([2, 1], [3]), ParameterError, "ascend"),
    "a child without end": (lambda: score_cuts.score_cuts([1], [10**30]), ParameterError, "children have the entry"),
    "cuts beyond 64 bits": (lambda: score_cuts.score_cuts([2**62], [1, 2]), ParameterError, "cuts have the entry"),
    "no such node": (lambda: gameshrink.InformationFilter(3).unite(0, -1), ParameterError, "node is -1"),
    "a parent that is not there": (
        lambda: signal_tree(parent=(SIGNALS.parent[0], SIGNALS.parent[1] + 1)),
        ParameterError,
        "parents have the entry",
    ),
    "a node without children": (
        lambda: signal_tree(parent=(SIGNALS.parent[0], np.zeros_like(SIGNALS.parent[1]))),
        ParameterError,
        "no children",
    ),
    "signals of weight 0": (
        lambda: signal_tree(weight=(SIGNALS.weight[0], 0 * SIGNALS.weight[1])),
        ParameterError,
        "weights have the entry 0",
    ),
    "payoffs that are nan": (lambda: signal_tree(payoff=SIGNALS.payoff * NAN), ParameterError, "entry nan"),
    "a threshold below zero": (lambda: gameshrink.game_shrink(SIGNALS, [0, -1]), ParameterError, "entry -1"),
    "bets without end": (lambda: game_size.limit_betting(1, 10**9), ParameterError, "most_bets is 1000000000"),
    "betting without end": (lambda: game_size.limit_betting(50, 3), ParameterError, "rounds is 50"),
    "more rounds than cards": (lambda: game_size.dealings(3, 3), ParameterError, "rounds is 3"),
    "hands of other rounds": (lambda: game_size.game_size(BETTING, (3,)), ParameterError, "give 2"),
    "a view of lists": (
        lambda: information_abstraction.abstract_information(GAME, lambda player, key: (player, [key])),
        ParameterError,
        "a view returns",
    ),
    "one strategy of two": (lambda: SAME.evaluate(UNIFORM[:1]), StrategyError, "1 strategies"),
    "a short strategy": (lambda: SAME.lift(0, UNIFORM[0][1:]), StrategyError, "entries"),
    "the last player": (lambda: SAME.sequences(-1), ParameterError, "no player -1"),
    "no key of Leduc": (lambda: leduc_cards.card_view("JQK", (5, -1, "")), ParameterError, "not an information set"),
    "a threshold that is nan": (lambda: postprocess.thresholding(NAN), ParameterError, "epsilon is nan"),
    "a true threshold": (lambda: postprocess.PostProcessor("p", within=True), ParameterError, "within is True"),
    "a fold that is nan": (lambda: postprocess.fold_call_bet(NAN), ParameterError, "prefer_fold_above is nan"),
    "no bundles": (lambda: postprocess.PostProcessor("p", bundle=3), ParameterError, "bundle is 3"),  # type: ignore[arg-type]
    "a row that is nan": (lambda: postprocess.PURIFICATION.mixed([NAN, 1.0]), StrategyError, "not a distribution"),
    "no rows": (lambda: postprocess.PURIFICATION.mixed([]), StrategyError, "not mixed strategies"),
    "rows of words": (lambda: postprocess.PURIFICATION.mixed(["a"]), StrategyError, "not mixed strategies"),
    "actions by number": (lambda: postprocess.PURIFICATION.mixed([1.0], [3]), ParameterError, "actions[0] is 3"),  # type: ignore[list-item]
    "no rules": (lambda: public_tree.betting_view(None), GameError, "the rules have no name"),  # type: ignore[arg-type]
    "a bet that is nan": (lambda: action_abstraction.pot_fractions(NAN), ParameterError, "a bet is nan"),
    "a bet of nothing": (lambda: action_abstraction.pot_fractions(0), ParameterError, "larger than 0"),
    "a filter of names": (lambda: keeping("bet 1"), ParameterError, "'bet 1'"),
    "a filter of other moves": (
        lambda: keeping(public_tree.Move("bet 99", public_tree.Kind.BET, 99.0)),
        ParameterError,
        "not a move here",
    ),
    "a pot of nothing": (lambda: MAPPING.probability(0, 1, 0.5, pot=0), ParameterError, "a pot is 0"),
    "a bet beyond products": (lambda: MAPPING.probability(1, 1e300, 2), ParameterError, "0 <= A"),
    "sizes of other bets": (
        lambda: MAPPING.probability([0, 0], [1, 1], [0.1, 0.2, 0.3]),
        ParameterError,
        "do not match",
    ),
    "values of fewer sizes": (lambda: READING.expected([1.0]), ParameterError, "there are 1 values"),
    "readings that do not sum to one": (
        lambda: PROBLEM.readings(np.full(PROBLEM.tree.translator.num_sequences, 0.9)),
        StrategyError,
        "not one",
    ),
    "a strategy of the other player": (
        lambda: PROBLEM.exploitability(replace(PROBLEM.equilibrium, treeplex=GAME.treeplexes[0])),
        StrategyError,
        "does not fit",
    ),
    "a mapping that was not measured": (lambda: SIZES.best(translation.DET_GEO), ParameterError, "not among"),
    "no mappings": (lambda: bet_sizes.bet_sizes(RULES, mappings=()), ParameterError, "there is no mapping"),
    "sizes that are not bets": (
        lambda: bet_sizes.bet_sizes(RULES, sizes=[Fraction(-1)]),
        ParameterError,
        "a bet is -1",
    ),
    "a nobody's sizes": (lambda: bet_sizes.bet_sizes(RULES, 2), ParameterError, "no player 2"),
    "buckets in words": (lambda: leduc(buckets="24"), ParameterError, "buckets is '24'"),
    "rounds in a word": (lambda: leduc(rounds="private"), ParameterError, "rounds is 'private'"),
    "true rounds": (lambda: leduc(buckets=(2,), rounds=True), ParameterError, "rounds is True"),
    "a word for progress": (lambda: leduc(progress="yes"), ParameterError, "progress is 'yes'"),
    "more flops than there are": (lambda: leduc("hierarchical", public=4), ParameterError, "public is 4"),
    "weights of no bucket": (
        lambda: BucketRound("private", (1,), np.ones(2), np.array([0, 2, 1], dtype=np.int32)),
        ParameterError,
        "labels have the entry 2",
    ),
    "a pickle to write": (
        lambda: BucketRound("private", (1,), np.array([None])),
        ParameterError,
        "weights have the entry nan",
    ),
    "parents of another round": (
        lambda: CardAbstraction("leduc", "by hand", (STORED.rounds[0], THREE_PARENTS)),
        ParameterError,
        "the round before has 2 buckets",
    ),
    "no path": (lambda: STORED.write(None), FormatError, "cannot write None"),  # type: ignore[arg-type]
    "no path to read": (lambda: read_card_abstraction(None), FormatError, "the file of buckets"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments(case: str) -> None:
    action, error, message = ARGUMENTS[case]
    refusal(error, action, message)


def test_a_truncated_file_of_buckets(tmp_path: Path) -> None:
    file = tmp_path / "cards.npz"
    STORED.write(file)
    whole = file.read_bytes()
    for length in (0, 1, 30, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        refusal(FormatError, lambda: read_card_abstraction(file), "cards.npz")


# -- answers that were wrong without a word ----------------------------------------------------------------------------


def test_plain_texts_mean_what_they_say() -> None:
    """A text is the member of the enumeration that it names; it used to be taken for the default or its opposite."""
    middle = {"A": 0, "B": 1, "x": 0.5}
    assert translation.DET_ARITH.probability(**middle, ties="lower") == 1.0  # type: ignore[arg-type]
    assert translation.DET_ARITH.probability(**middle, ties="upper") == 0.0  # type: ignore[arg-type]
    rand_geo = translation.by_name("Rand-Geo-2")
    boundary: Any = "boundary constraints"
    zero: Any = "A = 0"
    assert not desiderata.check(rand_geo, boundary, zero).holds
    for text in translation_tree.AfterZero:
        plain: Any = str(text)
        keep = action_abstraction.pot_fractions(1)
        assert translated_strategy.translation_problem(RULES, keep, 1, after_zero=plain).after_zero is text


def test_greedy_and_exact_distances_against_a_linear_program() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(2, 6))
        p, q = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        points = rng.random((n, 2))
        ground = np.abs(points[:, None] - points).sum(axis=2)
        sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
        best = linprog(ground.ravel(), A_eq=sums, b_eq=np.concatenate([p, q])).fun
        assert emd.emd_exact(p, q, ground) == pytest.approx(best, abs=1e-9)
        assert emd.emd_greedy(p, q, ground) >= best - 1e-9


def test_a_tree_spends_its_budget_as_well_as_any_division() -> None:
    level = TREE.levels[1]
    division = level.division
    assert division is not None
    parents, most = division.errors.shape
    costs = [
        division.error(children)
        for children in product(range(1, most + 1), repeat=parents)
        if sum(children) <= division.budget
    ]
    assert division.error(level.children) == pytest.approx(min(costs))


def test_lloyd_steps_from_the_same_seeds_never_end_worse() -> None:
    rng = np.random.default_rng(2)
    space = histogram_spaces.LineSpace(rng.multinomial(30, np.full(6, 1 / 6), size=60))
    costs = [kmeans.kmeans(space, 4, iterations=n, seed=1).inertia for n in (1, 2, 4, 8, 16)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
