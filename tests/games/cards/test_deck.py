"""Cards, decks, names, and the chart of starting hands."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from equiform.games.cards.card import (
    KUHN,
    LEDUC,
    STANDARD,
    CardError,
    Deck,
    DuplicateCardError,
    cards_text,
    hand_and_board,
    parse,
)
from equiform.games.cards.charts import chart_classes, draw_chart, starting_hand, starting_hands
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.errors import EquiformError, ParameterError


@pytest.mark.parametrize("deck", [STANDARD, LEDUC, KUHN])
def test_every_card_is_read_back_from_its_name(deck: Deck) -> None:
    everything = tuple(range(len(deck)))
    assert deck.parse(deck.text(everything)) == everything


def test_names_may_be_spaced_and_in_any_case() -> None:
    assert parse("kC, qc") == parse("KcQc") == (44, 40)
    assert cards_text(parse("7dQh4h2s3c")) == "7dQh4h2s3c"


@pytest.mark.parametrize("text", ["Kx", "1c", "K", "KcQ", "Kcc"])
def test_malformed_names_say_what_to_write(text: str) -> None:
    with pytest.raises(CardError, match="write a rank"):
        parse(text)


def test_duplicates_and_strangers_are_refused() -> None:
    with pytest.raises(DuplicateCardError, match="Kc appears twice"):
        parse("KcQcKc")
    with pytest.raises(DuplicateCardError):
        hand_and_board("KcQc", "7dQcQh")
    with pytest.raises(CardError, match="0 to 51"):
        STANDARD.cards([52])
    with pytest.raises(CardError, match="0 to 51"):
        STANDARD.cards([-1])
    with pytest.raises(CardError, match="two cards"):
        hand_and_board("Kc")
    with pytest.raises(CardError, match="public cards"):
        hand_and_board("KcQc", "7d")
    assert issubclass(DuplicateCardError, EquiformError)
    assert issubclass(CardError, ValueError)


def test_starting_hand_names() -> None:
    names = starting_hands()
    assert len(set(names)) == 169
    classes = hand_indexer(2).index([parse("AcAd"), parse("AhKh"), parse("AhKs"), parse("2s7d")])
    assert [names[c] for c in classes] == ["AA", "AKs", "AKo", "72o"]
    assert starting_hand("kas") == classes[1]
    with pytest.raises(ParameterError, match="AKs"):
        starting_hand("AA s")


def test_chart_puts_pairs_on_the_diagonal_and_suited_hands_above() -> None:
    cells = np.array(starting_hands())[chart_classes()]
    assert cells[0, 0] == "AA" and cells[12, 12] == "22"
    assert cells[0, 1] == "AKs" and cells[1, 0] == "AKo" and cells[3, 12] == "J2s"
    assert sorted(chart_classes().ravel()) == list(range(169))


def test_chart_is_a_figure_with_a_label_in_every_cell() -> None:
    figure = draw_chart(np.arange(169.0), title="class numbers", text="{name}")
    assert isinstance(figure, Figure)
    labels = {text.get_text() for text in figure.axes[0].texts}
    assert labels == set(starting_hands())
    shown = figure.axes[0].images[0].get_array()
    assert shown is not None and np.array_equal(shown, chart_classes())
    with pytest.raises(ParameterError, match="169"):
        draw_chart([1.0, 2.0])
