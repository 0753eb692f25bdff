"""The sweep over breakpoints as tasks: stored, resumed, and the same on every executor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from equiform.games.poker.signal_games import load_signal_game
from equiform.models.common.errors import FormatError, ParameterError
from equiform.runs import Progress
from equiform.validation.reproduce.parametric.breakpoint_sweep import SweepRow, parse_configuration, sweep

HIGHS = [parse_configuration("highs:unary")]


def untimed(rows: list[SweepRow]) -> list[SweepRow]:
    return [replace(row, seconds=0.0) for row in rows]


def test_a_sweep_is_stored_resumed_and_the_same_everywhere(tmp_path: Path) -> None:
    first = sweep("three-player", None, (3, 5), HIGHS, store=tmp_path)
    assert [r.breakpoints for r in first] == [3, 5] and first[1].epsilon is not None
    events: list[Progress] = []
    again = sweep("three-player", None, (3, 5, 6), HIGHS, store=tmp_path, on="processes:2", progress=events.append)
    assert again[:2] == first  # seconds too: they were read
    assert [(e.done, e.total) for e in events] == [(2, 3), (3, 3)]
    game, entry = load_signal_game("three-player")
    assert untimed(sweep(game, list(entry.models()), (3, 5, 6), HIGHS)) == untimed(again)


def test_ctrl_c_returns_the_rows_so_far() -> None:
    def stop(event: Progress) -> None:
        if event.done == 1:
            raise KeyboardInterrupt

    game, entry = load_signal_game("three-player")
    for found in (
        sweep("three-player", None, (3, 5), HIGHS, progress=stop),
        sweep(game, list(entry.models()), (3, 5), HIGHS, progress=stop),
    ):
        assert [row.breakpoints for row in found] == [3]


def test_what_cannot_be_sent_elsewhere_is_refused(tmp_path: Path) -> None:
    game, entry = load_signal_game("three-player")
    for options in ({"on": "processes:2"}, {"store": tmp_path}):
        with pytest.raises(ParameterError, match="objects"):
            sweep(game, list(entry.models()), (3,), HIGHS, **options)
    with pytest.raises(ParameterError, match="models"):
        sweep(game, None, (3,), HIGHS)
    with pytest.raises(FormatError, match="row"):
        SweepRow.from_dict({"breakpoints": 3})
