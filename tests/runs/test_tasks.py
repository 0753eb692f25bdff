"""Tasks, records, stores, executors and progress on their own."""

from __future__ import annotations

import json
import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.games.registry import load_game
from equiform.models import NormalForm, as_sequence_form
from equiform.models.common.errors import FormatError, ParameterError, RunError
from equiform.play.match import MatchSpec, chunk_task
from equiform.runs import (
    Local,
    Processes,
    Progress,
    Store,
    Task,
    game_fingerprint,
    log_progress,
    make_executor,
    read_record,
    require_writable,
    require_writable_folder,
    run_tasks,
    write_record,
)
from equiform.runs.code import code_version
from equiform.runs.task import function_name

CALLS: list[int] = []


def draw(seed: int, size: int = 5) -> dict[str, Any]:
    """A task for tests: its result hangs on the seed alone."""
    CALLS.append(seed)
    numbers = np.random.default_rng(seed).random(size)
    return {"numbers": numbers, "mean": float(numbers.mean()), "words": ["a", None, True]}


def tasks(count: int = 4) -> list[Task]:
    return [Task.of(draw, seed, label=f"draw {seed}") for seed in range(count)]


def as_bytes(values: Any) -> bytes:
    return values["numbers"].tobytes() + json.dumps([values["mean"], values["words"]]).encode()


# -- tasks -------------------------------------------------------------------------------------------------------------


def test_a_task_is_identified_by_its_content() -> None:
    one = Task("m:f", {"game": "a.efg", "n": 3}, content={"game": "abc"})
    assert one.key == Task("m:f", {"n": 3, "game": "b.efg"}, content={"game": "abc"}, label="x", weight=7).key
    others = [
        Task("m:g", {"game": "a.efg", "n": 3}, content={"game": "abc"}),
        Task("m:f", {"game": "a.efg", "n": 4}, content={"game": "abc"}),
        Task("m:f", {"game": "a.efg", "n": 3}, content={"game": "abd"}),
        Task("m:f", {"game": "a.efg", "n": 3}, content={"game": "abc"}, version="2"),
    ]
    assert len({one.key, *(t.key for t in others)}) == 5
    assert one.version == code_version() and len(code_version()) == 16


def test_a_task_takes_plain_data_only() -> None:
    task = Task("m:f", {"a": (1, np.float64(0.5)), "b": {"c": np.int32(3)}})
    assert task.arguments == {"a": [1, 0.5], "b": {"c": 3}}
    assert json.loads(json.dumps(task.to_dict())) == task.to_dict()
    for bad in (math.nan, object(), np.zeros(2), {1: 2}, {3}, b"x"):
        with pytest.raises(ParameterError, match="plain data"):
            Task("m:f", {"a": bad})


def test_functions_are_found_by_name() -> None:
    assert Task.of(draw, 3, 2).arguments == {"seed": 3, "size": 2}
    assert Task.of(draw, 3).compute()["numbers"].shape == (5,)
    for name in ("draw", "no.such.module:f", "json:no_such", "json:__doc__", ":f", "json:"):
        with pytest.raises(ParameterError, match="no function"):
            Task(name).compute()
    with pytest.raises(ParameterError, match="function"):
        function_name(lambda: None)


def test_games_are_told_apart_by_content() -> None:
    matrix = [[1, -1], [-1, 1]]
    pennies = NormalForm.from_matrix("pennies", "HT", "HT", matrix)
    games = [
        load_game("kuhn"),
        load_game("leduc"),
        load_game("rps"),
        pennies,
        NormalForm.from_matrix("pennies", "HT", "HT", [[1, -1], [-1, 2]]),
        as_sequence_form(load_game("kuhn")),
        as_sequence_form(load_game("leduc")),
    ]
    assert len({game_fingerprint(g) for g in games}) == len(games)
    assert game_fingerprint(load_game("kuhn")) == game_fingerprint(load_game("kuhn"))
    assert game_fingerprint(NormalForm.from_matrix("coins", "HT", "HT", matrix)) == game_fingerprint(pennies)


