"""The README's figures are the stored ones, rounded."""

from __future__ import annotations

import pytest

from benchmarks import readme
from equiform.models.common.errors import ParameterError


def test_figures_are_the_stored_ones() -> None:
    text = readme.README.read_text(encoding="utf-8")
    assert readme.rewritten(text) == text, "run `python -m benchmarks --readme`"


def test_a_stale_figure_is_replaced() -> None:
    text = readme.README.read_text(encoding="utf-8")
    row = readme.table().splitlines()[2]
    stale = text.replace(row, "| something else | 1 s | |")
    assert stale != text
    assert readme.rewritten(stale) == text


def test_a_missing_row_says_which_benchmark_to_run() -> None:
    with pytest.raises(ParameterError, match="core-openspiel"):
        readme.LINES[0].text({"benchmarks": {}})
