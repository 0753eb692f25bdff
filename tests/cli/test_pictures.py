"""``equiform view`` and ``equiform draw`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.command_line import run


def test_view_and_compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    stored, page = tmp_path / "kuhn.json", tmp_path / "kuhn.html"
    run(capsys, "solve", "kuhn", "--out", str(stored))
    answer = json.loads(run(capsys, "view", "kuhn", "--exact", "--against", str(stored), "--out", str(page), "--json"))
    assert answer["profiles"] == ["nash by highs, exact", "kuhn.json"] and answer["bytes"] == page.stat().st_size
    assert "Written to" in run(capsys, "view", str(stored), "--out", str(page))


def test_draw(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, "solve", "kuhn", "--out", "kuhn.json")
    answer = json.loads(run(capsys, "draw", "kuhn", "--strategy", "kuhn.json", "--history", "check-bet", "--json"))
    assert Path(answer["file"]).read_text().startswith("<svg")
    run(capsys, "draw", "rps", "--out", "rps.tex", "--diagram")
    assert "tikzpicture" in Path("rps.tex").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["view", "kuhn", "--out", "page.pdf"],
        ["view", "kuhn", "--out", "no/such/folder/page.html"],
        ["view", "kuhn", "--cards", "2s"],
        ["view", "kuhn", "--against", str(Path(__file__))],
        ["view", "nowhere.json"],
        ["draw", "rhode-island:ranks=2,suits=2"],
        ["draw", "kuhn", "--depth", "-1"],
        ["draw", "kuhn", "--out", "tree.png"],
        ["draw", "leduc"],
        ["draw", "kuhn", "--diagram"],
        ["draw", "kuhn", "--history", "nonsense"],
    ],
)
def test_refusals(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert json.loads(run(capsys, *arguments, "--json", code=2))["error"]["fix"]
    assert not list(tmp_path.iterdir())
