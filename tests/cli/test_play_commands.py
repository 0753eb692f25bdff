"""The commands for agents of hold'em: build, look, play, leagues."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from equiform.cli.app import main
from equiform.play.dealer import LIMIT, read_log
from tests.helpers.command_line import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("cli") / "tiny"
    with pytest.raises(SystemExit) as ended:
        main(["agent", "build", str(path), "--cards", "strength:3,3,3", "--deals", "1000", "--json"])
    assert not ended.value.code
    return str(path)


def test_an_agent_is_built_and_shown(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = json.loads(run(capsys, "agent", "show", folder, "--json"))
    assert (said["name"], said["buckets"]["buckets"], said["training"]["deals"]) == ("tiny", [169, 3, 3, 3], 1000)
    assert "6,378 decisions" in run(capsys, "agent", "show", folder)


@pytest.mark.parametrize(
    "changes",
    [
        ("--cards", "magic:3,3,3"),
        ("--cards", "strength:3"),
        ("--cards", "strength:a,b,c"),
        ("--cards", "nowhere.npz"),
        ("--game", "omaha"),
        ("--translation", "none"),
        ("--postprocess", "polish"),
        ("--sizes", "0"),
        ("--deals", "0"),
        ("--endgames", "-1"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_before_the_work(
    changes: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    error = json.loads(run(capsys, "agent", "build", str(tmp_path), *changes, "--json", code=2))["error"]
    assert error["fix"] and not list(tmp_path.iterdir())


def test_a_match_over_tcp_is_logged(folder: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    arguments = (folder, folder, "--hands", "5", "--duplicate", "--seed", "3", "--json")
    over = json.loads(run(capsys, "play-match", *arguments, "--protocol", "acpc", "--log", str(log)))
    here = json.loads(run(capsys, "play-match", *arguments))
    assert over["chips"] == here["chips"] and over["players"] == ["tiny", "tiny-2"]
    assert [r["forfeits"] for r in over["reports"]] == [["", ""], ["", ""]]
    chips = sum(r.won_by("tiny") for half in (log, tmp_path / "match-2.log") for r in read_log(half, LIMIT))
    assert chips == over["chips"]
    assert "mbb per hand" in run(capsys, "play-match", "always-call", "always-raise", "--hands", "3")


def test_a_program_from_outside_plays_both_halves(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    from equiform.play.holdem.simple import always_call
    from equiform.play.protocols import play_over_tcp

    def connect(port: str) -> None:
        with suppress(SystemExit):
            main(["agent", "connect", folder, port, "--json"])

    def outside(ports: tuple[int, int]) -> None:
        threading.Thread(target=connect, args=(str(ports[1]),), daemon=True).start()

    names = ("caller", "outside")
    result, reports = play_over_tcp(LIMIT, (always_call(), None), names=names, hands=4, seed=1, listening=outside)
    assert [len(half) for half in result.halves] == [4, 4]
    assert all(r.forfeits == ("", "") and r.faults == (0, 0) for r in reports)


@pytest.mark.parametrize("pair", [("nobody", "uniform"), ("tcp:99999", "uniform"), ("tcp:0", "uniform")], ids=str)
def test_players_who_cannot_play_are_refused(pair: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "error" in json.loads(run(capsys, "play-match", *pair, "--json", code=2))


def test_a_person_plays(folder: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["nonsense", "raise 1", "call", "check", "fold", "call", "call", "quit"])
    monkeypatch.setattr("typer.prompt", lambda *_, **__: next(answers))
    shown = run(capsys, "play", "always-raise", "--game", "no-limit", "--hands", "50")
    assert "Not a legal move here" in shown and "you won -300 chips" in shown

    def ends(*_: object, **__: object) -> str:
        raise EOFError

    monkeypatch.setattr("typer.prompt", ends)
    assert "you won" in run(capsys, "play", folder)


def test_a_league_is_shown(folder: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    players = [{"name": "tiny", "agent": folder}, {"agent": "always-call"}]
    file.write_text(
        json.dumps({"hands": 10, "players": players, "responses": [{"agent": "tiny", "from": "river", "hands": 8}]})
    )
    store = str(tmp_path / "store")
    said = json.loads(run(capsys, "league", str(file), "--hands", "4", "--store", store, "--json"))
    assert said["matches"][0]["deals"] == 4 and said["lower_bounds"][0]["from"] == "river"
    assert "exploitable by at least" in run(capsys, "league", str(file), "--hands", "4", "--store", store)
    assert "error" in json.loads(run(capsys, "league", str(tmp_path / "none.json"), "--json", code=2))
