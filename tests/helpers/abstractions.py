"""Small abstractions of Leduc and Kuhn poker, to be given arguments that make no sense."""

from __future__ import annotations

from typing import Any

import numpy as np

from equiform.abstraction import information_abstraction
from equiform.abstraction.actions import (
    action_abstraction,
    bet_sizes,
    translated_strategy,
    translation,
)
from equiform.abstraction.cards import (
    build,
    expectation,
    game_size,
    hierarchical,
    potential_aware,
    score_cuts,
    scored_rounds,
)
from equiform.abstraction.cards.lossless import one_card_shrink
from equiform.abstraction.clustering import histogram_spaces, kmeans1d
from equiform.games import Kuhn, KuhnNoLimit
from equiform.games.cards.card import LEDUC as LEDUC_DECK
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.one_card import LEDUC
from equiform.models import compile_rules

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
