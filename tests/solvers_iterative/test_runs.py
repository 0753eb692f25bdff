"""Runs: limits, checkpoints, progress, and resuming bit for bit, even after kill -9."""

from __future__ import annotations

import functools
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.api import solve
from equiform.games.registry import load_game
from equiform.models import NormalForm
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.game import Game, payoff_spread
from equiform.runs import Progress, read_record
from equiform.runs.task import identity_key
from equiform.solvers_iterative import ALGORITHMS, CFR, Checkpoint, IterativeSolver, Until, create, load_solver
from equiform.solvers_iterative.plots import convergence_plot
from tests.helpers.games import form


def assert_same_run(first: IterativeSolver, second: IterativeSolver) -> None:
    """Compare states and histories bit for bit; seconds are the only thing that may differ."""
    assert first.iteration == second.iteration
    mine, other = first._state(), second._state()
    assert set(mine) == set(other)
    for name in mine:
        assert mine[name].tobytes() == other[name].tobytes(), name
    assert [_untimed(c) for c in first.history] == [_untimed(c) for c in second.history]


def _untimed(c: Checkpoint) -> str:
    return repr((c.iteration, c.lower, c.upper, c.nash_conv, c.regrets))


GAMES: dict[str, str] = {name: "kuhn" for name in ALGORITHMS} | {
    "fp ": "kuhn-multiplayer",
    "fp  ": "rps",
    "fp   ": "goofspiel",
    "cfr+ ": "kuhn-multiplayer",
    "cfr+  ": "leduc",
    "egt ": "leduc",
}


@pytest.mark.parametrize("case", GAMES)
def test_resumed_runs_equal_uninterrupted_ones(case: str, tmp_path: Path) -> None:
    game: Game = load_game(GAMES[case])
    name = case.strip()
    whole = create(name, game)
    whole.run(Until(iterations=60))
    parts = create(name, game)
    parts.run(Until(iterations=24), save_to=tmp_path / "state.npz")
    resumed = load_solver(tmp_path / "state.npz", game)
    assert type(resumed) is type(whole)
    assert resumed.seconds == parts.seconds > 0
    resumed.run(Until(iterations=60))
    assert_same_run(whole, resumed)
    for mine, other in zip(whole.average, resumed.average, strict=True):
        assert (mine.probabilities == other.probabilities).all()


def test_chunks_do_not_change_the_course() -> None:
    """However a run is cut into calls, checkpoints and deadlines, the iterates are the same."""
    game = load_game("leduc")
    for name in ("pcfr+", "mccfr-outcome", "egt"):
        whole, steps, timed = (create(name, game) for _ in range(3))
        whole.run(Until(iterations=100), checkpoint_every=100)
        for _ in range(100):
            steps.step()
        while timed.iteration < 100:
            timed.run(Until(iterations=100, seconds=1e-4), checkpoint_every=3)
        for other in (steps, timed):
            for mine, theirs in zip(whole._state().values(), other._state().values(), strict=True):
                assert mine.tobytes() == theirs.tobytes()


VICTIM = """
import sys
from equiform.api import solve
from equiform.games.registry import load_game
from equiform.solvers_iterative import Until, create
create("mccfr-external", load_game("leduc"), seed=9).run(Until(seconds=120), checkpoint_every=2000, save_to=sys.argv[1])
"""


def test_kill_minus_nine_loses_at_most_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    victim = subprocess.Popen([sys.executable, "-c", VICTIM, str(path)])
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (path.exists() and read_record(path).values["iteration"] >= 6000):
            time.sleep(0.02)
    finally:
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
    game = load_game("leduc")
    resumed = load_solver(path, game)
    reached = resumed.iteration
    assert reached >= 6000 and reached % 2000 == 0
    resumed.run(Until(iterations=reached + 5000), checkpoint_every=2000)
    whole = create("mccfr-external", game, seed=9)
    whole.run(Until(iterations=reached + 5000), checkpoint_every=2000)
    assert_same_run(whole, resumed)


def test_until_stops_at_the_first_limit() -> None:
    game = form("kuhn")
    by_gap = CFR(game, "cfr+").run(Until(gap=1e-2, iterations=10**6))
    assert by_gap.stopped_by == "gap" and by_gap.nash_conv <= 1e-2
    assert by_gap.history[-2].nash_conv > 1e-2
    assert CFR(game, "cfr+").run(Until(gap=0.0, iterations=37)).checkpoint.iteration == 37
    started = time.perf_counter()
    solver = CFR(game, "cfr+")
    solver.compile()
    assert solver.run(Until(seconds=0.3)).stopped_by == "seconds"
    assert time.perf_counter() - started < 30
    # a run that is already there does nothing
    again = solver.run(Until(iterations=1))
    assert again.stopped_by == "iterations" and again.checkpoint.iteration > 1


