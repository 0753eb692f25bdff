"""Equities: the numbers of thesis chapter 5 to their printed digits, brute force, and one-card games."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import phevaluator
import pytest

from equiform.games.cards.card import CardError, DuplicateCardError, parse
from equiform.games.cards.equity import Equity, equity, next_card_equities, river_distribution
from equiform.games.cards.evaluator import strength
from equiform.games.cards.one_card import KUHN, LEDUC, RHODE_ISLAND, three_card_strengths
from equiform.games.cards.showdown import showdown
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError


@pytest.mark.parametrize(
    ("hand", "board", "printed"),
    [
        ("AcAd", "", ".852"),
        ("KcKd", "", ".824"),
        ("KcQc", "", ".634"),
        ("6c6d", "", ".633"),
        ("KcQc", "7dQh4h2s3c", ".856"),
        ("TcQd", "7h9hQh", ".683"),
        ("5c9d", "3d5d7d", ".679"),
        ("TcQd", "7h9hQhAd", ".695"),
    ],
)
def test_expected_hand_strength_of_thesis_chapter_5(hand: str, board: str, printed: str) -> None:
    assert f"{equity(hand, board).ehs:.3f}" == "0" + printed


def test_aces_win_and_tie() -> None:
    """The thesis prints 84.93% and 0.55%. Exactly, aces tie 0.5436% of the time: the second figure is 0.54%."""
    aces = equity("AcAd")
    assert f"{aces.win:.2%}" == "84.93%"
    assert f"{aces.tie:.2%}" == "0.54%"
    assert aces.total == 2118760 * 990


def earth_movers_distance(one: FloatArray, other: FloatArray) -> float:
    return float(np.abs(np.cumsum(one - other)).sum())


def test_river_histograms_of_the_two_flop_hands() -> None:
    """Thesis 5.1.2: EMD .559, in equity intervals, for fifty intervals and unit mass."""
    top_pair = river_distribution("TcQd", "7h9hQh").histogram(50)
    draw = river_distribution("5c9d", "3d5d7d").histogram(50)
    assert top_pair.sum() == pytest.approx(1) and len(draw) == 50
    assert f"{earth_movers_distance(top_pair, draw):.3f}" == "0.559"


def test_figures_5_1_and_5_2() -> None:
    """6c6d often has a river equity of .5 to .7 and rarely .7 to .9; the reverse is true for KcQc."""
    sixes = river_distribution("6c6d").histogram()
    king_queen = river_distribution("KcQc").histogram()
    assert sixes[25:35].sum() > king_queen[25:35].sum()
    assert sixes[35:45].sum() < king_queen[35:45].sum()


def test_figures_5_9_and_5_10() -> None:
    """A large portion of the time TcQd has a turn strength of .68 to .78, and 5c9d one of .56 to .66."""
    top_pair, draw = next_card_equities("TcQd", "7h9hQh"), next_card_equities("5c9d", "3d5d7d")
    assert top_pair.histogram()[34:39].sum() > 0.5
    assert draw.histogram()[28:33].sum() > 0.5
    assert top_pair.ehs.mean() == pytest.approx(equity("TcQd", "7h9hQh").ehs)


def test_interval_of_the_thesis_example() -> None:
    """KcQc on 7dQh4h2s3c has .856 and falls into 0.84–0.86."""
    assert river_distribution("KcQc", "7dQh4h2s3c").histogram(50)[42] == 1


def naive_equity(hand: tuple[int, ...], board: tuple[int, ...]) -> Equity:
    """By the definition, with another library's evaluator."""
    rest = [card for card in range(52) if card not in hand + board]
    wins = ties = total = 0
    for runout in combinations(rest, 5 - len(board)):
        full = board + runout
        mine = phevaluator.evaluate_cards(*hand, *full)
        for theirs in combinations([card for card in rest if card not in runout], 2):
            other = phevaluator.evaluate_cards(*theirs, *full)
            wins += mine < other
            ties += mine == other
            total += 1
    return Equity(wins, ties, total)


@pytest.mark.parametrize("seed", range(6))
def test_turn_and_river_equities_by_brute_force(seed: int) -> None:
    cards = tuple(int(card) for card in np.random.default_rng(seed).permutation(52)[:7])
    for size in (6, 7):
        hand, board = cards[:2], cards[2:size]
        assert equity(hand, board) == naive_equity(hand, board)


@pytest.mark.parametrize(
    ("hand", "board"), [("AcAd", "AhAsKc"), ("7c2d", "7h2s9c"), ("9h8h", "7h6h2c"), ("3c3d", "KhKsKc")]
)
def test_interchangeable_suits_lose_nothing(hand: str, board: str) -> None:
    """Flops with different suit symmetries: the mean over all turn cards, each a call without that symmetry."""
    private, public = parse(hand), parse(board)
    turns = [equity(private, (*public, card)) for card in range(52) if card not in private + public]
    whole = equity(private, public)
    assert 2 * whole.wins == sum(turn.wins for turn in turns)
    assert 2 * whole.ties == sum(turn.ties for turn in turns)
    assert 2 * whole.total == sum(turn.total for turn in turns)


