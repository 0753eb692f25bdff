"""``equiform spot`` and ``equiform spot-report``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.command_line import run, run_json

TOY = ("--board", "2c2d2h3c3d", "--pot", "100", "--stack", "100", "--oop", "AA,QQ", "--ip", "KK", "--bets", "a",
       "--raises", "a")  # fmt: skip


def test_a_spot_is_solved_shown_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = run(capsys, "spot", *TOY, "--until", "0.1%", "--out", str(tmp_path / "s.json"))
    assert "EV of player 1 7" in text and "of the pot" in text and "AdAc" in text
    found = run_json(capsys, "spot", *TOY, "--node", "all-in 100", "--against", str(tmp_path / "s.json"))
    assert found["certificate"]["bracket"][0] <= 75 <= found["certificate"]["bracket"][1]
    assert found["table"]["player"] == 2 and found["compared"]["ev"][0] == pytest.approx(75, abs=0.5)


def test_locks_buckets_and_trees(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "lock.json").write_text(
        json.dumps({"locks": [{"player": 2, "node": "all-in 100", "actions": {"fold": 1, "call": 0}}]})
    )
    found = run_json(capsys, "spot", *TOY, "--lock", str(tmp_path / "lock.json"))
    assert found["certificate"]["locked"] and found["ev"][0] == pytest.approx(100, abs=0.5)  # every bluff works
    assert run_json(capsys, "spot", *TOY, "--buckets", "2")["ev"][0] == pytest.approx(75, abs=0.5)
    assert "all-in 100  [player 2 to move]" in run(capsys, "spot", *TOY, "--tree")


def test_linear_programs(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "spot", *TOY, "--method", "lp", "--until", "gap=1e-8")
    assert found["ev"][0] == pytest.approx(75, abs=1e-5) and found["certificate"]["nash_conv"] <= 2e-8 * 100
    assert found["program"]["gap"] <= 1e-8 and found["program"]["rounds"] >= 1
    text = run(capsys, "spot", *TOY, "--concept", "une", "--node", "check")
    assert "une by 3 linear programs, gap" in text and "50.0%" in text
    assert run_json(capsys, "spot", *TOY, "--exact")["program"]["exact_ev"] == "75"
    assert "player 1 gets 75." in run(capsys, "spot", *TOY, "--method", "lp", "--exact")
    turn = ("--board", "2c2d2h3c", "--method", "lp")
    assert "cfr" in run_json(capsys, "spot", *TOY, *turn, code=2)["error"]["fix"]


def test_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    for change, kind in (
        (("--board", "2c2c2h3c3d"), "DuplicateCardError"), (("--oop", "AA,XX"), "RangeError"),
        (("--pot", "-1"), "ParameterError"), (("--bets", "7y"), "BetSizeError"), (("--rake", "0.05"), "Unsupported"),
        (("--until", "soon"), "ParameterError"), (("--lock", "/no/file"), "FormatError"),
    ):  # fmt: skip
        assert kind in run_json(capsys, "spot", *TOY, *change, code=2)["error"]["type"]


def test_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    boards = "2c2d2h3c3d,2c2d2h3cAs"
    arguments = ("spot-report", *TOY, "--boards", boards, "--folder", str(tmp_path))
    assert [row["board"] for row in run_json(capsys, *arguments)["rows"]] == boards.split(",")
    assert len(list(tmp_path.iterdir())) == 2 and "2c2d2h3cAs" in run(capsys, *arguments)
