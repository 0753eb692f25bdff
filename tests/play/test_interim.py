"""A chunk of matches that takes long saves its state between hands, by the clock, and goes on from it bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from equiform.models.common.errors import FormatError, RunError
from equiform.play import AGENTS, MatchResult, MatchSpec, interim, play_match
from equiform.play import match as module
from equiform.play.hands import play_hands
from equiform.play.interim import stored_array, stored_count
from equiform.runs import Store
from equiform.runs.record import read_record

SPEC = MatchSpec("kuhn", "rwywe", "random", hands=40, opponents=3, duplicate=True)


class Killed(BaseException):
    """The process is gone: nothing of ours runs after it."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that the test sets; a hand may be saved after every hand."""
    now = [0.0]
    monkeypatch.setattr(interim, "clock", lambda: now[0])
    monkeypatch.setattr(interim, "SPAN", 1)
    return now


def ended_after(
    monkeypatch: pytest.MonkeyPatch, hands: int, error: type[BaseException], tick: Callable[[], object]
) -> None:
    """Let the clock tick with every hand, and end the process after some of them."""
    played = count(1)

    def play(*arguments: object) -> object:
        tick()
        if next(played) > hands:
            raise error
        return play_hands(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "play_hands", play)


def cut_off(
    monkeypatch: pytest.MonkeyPatch, spec: MatchSpec, folder: Path, hands: int, clock: list[float], seconds: float
) -> None:
    """Kill the process after some hands of so many seconds each."""
    with monkeypatch.context() as patch:
        ended_after(patch, hands, Killed, lambda: clock.__setitem__(0, clock[0] + seconds))
        with pytest.raises(Killed):
            play_match(spec, checkpoint=folder)


def as_bytes(result: MatchResult) -> bytes:
    return b"".join(a.tobytes() for a in vars(result.scores).values())


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_goes_on_bit_for_bit(
    agent: str, clock: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Killed in the second seat: the first is done in full, of the second all but the last hand is kept."""
    spec = replace(SPEC, agent=agent)
    whole = play_match(spec)
    cut_off(monkeypatch, spec, tmp_path, 57, clock, 10.0)
    reached = sorted(read_record(path).values["hands"] for path in tmp_path.iterdir())
    assert reached == [17, 40]
    with monkeypatch.context() as patch:
        hands = iter(range(10**6))
        ended_after(patch, 23, AssertionError, lambda: next(hands))
        assert as_bytes(play_match(spec, checkpoint=tmp_path)) == as_bytes(whole)
        assert next(hands) == 23
    assert len(list(tmp_path.iterdir())) == 1  # the chunk's result alone is left


def test_a_state_is_saved_when_the_clock_says_so(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At one second per hand every fifth hand is saved, so that ten seconds are never lost; a still clock: none."""
    spec = replace(SPEC, duplicate=False)
    saved: list[int] = []
    put = Store.put

    def spy(store: Store, task: object, values: dict[str, int]) -> None:
        saved.extend([values["hands"]] if "hands" in values else [])
        put(store, task, values)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "put", spy)
    ended_after(monkeypatch, 10**6, Killed, lambda: clock.__setitem__(0, clock[0] + 1.0))
    play_match(spec, checkpoint=tmp_path / "ticking")
    assert saved == [5, 10, 15, 20, 25, 30, 35, 40]
    monkeypatch.setattr(interim, "clock", lambda: 0.0)
    play_match(spec, checkpoint=tmp_path / "still")
    assert len(saved) == 8


def test_ctrl_c_saves_the_last_state_whatever_the_clock_says(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = replace(SPEC, duplicate=False)
    with monkeypatch.context() as patch:
        ended_after(patch, 7, KeyboardInterrupt, lambda: None)
        with pytest.raises(RunError, match="before any match was finished"):
            play_match(spec, checkpoint=tmp_path)
    (kept,) = tmp_path.iterdir()
    assert read_record(kept).values["hands"] == 7
    assert as_bytes(play_match(spec, checkpoint=tmp_path)) == as_bytes(play_match(spec))


def test_a_solver_that_keeps_a_basis_forgets_it(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Leduc's programs go to HiGHS, which starts from the last basis, and forgets it whether or not that is saved."""
    spec = MatchSpec("leduc", "rwywe", "random", hands=12, opponents=1)
    monkeypatch.setattr(interim, "SPAN", 674 * 3)  # Leduc's sequences: a span has three hands
    whole = play_match(spec)
    cut_off(monkeypatch, spec, tmp_path, 8, clock, 10.0)
    (kept,) = tmp_path.iterdir()
    assert read_record(kept).values["hands"] == 6
    assert as_bytes(play_match(spec, checkpoint=tmp_path)) == as_bytes(whole)


def test_a_restarted_agent_goes_on_as_the_second_one(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = MatchSpec("kuhn", "rwywe", "dynamic", hands=110, opponents=2, restart=True)
    whole = play_match(spec)
    for end in (99, 100, 101, 105):
        cut_off(monkeypatch, spec, tmp_path / str(end), end, clock, 10.0)
        assert as_bytes(play_match(spec, checkpoint=tmp_path / str(end))) == as_bytes(whole)


def test_states_that_do_not_fit_are_refused() -> None:
    like = np.zeros((2, 3))
    for bad in (np.zeros((3, 2)), np.zeros((2, 3), dtype=int), 7, None):
        with pytest.raises(FormatError, match="no such gifts"):
            stored_array({"gifts": bad}, "gifts", like)
    for count_ in (-1, 41, 3.0, None):
        with pytest.raises(FormatError, match="no such hands"):
            stored_count({"hands": count_}, "hands", 40)
