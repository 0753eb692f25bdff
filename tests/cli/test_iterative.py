"""``equiform iterate`` and ``equiform compare`` as commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from equiform.cli.experiments.iterate import compare, iterate
from equiform.models.common.errors import EquiformError, ParameterError, UnsupportedGameError
from equiform.models.normal_form import NormalForm
from equiform.solvers_iterative import Until, create

app = typer.Typer()
app.command("iterate")(iterate)
app.command("compare")(compare)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_iterate_in_words(tmp_path: Path) -> None:
    text = run("iterate", "kuhn", "--until", "gap=1e-3", "--out", str(tmp_path / "kuhn.json"))
    flat = " ".join(text.split())
    assert "stopped by gap" in flat and "The value to player 1 lies in [-0.055" in flat
    profile = json.loads((tmp_path / "kuhn.json").read_text())
    assert profile["format"] == "equiform-strategy"


def test_iterate_as_json_and_resumed(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    options = ["--algorithm", "mccfr-external", "--seed", "3", "--state", str(state), "--json"]
    options += ["--checkpoint-every", "100"]
    first = json.loads(run("iterate", "leduc", "--until", "iterations=300", *options))
    assert [c["iteration"] for c in first["history"]] == [0, 100, 200, 300]
    second = json.loads(run("iterate", "leduc", "--until", "iterations=500", *options))
    state.unlink()
    whole = json.loads(run("iterate", "leduc", "--until", "iterations=500", *options))
    assert second["iteration"] == whole["iteration"] == 500
    assert [c["nash_conv"] for c in second["history"]] == [c["nash_conv"] for c in whole["history"]]


def test_iterate_beyond_two_players() -> None:
    found = json.loads(run("iterate", "kuhn-multiplayer", "--algorithm", "fp", "--until", "iterations=50", "--json"))
    assert found["bracket"] is None and len(found["regrets"]) == 3


@pytest.mark.parametrize(
    ("algorithm", "option", "message"),
    [
        ("dcfr", "gamma=x", "not a number"),
        ("cfr+", "alternating=3", "not true or false"),
        ("tree-cfr+", "delay=1.5", "not a whole number"),
        ("egt", "prox=3", "not a word"),
        ("mccfr-outcome", "exploration=x", "not a number"),
        ("iterated-smoothing", "norm=true", "not a number"),
    ],
)
def test_options_of_the_wrong_kind_are_refused(algorithm: str, option: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run("iterate", "kuhn", "--algorithm", algorithm, "--option", option)


def test_advice_is_not_what_was_just_refused() -> None:
    """CFR+ walks the tree of a game that is not zero-sum, and a matrix has none: fictitious play has no need of it."""
    dilemma = NormalForm.from_matrix("dilemma", "CD", "CD", [[3, 0], [5, 1]], [[3, 5], [0, 1]])
    with pytest.raises(UnsupportedGameError) as refused:
        create("cfr+", dilemma)
    assert refused.value.fix == "use fp or mip_nash"
    assert create("fp", dilemma).run(Until(iterations=100)).checkpoint.nash_conv < 0.1


def test_iterate_options_and_list() -> None:
    run("iterate", "kuhn", "--algorithm", "dcfr", "--option", "alpha=2", "--until", "iterations=5", "--threads", "2")
    listed = {a["name"] for a in json.loads(run("iterate", "kuhn", "--algorithm", "list", "--json"))}
    assert {"cfr+", "egt", "iterated-smoothing"} <= listed
    assert "excessive gap" in " ".join(run("iterate", "kuhn", "--algorithm", "list").split())


def test_compare_with_the_program(tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    names = "lp,cfr+,egt,fp"
    found = json.loads(
        run("compare", "kuhn", "--algorithms", names, "--until", "gap=1e-2", "--plot", str(plot), "--json")
    )
    assert found["lp"]["value"] == pytest.approx(-1 / 18)
    assert set(found["algorithms"]) == {"cfr+", "egt", "fp"}
    for result in found["algorithms"].values():
        assert result["nash_conv"] <= 1e-2
        assert result["bracket"][0] <= -1 / 18 <= result["bracket"][1]
    assert plot.read_bytes().startswith(b"\x89PNG")
    table = run("compare", "kuhn", "--algorithms", "lp,cfr+", "--until", "gap=1e-2")
    assert "optimality" in table and "cfr+" in table


@pytest.mark.parametrize(
    "arguments",
    [
        ["iterate", "kuhn", "--algorithm", "newton"],
        ["iterate", "kuhn", "--until", "soon"],
        ["iterate", "nothing"],
        ["iterate", "rps", "--algorithm", "mccfr-external"],
        ["compare", "kuhn", "--algorithms", "lp,newton"],
    ],
)
def test_mistakes_are_told(arguments: list[str]) -> None:
    with pytest.raises(EquiformError):
        run(*arguments)
