"""Chapter 9's tables beside the stored equilibrium: what the whole must add up to."""

from __future__ import annotations

import pytest

from equiform.games.cards.charts import chart_classes, starting_hands
from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments.solution import THESIS, stored_summary
from equiform.validation.reproduce.tournaments.tables import (
    CHARTS,
    SITUATIONS,
    as_probability,
    chart_cells,
    frequency_cells,
    icm_cells,
    printed_chart,
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
    """The numbers of Table 9.14 are shares of hands, by the thesis's own charts."""
    sizes = [6 if len(n) == 2 else 4 if n.endswith("s") else 12 for n in starting_hands()]
    for k, (_, tournament, single) in enumerate(SITUATIONS):
        for table, printed in ((f"9.{2 + k}", tournament), (f"9.{8 + k}", single)):
            shares = zip(printed_chart(table), chart_classes(), strict=True)
            total = sum(as_probability(text) * sizes[c] for row, cs in shares for text, c in zip(row, cs, strict=True))
            assert total / 1326 == pytest.approx(float(printed), abs=0.005)
    assert sum(1 for cell in frequency_cells() if cell.printed) == 12


def test_the_ranking_is_that_of_face_up_jams() -> None:
    *ranks, largest = ranking_cells()
    assert sum(c.verdict == Verdict.MATCH for c in ranks) == 169 and largest.ours == 0
