"""Jamming probabilities of all equilibria, and the published charts they decide between."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiform.games.cards.charts import starting_hand
from equiform.games.tournament.push_fold import PushFold
from equiform.tournaments import solve_push_fold
from equiform.validation.certificates.push_fold import certify_push_fold, forced_calls, forced_jams
from equiform.validation.jam_ranges import jam_range
from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments.holdem_resources import CALL, FIRST, JAM, LAST, plays, printed
from equiform.validation.reproduce.tournaments.published_charts import chart_cells, equilibrium, hand_cells


@pytest.mark.parametrize(("hand", "verdict"), [("AA", "jam"), ("72o", "fold")])
def test_clear_hands(hand: str, verdict: str) -> None:
    found = jam_range(PushFold(Fraction(10)), hand)
    assert found.verdict == verdict
    assert found.bounds[0] - 1e-9 <= found.attained[0] <= found.attained[1] <= found.bounds[1] + 1e-9


def test_a_mixed_hand_is_open() -> None:
    found = jam_range(PushFold(Fraction(69, 10)), "94s")
    assert found.verdict == "open" and 0 < found.attained[0] <= found.attained[1] < 1


def test_bounds_from_another_chart_contain_every_equilibrium() -> None:
    """A calling chart that is wrong on purpose proves less, but nothing false."""
    game = PushFold(Fraction(10))
    found = solve_push_fold(game)
    blurred = 0.999 * found.call + 0.0005
    low, high = forced_jams(game, blurred, found.certificate.lower)
    assert (low <= found.jam + 1e-9).all() and (found.jam <= high + 1e-9).all()
    assert 0.9 < low[starting_hand("AA")] < 1 and (high - low).sum() > 1.0
    assert np.isfinite(low).all() and np.isfinite(high).all()


def test_bounds_of_calls_from_another_chart_contain_every_equilibrium() -> None:
    game = PushFold(Fraction(10))
    found = solve_push_fold(game)
    blurred = 0.999 * found.jam + 0.0005
    low, high = forced_calls(game, blurred, found.certificate.upper)
    assert (low <= found.call + 1e-9).all() and (found.call <= high + 1e-9).all()
    assert 0.9 < low[starting_hand("AA")] < 1 and (high - low).sum() > 1.0


def test_what_is_forced_is_all_that_can_be_lost() -> None:
    """Folding a hand whose call is forced costs the big blind something; a hand with open bounds costs nothing."""
    game = PushFold(Fraction(10))
    found = solve_push_fold(game)
    low, high = forced_calls(game, found.jam, found.certificate.upper)
    for hand in range(169):
        other = found.call.copy()
        other[hand] = 1.0 - np.rint(other[hand])
        # the small blind's equilibrium strategy gets no less, and more exactly if the bounds forbid the change
        changed = certify_push_fold(game, found.jam, other).upper
        assert changed >= found.certificate.upper - 1e-12
        if low[hand] > 0.5 or high[hand] < 0.5:
            assert changed > found.certificate.upper + 1e-12


# -- HoldemResources' chart --------------------------------------------------------------------------------------------


def test_the_chart_says_what_its_instructions_say() -> None:
    """The examples on the publisher's page of instructions: T3s, Q2o, and the two ranges of 63s."""
    hands = {name: starting_hand(name) for name in ("T3s", "Q2o", "63s", "22", "AA")}
    assert printed(JAM)[hands["T3s"]] == "7.7" and printed(CALL)[hands["Q2o"]] == "5.6"
    assert plays(JAM, 60)[hands["T3s"]] and not plays(CALL, 60)[hands["Q2o"]]
    jammed = [tenth for tenth in range(FIRST, LAST + 1) if plays(JAM, tenth)[hands["63s"]]]
    assert jammed == [*range(10, 24), *range(51, 72)]
    assert plays(JAM, LAST)[hands["AA"]] and not plays(CALL, 151)[hands["22"]]


@pytest.mark.parametrize("tenth", [20, 57, 100, 143, 198])
def test_the_chart_plays_what_is_proved(tenth: int) -> None:
    """All hands whose play is proved, but for one at most: a stack per hand simplifies."""
    ours = equilibrium(tenth)
    for action in (JAM, CALL):
        decided = (ours.low[action] > 0.999) | (ours.high[action] < 0.001)
        assert decided.sum() >= 165
        assert (plays(action, tenth)[decided] != (ours.low[action] > 0.5)[decided]).sum() <= 1
        assert -1e-12 < ours.losses[action] < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("action", [JAM, CALL])
def test_all_hands_of_the_chart(action: str) -> None:
    cells = chart_cells(action, FIRST, LAST)
    assert len(cells) == 169 + 4
    assert not any(cell.verdict is Verdict.MISMATCH for cell in cells)


@pytest.mark.slow
def test_two_published_charts() -> None:
    """87o: 14.7 in one chart, 15.2 in another; at 15.2 folding is proved."""
    cells = {(c.row, c.column): c for c in hand_cells("87o")}
    assert cells["87o", "HoldemResources"].verdict is Verdict.MATCH
    assert cells["87o", "another chart"].verdict is Verdict.MISMATCH
    assert cells["87o at 15.2", "jams"].high == pytest.approx(0, abs=1e-3)
    assert cells["87o at 14.7", "jams"].low == pytest.approx(1, abs=1e-3)
