"""CONTRIBUTING's recipes for a package of one's own, installed and found in every list; a broken one is named."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import equiform
from equiform.cli.app import main
from equiform.models.common.errors import PluginError

ROOT = Path(__file__).parents[2]


def blocks(language: str) -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the recipes as pip would, with entry points in a dist-info folder, and a broken package beside them."""
    game, program = blocks("python")
    package = tmp_path / "my_games"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "pennies.py").write_text(game)
    (package / "careful.py").write_text(program)
    points = tomllib.loads(blocks("toml")[0])["project"]["entry-points"]
    install(tmp_path, "my-games", points)
    bad_game, bad_program = {"bad-game": "no_such_module:GAME"}, {"bad-program": "json:dumps"}
    install(tmp_path, "bad-package", {"equiform.games": bad_game, "equiform.formulations": bad_program})
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_games"]:
        del sys.modules[name]


def install(folder: Path, name: str, points: dict[str, dict[str, str]]) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in own.items()) for group, own in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines))


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[Any, str]:
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--json"])
    assert end.value.code == code
    printed = capsys.readouterr()
    return json.loads(printed.out), printed.err


@pytest.mark.usefixtures("installed")
def test_both_are_in_every_list(capsys: pytest.CaptureFixture[str]) -> None:
    games, said = run(capsys, "games")
    assert {"kuhn", "pennies"} <= {game["name"] for game in games}
    assert "PluginError" in said and "bad-game" in said and "bad-package" in said
    for arguments in (["solve", "kuhn", "--concept", "list"], ["model", "--formulation", "list"]):
        programs, said = run(capsys, *arguments)
        assert {"nash", "careful"} <= {program["name"] for program in programs}
        assert "bad-program" in said
    assert "pennies" in equiform.list_games() and "careful" in equiform.list_formulations()


@pytest.mark.usefixtures("installed")
def test_both_are_solved(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    solved, _ = run(capsys, "solve", "pennies:stake=2", "--concept", "careful")
    assert solved["game"] == "pennies:stake=2" and solved["value"] == pytest.approx(0.0)
    assert solved["nash_conv"] == pytest.approx(0.0, abs=1e-9)
    assert equiform.solve("kuhn", concept="careful", slack=0).value == pytest.approx(-1 / 18)
    file = str(tmp_path / "c.lp")
    careful = ["--formulation", "careful", "--set", "slack=1", "--out", file, "--names"]
    written, _ = run(capsys, "model", "kuhn", *careful)
    assert written["rows"] == 20 + 12 and Path(file).exists()


@pytest.mark.usefixtures("installed")
def test_a_broken_one_is_named_and_the_others_work(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PluginError, match=r"bad-game.*bad-package"):
        equiform.load_game("bad-game")
    with pytest.raises(PluginError, match=r"bad-program.*bad-package"):
        equiform.build_model("kuhn", "bad-program")
    error, _ = run(capsys, "solve", "bad-game", code=2)
    assert error["error"]["type"] == "PluginError" and "bad-game" in error["error"]["what"]
    assert equiform.solve("rps").value == pytest.approx(0.0)


def test_without_them_they_are_gone() -> None:
    assert "pennies" not in equiform.list_games() and "careful" not in equiform.list_formulations()
