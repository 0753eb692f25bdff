"""Ranges against ranges: the table, the dealing of boards, and pairs of hands agree."""

from __future__ import annotations

from fractions import Fraction

import pytest

from equiform.games.cards.all_in.equities import showdown_equities
from equiform.games.poker.holdem.range_equity import range_equity
from equiform.games.poker.holdem.ranges import Range
from equiform.models.common.errors import ParameterError
from tests.helpers.refusals import refusal


def test_a_flop_is_the_mean_over_pairs() -> None:
    first, second, board = Range("AA"), Range("KK,QJs:0.5"), "7dQh4h"
    total, share = Fraction(0), Fraction(0)
    for mine, weight in first.without("7dQh4h").items():
        for theirs, other in second.without("7dQh4h").items():
            if {mine[:2], mine[2:]} & {theirs[:2], theirs[2:]}:
                continue
            equity = showdown_equities([mine, theirs], board)[0].exact
            total += Fraction(weight) * Fraction(other)
            share += Fraction(weight) * Fraction(other) * equity
    assert range_equity(first, second, board).equity == pytest.approx(float(share / total), abs=1e-12)


def test_before_the_flop_by_table_and_by_dealing() -> None:
    """AsAh against one pair of kings: by symmetry, the six ways to choose suits make up the table's number."""
    table = range_equity(Range("AA"), Range("KK"))
    hands = [f"K{a}K{b}" for a, b in ("cd", "ch", "cs", "dh", "ds", "hs")]
    dealt = [float(showdown_equities(["AcAd", kings])[0].exact) for kings in hands]
    assert table.equity == pytest.approx(sum(dealt) / 6, abs=1e-12)


def test_ranges_that_cannot_be_dealt() -> None:
    refusal(ParameterError, lambda: range_equity(Range("AcAd"), Range("AcKc")), "no pair of hands")
    refusal(ParameterError, lambda: range_equity(Range("AcAd,KcQd:0.3,22+"), Range("random")), "pairs of hands before")
