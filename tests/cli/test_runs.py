"""Long commands as a shell sees them: Ctrl-C, paths that cannot be written, executors."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equiform.cli.app import app
from equiform.models.common.errors import EquiformError, FormatError, ParameterError

MAIN = "from equiform.cli import main; main()"


def interrupted(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Start a command, wait for a record in the folder, and press Ctrl-C."""
    command = [sys.executable, "-c", f"import sys; sys.argv[1:] = {arguments!r}; {MAIN}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None and not list(folder.glob("[!.]*.npz")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def test_ctrl_c_ends_iterate_with_its_result(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    done = interrupted(["iterate", "leduc", "--until", "seconds=100", "--state", str(state), "--json"], tmp_path)
    assert done.returncode == 130, done.stderr
    found = json.loads(done.stdout)
    assert found["stopped_by"] == "interrupt" and "run the same command" in done.stderr
    more = CliRunner().invoke(app, ["iterate", "leduc", "--until", "iterations=1", "--state", str(state), "--json"])
    assert json.loads(more.stdout)["iteration"] == found["iteration"]


@pytest.mark.parametrize("on", ["local", pytest.param("processes:2", marks=pytest.mark.slow)])
def test_ctrl_c_ends_a_match_with_the_matches_so_far(on: str, tmp_path: Path) -> None:
    arguments = ["match", "kuhn", "--opponents", "100000", "--hands", "400", "--checkpoint", str(tmp_path), "--json"]
    done = interrupted([*arguments, "--on", on], tmp_path)
    assert done.returncode == 130, done.stderr
    (found,) = json.loads(done.stdout)["matches"]
    assert 250 <= found["finished"] < 100000 and found["finished"] % 250 == 0
    assert found["finished"] == 250 * len(list(tmp_path.glob("*.npz")))


@pytest.mark.parametrize(
    "arguments",
    [
        ["iterate", "kuhn", "--state", "no/such/state.npz"],
        ["iterate", "kuhn", "--out", "no/such/profile.json"],
        ["compare", "kuhn", "--plot", "no/such/plot.png"],
        ["match", "kuhn", "--plot", "no/such/plot.png"],
        ["match", "kuhn", "--checkpoint", "file/folder"],
        ["reproduce", "7.1", "--store", "file"],
        ["reproduce", "7.1", "--report", "file/report"],
    ],
)
def test_paths_are_tested_before_the_work(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    for name in (
        "equiform.solvers_iterative.base.IterativeSolver.run",
        "equiform.play.match.run_tasks",
        "equiform.validation.reproduce.runner.run_tasks",
    ):
        monkeypatch.setattr(name, work)
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, EquiformError), result.output
    assert isinstance(result.exception, FormatError) or "cannot draw" in result.exception.what


def test_executors_on_the_command_line(tmp_path: Path) -> None:
    how = ["match", "kuhn", "--hands", "20", "--opponents", "6", "--json"]
    outputs = [CliRunner().invoke(app, [*how, *more]).stdout for more in ([], ["--jobs", "2"], ["--on", "processes:2"])]
    assert len(set(outputs)) == 1 and json.loads(outputs[0])["matches"]
    for bad in (["--on", "moon"], ["--jobs", "0"], ["--jobs", "2", "--on", "local"]):
        assert isinstance(CliRunner().invoke(app, [*how, *bad]).exception, ParameterError)


def test_a_store_says_what_it_reuses(tmp_path: Path) -> None:
    arguments = ["reproduce", "7.1", "--quick", "--store", str(tmp_path)]
    assert "from the store" not in CliRunner().invoke(app, arguments).output
    assert "7.1: 1 of 1 parts come from the store." in CliRunner().invoke(app, arguments).output
    again = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
    assert again["reused"] == {"7.1": {"parts": 1, "reused": 1}}
    assert json.loads(CliRunner().invoke(app, [*arguments, "--fresh", "--json"]).output)["reused"] == {}