# -- records and stores ------------------------------------------------------------------------------------------------


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    task = tasks()[0]
    values = {
        **task.compute(),
        "huge": np.array([np.inf, -0.0]),
        "whole": np.arange(3, dtype=np.int16),
        "inf": math.inf,
    }
    write_record(tmp_path / "r.npz", task, values)
    read = read_record(tmp_path / "r.npz").require(task)
    assert set(read) == set(values) and as_bytes(read) == as_bytes(values) and read["inf"] == math.inf
    for name in ("huge", "whole"):
        assert read[name].dtype == values[name].dtype and read[name].tobytes() == values[name].tobytes()
    assert [p.name for p in tmp_path.iterdir()] == ["r.npz"]


@pytest.mark.parametrize("bad", [{"x": math.nan}, {"x": np.array([1.0, math.nan])}, {"x": [math.nan]}, {"x": {1, 2}}])
def test_what_cannot_be_resumed_is_not_written(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"NaN|plain data"):
        write_record(tmp_path / "r.npz", tasks()[0], bad)
    assert not list(tmp_path.iterdir())


def test_damaged_records_are_refused(tmp_path: Path) -> None:
    path, task = tmp_path / "r.npz", tasks()[0]
    write_record(path, task, task.compute())
    content = path.read_bytes()
    rng = np.random.default_rng(1)
    cuts = [content[:n] for n in rng.integers(0, len(content), 40)]
    flips = []
    for position in rng.integers(0, len(content), 300):
        flipped = bytearray(content)
        flipped[position] ^= 1 << int(rng.integers(8))
        flips.append(bytes(flipped))
    refused = 0
    for bad in (b"", b"hello", *cuts, *flips):
        path.write_bytes(bad)
        try:
            values = read_record(path).require(task)
        except FormatError:
            refused += 1
        else:  # a bit that carries nothing, such as a time in the archive
            assert as_bytes(values) == as_bytes(task.compute())
    assert refused > 200


def header(path: Path, **change: Any) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["header"] = np.array(json.dumps({**json.loads(str(arrays["header"])), **change}))
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "equiform-solver"}, "cannot read"),
        ({"version": 99}, "cannot read"),
        ({"key": "0"}, "what it belongs to"),
        ({"task": {"function": "m:f"}}, "what it belongs to"),
        ({"task": 3}, "what it belongs to"),
        ({"values": None}, "what it belongs to"),
        ({"values": {"mean": math.nan}}, "NaN"),
    ],
)
def test_headers_that_are_not_ours_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    store, task = Store(tmp_path), tasks()[0]
    store.put(task, task.compute())
    header(store.path(task), **change)
    with pytest.raises(FormatError, match=message):
        store.get(task)


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "pickle.npz", header=np.array([{"a": 1}], dtype=object))
    np.savez(tmp_path / "other.npz", numbers=np.zeros(3))
    np.savez(tmp_path / "text.npz", header=np.array("{"))
    np.savez(tmp_path / "list.npz", header=np.array("[]"))
    for name in ("array.npy", "pickle.npz", "other.npz", "text.npz", "list.npz", "missing.npz"):
        with pytest.raises(FormatError):
            read_record(tmp_path / name)


def test_a_result_of_another_task_is_not_taken_for_this_one(tmp_path: Path) -> None:
    store, (one, two, *_) = Store(tmp_path), tasks()
    store.put(two, two.compute())
    assert store.get(one) is None
    store.path(two).rename(store.path(one))
    with pytest.raises(FormatError, match="another seed"):
        store.get(one)
    newer = Task(two.function, two.arguments, label=one.label, version="newer")
    assert store.get(newer) is None and store.others(newer) == 1 and store.others(one) == 0


def test_paths_are_tested_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for bad in (tmp_path / "no" / "file", tmp_path, tmp_path / "file" / "x", "a\0b"):
        with pytest.raises(FormatError, match="cannot write"):
            require_writable(bad)
    for bad in (tmp_path / "file", tmp_path / "file" / "x", "a\0b"):
        with pytest.raises(FormatError, match="cannot write"):
            require_writable_folder(bad)
    require_writable(tmp_path / "file")
    assert require_writable_folder(tmp_path / "new" / "folder").is_dir()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "new"]
    CALLS.clear()
    with pytest.raises(FormatError):
        run_tasks(tasks(), store=tmp_path / "file")
    assert CALLS == []


