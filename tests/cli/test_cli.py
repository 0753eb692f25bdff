"""The command line: what it prints, what it writes, and how it refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from equiform.cli.about.demo import NEXT
from equiform.cli.app import COMMANDS, main
from equiform.formulations.optimization.backends import available
from equiform.games.registry import GAMES
from tests.helpers.command_line import run, run_json


def test_kuhn_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "solve", "kuhn", "--exact")
    assert answer["exact"]["value"] == "-1/18"
    assert answer["exact"]["exploitability"] == "0"
    assert {"game", "value", "exploitability", "nash_conv", "backend", "status", "seconds", "strategies"} <= set(answer)
    assert answer["strategies"]["player 2"]["holding Q, after bet"] == {"fold": "2/3", "call": "1/3"}


def test_one_card_and_leduc_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "solve", "one-card", "--exact")["exact"]["value"] == "-5/78"
    leduc = run_json(capsys, "solve", "leduc", "--exact")["exact"]
    assert leduc["value"] == "-1454920850547486749701863871533/16995463438839962469905132501930"
    assert leduc["exploitability"] == "0"


def test_a_strategy_is_shown_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "solve", "kuhn", "--exact")
    assert "holding Q, after check–bet" in shown
    assert "fold 2/3, call 1/3" in shown
    assert "Value to player 1: -1/18" in shown


@pytest.mark.parametrize("exact", [False, True])
def test_a_written_profile_verifies(capsys: pytest.CaptureFixture[str], tmp_path: Path, exact: bool) -> None:
    file = str(tmp_path / "kuhn.json")
    run(capsys, "solve", "kuhn", "--out", file, *(["--exact"] if exact else []))
    answer = run_json(capsys, "verify", file, "kuhn")
    assert answer["equilibrium"] is True
    proved = {"payoffs": ["-1/18", "1/18"], "regrets": ["0", "0"], "nash_conv": "0", "exploitability": "0"}
    assert answer["exact"] == (proved if exact else None)
    assert "an equilibrium" in run(capsys, "verify", file, "kuhn")


def test_a_bad_profile_fails_verification(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    run(capsys, "solve", "kuhn", "--exact", "--out", str(file))
    document = json.loads(file.read_text())
    document["players"][1]["infosets"]["holding K, after bet"] = {"fold": "1", "call": "0"}
    file.write_text(json.dumps(document))
    answer = run_json(capsys, "verify", str(file), "kuhn", code=1)
    assert answer["equilibrium"] is False and answer["exact"]["nash_conv"] != "0"


@pytest.mark.parametrize("arguments", [["solve"], ["solve", "--json"]])
def test_values_beyond_floats_are_shown(
    capsys: pytest.CaptureFixture[str], arguments: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "huge.nfg"
    file.write_text('NFG 1 R "huge" { "A" "B" } { 1 1 } 1e400 -1e400')
    shown = run(capsys, *arguments, str(file), "--exact")
    assert "1" + "0" * 400 in shown.replace("\n", "")
    assert "1e+400" in shown or json.loads(shown)["value"] is None  # JSON has no infinity


def test_fractions_of_any_length_come_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    answer = run_json(
        capsys, "solve", "kuhn", "--concept", "qpe", "--epsilon", "1e-3000", "--exact", "--out", str(file)
    )
    assert len(answer["exact"]["exploitability"]) > 4300  # Python's own limit
    assert run_json(capsys, "verify", str(file), "kuhn")["exact"]["nash_conv"] != "0"
    assert "proof" in run(capsys, "solve", "kuhn", "--concept", "qpe", "--epsilon", "1e-3000", "--exact")
    assert "nash_conv is" in run(capsys, "verify", str(file), "kuhn")


@pytest.mark.parametrize("suffix", [".lp", ".mps", ".nl"])
def test_programs_are_written_whole(capsys: pytest.CaptureFixture[str], suffix: str, tmp_path: Path) -> None:
    run(capsys, "model", "rps", "--out", str(tmp_path / f"rps{suffix}"))
    beside = {"rps.row", "rps.col"} if suffix == ".nl" else set()
    assert {file.name for file in tmp_path.iterdir()} == {f"rps{suffix}", *beside}
    (tmp_path / f"folder{suffix}").mkdir()
    error = run_json(capsys, "model", "rps", "--out", str(tmp_path / f"folder{suffix}"), code=2)["error"]
    assert error["type"] == "FormatError"


BRACKETS = """EFG 2 R "[/x]" { "A[/x]" "B[red]" }
p "" 1 1 "first[/y]" { "[/x]" "[bold]y" } 0
p "" 2 1 "second[/y]" { "[/x]" "[bold]z" } 0
t "" 1 "" { 1 -1 } t "" 2 "" { -1 1 }
p "" 2 1 0
t "" 3 "" { -1 1 } t "" 4 "" { 3 -3 }
"""


@pytest.mark.parametrize(
    "command",
    ["solve --exact", "respond --curve", "gifts", "model", "match --opponents 2 --hands 3"]
    + [f"{c} --until iterations=3" for c in ("iterate", "compare")],
)
def test_brackets_in_names_are_no_markup(capsys: pytest.CaptureFixture[str], command: str, tmp_path: Path) -> None:
    (tmp_path / "[").mkdir()
    file = tmp_path / "[" / "x].efg"
    file.write_text(BRACKETS)
    name, *options = command.split()
    shown = run(capsys, name, str(file), *options)
    if name == "solve":
        assert "B[red]" in shown and "second[/y]" in shown and "[bold]z" in shown
    else:
        assert "[/x" in shown or name == "respond"


def test_games_and_backends_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert [g["name"] for g in run_json(capsys, "games")] == list(GAMES)
    listed = run_json(capsys, "backends")
    assert {b["name"] for b in listed if b["available"]} >= set(available())
    assert "kuhn" in run(capsys, "games")
    assert "highs" in run(capsys, "backends")


def test_one_game_and_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "games", "goofspiel")
    assert "order: order of the prizes (descending | ascending | random; default descending)" in " ".join(shown.split())
    assert "equiform solve goofspiel:cards=5" in shown
    assert run_json(capsys, "games", "leduc") == run_json(capsys, "games")[list(GAMES).index("leduc")]
    assert "did you mean 'kuhn'" in run_json(capsys, "games", "khun", code=2)["error"]["fix"]


@pytest.mark.parametrize("formulation", ["nash", "best-response"])
@pytest.mark.parametrize("suffix", ["lp", "mps", "nl"])
def test_programs_are_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, formulation: str, suffix: str
) -> None:
    file = tmp_path / f"kuhn.{suffix}"
    figures = run_json(capsys, "model", "kuhn", "--formulation", formulation, "--out", str(file), "--player", "2")
    assert figures["columns"] == (20 if formulation == "nash" else 13)
    assert file.stat().st_size > 100


def test_programs_of_other_concepts(capsys: pytest.CaptureFixture[str]) -> None:
    qpe = run_json(capsys, "model", "kuhn", "--formulation", "qpe", "--epsilon", "1/10", "--player", "2")
    assert qpe["name"] == "0.1-quasi-perfect equilibrium of kuhn for player 2" and qpe["columns"] == 20
    # a probability, a value and a binary for every move: 2 · (3 + 3) and two values; ε
    assert run_json(capsys, "model", "rps", "--formulation", "mip-nash")["columns"] == 15
    # nobody can be last to move in both: 12 moves and a root per player, a binary per move, 6 values, and ε
    assert run_json(capsys, "model", "kuhn", "--formulation", "mip-nash")["columns"] == 2 * (13 + 12 + 6) + 1


def test_the_older_names_of_options_still_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "model", "rps", "--write", str(tmp_path / "rps.lp"))
    run(capsys, "parametric", "bet-or-check", "--picture", str(tmp_path / "regions.png"))
    assert {f.name for f in tmp_path.iterdir()} == {"rps.lp", "regions.png"}


def test_every_command_fits_on_a_line_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    listed = run(capsys, "--help").split("Commands:")[1].strip().splitlines()
    assert [line.split()[0] for line in listed] == [name for name, _ in COMMANDS]
    inner = run(capsys, "agent", "--help").split("Commands:")[1].strip().splitlines()
    assert len(inner) == 3
    assert not [line for line in (*listed, *inner) if not line.endswith(".") or line.endswith("...")]


def test_arguments_are_named_in_capitals(capsys: pytest.CaptureFixture[str]) -> None:
    for name, _ in COMMANDS:
        arguments = run(capsys, name, "--help").splitlines()[0].split("[OPTIONS]")[1]
        assert arguments == arguments.upper() and "[[" not in arguments


DILEMMA = """NFG 1 R "dilemma" { "one" "two" } { { "C" "D" } { "C" "D" } }
3 3 5 0 0 5 1 1
"""


def test_mip_nash_of_a_gambit_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = tmp_path / "dilemma.nfg", tmp_path / "profile.json"
    file.write_text(DILEMMA)
    assert "`equiform mip-nash`" in run_json(capsys, "solve", str(file), code=2)["error"]["fix"]
    answer = run_json(capsys, "mip-nash", str(file), "--out", str(out))
    assert answer["payoffs"] == pytest.approx([1, 1]) and answer["nash_conv"] < 1e-9
    assert answer["strategies"]["one"]["the only choice"] == {"C": 0.0, "D": 1.0}
    assert run_json(capsys, "verify", str(out), str(file))["equilibrium"] is True
    shown = run(capsys, "mip-nash", str(file))
    assert "one: payoff 1.000000000, gains at most 0" in shown and "Equilibrium." in shown
    assert answer["verdict"] == "equilibrium" and answer["approximate"] is False
    assert "tree-cfr+" in run_json(capsys, "solve", "kuhn-multiplayer", code=2)["error"]["fix"]


def test_mip_nash_of_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_json(capsys, "mip-nash", "kuhn", "--backend", "scip")
    assert answer["payoffs"] == pytest.approx([-1 / 18, 1 / 18], abs=1e-6)
    assert answer["backend"] == "scip" and answer["witness"] == "tree"


def test_the_matrix_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "model", "rps", "--formulation", "matrix")["rows"] == 4


def test_another_backend_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "solve", "kuhn", "--backend", "scipy")["backend"] == "scipy"
    answer = run_json(capsys, "solve", "leduc", "--algorithm", "ipm", "--option", "presolve=off", "--time-limit", "60")
    assert answer["algorithm"].startswith("ipm")


def test_solution_concepts(capsys: pytest.CaptureFixture[str]) -> None:
    une = run_json(capsys, "solve", "kuhn", "--concept", "une", "--exact")
    assert une["concept"] == "une" and une["exact"]["value"] == "-1/18" and une["exact"]["exploitability"] == "0"
    qpe = run_json(capsys, "solve", "kuhn", "--concept", "qpe", "--epsilon", "1/10", "--exact")
    # every card checks and bets at least one time in ten
    assert qpe["strategies"]["player 1"]["holding Q, to open"] == {"check": "9/10", "bet": "1/10"}
    assert qpe["exploitability"] == pytest.approx(float(Fraction(qpe["exact"]["exploitability"])), rel=1e-15, abs=0)
    tiny = run_json(capsys, "solve", "leduc", "--concept", "qpe", "--epsilon", "1e-9", "--exact")
    assert tiny["value"] == float(Fraction(tiny["exact"]["value"]))
    assert tiny["exploitability"] == pytest.approx(float(Fraction(tiny["exact"]["exploitability"])), rel=1e-15, abs=0)
    assert (tiny["backend"], tiny["status"], tiny["termination"]) == ("highs", "ok", "optimal")


REFUSED = [
    (["solve", "kuhn", "--concept", "best"], "ParameterError", "there is no solution concept"),
    (["solve", "kuhn", "--concept", "qpe"], "ParameterError", "needs an epsilon"),
    (["solve", "kuhn", "--epsilon", "0.1"], "ParameterError", "takes no epsilon"),
    (["solve", "kuhn", "--concept", "qpe", "--epsilon", "tiny"], "ParameterError", "not a number"),
    (["solve", "kuhn", "--concept", "qpe", "--epsilon", "2"], "ParameterError", "epsilon"),
    (["solve", "leduc", "--concept", "qpe", "--epsilon", "1e-9"], "CertificateError", "use the exact route"),
    (["solve", "khun"], "ParameterError", "did you mean"),
    (["solve", "kuhn:cards=1"], "ParameterError", "out of range"),
    (["solve", "kuhn:stack=5"], "ParameterError", "no parameter 'stack'"),
    (["solve", "no/such/file.efg"], "ParameterError", "file"),
    (["solve", "kuhn", "--player", "3"], "ParameterError", "no player 3"),
    (["solve", "kuhn", "--backend", "abacus"], "BackendMissingError", "abacus"),
    (["solve", "kuhn", "--backend", "abacus", "--exact"], "BackendMissingError", "abacus"),
    (["solve", "kuhn", "--backend", "scipy", "--exact"], "CapabilityError", "use highs"),
    (["solve", "kuhn", "--algorithm", "guessing"], "ParameterError", "guessing"),
    (["solve", "kuhn", "--option", "presolve"], "ParameterError", "name=value"),
    (["solve", "kuhn-multiplayer"], "UnsupportedGameError", "3 players"),
    (["model", "kuhn", "--formulation", "magic"], "ParameterError", "there is no formulation"),
    (["model", "kuhn", "--formulation", "matrix"], "ParameterError", "not a matrix game"),
    (["model", "kuhn", "--out", "kuhn.txt"], "ParameterError", "cannot write a .txt file"),
    (["model", "kuhn", "--out", "no/such/folder/kuhn.lp"], "FormatError", "cannot write"),
    (["model", "kuhn", "--formulation", "qpe"], "ParameterError", "needs an epsilon"),
    (["model", "kuhn", "--epsilon", "0.1"], "ParameterError", "has no parameter 'epsilon'"),
    (["mip-nash", "rps", "--objective", "fair"], "ParameterError", "no objective 'fair'"),
    (["model", "kuhn", "--player", "0"], "ParameterError", "no player 0"),
    (["verify", "no/such/file.json", "kuhn"], "FormatError", "cannot read"),
    (["solve", "kuhn", "--concept", "une", "--player", "3"], "ParameterError", "no player 3"),
    (["solve", "kuhn", "--concept", "qpe", "--epsilon", "1e-999999999"], "ParameterError", "not a number"),
    (["solve", "kuhn", "--concept", "qpe", "--epsilon", "1e400"], "ParameterError", "epsilon is 1e+400"),
    (["solve", "kuhn", "--concept", "qpe", "--epsilon", "1e-400"], "ParameterError", "--exact"),
    (["respond", "kuhn", "--epsilon", "1e400"], "ParameterError", "epsilon is inf"),
    (["respond", "kuhn", "--plot", "curve"], "ParameterError", "use .png"),
    (["match", "kuhn", "--plot", "no/such/folder/curve.png"], "ParameterError", "cannot draw"),
    (["match", "kuhn", "--jobs", "0"], "ParameterError", "jobs is 0"),
    (["compare", "kuhn", "--plot", "curve"], "ParameterError", "use .png"),
    (["closed-form", "one-card", "--at", "n=1e400"], "ParameterError", "1e+400"),
    (["closed-form", "one-card", "--at", "n=3", "--at", "n=4"], "ParameterError", "given twice"),
    (["parametric", "three-player", "--sweep", "0"], "ParameterError", "is 0"),
    (["parametric", "bet-or-check", "--cdf", "uniform:3"], "ParameterError", "not a distribution"),
    (["equity", "KcQc", "7dQh4h2c3d", "--bins", "9" * 30], "ParameterError", "bins is 1e+30"),
    (["reproduce", "7.1", "--quick", "--store", __file__], "FormatError", "cannot write"),
    (["reproduce", "7.1", "--quick", "--report", __file__], "FormatError", "cannot write"),
]


@pytest.mark.parametrize(("arguments", "kind", "what"), REFUSED, ids=[" ".join(r[0]) for r in REFUSED])
def test_refusals_are_typed(capsys: pytest.CaptureFixture[str], arguments: list[str], kind: str, what: str) -> None:
    error = run_json(capsys, *arguments, code=2)["error"]
    assert error["type"] == kind
    assert what in f"{error['what']} {error['where']} {error['fix']}"
    assert error["fix"]


PROFILES = [
    ("not json", "not a JSON file"),
    ("[]", "not an equiform strategy file"),
    ('{"format": "equiform-strategy", "version": 99}', "version 99"),
    ('{"format": "equiform-strategy", "version": 1, "players": []}', "one strategy for each"),
    ('{"format": "equiform-strategy", "version": 1, "players": [1, 2]}', "no table"),
    ('{"format": "equiform-strategy", "version": 1, "players": [{"infosets": {}}, {"infosets": {}}]}', "no entry"),
]


@pytest.mark.parametrize(("text", "what"), PROFILES)
def test_malformed_profiles(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "profile.json"
    file.write_text(text)
    assert what in run_json(capsys, "verify", str(file), "kuhn", code=2)["error"]["what"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"fold": 0.5, "call": 0.6}, "sum to 1.1"),
        ({"fold": 1.5, "call": -0.5}, "a probability is -0.5"),
        ({"fold": "1/0", "call": 1}, "not a probability"),
        ({"fold": True, "call": 0}, "not a probability"),
        ({"fold": 1.0}, "do not match"),
        ({"fold": 1.0, "raise": 0.0}, "do not match"),
    ],
)
def test_malformed_probabilities(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, change: dict[str, Any], what: str
) -> None:
    file = tmp_path / "kuhn.json"
    run(capsys, "solve", "kuhn", "--out", str(file))
    document = json.loads(file.read_text())
    document["players"][1]["infosets"]["holding K, after bet"] = change
    file.write_text(json.dumps(document))
    error = run_json(capsys, "verify", str(file), "kuhn", code=2)["error"]
    assert error["type"] == "StrategyError" and what in error["what"]


def test_a_profile_of_another_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kuhn.json"
    run(capsys, "solve", "kuhn", "--out", str(file))
    assert run_json(capsys, "verify", str(file), "leduc", code=2)["error"]["type"] == "StrategyError"


def test_an_unwritable_place(capsys: pytest.CaptureFixture[str]) -> None:
    error = run_json(capsys, "solve", "kuhn", "--out", "no/such/folder/kuhn.json", code=2)["error"]
    assert error["type"] == "FormatError" and "cannot write" in error["what"]


def test_errors_are_readable_without_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["solve", "khun"])
    message = capsys.readouterr().err
    assert "ParameterError" in message and "Fix:" in message


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version").startswith("equiform 0.")


def test_closed_forms_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    listed = run_json(capsys, "closed-form", "list")
    assert {"kuhn", "one-card", "clairvoyance", "section-11.3"} <= {entry["name"] for entry in listed}
    assert "a whole number" in run(capsys, "closed-form", "list")
    answer = run_json(capsys, "closed-form", "kuhn", "--at", "alpha=1/6")
    assert answer["holds"] is True and answer["formulas"]["value"] == "-1/18"
    assert all(claim["proved"] for claim in answer["claims"])
    assert answer["checks"][0]["parameters"] == {"alpha": "1/6"}
    shown = run(capsys, "closed-form", "rpst", "--claims")
    assert "claims proved" in shown and "20 of 20" in shown
    assert run(capsys, "closed-form", "clairvoyance", "--latex").startswith(r"\text{call} &=")


@pytest.mark.parametrize(
    ("name", "at", "message"),
    [
        ("chess", "n=1", "no closed form"),
        ("one-card", "n", "not a parameter"),
        ("one-card", "n=1/0", "not a parameter"),
        ("one-card", "m=3", "takes the parameters"),
        ("one-card", "n=2", "says nothing about"),
        ("one-card", "n=7/2", "whole number"),
        ("kuhn", "alpha=1", "alpha ≤ 1/3"),
        ("clairvoyance", "n=0", "n > 0"),
    ],
)
def test_closed_forms_refuse(capsys: pytest.CaptureFixture[str], name: str, at: str, message: str) -> None:
    error = run_json(capsys, "closed-form", name, "--at", at, code=2)["error"]
    assert error["type"] == "ParameterError" and message in f"{error['what']} {error['fix']}"


@pytest.mark.parametrize("command", [command for command, _ in NEXT])
def test_what_the_demo_proposes_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)  # some write a file
    assert run(capsys, *command.split())
