"""``equiform holdem``: solving, asking, sizes and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equiform.cli.app import app
from equiform.models.common.errors import ParameterError
from tests.helpers.holdem_buckets import tiny_abstraction


def test_a_game_is_solved_and_asked(tmp_path: Path) -> None:
    tiny_abstraction().write(tmp_path / "tiny.npz")
    run = ["holdem", "--run", str(tmp_path / "run"), "--json"]
    given = ["--abstraction", str(tmp_path / "tiny.npz"), "--rounds", "2", "--raises", "1", "--flops", "2"]
    solved = CliRunner().invoke(app, [*run, *given, "--until", "gap=0.01"])
    found = json.loads(solved.stdout)
    assert found["buckets"] == [3, 6] and found["small_bets_per_hand"]["nash_conv"] <= 0.0101
    gaps = [moment["gap"] for moment in found["history"]]
    assert gaps[0] > gaps[-1] == pytest.approx(found["small_bets_per_hand"]["nash_conv"], abs=1e-6)
    asked = json.loads(CliRunner().invoke(app, [*run, "--hand", "AhKh", "--line", ""]).stdout)
    assert sum(asked["probabilities"].values()) == pytest.approx(1)


def test_sizes_and_refusals() -> None:
    plan = json.loads(CliRunner().invoke(app, ["holdem", "--dry-run", "15,225,900", "--json"]).stdout)
    assert plan["sequences"] == [757741, 757726]
    refused = CliRunner().invoke(app, ["holdem"])
    assert isinstance(refused.exception, ParameterError)