# -- executors and batches ---------------------------------------------------------------------------------------------


def test_executors_by_name() -> None:
    assert make_executor("local") == Local() and make_executor("processes:3") == Processes(3)
    assert make_executor(Local()) == Local() and make_executor("processes").workers >= 1  # type: ignore[attr-defined]
    for bad in ("", "cloud", "processes:x", "processes:0", "processes:-1", "local:2"):
        with pytest.raises(ParameterError):
            make_executor(bad)


def test_executors_give_the_same_bytes(tmp_path: Path) -> None:
    """Results and the arrays of stored files, whoever computed them."""
    many = [chunk_task(MatchSpec("kuhn", "beffe", "random", hands=10), first, 2) for first in (0, 2, 4)]
    found = {on: run_tasks(many, on=on, store=tmp_path / on[:5]) for on in ("local", "processes:2")}
    stored = [[Store(tmp_path / on[:5]).get(task) for task in many] for on in found]
    for values in zip(*(batch.values for batch in found.values()), *stored, strict=True):
        assert len({frozenset((n, a.tobytes()) for n, a in v.items()) for v in values if v is not None}) == 1
        assert None not in values


def test_a_batch_reports_stores_and_reuses(tmp_path: Path) -> None:
    CALLS.clear()
    events: list[Progress] = []
    first = run_tasks(tasks(), store=tmp_path, progress=events.append, label="draws")
    assert CALLS == [0, 1, 2, 3] and (first.reused, first.finished, first.interrupted) == (0, 4, False)
    assert [(e.label, e.done, e.total) for e in events] == [("draws", k, 4) for k in range(5)]
    again = run_tasks(tasks(6), store=tmp_path)
    assert CALLS == [0, 1, 2, 3, 4, 5] and again.reused == 4
    for k in range(4):
        assert as_bytes(again.values[k]) == as_bytes(first.values[k])
    run_tasks(tasks(2), store=tmp_path, fresh=True)
    assert CALLS[6:] == [0, 1]
    assert run_tasks([]).values == ()


def test_an_interrupt_leaves_what_is_done(tmp_path: Path) -> None:
    def stop(event: Progress) -> None:
        if event.done == 2:
            raise KeyboardInterrupt

    batch = run_tasks(tasks(), store=tmp_path, progress=stop)
    assert batch.interrupted and batch.finished == 2 and len(list(tmp_path.iterdir())) == 2
    CALLS.clear()
    assert run_tasks(tasks(), store=tmp_path).finished == 4 and CALLS == [2, 3]


def outer(fails: bool) -> dict[str, Any]:
    """A task that has tasks of its own, in the second of which Ctrl-C may be pressed."""

    def stop(event: Progress) -> None:
        if fails and event.done == 1:
            raise KeyboardInterrupt

    return {"finished": run_tasks(tasks(2), progress=stop).finished}


def test_an_interrupt_inside_a_task_leaves_the_whole_task_undone(tmp_path: Path) -> None:
    batch = run_tasks([Task.of(outer, False), Task.of(outer, True), Task.of(outer, False)], store=tmp_path)
    assert batch.interrupted and batch.values == ({"finished": 2}, None, None)
    assert len(list(tmp_path.iterdir())) == 1


def test_progress_in_words(caplog: pytest.LogCaptureFixture) -> None:
    event = Progress("cfr+", 1500, 2000, 1.25, "fast", {"exploitability": 0.5})
    assert str(event) == "cfr+: 1,500 of 2,000, exploitability 5.000e-01, fast, 1.2 s"
    assert json.loads(json.dumps(event.to_dict()))["metrics"] == {"exploitability": 0.5}
    with caplog.at_level(logging.INFO):
        log_progress(logging.getLogger("runs"))(Progress("x", 1, None, 0.0))
    assert caplog.messages == ["x: 1, 0.0 s"]


def test_a_killed_worker_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="killed"):
        run_tasks([Task("os:abort"), Task("os:abort")], on="processes:2")
