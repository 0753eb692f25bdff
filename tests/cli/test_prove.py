"""The command that proves: files, names, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from equiform.cli.app import app
from equiform.validation.closed_forms.gallery import gallery

FILE = """
kind = "matrix"
[parameters]
x = "x > 0"
[game]
rows = ["a", "b"]
columns = ["c", "d"]
payoffs = [["x", 0], [0, 1]]
[claim]
row = ["1/(1 + x)", "x/(1 + x)"]
column = ["1/(1 + x)", "x/(1 + x)"]
value = "x/(1 + x)"
"""


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["prove", *arguments], env={"COLUMNS": "200"})
    return result.exit_code, result.stdout


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "game.toml"
    file.write_text(FILE)
    code, text = run(str(file), "--points", "3", "--claims")
    assert code == 0 and "game: proved" in text and "agree at 3 of 3 points" in text
    file.write_text(FILE.replace('value = "x/', 'value = "-x/'))
    code, text = run(str(file), "--points", "3", "--json")
    verdict = json.loads(text)
    assert code == 1 and verdict["status"] == "refuted"
    assert verdict["counterexample"]["point"] == {"x": "1"}


def test_the_gallery() -> None:
    code, text = run("list", "--json")
    assert code == 0 and {e["name"] for e in json.loads(text)} == set(gallery())
    code, text = run("hawk-dove", "--points", "2")
    assert code == 0 and "hawk-dove: proved" in text
