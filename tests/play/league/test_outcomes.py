"""How often a hand wins over all boards that may come, and which ports and terms a match may have."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.games.cards.card import STANDARD
from equiform.models.common.errors import ParameterError
from equiform.play.league.local_best_response import outcomes
from equiform.play.league.players import open_pair
from equiform.play.protocols.server import Terms
from tests.helpers.refusals import refusal


def cards(text: str) -> tuple[int, ...]:
    return tuple(STANDARD.parse(text))


def test_hands_that_play_the_board_tie() -> None:
    """A royal flush lies on the board: ours ties with each of the 990 hands that are left."""
    wins, runs = outcomes(cards("2c2d"), cards("AsKsQsJsTs"), 0)
    assert runs.sum() == 45 * 44 / 2
    np.testing.assert_array_equal(wins, runs / 2)


def test_every_river_is_dealt_out() -> None:
    """Quads of aces on the turn lose to nothing; the river is one of the 46 cards left, 44 of them not theirs."""
    wins, runs = outcomes(cards("AcAd"), cards("AhAs7c2d"), 0)
    assert set(runs.tolist()) == {0.0, 44.0}
    np.testing.assert_array_equal(wins, runs)


def test_the_last_port_is_a_port() -> None:
    players, names, ports, _ = open_pair(("tcp:65535", "tcp:0"), game="limit")
    assert players == (None, None) and ports == (65535, 0) and names == ("program-1", "program-2")
    refusal(ParameterError, lambda: open_pair(("tcp:65536", "tcp:0"), game="limit"), "'65536' is not a port")


@pytest.mark.parametrize("name", ["connect", "answer", "per_hand"])
def test_terms_are_not_negative(name: str) -> None:
    refusal(ParameterError, lambda: Terms(**{name: -1.0}), name, "-1")  # type: ignore[arg-type]
