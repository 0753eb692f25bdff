"""Jamming probabilities of all equilibria, and the published charts they decide between."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiform.games.cards.charts import starting_hand
from equiform.games.tournament.push_fold import PushFold
from equiform.tournaments import solve_push_fold
from equiform.validation.certificates.push_fold import forced_jams
from equiform.validation.jam_ranges import jam_range
from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments.published_charts import hand_cells


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


@pytest.mark.slow
def test_two_published_charts() -> None:
    """87o: 14.7 in one chart, 15.2 in another; at 15.2 folding is proved."""
    cells = {(c.row, c.column): c for c in hand_cells("87o")}
    assert cells["87o", "chart 1"].verdict is Verdict.MATCH and cells["87o", "chart 2"].verdict is Verdict.MISMATCH
    assert cells["87o at 15.2", "jams"].high == pytest.approx(0, abs=1e-3)
    assert cells["87o at 14.7", "jams"].low == pytest.approx(1, abs=1e-3)
