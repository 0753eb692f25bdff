"""The commands icm, pushfold and tournament."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equiform.cli.app import app
from equiform.models.common.errors import EquiformError, ParameterError

run = CliRunner()
HEADS_UP = ["tournament", "--chips", "2000", "--blinds", "100/200", "--payouts", "1,0", "--until"]
#: Hold'em with the exact results of three hands, which are computed or read from the cache; 28 stacks.
THREE_PLAYERS = ["tournament", "--chips", "2700", "--blinds", "300/600", "--payouts", "50,30,20", "--until"]


def test_icm() -> None:
    found = json.loads(run.invoke(app, ["icm", "5000,4900,100", "--payouts", "50,30,20", "--json"]).stdout)
    assert sum(found["values"]) == pytest.approx(100)
    text = run.invoke(app, ["icm", "5000,4900,100"]).stdout
    assert f"{found['values'][2]:.4f}" in text and "1.00%" in text


def test_pushfold() -> None:
    found = json.loads(run.invoke(app, ["pushfold", "--stack", "10", "--json"]).stdout)
    proof = found["certificate"]
    assert proof["lower"] <= found["value"] <= proof["upper"] and proof["gap"] < 1e-6
    assert found["jam"]["AA"] == pytest.approx(1) and found["jam"]["72o"] == pytest.approx(0)
    text = run.invoke(app, ["pushfold", "--stack", "10", "--ante", "1/8", "--hand", "AA"]).stdout
    assert "1.0000 to 1.0000 (jam)" in text
    assert "Big blind calls" in text and "proved to lie in" in text


def test_a_heads_up_tournament(tmp_path: Path) -> None:
    out, plot = tmp_path / "t.json", tmp_path / "t.png"
    files = ["--out", str(out), "--plot", str(plot), "--state", "1000,1000"]
    result = run.invoke(app, [*HEADS_UP, "epsilon=0.01,iterations=60", *files, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    written = json.loads(out.read_text())
    assert found["certificate"]["epsilon"] <= 0.01 and written.items() >= found.items()
    assert set(written) - set(found) == {"format", "charts"}
    assert found["state"]["charts"]["small blind"]["AA"] == pytest.approx(1.0)
    assert abs(sum(found["values"]["1000,1000"]) - 1) < 1e-9 and plot.stat().st_size > 1000
    text = run.invoke(app, [*HEADS_UP, "iterations=3", "--state", "1000,1000"]).stdout
    assert "Checked ex post" in text and "ICM is off" in text


@pytest.mark.parametrize(
    "tournament",
    [[*HEADS_UP, "iterations=120"], pytest.param([*THREE_PLAYERS, "iterations=30"], marks=pytest.mark.slow)],
    ids=["two players", "three players"],
)
def test_a_killed_run_goes_on_bit_for_bit(tmp_path: Path, tournament: list[str]) -> None:
    """Kill -9 somewhere in the middle, resume, and compare with a run that was left alone."""
    python = [sys.executable, "-c", "from equiform.cli import main; main()"]
    command = [*python, *tournament, "--checkpoint-every", "5"]
    whole = tmp_path / "whole.npz"
    subprocess.run([*command, "--save", str(whole), "--json"], check=True, capture_output=True)
    part = tmp_path / "part.npz"
    process = subprocess.Popen([*command, "--save", str(part), "--json"], stdout=subprocess.DEVNULL)
    while not part.exists() and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    cut = np.load(part)
    subprocess.run([*command, "--save", str(part), "--json"], check=True, capture_output=True)
    one, two = (np.load(path) for path in (whole, part))
    names = [name for name in one.files if "state." in name]
    assert names and any((one[name] != cut[name]).any() for name in names)  # it was in the middle
    assert all(one[name].tobytes() == two[name].tobytes() for name in names)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["icm", "5000,x"], "'5000,x' is not a list of numbers"),
        (["icm", "5000,0"], "player 2 has 0 chips"),
        (["pushfold", "--stack", "0.5"], "a stack of 1/2"),
        (["pushfold", "--stack", "10", "--hand", "A1x"], "A1x"),
        ([*HEADS_UP, "epsilon=0.01", "--state", "1000,900"], "no state 1000, 900"),
        ([*HEADS_UP, "epsilon=0.01", "--unit", "300"], "not a multiple of the unit"),
        ([*HEADS_UP, "epsilon=0.01", "--unit", "0"], "unit is 0"),
        ([*HEADS_UP, "soon"], "cannot read 'soon'"),
        (["tournament", "--chips", "2000", "--blinds", "100"], "'100' are not two blinds"),
        (["tournament", "--chips", "2000", "--blinds", "100/200/25"], "'100/200/25' are not two blinds"),
        ([*HEADS_UP, "iterations=1", "--algorithm", "magic"], "no algorithm 'magic'"),
    ],
)
def test_bad_requests(arguments: list[str], words: str) -> None:
    result = run.invoke(app, arguments)
    assert isinstance(result.exception, EquiformError | ParameterError) and words in str(result.exception)
