"""GameShrink: information filters, published sizes of Rhode Island hold'em, and when it is lossless."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import perm

import numpy as np
import pytest

from equiform.abstraction.cards.card_view import card_view
from equiform.abstraction.cards.game_size import dealings, game_size, limit_betting, tree_nodes
from equiform.abstraction.cards.lossless.gameshrink import InformationFilter, SignalTree, game_shrink
from equiform.abstraction.cards.lossless.one_card_shrink import counted_shrink, mutual_shrink, one_card_signals
from equiform.abstraction.information_abstraction import abstract_information
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.cards.card import LEDUC as LEDUC_DECK
from equiform.games.cards.card import Deck
from equiform.games.cards.indexing import HandIndexer
from equiform.games.cards.one_card import LEDUC, RHODE_ISLAND, OneCardGame, pair_or_rank
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.leduc import Leduc
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.sequence_form import sequence_form


def test_a_filter_unites_transitively() -> None:
    information = InformationFilter(6)
    for a, b in ((4, 5), (1, 4), (2, 3)):
        information.unite(a, b)
    assert information.classes().tolist() == [0, 1, 2, 2, 1, 1]


def test_a_hand_made_tree() -> None:
    """Nodes 0 and 1 have the children {a, b} in either order; node 2 has {a, a} and stays alone."""
    parents = (np.zeros(3, dtype=np.int64), np.array([0, 0, 1, 1, 2, 2]))
    weights = (np.ones(3, dtype=np.int64), np.ones(6, dtype=np.int64))
    payoff = np.array([[1.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    shrunk = game_shrink(SignalTree(parents, weights, payoff))
    assert shrunk.sizes == (2, 3)
    assert shrunk.classes[0].tolist() == [0, 0, 1]
    assert shrunk.classes[1][0] == shrunk.classes[1][3] != shrunk.classes[1][1] == shrunk.classes[1][2]
    # node 2 differs from the others in one child of two: a mean penalty of one half
    tree = SignalTree(parents, weights, payoff)
    assert game_shrink(tree, (0.4, 0.0)).sizes == (2, 3)
    assert game_shrink(tree, (0.5, 0.0)).sizes == (1, 2)


def test_rhode_island_has_the_published_size() -> None:
    """Sandholm's slides: 91,224,226 rows and columns as dealt, 1,237,238 after GameShrink (13-205-1774 buckets)."""
    betting = limit_betting(3, 3)
    dealt = game_size(betting, (52, 52 * 51, 52 * 51 * 50))
    assert dealt.lp_rows == dealt.lp_columns == 91_224_226
    sizes = counted_shrink(RHODE_ISLAND).sizes
    assert sizes == (13, 205, 1774)
    assert game_size(betting, sizes).lp_rows == game_size(betting, sizes).lp_columns == 1_237_238