def test_checkpoints_progress_and_seconds() -> None:
    events: list[Progress] = []
    solver = CFR(form("leduc"), "cfr+")
    result = solver.run(Until(iterations=100), checkpoint_every=30, progress=events.append)
    seen = result.history
    assert [c.iteration for c in seen] == [0, 30, 60, 90, 100] and seen == solver.history
    measured = [e for e in events if e.metrics]
    assert [(e.label, e.done, e.total) for e in measured] == [("cfr+", c.iteration, 100) for c in seen]
    assert [e.metrics for e in measured] == [c.metrics for c in seen]
    assert all(a.seconds <= b.seconds for a, b in itertools.pairwise(seen))
    assert all(c.upper - c.lower == c.nash_conv == pytest.approx(sum(c.regrets)) for c in seen)
    assert result.compile_seconds > 0
    # the gap is that of an independent computation on the strategies
    first, second = (s.plan for s in result.strategies)
    assert solver.game.nash_conv(first, second) == pytest.approx(result.nash_conv, abs=1e-12)
    geometric = [c.iteration for c in CFR(form("kuhn"), "cfr").run(Until(iterations=10**6)).history]
    assert geometric[:6] == [0, 1, 2, 3, 4, 5] and len(geometric) < 80


@pytest.mark.parametrize(
    "text", ["", "gap", "gap=x", "iterations=1.5", "gap=nan", "seconds=-1", "hours=3", "gap=1e-3;"]
)
def test_bad_limits_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Until.parse(text)


def rewritten(good: Path, path: Path, task: dict[str, Any], values: dict[str, Any], **arrays: Any) -> Path:
    """Copy a saved run with some of its header and arrays replaced, as somebody with an editor might."""
    with np.load(good) as file:
        stored = {name: file[name] for name in file.files}
    header = json.loads(str(stored.pop("header")))
    arguments = {**header["task"]["arguments"], **task}
    header["task"] = {**header["task"], "arguments": arguments}
    header["key"] = identity_key(header["task"])
    header["values"] = {**header["values"], **values}
    np.savez(path, header=np.array(json.dumps(header)), **{**stored, **arrays})
    return path


def test_bad_files_are_refused(tmp_path: Path) -> None:
    game = form("kuhn")
    good = tmp_path / "good.npz"
    solver = CFR(game, "cfr+")
    solver.run(Until(iterations=5), save_to=good)
    bad = tmp_path / "bad.npz"
    assert CFR(game, "cfr+").load(rewritten(good, bad, {}, {})).iteration == 5
    tasks: list[dict[str, Any]] = [{"algorithm": "cfr"}, {"options": {}}, {"game": "0"}]
    for task in tasks:
        with pytest.raises(FormatError, match=f"another {next(iter(task))}"):
            CFR(game, "cfr+").load(rewritten(good, bad, task, {}))
    values: list[dict[str, Any]] = [{"iteration": v} for v in ("many", -5, 1.5, True, float("inf"), 10**30)]
    values += [{"seconds": v} for v in (-5, True, float("inf"), None)]
    values += [{"history": v} for v in (None, 3, [3], [[1, 2]], [[0, 0, 0, 0, 0, "x"]], "x")]
    for change in values:
        with pytest.raises(FormatError):
            CFR(game, "cfr+").load(rewritten(good, bad, {}, change))
    regret = solver._state()["regret0"]
    with pytest.raises(FormatError, match="NaN"):
        CFR(game, "cfr+").load(rewritten(good, bad, {}, {}, **{"array.state.regret0": np.full_like(regret, np.nan)}))
    with pytest.raises(FormatError, match="arrays"):
        CFR(game, "cfr+").load(rewritten(good, bad, {}, {}, **{"array.state.regret0": regret[:-1]}))
    with pytest.raises(FormatError, match="arrays"):
        CFR(game, "cfr+").load(rewritten(good, bad, {}, {}, **{"array.state.more": regret}))
    with pytest.raises(FormatError, match="another game"):
        CFR(form("leduc"), "cfr+").load(good)
    for wrong in (tmp_path / "no" / "such" / "folder.npz", tmp_path):
        with pytest.raises(FormatError, match="cannot write"):
            solver.save(wrong)


def test_a_state_knows_its_game_by_content() -> None:
    """A game under another name is the same one; a payoff that differs by 1e-14 makes another."""
    matrix = [[1.0, -1.0], [-1.0, 1.0]]
    pennies = NormalForm.from_matrix("pennies", "HT", "HT", matrix)
    renamed = NormalForm.from_matrix("coins", "HT", "HT", matrix)
    other = NormalForm.from_matrix("pennies", "HT", "HT", [[Fraction(10**14 + 1, 10**14), -1], [-1, 1]])
    keys = [create("cfr+", game).task.key for game in (pennies, renamed, other)]
    assert keys[0] == keys[1] != keys[2]


