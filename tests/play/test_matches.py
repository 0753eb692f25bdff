"""Matches: reproducible, resumable, the same in any number of processes; a small Table 13.1; the command line."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from equiform.cli.experiments.match import match
from equiform.games.formats.efg import write_efg
from equiform.models.common.errors import FormatError, ParameterError, RunError
from equiform.play import AGENTS, Estimate, MatchResult, MatchSpec, play_match, trace_match
from equiform.play.interim import Interim
from equiform.play.match import chunk_task
from equiform.play.plots import trace_figure
from equiform.runs import Progress, Store
from equiform.validation.reproduce.exploitation.table_13_1 import AGENTS as ALGORITHMS
from equiform.validation.reproduce.exploitation.table_13_1 import CONVENTIONS, main, play_table, printed
from equiform.validation.reproduce.exploitation.table_13_1 import OPPONENTS as CLASSES
from tests.helpers.games import tree

BRIEF = MatchSpec("kuhn", "rwywe", "random", hands=60, opponents=12)


def same(a: MatchSpec, **options: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return play_match(a, **options).scores.worth  # type: ignore[arg-type]


def test_a_match_does_not_depend_on_chunks_or_processes() -> None:
    together = play_match(BRIEF)
    np.testing.assert_allclose(same(BRIEF, chunk=5), together.scores.worth, atol=1e-7)
    with joblib.parallel_config(backend="threading"):
        np.testing.assert_allclose(same(BRIEF, chunk=5, on="processes:2"), together.scores.worth, atol=1e-7)
    assert together.scores.won.shape == (12,)


def test_seeds_matter() -> None:
    other = MatchSpec("kuhn", "rwywe", "random", hands=60, opponents=12, seed=2)
    assert np.abs(same(other) - same(BRIEF)).max() > 0.01


def test_a_match_resumes_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Progress] = []
    first = play_match(BRIEF, checkpoint=tmp_path, chunk=5, progress=events.append)
    assert [(e.done, e.total) for e in events] == [(0, 12), (5, 12), (10, 12), (12, 12)]
    assert len(list(tmp_path.glob("*.npz"))) == len(list(tmp_path.iterdir())) == 3
    Store(tmp_path).path(chunk_task(BRIEF, 5, 5)).unlink()
    played: list[int] = []
    from equiform.play import match as module

    whole = module._play_seat

    def spy(
        spec: MatchSpec, seat: object, numbers: np.ndarray[tuple[int], np.dtype[np.int64]], interim: Interim
    ) -> object:
        played.extend(numbers.tolist())
        return whole(spec, seat, numbers, interim)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_play_seat", spy)
    again = play_match(BRIEF, checkpoint=tmp_path, chunk=5, progress=events.append)
    assert played == [5, 6, 7, 8, 9]
    assert events[-1].message == "2 of 3 from the store"
    assert scores_as_bytes(again) == scores_as_bytes(first)


def scores_as_bytes(result: MatchResult) -> bytes:
    return b"".join(a.tobytes() for a in vars(result.scores).values())


@pytest.mark.parametrize("agent", ["rwywe", "dbbr-ws", "equilibrium"])
def test_two_executors_give_the_same_bytes(agent: str) -> None:
    spec = MatchSpec("kuhn", agent, "sophisticated", hands=40, opponents=11)
    here = play_match(spec, chunk=4)
    assert scores_as_bytes(play_match(spec, chunk=4, on="processes:2")) == scores_as_bytes(here)
    assert scores_as_bytes(play_match(spec, chunk=4, on="processes:1")) == scores_as_bytes(here)


def test_stored_matches_that_are_damaged_foreign_or_nan_are_refused(tmp_path: Path) -> None:
    good = play_match(BRIEF, checkpoint=tmp_path, chunk=6)
    store = Store(tmp_path)
    path, other = (store.path(chunk_task(BRIEF, first, 6)) for first in (0, 6))
    content = path.read_bytes()
    for bad in (b"", b"half a file", content[: len(content) // 2], other.read_bytes()):
        path.write_bytes(bad)
        with pytest.raises(FormatError):
            play_match(BRIEF, checkpoint=tmp_path, chunk=6)
    path.write_bytes(content)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    for name, array in (("array.won", np.full(6, np.nan)), ("array.won", np.zeros(5)), ("array.lost", np.zeros(6))):
        np.savez(path, **{**arrays, name: array})
        with pytest.raises(FormatError, match=r"NaN|do not fit"):
            play_match(BRIEF, checkpoint=tmp_path, chunk=6)
    path.write_bytes(content)
    assert scores_as_bytes(play_match(BRIEF, checkpoint=tmp_path, chunk=6)) == scores_as_bytes(good)


def test_stored_matches_are_told_apart_by_what_they_depend_on(tmp_path: Path) -> None:
    mine = chunk_task(BRIEF, 0, 5).key
    assert chunk_task(replace(BRIEF, opponents=500), 0, 5).key == mine  # how many there are in all is irrelevant
    for change in ({"hands": 61}, {"seed": 2}, {"ties": "first"}, {"game": "one-card:cards=4"}, {"agent": "beffe"}):
        assert chunk_task(replace(BRIEF, **change), 0, 5).key != mine
    assert chunk_task(BRIEF, 5, 5).key != mine


def test_a_match_knows_its_game_by_content(tmp_path: Path) -> None:
    """The file that a name points to may change, and a game may have two names."""
    game = tree("kuhn")
    one, two = tmp_path / "one.efg", tmp_path / "two.efg"
    write_efg(game, one)
    two.write_bytes(one.read_bytes())
    changed = tmp_path / "changed.efg"
    changed.write_text(one.read_text().replace("{ 2, -2 }", "{ 3, -3 }"))
    assert changed.read_text() != one.read_text()
    keys = [chunk_task(replace(BRIEF, game=str(path)), 0, 5).key for path in (one, two, changed)]
    assert keys[0] == keys[1] != keys[2]


def test_ctrl_c_returns_the_finished_matches(tmp_path: Path) -> None:
    def press(event: Progress) -> None:
        if event.done >= 5:
            raise KeyboardInterrupt

    result = play_match(BRIEF, checkpoint=tmp_path, chunk=5, progress=press)
    assert result.interrupted and len(result.scores.won) == 5 == result.to_dict()["finished"]
    whole = play_match(BRIEF, checkpoint=tmp_path, chunk=5)
    assert not whole.interrupted
    assert scores_as_bytes(whole) == scores_as_bytes(play_match(BRIEF, chunk=5))
    with pytest.raises(RunError, match="before any match"):
        play_match(BRIEF, chunk=5, progress=lambda event: signal.raise_signal(signal.SIGINT))


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_plays(agent: str) -> None:
    result = play_match(MatchSpec("kuhn", agent, "uniform", hands=12, opponents=3, showing="hidden", duplicate=True))
    assert np.isfinite(result.scores.worth).all() and result.value == pytest.approx(0, abs=1e-9)


def test_duplicate_deals_take_out_luck() -> None:
    """With an equilibrium on both sides all that is left of a duplicate match is luck, and less of it."""
    single = MatchSpec("leduc", "equilibrium", "equilibrium", hands=200, opponents=60)
    both = MatchSpec("leduc", "equilibrium", "equilibrium", hands=200, opponents=60, duplicate=True)
    alone, double = play_match(single).won, play_match(both).won
    # two seats with independent cards would shrink the interval by 0.71
    assert double.half_width < 0.6 * alone.half_width
    assert abs(double.mean) < 2 * double.half_width


def test_the_interval_covers() -> None:
    rng = np.random.default_rng(1)
    hits = [abs(e.mean) <= e.half_width for e in (Estimate.of(rng.standard_normal(40)) for _ in range(2000))]
    assert 0.92 < np.mean(hits) < 0.97
    assert Estimate.of(np.zeros(1)).half_width == float("inf")
    assert Estimate(0.0, 3.0).agrees(Estimate(5.0, 4.0)) and not Estimate(0.0, 3.0).agrees(Estimate(5.1, 4.0))


def test_the_order_of_table_13_1() -> None:
    """A small version: against random opponents all rankings of the thesis, and the value against equilibrium."""
    cells = play_table(opponents=100, hands=300, classes=["random", "equilibrium"])
    worth = {(c.result.spec.agent, c.result.spec.opponent): c.result.worth.mean for c in cells}
    ranked = [worth[agent, "random"] for agent in ("best-response", "rwywe", "befewp", "beffe", "best-equilibrium")]
    assert ranked == sorted(ranked, reverse=True) and ranked[-1] > 0.05
    for agent in ALGORITHMS:
        assert worth[agent, "equilibrium"] == pytest.approx(-1 / 18, abs=1e-6)
    for cell in cells:
        if cell.result.spec.agent in ("rwywe", "befewp", "beffe", "best-equilibrium"):
            assert cell.result.scores.least_gifts.min() > -1e-9


def test_safe_agents_survive_the_nemesis_and_the_best_response_does_not() -> None:
    cells = play_table(opponents=40, hands=400, classes=["dynamic"])
    worth = {c.result.spec.agent: c.result.worth.mean for c in cells}
    assert min(worth[a] for a in ALGORITHMS if AGENTS[a].safe) > -1 / 18
    assert worth["best-response"] < -1 / 18


def test_conventions_change_what_is_played_and_unknown_ones_are_refused() -> None:
    found = {
        name: play_table(opponents=12, hands=80, agents=["best-response"], classes=["random"], convention=name)[0]
        for name in CONVENTIONS
    }
    assert len({cell.result.worth.mean for cell in found.values()}) == len(CONVENTIONS)
    with pytest.raises(ParameterError, match="convention"):
        play_table(opponents=2, hands=2, convention="usual")


def test_rows_columns_and_readings_that_do_not_exist_are_refused() -> None:
    for wrong in ({"agents": ["beffe-printed"]}, {"classes": ["uniform"]}, {"reading": "between the lines"}):
        with pytest.raises(ParameterError, match="use one of"):
            play_table(opponents=2, hands=2, **wrong)


@pytest.mark.parametrize("agent", ["rwywe", "befewp", "best-equilibrium"])
def test_a_fresh_start_loses_nothing_to_the_nemesis(agent: str) -> None:
    """With k = 0 a safe agent gets the value from then on, and before it all is as against a random opponent."""
    turned = play_match(MatchSpec("kuhn", agent, "dynamic", hands=130, opponents=20, restart=True))
    before = play_match(MatchSpec("kuhn", agent, "random", hands=100, opponents=20))
    np.testing.assert_allclose(130 * turned.scores.worth, 100 * before.scores.worth + 30 * turned.value, atol=1e-9)
    kept = play_match(MatchSpec("kuhn", agent, "dynamic", hands=130, opponents=20))
    assert (kept.scores.worth <= turned.scores.worth + 1e-9).all()


def test_the_printed_table_is_complete() -> None:
    assert [printed("best-response", c).mean for c in CLASSES] == [0.4700, 0.0548, -0.12094, -0.0556]
    assert all(printed(a, "equilibrium").mean == -0.0556 for a in ALGORITHMS)


def test_the_table_writes_json(tmp_path: Path) -> None:
    main([str(tmp_path / "t.json"), "--opponents", "3", "--hands", "5"])
    document = json.loads((tmp_path / "t.json").read_text())
    assert len(document["cells"]) == 20 and document["cells"][0]["printed"] == [0.3636, 0.0004]
    main([str(tmp_path / "r.json"), "--opponents", "3", "--hands", "5", "--readings", "printed-test"])
    document = json.loads((tmp_path / "r.json").read_text())
    assert [(c["row"], c["agent"]) for c in document["cells"]] == [("beffe", "beffe-printed")] * 3


def test_a_trace_adds_up(tmp_path: Path) -> None:
    trace = trace_match(BRIEF, opponent=3)
    assert trace.profit[-1] / BRIEF.hands == pytest.approx(play_match(BRIEF).scores.won[3])
    assert trace.gifts[0] == 0 and trace.gifts.min() > -1e-9
    trace_figure(trace, title="a match").write(tmp_path / "match.png")
    assert (tmp_path / "match.png").stat().st_size > 1000 and len(list(tmp_path.iterdir())) == 1


def test_bad_specs_are_refused() -> None:
    with pytest.raises(ParameterError, match="agent"):
        MatchSpec("kuhn", "cheat", "random")
    with pytest.raises(ParameterError, match="hands"):
        MatchSpec("kuhn", "rwywe", "random", hands=0)
    with pytest.raises(ParameterError, match="seed"):
        MatchSpec("kuhn", "rwywe", "random", seed=-1)
    with pytest.raises(ParameterError, match="restart"):
        MatchSpec("kuhn", "rwywe", "random", restart=True)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(match)
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_line(tmp_path: Path) -> None:
    picture = tmp_path / "k.png"
    options = [
        "--agent",
        "rwywe",
        "--agent",
        "best-response",
        "--hands",
        "20",
        "--opponents",
        "5",
        "--plot",
        str(picture),
    ]
    document = json.loads(run("kuhn", *options, "--json"))
    assert [m["agent"] for m in document["matches"]] == ["rwywe", "best-response"] and picture.exists()
    assert "rwywe" in run("kuhn", "--hands", "5", "--opponents", "2")
    assert "dbbr-ws" in run("kuhn", "--agent", "list") and "nemesis" in run("kuhn", "--opponent", "list", "--json")
