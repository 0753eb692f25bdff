"""Chips and prizes: pots, ties, odd chips, ICM against its definition and against pokerkit."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.games.tournament.icm import icm
from equiform.games.tournament.settlement import settle
from equiform.games.tournament.structure import Tournament
from equiform.models.common.errors import ParameterError
from tests.helpers.refusals import refusal

THESIS = Tournament(13500, 300, 600, (50, 30, 20), 300)


def by_definition(stacks: list[float], payouts: list[float]) -> list[float]:
    """ICM by all orders of finishing."""
    prizes = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, float(sum(stacks))
        for i in order:
            chance *= stacks[i] / left
            left -= stacks[i]
        for place, i in enumerate(order):
            prizes[i] += chance * (payouts[place] if place < len(payouts) else 0.0)
    return prizes


@settings(deadline=None)  # the first example compiles
@given(
    st.lists(st.integers(1, 10_000), min_size=1, max_size=5),
    st.lists(st.integers(0, 100), min_size=1, max_size=5).map(lambda p: sorted(p, reverse=True)),
)
def test_icm_is_its_definition(stacks: list[int], payouts: list[int]) -> None:
    assert icm(stacks, payouts) == pytest.approx(by_definition(list(map(float, stacks)), list(map(float, payouts))))


def test_icm_of_the_thesis() -> None:
    """§9.8.3: the big blind's 900 chips of 300, 12,300 and 900."""
    assert icm([300, 12300, 900], [50, 30, 20]).round(2).tolist() == [22.96, 48.19, 28.85]


def test_pokerkit_agrees() -> None:
    analysis = pytest.importorskip("pokerkit.analysis", reason="an oracle, in the extra `oracles`")
    for stacks in ([5000.0, 4900.0, 100.0], [1.0, 2.0, 3.0, 4.0, 5.0], [70.0, 30.0]):
        theirs = analysis.calculate_icm((50.0, 30.0, 20.0)[: len(stacks)], stacks)
        assert icm(stacks, (50.0, 30.0, 20.0)[: len(stacks)]) == pytest.approx(list(theirs))


@pytest.mark.parametrize(
    ("stacks", "bets", "places", "after"),
    [
        ([5, 5, 5], [0, 1, 2], [None, None, 0], (5, 4, 6)),  # a walk
        ([5, 5, 5], [5, 1, 2], [0, None, None], (8, 4, 3)),  # everybody folds to a jam
        ([1, 3, 9], [1, 3, 9], [0, 1, 2], (3, 4, 6)),  # main pot, side pot, uncalled chips back
        ([1, 3, 9], [1, 3, 9], [2, 1, 0], (0, 0, 13)),
        ([1, 3, 9], [1, 3, 9], [0, 0, 2], None),  # a main pot of three cannot be halved
        ([4, 4, 5], [4, 4, 2], [0, 0, None], (5, 5, 3)),  # the folded blind is split
        ([1, 1, 9], [1, 0, 2], [0, None, None], (2, 1, 8)),  # a blind above the jam goes back
    ],
)
def test_pots(stacks: list[int], bets: list[int], places: list[Any], after: tuple[int, ...] | None) -> None:
    settled = settle(stacks, bets, places)
    assert sum(chance for chance, _ in settled) == 1
    if after is not None:
        assert settled == [(Fraction(1), after)]
    else:
        assert {s for _, s in settled} == {(1, 6, 6), (2, 5, 6)}
        assert {chance for chance, _ in settled} == {Fraction(1, 2)}
        assert len(settle(stacks, bets, places, odd_chip="first-seat")) == 1


@given(
    st.lists(
        st.tuples(st.integers(1, 20), st.integers(0, 20), st.integers(0, 2), st.booleans()), min_size=2, max_size=4
    )
)
def test_no_chip_is_lost(seats: list[tuple[int, int, int, bool]]) -> None:
    stacks = [s for s, _, _, _ in seats]
    bets = [min(s, b) for s, b, _, _ in seats]
    strengths = [p for _, _, p, _ in seats]
    live = [i for i, (_, _, _, stays) in enumerate(seats) if stays] or [0]
    places = [sum(strengths[j] > strengths[i] for j in live) if i in live else None for i in range(len(seats))]
    for chance, after in settle(stacks, bets, places):
        assert chance > 0 and sum(after) == sum(stacks) and min(after) >= 0
        for i in range(len(seats)):
            assert after[i] <= stacks[i] + sum(min(bets[i], b) for j, b in enumerate(bets) if j != i)
            if i not in live:  # who folds wins nothing
                assert after[i] <= stacks[i]


def test_states_are_numbered_as_they_come() -> None:
    states = THESIS.states()
    assert len(states) == 946  # thesis §9.3.2
    assert (THESIS.index_of_units(states) == np.arange(946)).all()
    assert THESIS.state_name(THESIS.state_index([4500, 4500, 4500])) == "4500,4500,4500"


@pytest.mark.parametrize(
    ("rule", "before", "places", "prizes"),
    [
        ("larger-stack", (2, 3, 5), (2, 1, 0), (20, 30, 50)),
        ("larger-stack", (2, 2, 5), (2, 1, 0), (25, 25, 50)),
        ("shared", (2, 3, 5), (2, 1, 0), (25, 25, 50)),
        ("better-hand", (3, 2, 5), (2, 1, 0), (20, 30, 50)),
        ("better-hand", (3, 2, 5), (1, 1, 0), (25, 25, 50)),
    ],
)
def test_two_out_in_one_hand(rule: str, before: Any, places: Any, prizes: tuple[int, ...]) -> None:
    game = Tournament(10, 1, 2, (50, 30, 20), 1, double_bust=rule)
    assert game.prizes_at_the_end(before, (0, 0, 10), places) == prizes


def test_prizes_with_two_left() -> None:
    assert THESIS.prizes_at_the_end((10, 15, 20), (0, 15, 30), (1, None, 0)) == pytest.approx(
        (20, 30 + 20 / 3, 30 + 40 / 3)
    )
    assert THESIS.prizes_at_the_end((10, 15, 20), (10, 15, 20), (1, None, 0)) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chips": 13501}, "chips: 13,501 is not a multiple"),
        ({"unit": 0}, "unit is 0"),
        ({"small_blind": 700, "unit": 100}, "blinds of 700/600"),
        ({"chips": 600}, "2 units for 3 players"),
        ({"payouts": (50, 30)}, "2 payouts for 3 players"),
        ({"payouts": (20, 30, 50)}, "payouts rise"),
        ({"payouts": (50, 30, -1)}, "entry -1"),
        ({"ante": 50}, "ante: 50 is not a multiple"),
        ({"double_bust": "coin"}, "no rule for double busts 'coin'"),
        ({"odd_chip": "me"}, "no rule for odd chips 'me'"),
        ({"players": 4}, "players is 4"),
    ],
)
def test_bad_tournaments(change: dict[str, Any], words: str) -> None:
    refusal(ParameterError, lambda: Tournament(**{**THESIS.to_dict(), **change}), words)


def test_bad_states_and_stacks() -> None:
    refusal(ParameterError, lambda: THESIS.state_index([4500, 4500, 4800]), "no state 4500, 4500, 4800")
    refusal(ParameterError, lambda: icm([1, 0], [1]), "player 2 has 0 chips")
    refusal(ParameterError, lambda: icm([], [1]), "stacks are empty")
    refusal(ParameterError, lambda: icm([1.0] * 30, [1]), "30 players")


def test_a_tournament_survives_json() -> None:
    assert Tournament(**THESIS.to_dict()) == THESIS