def test_an_unwritable_state_is_refused_before_the_first_iteration(tmp_path: Path) -> None:
    solver = CFR(form("kuhn"), "cfr+")
    with pytest.raises(FormatError, match="cannot write"):
        solver.run(Until(iterations=5), save_to=tmp_path / "missing" / "state.npz")
    assert solver.iteration == 0 and solver.history == ()


def test_a_long_way_between_checkpoints_is_saved_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that was saved between two measurements goes on without a measurement of its own."""
    from equiform.solvers_iterative import base

    monkeypatch.setattr(base, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(base, "CALL_SECONDS", 1e-4)
    path, copies = tmp_path / "state.npz", []
    game = load_game("leduc")
    whole = create("mccfr-external", game, seed=4)
    whole.run(
        Until(iterations=2000),
        checkpoint_every=2000,
        save_to=path,
        progress=lambda event: copies.append(path.read_bytes()) if path.exists() else None,
    )
    assert copies  # how many there are depends on the machine
    for content in copies[:: 1 + len(copies) // 4]:
        (tmp_path / "copy.npz").write_bytes(content)
        resumed = load_solver(tmp_path / "copy.npz", game)
        assert 0 <= resumed.iteration <= 2000
        resumed.run(Until(iterations=2000), checkpoint_every=2000)
        assert_same_run(whole, resumed)


def test_ctrl_c_saves_and_returns_the_result_so_far(tmp_path: Path) -> None:
    path, game = tmp_path / "state.npz", load_game("leduc")
    solver = create("cfr+", game)

    def press(event: Progress) -> None:
        if event.done >= 20:
            signal.raise_signal(signal.SIGINT)

    result = solver.run(Until(iterations=10**9), save_to=path, progress=press)
    assert result.stopped_by == "interrupt" and result.checkpoint.iteration == solver.iteration >= 20
    assert load_solver(path, game).iteration == solver.iteration
    with pytest.raises(KeyboardInterrupt):  # Ctrl-C has its usual meaning again
        signal.raise_signal(signal.SIGINT)


def test_the_registry_names_every_algorithm() -> None:
    expected = "cfr cfr+ linear-cfr dcfr pcfr+ mccfr-external mccfr-outcome mccfr-chance fp egt egt-euclidean"
    assert {*expected.split(), "iterated-smoothing"} <= set(ALGORITHMS)
    assert all(a.summary and "\n" not in a.summary for a in ALGORITHMS.values())
    with pytest.raises(ParameterError, match="no algorithm"):
        create("newton", load_game("kuhn"))
    with pytest.raises(ParameterError, match="no option 'sed'"):
        create("mccfr-external", load_game("kuhn"), sed=1)
    assert create("dcfr", load_game("kuhn"), alpha=2.0).options["alpha"] == 2.0
    for name, spec in (("cfr+", "kuhn-multiplayer"), ("fp", "kuhn-multiplayer"), ("fp", "rps")):
        with pytest.raises(ParameterError, match="threads"):
            create(name, load_game(spec), threads=2)


ZERO_SUM = (
    "kuhn",
    "one-card",
    "leduc",
    "liars-dice:sides=3",
    "goofspiel",
    "rps",
    "rpst",
    "fig-13.9",
    "clairvoyance",
    "kuhn-nl",
)


@pytest.mark.parametrize("spec", ZERO_SUM)
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if not name.startswith("tree-")])
def test_algorithms_bracket_the_value_of_the_program(spec: str, name: str) -> None:
    """Each comes within 2% of the largest payoff of equilibrium, around the value that the LP finds."""
    game = load_game(spec)
    if name.startswith("mccfr") and isinstance(game, NormalForm):
        pytest.skip("sampling walks trees")
    found = create(name, game).run(Until(gap=0.02 * payoff_spread(game), iterations=500_000))
    assert found.stopped_by == "gap"
    assert found.checkpoint.lower - 1e-9 <= value(spec) <= found.checkpoint.upper + 1e-9


@functools.cache
def value(spec: str) -> float:
    return solve(spec).value


def test_plots_show_every_algorithm_and_the_program() -> None:
    histories = {name: create(name, load_game("kuhn")).run(Until(iterations=50)).history for name in ("cfr+", "fp")}
    plot = convergence_plot(histories, title="kuhn", lp_seconds=0.01)
    by_time, by_iteration = plot.axes
    labels = [line.get_label() for line in by_time.get_lines()]
    assert labels == ["cfr+", "fp", "LP, 0.01 s"]
    assert len(by_iteration.get_lines()) == 2
