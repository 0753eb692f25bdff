"""The evaluator against the combinatorics of poker, two independent libraries, and its own definition."""

from __future__ import annotations

from itertools import combinations

import eval7
import numpy as np
import phevaluator
import pytest
from numpy.typing import NDArray

from equiform.games.cards.card import CardError, cards_text, parse
from equiform.games.cards.evaluator import Category, board_strengths, category, count_hands, strength, strengths
from equiform.games.cards.rank_tables import (
    build_rank_tables,
    find_rank_keys,
    fingerprint,
    rank_multisets,
    rank_tables,
)
from equiform.models.common.errors import ParameterError

# The nine counts for five, six and seven cards (high card … straight flush): textbook combinatorics, e.g. the tables of
# poker probability; 52 choose 5, 6, 7 in all.
KNOWN_COUNTS = {
    5: (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40),
    6: (6612900, 9730740, 2532816, 732160, 361620, 205792, 165984, 14664, 1844),
    7: (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584),
}
SHA256 = "50391e36565920cb5f14f8784167bbc573b31e57881c1aa940bccfffea30568a"


def random_hands(n: int, size: int, seed: int) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((n, 52), dtype=np.float32), axis=1)[:, :size].astype(np.uint8)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_category_counts_of_all_hands(size: int) -> None:
    counts = count_hands(size)
    assert tuple(counts[kind] for kind in Category) == KNOWN_COUNTS[size]
    assert counts.total == {5: 2598960, 6: 20358520, 7: 133784560}[size]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_agrees_with_phevaluator(size: int) -> None:
    """It numbers the same 7,462 classes, best first, and our card numbers."""
    hands = random_hands(100_000, size, seed=size)
    theirs = [phevaluator.evaluate_cards(*hand) for hand in hands.tolist()]
    assert np.array_equal(strengths(hands), 7463 - np.array(theirs))


def test_agrees_with_eval7() -> None:
    """Its numbers have gaps, so the order must be the same: sorted by ours, theirs rises exactly where ours does."""
    hands = random_hands(100_000, 7, seed=1)
    deck = [eval7.Card(cards_text([card])) for card in range(52)]
    theirs = np.array([eval7.evaluate([deck[card] for card in hand]) for hand in hands.tolist()], dtype=np.int64)
    ours = strengths(hands)
    order = np.argsort(ours, kind="stable")
    assert np.array_equal(np.sign(np.diff(theirs[order])), np.sign(np.diff(ours[order])))


def test_seven_cards_are_the_best_five() -> None:
    for hand in random_hands(300, 7, seed=2):
        best = max(strengths(np.array(list(combinations(hand, 5)))))
        assert strength(hand) == best


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AsKsQsJsTs", "KsQsJsTs9s"),
        ("5c4c3c2cAc", "KcKdKhKsAd"),  # the lowest straight flush beats four of a kind
        ("6d5c4c3c2c", "5d4c3c2cAc"),  # an ace may be low, and then the straight is five high
        ("2c3d4h5s7c Kd Kh", "2c3d4h5s7c Qd Qh"),
        ("AcAdAhKsKd", "QcQdQhAsAd"),
    ],
)
def test_order_of_hands(better: str, worse: str) -> None:
    assert strength(better) > strength(worse)


def test_equal_hands_tie() -> None:
    assert strength("AcKcQdJh9s 2c3d") == strength("AdKhQcJs9h 4c5c")


def test_whole_board() -> None:
    found = board_strengths("7dQh4h2s3c")
    assert found.hands.shape == (1081, 2)
    full = np.hstack([found.hands, np.tile(parse("7dQh4h2s3c"), (1081, 1))])
    assert np.array_equal(found.strengths, strengths(full))
    assert len(board_strengths("7dQh4h").strengths) == 49 * 48 // 2


def test_shipped_tables_are_those_the_rules_give() -> None:
    """The file is pinned by a hash and equals a fresh build."""
    assert fingerprint(rank_tables()) == SHA256
    assert fingerprint(build_rank_tables()) == SHA256


def test_keys_tell_all_multisets_apart() -> None:
    keys = np.array(find_rank_keys())
    for size in (5, 6, 7):
        sums = np.array(rank_multisets(size)) @ keys
        assert len(np.unique(sums)) == len(sums) == {5: 6175, 6: 18395, 7: 49205}[size]
        assert sums.max() < 1 << 23


def test_categories_have_names() -> None:
    assert str(category(7462)) == "straight flush"
    assert category(1) is Category.HIGH_CARD
    with pytest.raises(ParameterError):
        category(0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(CardError, match="five, six or seven"):
        strength("AcAd")
    with pytest.raises(ParameterError, match="rows of 5, 6 or 7"):
        strengths([[0, 1, 2]])
    with pytest.raises(CardError, match="0 to 51"):
        strengths([[0, 1, 2, 3, 52]])
    with pytest.raises(ParameterError, match="integers"):
        strengths([[0.0, 1.0, 2.0, 3.0, 4.0]])
    with pytest.raises(CardError, match="3, 4 or 5"):
        board_strengths("AcAd")
    with pytest.raises(ParameterError):
        count_hands(8)