def test_completions_are_all_counted() -> None:
    assert river_distribution("AcKd").scores.sum() == 2118760
    assert river_distribution("AcKd", "2h3h4s").scores.sum() == 1081
    assert river_distribution("AcKd", "2h3h4s5s").scores.sum() == 46


@pytest.mark.parametrize("seed", range(20))
def test_showdown_by_brute_force(seed: int) -> None:
    board = np.random.default_rng(seed).permutation(52)[:5]
    found = showdown(board)
    hands = found.hands
    disjoint = (hands[:, None, :, None] != hands[None, :, None, :]).all(axis=(2, 3))
    better = found.strengths[:, None] > found.strengths[None, :]
    equal = found.strengths[:, None] == found.strengths[None, :]
    assert np.array_equal(found.wins, (better & disjoint).sum(axis=1))
    assert np.array_equal(found.ties, (equal & disjoint).sum(axis=1))
    assert found.strengths[7] == strength([*hands[7], *board])
    assert found.equity.mean() == pytest.approx(0.5)


def test_showdown_of_one_hand() -> None:
    found = showdown("7dQh4h2s3c")
    assert found.equity_of("QcKc") == equity("KcQc", "7dQh4h2s3c").exact
    with pytest.raises(DuplicateCardError):
        found.equity_of("7dKc")


def test_bad_input_is_refused() -> None:
    with pytest.raises(DuplicateCardError):
        equity("KcQc", "KcQh2s")
    with pytest.raises(CardError, match="public cards"):
        equity("KcQc", "7d")
    with pytest.raises(CardError, match="public cards"):
        next_card_equities("KcQc", "7dQh4h2s3c")
    with pytest.raises(CardError, match="five public cards"):
        showdown("7dQh4h")
    with pytest.raises(ParameterError, match="bins"):
        river_distribution("KcQc", "7dQh4h2s3c").histogram(0)


# -- one private card --------------------------------------------------------------------------------------------------


def test_three_card_categories() -> None:
    """Counts of three-card poker: high card, pair, flush, straight, three of a kind, straight flush; 22,100 in all."""
    hands = np.array(list(combinations(range(52), 3)))
    counts = np.bincount(three_card_strengths(hands) // 13**3)
    assert counts.tolist() == [16440, 3744, 1096, 720, 52, 48]
    assert len(np.unique(three_card_strengths(hands))) == 13 * 12 + 13 + 2 * 12 + 2 * (286 - 12)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2c3c4c", "AsAdAh"),
        ("2c2d2h", "AcKdQh"),
        ("Ac2d3h", "AcKcTc"),
        ("2c3d4h", "Ac2d3h"),
        ("2c4c7c", "AcAdKh"),
        ("KcKd2h", "QcQdAh"),
        ("KcKd3h", "KhKs2h"),
        ("AcKd3h", "AcKd2h"),
    ],
)
def test_order_of_three_card_hands(better: str, worse: str) -> None:
    first, second = three_card_strengths([parse(better), parse(worse)])
    assert first > second


def test_rhode_island_equities_by_enumeration() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        hole, flop, turn = (int(card) for card in rng.permutation(52)[:3])
        others = [card for card in range(52) if card not in (hole, flop, turn)]
        strengths = three_card_strengths([[card, flop, turn] for card in [hole, *others]])
        found = RHODE_ISLAND.equity([hole], [flop, turn])
        assert found == Equity(
            int((strengths[1:] < strengths[0]).sum()), int((strengths[1:] == strengths[0]).sum()), 49
        )


def test_rhode_island_rounds_are_consistent() -> None:
    for flop in (0, 1, 4, 51):
        turns = [RHODE_ISLAND.equity([20], [flop, card]).exact for card in range(52) if card not in (20, flop)]
        assert RHODE_ISLAND.equity([20], [flop]).exact == sum(turns) / 50
    ranks = [float(RHODE_ISLAND.equity([4 * rank]).exact) for rank in range(13)]
    assert sum(ranks) / 13 == pytest.approx(0.5)
    assert max(ranks) == ranks[12]


def test_leduc_and_kuhn() -> None:
    """Leduc before the public card: a king beats J and Q unless they pair; by hand, of 5 opponents times 4 boards."""
    assert LEDUC.equity("Kh").exact == Fraction(2 * (4 * 4 - 4) + 4, 2 * 20)
    assert LEDUC.equity("Js", "Jh").exact == 1
    assert KUHN.equity("Q").exact == Fraction(1, 2)
    with pytest.raises(CardError, match="one private card"):
        LEDUC.equity("KhQs")
    with pytest.raises(CardError, match="one private card"):
        KUHN.equity("K", "Q")
