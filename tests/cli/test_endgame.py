"""``equiform endgame`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import equiform
from equiform.cli.app import app
from equiform.models.common.errors import EquiformError


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["endgame", *arguments], catch_exceptions=True)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_report_and_json(tmp_path: Path) -> None:
    document = json.loads(run("leduc", "--blueprint", "groups:0,0,1", "--method", "max-margin,joint", "--json"))
    assert [row["method"] for row in document["rows"]] == ["blueprint", "max-margin", "joint"]
    before, safe, best = (row["exploitability"] for row in document["rows"])
    assert all(b > s > j > 0 for b, s, j in zip(before, safe, best, strict=True))
    file = tmp_path / "new.json"
    text = run("leduc", "--blueprint", "groups:0,0,1", "--method", "joint", "--out", str(file))
    assert "joint" in text and "15 endgames" in text
    again = json.loads(run("leduc", "--blueprint", str(file), "--method", "resolve", "--json"))
    assert again["rows"][0]["exploitability"] == pytest.approx(best, abs=1e-9)


def test_property_and_exact() -> None:
    text = run("rps-sequential", "--cut", "moves=1", "--method", "resolve", "--delta", "0.5")
    assert "ε*(0.5) = 1.000000000 for player 2" in text
    rows = json.loads(run("kuhn", "--cut", "moves=1", "--exact", "--json"))["rows"]
    assert {r["method"] for r in rows} == {"unsafe", "resolve", "max-margin"}


def test_the_function_behind_it() -> None:
    found = equiform.endgame("kuhn", cut="moves=1", blueprint="uniform", methods=["max-margin", "joint"])
    assert found.to_dict() == json.loads(
        run("kuhn", "--cut", "moves=1", "--blueprint", "uniform", "--method", "max-margin,joint", "--json")
    )
    again = equiform.endgame("kuhn", cut="moves=1", blueprint=found.strategies("joint"), methods=["resolve"])
    assert again.before == pytest.approx(found.to_dict()["rows"][2]["exploitability"], abs=1e-9)
    exact = equiform.endgame_exactly("kuhn", cut="moves=1", blueprint="uniform", methods=["max-margin"])
    gains = [row.gain for row in exact.rows]
    assert min(gains) > 0
    assert [float(gain) for gain in gains] == pytest.approx(found.to_dict()["rows"][1]["gain"], abs=5e-3)


def test_its_programs_are_written(tmp_path: Path) -> None:
    file = tmp_path / "joint.lp"
    arguments = ["model", "leduc", "--formulation", "endgame-joint", "--set", "cut=chance=2", "--out", str(file)]
    result = CliRunner().invoke(app, [*arguments, "--set", "blueprint=groups:0,0,1", "--names"])
    assert result.exit_code == 0 and "rows" in result.stdout
    assert file.read_text().rstrip().endswith("end")


@pytest.mark.parametrize(
    "arguments",
    [
        ("kuhn", "--cut", "chance=x"),
        ("kuhn", "--method", "hope"),
        ("rps", "--cut", "moves=1"),
        ("leduc", "--blueprint", "groups:0,1"),
        ("leduc", "--out", "two.json"),
        ("leduc", "--method", "resolve", "--exact", "--out", "none.json"),
    ],
)
def test_refusals(arguments: tuple[str, ...]) -> None:
    with pytest.raises(EquiformError):
        run(*arguments)
