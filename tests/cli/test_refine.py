"""The commands respond, gifts and qpe-table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from equiform.cli.equilibria import refine
from equiform.games.registry import load_game
from equiform.models.common.errors import ParameterError
from equiform.models.strategy import Strategy, read_profile, write_profile

app = typer.Typer()
app.command("respond")(refine.respond)
app.command("gifts")(refine.gifts)
app.command("qpe-table")(refine.qpe_table)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())  # wherever the lines were broken


def answer(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def test_respond_to_a_file(tmp_path: Path) -> None:
    """An opponent who always plays rock, from a strategy file; the response is written as a profile."""
    game = load_game("rps")
    always = {"the only choice": {"R": 1.0, "P": 0.0, "S": 0.0}}
    file = tmp_path / "rock.json"
    write_profile(file, "rps", [Strategy.from_table(t, always) for t in game.treeplexes])
    out = tmp_path / "response.json"
    found = answer("respond", "rps", "--against", str(file), "--epsilon", "1/3", "--out", str(out))
    assert found["payoff"] == pytest.approx(2 / 3)
    assert found["guarantee"] == pytest.approx(-1 / 3)
    assert found["best_response"] == pytest.approx(1.0)
    ours, theirs = read_profile(out, game.treeplexes)
    assert theirs.table() == always
    assert ours.table()["the only choice"]["P"] == pytest.approx(2 / 3)


def test_respond_curve_and_plot(tmp_path: Path) -> None:
    plot = tmp_path / "curve.svg"
    found = answer("respond", "kuhn", "--curve", "--plot", str(plot))
    assert [p["epsilon"] for p in found["curve"]] == pytest.approx([0.0, 1 / 18, 5 / 18])
    assert [p["payoff"] for p in found["curve"]] == pytest.approx([1 / 6, 7 / 18, 1 / 2])
    assert "<svg" in plot.read_text()
    assert list(tmp_path.iterdir()) == [plot]
    text = run("respond", "kuhn", "--epsilon", "0.1", "--player", "2", "--curve")
    assert "guarantees" in text and "Payoff against risk" in text


def test_respond_errors(tmp_path: Path) -> None:
    for arguments, match in [
        (["--player", "3"], "no player 3"),
        (["--epsilon", "-1"], "epsilon is -1"),
        (["--epsilon", "soon"], "not a number"),
        (["--plot", str(tmp_path / "curve.doc")], "cannot draw"),
    ]:
        with pytest.raises(ParameterError, match=match):
            run("respond", "kuhn", *arguments)


def test_gifts() -> None:
    found = answer("gifts", "kuhn")
    assert found["exist"] and len(found["gifts"]) == 4
    assert {g["action"] for g in found["gifts"]} == {"bet", "check", "fold", "call"}
    assert answer("gifts", "rps") == {
        "game": "rps",
        "player": 1,
        "value": pytest.approx(0.0),
        "against_uniform": pytest.approx(0.0),
        "exist": False,
        "gifts": [],
    }
    assert "safe exploitation is not possible" in run("gifts", "fig-13.6")
    text = run("gifts", "fig-13.9", "--no-least", "--player", "2")
    assert "What player 1 can give away" in text and "after a gift" in text


def test_qpe_table() -> None:
    found = answer("qpe-table", "kuhn")
    assert len(found["rows"]) == 27
    exact = [r for r in found["rows"] if r["route"] == "exact"]
    assert all(r["correct"] for r in exact) and exact[-1]["epsilon"] == "1/1000000000"
    assert any(not r["certified"] for r in found["rows"])
    assert found["smallest_epsilon"]["kuhn"]["exact"] == "1/1000000000000"
    text = run("qpe-table", "kuhn")
    assert "refused" in text and "WRONG" not in text
