"""Figure 9.1: what the stored race says, and how claims about it are judged."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments import race
from equiform.validation.reproduce.tournaments.race import Point, first_below
from equiform.validation.reproduce.tournaments.solution import stored_summary


def points(*pairs: tuple[float, float]) -> list[Point]:
    return [Point(k, seconds, epsilon, (0,) * 7, 0.0) for k, (seconds, epsilon) in enumerate(pairs, 1)]


def test_the_stored_race_reaches_a_tenth_of_a_cent() -> None:
    """One fixed schedule from ICM: below $0.001, faster than the goals even though the machine was busy."""
    run = race.stored_race()["interleaved"]
    last = first_below(run, 0.001)
    assert last is not None and run[0].seconds <= last.seconds
    assert all(a.iteration < b.iteration and a.seconds < b.seconds for a, b in pairwise(run))
    assert all(sum(p.bins) == 2838 for p in run)
    assert stored_summary().meta["certificate"]["epsilon"] == pytest.approx(run[-1].epsilon, abs=2e-5)


def test_claims_about_the_order_of_the_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    raced = {
        "pi-fp": points((10.0, 0.3), (20.0, 0.04)),
        "vi-fp": points((10.0, 0.5), (30.0, 0.2), (55.0, 0.03)),
        "fp-mdp": points((100.0, 0.9)),
    }
    monkeypatch.setattr(race, "stored_race", lambda: raced)
    ratio, never, *rest = race.figure_cells()
    assert ratio.verdict is Verdict.MATCH and ratio.ours == pytest.approx(2.75)
    assert never.verdict is Verdict.MATCH and never.ours == pytest.approx(5.0) and "not there" in never.note
    assert len(rest) == 6 and all(c.verdict is Verdict.OURS for c in rest)
    monkeypatch.setattr(race, "stored_race", lambda: raced | {"vi-fp": points((19.0, 0.01))})
    assert race.figure_cells()[0].verdict is Verdict.MISMATCH


def test_points_are_stored_as_they_are(tmp_path: Path) -> None:
    found = {"vi-fp": points((1.5, 0.2))}
    race.write_race(tmp_path / "race.json", found)
    assert race.read_race(tmp_path / "race.json") == found
