"""Heads-up charts: linear program against iteration, the proof by the table, and what two players do."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from equiform.games.cards.charts import starting_hand
from equiform.games.tournament.face_up import face_up_stacks
from equiform.games.tournament.push_fold import PushFold
from equiform.models.common.errors import ParameterError
from equiform.tournaments import solve_push_fold
from tests.helpers.refusals import refusal

FORTY = [Fraction(k, 8) for k in range(8, 200, 5)] + [Fraction(25)]


def agree(stack: Fraction) -> None:
    """The program and regret matching prove values whose intervals meet within 1e-6 big blinds."""
    game = PushFold(stack)
    program, iterated = solve_push_fold(game), solve_push_fold(game, method="cfr+", gap=5e-7)
    assert program.certificate.gap < 1e-6 and iterated.certificate.gap < 1e-6
    assert abs(program.value - iterated.value) < 1e-6


@pytest.mark.parametrize("stack", [Fraction(3, 2), Fraction(10)])
def test_program_and_iteration_agree(stack: Fraction) -> None:
    agree(stack)


@pytest.mark.slow
def test_program_and_iteration_agree_at_forty_stacks() -> None:
    assert len(FORTY) == 40
    for stack in FORTY:
        agree(stack)


def test_ten_big_blinds() -> None:
    found = solve_push_fold(PushFold(Fraction(10)))
    jam, call = found.jam, found.call
    for hand in ("AA", "22", "A2o", "K2s", "T9s"):
        assert jam[starting_hand(hand)] == pytest.approx(1.0, abs=1e-6)
    for hand in ("72o", "32o", "42o"):
        assert jam[starting_hand(hand)] == pytest.approx(0.0, abs=1e-6)
    assert call[starting_hand("AA")] == pytest.approx(1.0) and call[starting_hand("72o")] == pytest.approx(0.0)
    assert ((jam > 1e-6) & (jam < 1 - 1e-6)).sum() <= 1  # Miltersen & Sørensen: one mixed hand at most


def test_antes_make_folding_dear() -> None:
    plain, ante = (solve_push_fold(PushFold(Fraction(10), ante=a)) for a in (Fraction(0), Fraction(1, 4)))
    assert ante.jam.sum() > plain.jam.sum() and ante.call.sum() > plain.call.sum()


def test_the_certificate_sees_bad_charts() -> None:
    from equiform.validation.certificates.push_fold import certify_push_fold

    game = PushFold(Fraction(10))
    always = certify_push_fold(game, np.ones(169), np.ones(169))
    best = solve_push_fold(game)
    assert always.lower < best.certificate.lower and always.upper > best.certificate.upper
    nobody = certify_push_fold(game, np.zeros(169), np.zeros(169))
    assert nobody.lower == pytest.approx(-0.5) and nobody.upper == pytest.approx(1.0)  # steal every time


def test_face_up_jams() -> None:
    stacks = face_up_stacks()
    order = [starting_hand(h) for h in ("AA", "KK", "AKs", "QQ", "AKo", "JJ", "AQs", "TT")]
    assert all(stacks[a] > stacks[b] for a, b in pairwise(order))
    assert stacks.argmin() == starting_hand("32o")


@pytest.mark.parametrize(
    ("stack", "words"), [("1/2", "a stack of 1/2"), ("ten", "the stack is 'ten'"), (-1, "-1"), (10**6, "1000000")]
)
def test_bad_stacks(stack: object, words: str) -> None:
    refusal(ParameterError, lambda: PushFold(stack), words)  # type: ignore[arg-type]