def test_no_way_to_count_gives_the_published_nodes() -> None:
    """The literature says "larger than 3.1 billion nodes". Whatever is dealt and counted, no figure rounds to 3.1.

    The two figures that "larger than" fits best stand in the docs: every node without the order of the private cards,
    and, of those, the moves of the players.
    """
    betting = limit_betting(3, 3)
    ordered = dealings(52, 3)
    ways = {
        "as dealt": ordered,
        "private cards without order": tuple(n // 2 for n in ordered),
        "flop and turn without order": (*ordered[:2], ordered[2] // 2),
        "suits renamed": HandIndexer((1, 1, 1, 1)).sizes[1:],
        "one player's cards": (52, 52 * 51, 52 * 51 * 50),
    }
    found = {}
    for deal, numbers in ways.items():
        nodes = tree_nodes(betting, numbers)
        found[deal] = {
            "all": nodes.total,
            "decisions": nodes.decisions,
            "decisions and chance": nodes.decisions + nodes.chance,
            "leaves": nodes.leaves,
            "without folds": nodes.total - nodes.folds,
            "without showdowns": nodes.total - nodes.showdowns,
            "without chance": nodes.total - nodes.chance,
            "moves": nodes.moves,
        }
    assert not [(d, w) for d, row in found.items() for w, n in row.items() if 3.05e9 <= n < 3.15e9]
    above = {(d, w) for d, row in found.items() for w, n in row.items() if 3.1e9 <= n < 3.4e9}
    half = "private cards without order", "flop and turn without order"
    assert {d for d, _ in above} == set(half)
    assert {w for d, w in above if d == half[0]} == {"all", "without chance", "moves"}
    # By hand: 8 decisions, 6 folds and 7 other ends of a round of betting, 7 ways into the next.
    assert found["as dealt"]["all"] == 1 + sum(perm(52, 2 + r) * 21 * 7**r for r in range(3))


def test_counts_agree_with_games_that_are_built() -> None:
    kuhn = compile_rules(Kuhn())
    size = game_size(limit_betting(1, 1), (3,))
    assert size.sequences == (kuhn.num_sequences(0), kuhn.num_sequences(1))
    nodes = tree_nodes(limit_betting(1, 1), dealings(3, 1))
    counted = Counter(kuhn.turn.tolist())
    assert nodes.total == kuhn.num_nodes
    assert (nodes.decisions, nodes.leaves, nodes.chance) == (
        counted[0] + counted[1],
        counted[TERMINAL],
        counted[CHANCE],
    )
    leduc = compile_rules(Leduc())
    size = game_size(limit_betting(2, 2), mutual_shrink(LEDUC).sizes)
    assert size.sequences == (leduc.num_sequences(0), leduc.num_sequences(1))
    program = sequence_form_lp.solve(sequence_form(leduc)).solutions[0].program
    assert program.shape == (size.lp_rows, size.lp_columns)


def test_mutual_classes_meet_the_same_opponents() -> None:
    """The definition, checked deal by deal on a deck of four ranks in three suits with two public cards."""
    deck = Deck("small", "TJQK", "abc")
    game = OneCardGame("small", deck, 2, pair_or_rank(deck))
    shrunk = mutual_shrink(game)
    assert shrunk.sizes[0] == 4
    assert shrunk.sizes[-1] <= game.indexer.sizes[-1]
    seen: dict[int, list[tuple[int, int]]] = {}
    for deal in permutations(range(len(deck)), 3):
        own = int(shrunk.classes[-1][game.indexer.index([deal])[0]])
        others = [c for c in range(len(deck)) if c not in deal]
        hands = np.array([(c, *deal[1:]) for c in others])
        classes = shrunk.classes[-1][game.indexer.index(hands)]
        results = np.sign(game.strengths(np.array([deal]))[0] - game.strengths(hands))
        met = sorted(zip(classes.tolist(), results.tolist(), strict=True))
        assert seen.setdefault(own, met) == met


@pytest.mark.parametrize("ranks", [3, 4])
def test_mutual_is_lossless_and_counted_is_not(ranks: int) -> None:
    """Solve the abstract game, lift both strategies, measure them in the full game."""
    rules = Leduc(ranks=ranks)
    game = compile_rules(rules)
    deck = LEDUC_DECK if ranks == 3 else Deck("four ranks", "TJQK", "sh")
    cards = OneCardGame("leduc", deck, 1, pair_or_rank(deck))
    value = sequence_form_lp.solve(sequence_form(game)).value
    for shrink, lossless in ((mutual_shrink, True), (counted_shrink, False)):
        shrunk = shrink(cards)
        small = abstract_information(game, card_view(cards, shrunk.classes))
        result = sequence_form_lp.solve(small.sequence_form)
        behaviors = [s.floats for s in result.strategies if s is not None]
        exploitability = small.evaluate(behaviors).exploitability
        if lossless:
            assert result.value == pytest.approx(value, abs=1e-7)
            assert exploitability < 1e-7
        else:
            assert exploitability > 0.01


def test_lossy_thresholds_only_coarsen() -> None:
    deck = Deck("eight ranks", "789TJQKA", "cdhs")
    game = OneCardGame("small", deck, 1, pair_or_rank(deck))
    sizes = [counted_shrink(game, (t, t)).sizes for t in (0.0, 3.0, 10.0)]
    assert sizes[0] == counted_shrink(game).sizes
    assert sizes[0] >= sizes[1] >= sizes[2]
    assert sum(sizes[2]) < sum(sizes[0])


def test_malformed_trees_are_refused() -> None:
    tree = one_card_signals(LEDUC)
    with pytest.raises(ParameterError, match="thresholds"):
        game_shrink(tree, (1.0,))
    with pytest.raises(ParameterError, match="leaves"):
        SignalTree(tree.parent, tree.weight, tree.payoff[:-1])
