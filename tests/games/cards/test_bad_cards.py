"""Cards, deals, counts and tables that are not what they should be: refused by type, before any work."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.games.cards.card import LEDUC, STANDARD, CardError, Deck, DuplicateCardError, cards_text, parse
from equiform.games.cards.charts import draw_chart, starting_hand
from equiform.games.cards.equity import Equity, NextCards, equity, next_card_equities, river_distribution, score_bins
from equiform.games.cards.evaluator import board_strengths, category, count_hands, strength, strengths
from equiform.games.cards.indexing import HandIndexer, colex_index, colex_unindex, hand_indexer, multiset_index
from equiform.games.cards.one_card import LEDUC as LEDUC_GAME
from equiform.games.cards.one_card import OneCardGame, pair_or_rank, three_card_strengths
from equiform.games.cards.rounds import cache, tables
from equiform.games.cards.rounds.cache import CacheError, cached_array, new_array
from equiform.games.cards.rounds.histograms import fill_histograms, preflop_histograms
from equiform.games.cards.rounds.river_scores import river_score_counts, river_scores
from equiform.games.cards.rounds.sweep import (
    board_rows,
    earlier_table,
    preflop_table,
    river_table,
    run_in_threads,
    spread_table,
)
from equiform.games.cards.rounds.tables import ehs_table, histogram_table
from equiform.games.cards.rounds.transitions import transition_histograms
from equiform.games.cards.showdown import showdown
from equiform.models.common.errors import ParameterError
from tests.helpers.refusals import BAD_COUNTS, Case, Use, refusal, refused

NAN = float("nan")
ONE, TWO = HandIndexer((1,), LEDUC), HandIndexer((1, 1), LEDUC)
BUCKETS = np.arange(TWO.sizes[1]) % 3
NEXT = next_card_equities("KcQc", "7dQh4h2s")
RIVER = parse("KcQc7dQh4h2s3c")

# -- one hand ----------------------------------------------------------------------------------------------------------

NOT_CARDS: list[Any] = [
    None,
    3,
    1.5,
    ...,
    b"KcQc",
    [None],
    [0.5, 1.0],
    [True, False],
    [-1, 3],
    [52, 1],
    [[0, 1]],
    "Kx",
]
HANDS: dict[str, Use] = {
    "cards": STANDARD.cards,
    "equity": equity,
    "river": lambda hand: river_distribution(hand, "7dQh4h2s"),
    "board": lambda board: equity("KcQc", board),
    "next card": lambda board: next_card_equities("KcQc", board),
    "showdown": showdown,
    "strength": strength,
    "board strengths": board_strengths,
    "one card": LEDUC_GAME.equity,
    "public card": lambda board: LEDUC_GAME.equity("Ks", board),
}


@pytest.mark.parametrize("cards", NOT_CARDS, ids=repr)
@pytest.mark.parametrize("use", HANDS)
def test_what_are_not_cards(use: str, cards: object) -> None:
    refusal(CardError, lambda: HANDS[use](cards))


@pytest.mark.parametrize("cards", [[51, 51, 0, 1, 2], np.array([7, 7])], ids=["five", "two"])
def test_cards_that_come_twice(cards: Any) -> None:
    refusal(DuplicateCardError, lambda: STANDARD.cards(cards), "appears twice")


@pytest.mark.parametrize("cards", [[-1], [52], [1.5], [True], [None], 3], ids=repr)
def test_only_cards_have_names(cards: Any) -> None:
    refusal(CardError, lambda: cards_text(cards))  # -1 used to be the ace of spades


@pytest.mark.parametrize("text", [None, 3, b"KcQc", ["Kc"]], ids=repr)
def test_names_of_cards_are_texts(text: Any) -> None:
    refusal(CardError, lambda: parse(text))
    refusal(CardError, lambda: STANDARD.card(text))
    refusal(ParameterError, lambda: starting_hand(text), "is not a starting hand")


@pytest.mark.parametrize(
    ("ranks", "suits"), [("", "c"), ("AKQ", ""), ("AAK", "cd"), ("AKQ", "cc"), ("akq", "c"), ("AK", "C")]
)
def test_decks_whose_cards_cannot_be_named(ranks: str, suits: str) -> None:
    refusal(CardError, lambda: Deck("odd", ranks, suits), "deck 'odd'")


def test_decks_are_made_of_texts() -> None:
    refusal(ParameterError, lambda: Deck("odd", None, "cd"), "ranks is None")  # type: ignore[arg-type]
    refusal(ParameterError, lambda: Deck("odd", "AK", 4), "suits is 4")  # type: ignore[arg-type]


# -- rows of deals -----------------------------------------------------------------------------------------------------

NOT_ROWS: list[Any] = [
    None,
    ...,
    "KcQc",
    3,
    [],
    [0, 1],
    [[0, 1], [2]],
    [["a", "b"]],
    [[2**70, 1]],
    [[None, 1]],
    np.zeros((2, 2, 2), dtype=int),
    np.ones((1, 7), dtype=bool),
]
ROWS: dict[str, tuple[int, Callable[[Any], object]]] = {
    "index": (2, hand_indexer(2).index),
    "orbits": (2, hand_indexer(2).orbits),
    "river scores": (7, river_scores),
    "strengths": (7, strengths),
    "three cards": (3, three_card_strengths),
}


@pytest.mark.parametrize("deals", NOT_ROWS, ids=repr)
@pytest.mark.parametrize("use", ROWS)
def test_what_are_not_rows_of_deals(use: str, deals: object) -> None:
    refusal(CardError, lambda: ROWS[use][1](deals))


@pytest.mark.parametrize("use", ROWS)
def test_rows_of_impossible_cards(use: str) -> None:
    width, rank = ROWS[use]
    good = np.arange(2 * width).reshape(2, width)
    assert len(rank(good)) == 2  # type: ignore[arg-type]
    for entry in (52, -1, NAN, 0.5, 300):
        bad = good.astype(type(entry))
        bad[1, -1] = entry
        refusal(CardError, lambda bad=bad: rank(bad))  # type: ignore[misc]
    good[1, -1] = good[1, 0]
    refusal(DuplicateCardError, lambda: rank(good), STANDARD.text(good[1, :1]))


# -- counts ------------------------------------------------------------------------------------------------------------

COUNTS: dict[str, Use] = {
    "bins": score_bins,
    "bins of the river": river_distribution("KcQc", "7dQh4h2s").histogram,
    "bins of the next card": NEXT.histogram,
    "bins of a table": lambda n: histogram_table("flop", n),
    "strength": category,
    "size of hands": count_hands,
    "cards of a round": lambda n: HandIndexer((n,)),
    "cards of a standard round": hand_indexer,
    "size of boards": lambda n: board_rows(None, n),
    "wins": lambda n: Equity(0, 0, n),
}
#: None leaves it to us.
OPTIONAL: dict[str, Use] = {
    "river scores": lambda n: river_scores([RIVER], threads=n),
    "river table": lambda n: river_table([0], threads=n),
    "score counts": lambda n: river_score_counts([0], threads=n),
    "transitions": lambda n: transition_histograms(ONE, TWO, BUCKETS, threads=n),
    "equities": lambda n: ehs_table("preflop", threads=n),
    "histograms": lambda n: histogram_table("preflop", threads=n),
    "buckets": lambda n: transition_histograms(ONE, TWO, BUCKETS, n_buckets=n),
    "pieces": lambda n: run_in_threads(lambda begin, end: None, 3, "stage", n, None),
}


@pytest.mark.parametrize("count", BAD_COUNTS, ids=repr)
@pytest.mark.parametrize("use", COUNTS)
def test_counts(use: str, count: object) -> None:
    refusal(ParameterError, lambda: COUNTS[use](count), " is ", "use a whole number")


@pytest.mark.parametrize("count", [c for c in BAD_COUNTS if c is not None], ids=repr)
@pytest.mark.parametrize("use", OPTIONAL)
def test_counts_that_may_be_left_out(use: str, count: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUIFORM_CACHE", str(tmp_path))  # no table is there: a sweep would begin
    refusal(ParameterError, lambda: OPTIONAL[use](count), "threads is " if use != "buckets" else "n_buckets is ")


# -- other arguments ---------------------------------------------------------------------------------------------------


def small_game(rule: Callable[[Any], Any], public: int = 1) -> OneCardGame:
    return OneCardGame("odd", LEDUC, public, rule)


ARGUMENTS: dict[str, Case] = {
    "rounds of nothing": (lambda: HandIndexer(()), ParameterError, "seven in all"),
    "a number for rounds": (lambda: HandIndexer(3), ParameterError, "rounds is 3"),  # type: ignore[arg-type]
    "half a card": (lambda: HandIndexer((2.5,)), ParameterError, "rounds[0] is 2.5"),  # type: ignore[arg-type]
    "a name for a deck": (lambda: HandIndexer((2,), "standard"), ParameterError, "deck is 'standard'"),  # type: ignore[arg-type]
    "a list for a round": (lambda: hand_indexer([2]), ParameterError, "rounds[0] is [2]"),  # type: ignore[arg-type]
    "half a class": (lambda: ONE.deals(0, [0.5]), ParameterError, "entry 0.5"),
    "a mask for classes": (lambda: ONE.deals(0, np.ones(3, dtype=bool)), ParameterError, "flatnonzero"),
    "a class of no deals": (lambda: ONE.deals(0, [[0]]), ParameterError, "shape (1, 1)"),
    "true rounds": (lambda: ONE.deals(False, [0]), ParameterError, "round is False"),
    "sets of halves": (lambda: colex_index([[0, 0.5]]), ParameterError, "entry 0.5"),
    "sets of eight": (lambda: colex_index([range(8)]), ParameterError, "8 members"),
    "sets of sets": (lambda: colex_index(np.zeros((2, 2, 2))), ParameterError, "one per row"),
    "no number of a set": (lambda: colex_unindex([NAN], 2), ParameterError, "entry nan"),
    "a set of half a size": (lambda: colex_unindex([0], 1.5), ParameterError, "size is 1.5"),  # type: ignore[arg-type]
    "multisets beyond 64 bits": (lambda: multiset_index([[10**7] * 7]), ParameterError, "no 64-bit index"),
    "multisets without end": (lambda: multiset_index([[1] * 100]), ParameterError, "no 64-bit index"),
    "more wins than hands": (lambda: Equity(3, 0, 2), ParameterError, "wins is 3"),
    "more ties than are left": (lambda: Equity(1, 2, 2), ParameterError, "ties is 2"),
    "no rule of strength": (lambda: small_game(None), ParameterError, "strengths is None"),  # type: ignore[arg-type]
    "no deck to pair": (lambda: pair_or_rank(None), ParameterError, "deck is None"),  # type: ignore[arg-type]
    "more rounds than cards": (lambda: small_game(pair_or_rank(LEDUC), 5), ParameterError, "public_rounds is 5"),
    "strengths that are nan": (lambda: small_game(lambda h: h[:, 0] * NAN).equities, ParameterError, "entry nan"),
    "too few strengths": (lambda: small_game(lambda h: h[:3, 0]).equities, ParameterError, "shape (3,)"),
    "showdowns without end": (
        lambda: OneCardGame("endless", STANDARD, 4, pair_or_rank(STANDARD)).equities,
        ParameterError,
        "showdowns to compare",
    ),
    "no board": (lambda: river_table([134_459]), ParameterError, "entry 134459"),
    "half a board": (lambda: river_score_counts([0.5]), ParameterError, "entry 0.5"),
    "a mask of boards": (lambda: board_rows(np.ones(1755, dtype=bool), 3), ParameterError, "flatnonzero"),
    "turns of too few rivers": (lambda: earlier_table(np.zeros((3, 1326, 2)), 4), ParameterError, "of shape"),
    "an earlier round of rivers": (lambda: earlier_table(np.zeros(3), 5), ParameterError, "size is 5"),
    "starting hands of turns": (
        lambda: preflop_table(np.zeros((3, 1326, 2), dtype=np.uint32)),
        ParameterError,
        "of shape",
    ),
    "hands of other boards": (
        lambda: spread_table(np.zeros(3), 3, (2, 4), np.zeros(3)),
        ParameterError,
        "not those of rounds",
    ),
    "hands of too few boards": (
        lambda: spread_table(np.zeros((3, 1326, 2)), 3, (2, 3), np.zeros((5, 2))),
        ParameterError,
        "of shape",
    ),
    "histograms of other rounds": (
        lambda: fill_histograms(np.zeros(3, dtype=np.uint16), (2, 5), np.zeros(3)),
        ParameterError,
        "(2, 3) or (2, 4)",
    ),
    "histograms of no river": (lambda: preflop_histograms(np.zeros(3, dtype=np.uint16), 5), ParameterError, "(3,)"),
    "no such round": (lambda: ehs_table("street"), ParameterError, "no round 'street'"),
    "a list for a round's name": (lambda: ehs_table(["flop"]), ParameterError, "no round ['flop']"),  # type: ignore[arg-type]
    "a number for a folder": (lambda: ehs_table("preflop", folder=3), ParameterError, "folder is 3"),  # type: ignore[arg-type]
    "no chart": (lambda: draw_chart([1.0, 2.0]), ParameterError, "shape (2,)"),
    "a chart of words": (lambda: draw_chart(["a"] * 169), ParameterError, "not an array of numbers"),
    "a chart of other texts": (lambda: draw_chart(np.zeros(169), text="{hand}"), ParameterError, "not a format"),
    "a chart of no colours": (lambda: draw_chart(np.zeros(169), cmap="grue"), ParameterError, "cannot draw"),
    "a chart on no axes": (lambda: draw_chart(np.zeros(169), ax=3), ParameterError, "cannot draw"),
    "transitions of no indexer": (
        lambda: transition_histograms(None, TWO, BUCKETS),  # type: ignore[arg-type]
        ParameterError,
        "current is None",
    ),
    "half a bucket": (lambda: transition_histograms(ONE, TWO, BUCKETS + 0.5), ParameterError, "entry 0.5"),
    "buckets that are nan": (lambda: transition_histograms(ONE, TWO, BUCKETS * NAN), ParameterError, "entry nan"),
    "a bucket without end": (lambda: transition_histograms(ONE, TWO, BUCKETS + 10**12), ParameterError, "entry 1000"),
    "rounds that split a hand": (
        lambda: transition_histograms(HandIndexer((2,), LEDUC), HandIndexer((1, 2), LEDUC), np.zeros(99)),
        ParameterError,
        "splits cards that came together",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments(case: str) -> None:
    refused(ARGUMENTS[case])


# -- the cache ---------------------------------------------------------------------------------------------------------


def archive(path: Path) -> None:
    with path.open("wb") as stream:
        np.savez(stream, a=np.zeros(4))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path.write_bytes(b""),
    "an archive": archive,
    "half a header": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "another header": lambda path: path.write_bytes(path.read_bytes().replace(b"'descr'", b"'de((r'")),
    "text": lambda path: path.write_text("a table"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_tables_are_built_anew(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "table.npy"

    def build() -> None:
        with new_array(path, (4,), np.uint8) as array:
            array[:] = 7

    build()
    DAMAGE[damage](path)
    assert cached_array(path, (4,), np.uint8, build).tolist() == [7] * 4


def test_a_folder_that_cannot_be_written_is_refused_before_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sweep(**_: object) -> None:
        raise AssertionError("the sweep began")

    monkeypatch.setattr(tables, "river_table", sweep)
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "null\0byte"):
        refusal(CacheError, lambda folder=folder: ehs_table("flop", folder=folder), "cannot write")  # type: ignore[misc]
        refusal(CacheError, lambda folder=folder: histogram_table("flop", folder=folder), "cannot write")  # type: ignore[misc]


def test_a_table_that_cannot_take_its_name(tmp_path: Path) -> None:
    (tmp_path / "table.npy" / "inside").mkdir(parents=True)

    def write() -> None:
        with new_array(tmp_path / "table.npy", (4,), np.uint8) as array:
            array[:] = 7

    refusal(cache.CacheError, write, "cannot write a table")
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.npy"]


# -- answers that were wrong without a word ----------------------------------------------------------------------------


def test_an_equity_on_the_end_of_an_interval_belongs_to_the_next() -> None:
    """In floats seven tenths times 90 is less than 63."""
    assert int(0.7 * 90) == 62
    for bins in (90, 170, 1980):
        ends = np.arange(bins) / bins
        assert NextCards((), (), tuple(range(bins)), ends).histogram(bins).tolist() == [1 / bins] * bins


def test_multiset_indices_up_to_the_last_that_fits() -> None:
    largest = 10**4
    expected = sum(comb(largest + place - 1, place) for place in range(1, 5))
    assert multiset_index([[largest] * 4]).tolist() == [expected]
