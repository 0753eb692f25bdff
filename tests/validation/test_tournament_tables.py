"""Chapter 9's tables beside the stored equilibrium: what the whole must add up to."""

from __future__ import annotations

import pytest

from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments.solution import THESIS, stored_summary
from equiform.validation.reproduce.tournaments.tables import (
    CHARTS,
    SITUATIONS,
    chart_cells,
    frequency_cells,
    hand_shares,
    icm_cells,
    printed_chart,
    printed_probabilities,
    ranking_cells,
)


def test_the_stored_equilibrium_was_checked() -> None:
    summary = stored_summary()
    assert summary.meta["certificate"]["epsilon"] < 0.001  # the thesis stopped at 0.049
    own = summary.meta["history"][-1][2]  # the solver's word, in single precision
    assert summary.meta["certificate"]["epsilon"] == pytest.approx(own, abs=1e-5)
    assert summary.values.sum(axis=1) == pytest.approx([100.0] * 946)
    assert summary.values.min() > 20.0 and summary.values.max() < 50.0
    assert summary.meta["tournament"] == THESIS.to_dict()


def test_charts_agree_with_the_thesis() -> None:
    """2,197 cells: nearly all on the same side of one half, and no printed chart loses a tenth of a cent as a whole."""
    same_side = near = 0.0
    for table, (state, _) in CHARTS.items():
        assert [len(row) for row in printed_chart(table)] == [13] * 13
        *cells, loss, within, side = chart_cells(table)
        assert len(cells) == 169
        same_side += side.ours
        near += within.ours
        assert 0 <= loss.ours < (0.5 if state == "single hand" else 0.001)  # chips of 13,500, dollars of 100
    assert len(CHARTS) == 13 and same_side >= 2170 and near >= 2150


def test_icm_deviations_and_the_worst_stacks() -> None:
    cells = {(c.row, c.column): c for c in icm_cells()}
    assert cells["states", "§9.3.2"].verdict == Verdict.MATCH
    assert cells["worst stacks", "state number"].verdict == Verdict.MATCH
    assert sum(c.ours for c in cells.values() if c.column == "Table 9.1") == 2838


def test_table_14_adds_up_the_printed_charts() -> None:
    """Its numbers are shares of hands, by the thesis's own charts; where ours differ, so do the charts."""
    assert hand_shares().sum() == pytest.approx(1.0)
    for k, (_, tournament, single) in enumerate(SITUATIONS):
        for table, printed in ((f"9.{2 + k}", tournament), (f"9.{8 + k}", single)):
            assert hand_shares() @ printed_probabilities(table) == pytest.approx(float(printed), abs=0.005)
    cells = [cell for cell in frequency_cells() if cell.printed]
    assert len(cells) == 12
    notes = {(c.row, c.column): c.note for c in cells}
    assert "Table 9.4 as printed adds up to 0.652" in notes["SB jam after fold", "tournament"]
    assert all("as printed adds up to" in c.note for c in cells if c.verdict is Verdict.MISMATCH)


def test_the_ranking_is_that_of_face_up_jams() -> None:
    *ranks, largest = ranking_cells()
    assert sum(c.verdict == Verdict.MATCH for c in ranks) == 169 and largest.ours == 0
