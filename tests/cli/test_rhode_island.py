"""``equiform solve rhode-island``."""

from __future__ import annotations

from pathlib import Path

import pytest

from equiform.cli.app import main
from tests.helpers.command_line import run, run_json

TINY = "rhode-island:ranks=3,suits=2,raises=1"


def test_a_small_deck_is_solved_shown_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = run(capsys, "solve", TINY, "--exact", "--out", str(tmp_path / "s.npz"))
    assert "-92/567 exactly" in text.replace("\n", " ") and "every deal" in text and (tmp_path / "s.npz").exists()
    state = str(tmp_path / "state.npz")
    for iterations in (10, 20):  # the second call goes on from the first
        found = run_json(
            capsys, "solve", TINY, "--method", "cfr", "--until", f"iterations={iterations}", "--state", state
        )
        assert found["iterations"] == iterations
    assert found["bracket"][0] <= -92 / 567 <= found["bracket"][1]
    assert found["first_round"][0]["moves"] == ["check", "bet"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "kuhn", "--until", "gap=1e-3"), "--until is for rhode-island"),
        (("solve", "rhode-island:ranks=99"), "out of range"),
        (("solve", "rhode-island:bets=1/2"), "three sizes"),
        (("solve", "rhode-island", "--method", "lp"), "limit of lp"),
        (("export", TINY, "--out", "x.json"), "neither a tree nor a table"),
    ],
)
def test_what_is_not_for_it_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert words in " ".join((captured.out + captured.err).split())
