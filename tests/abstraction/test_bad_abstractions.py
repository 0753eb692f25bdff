"""Abstractions of numbers, histograms, rounds and games that cannot be: refused by type, before any work."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from equiform.abstraction import information_abstraction, postprocess
from equiform.abstraction.actions import (
    action_abstraction,
    bet_sizes,
    desiderata,
    public_tree,
    translated_strategy,
    translation,
)
from equiform.abstraction.cards import (
    bucket_lookup,
    build,
    card_view,
    expectation,
    game_size,
    hierarchical,
    leduc_cards,
    potential_aware,
    river,
    score_cuts,
    scored_rounds,
)
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction, read_card_abstraction
from equiform.abstraction.cards.lossless import gameshrink, one_card_shrink
from equiform.abstraction.clustering import emd, histogram_spaces, kmeans, kmeans1d
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.errors import (
    BackendMissingError,
    FormatError,
    GameError,
    InfeasibleError,
    ParameterError,
    StrategyError,
)
from tests.helpers.abstractions import (
    BETTING,
    CUTS,
    EHS,
    GAME,
    GROUND,
    LAST,
    MAPPING,
    NAN,
    ONE,
    PROBLEM,
    PUBLIC,
    READING,
    ROWS,
    RULES,
    SAME,
    SIGNALS,
    SIZES,
    STAGES,
    STORED,
    TWO,
    UNIFORM,
    leduc,
)
from tests.helpers.refusals import Case, Use, refusal, refused

# -- objects and names -------------------------------------------------------------------------------------------------

STRANGERS: list[Any] = [None, ..., 3, "texas", [], NAN]
OBJECTS: dict[str, Use] = {
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
NAMES: dict[str, Use] = {
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


ARGUMENTS: dict[str, Case] = {
    "negative mass": (lambda: emd.emd_line([2, -1], [1, 0]), ParameterError, "entry -1"),
    "no mass": (lambda: emd.emd_line([0, 0], [0, 0]), ParameterError, "same positive mass"),
    "other mass": (lambda: emd.emd_greedy([1, 0], [2, 0], np.zeros((2, 2))), ParameterError, "same positive mass"),
    "mass beyond floats": (lambda: emd.emd_line([1e308, 1e308], [1e308, 1e308]), ParameterError, "entry 1e+308"),
    "distances below zero": (lambda: emd.emd_exact([1, 0], [0, 1], -np.ones((2, 2))), ParameterError, "entry -1"),
    "negative counts": (lambda: histogram_spaces.LineSpace([[-1, 5], [2, 2]]), ParameterError, "entry -1"),
    "tiny counts of other mass": (
        lambda: histogram_spaces.LineSpace([[1e-10, 0.0], [3e-10, 0.0]]),
        ParameterError,
        "same positive mass",
    ),
    "too few weights": (lambda: histogram_spaces.LineSpace(ROWS, [1.0]), ParameterError, "shape (1,)"),
    "weights of nothing": (
        lambda: histogram_spaces.LineSpace(ROWS, [1, 1, 1, 0]),
        ParameterError,
        "points of weight 0",
    ),
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
    "hands of other rounds": (lambda: game_size.game_size(BETTING, (3,)), ParameterError, "pass 2"),
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
    refused(ARGUMENTS[case])


def test_a_truncated_file_of_buckets(tmp_path: Path) -> None:
    file = tmp_path / "cards.npz"
    STORED.write(file)
    whole = file.read_bytes()
    for length in (0, 1, 30, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        refusal(FormatError, lambda: read_card_abstraction(file), "cards.npz")
