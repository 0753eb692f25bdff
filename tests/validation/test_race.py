"""Figure 9.1: what the stored race says, and how claims about it are judged."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from equiform.games.tournament.deals import one_card_deals
from equiform.games.tournament.game import jam_fold_tournament
from equiform.games.tournament.structure import Tournament
from equiform.solvers_iterative.stochastic import ALGORITHMS
from equiform.validation.reproduce.cell import Verdict
from equiform.validation.reproduce.tournaments import conventions, race
from equiform.validation.reproduce.tournaments.race import Point, first_below
from equiform.validation.reproduce.tournaments.solution import STACKS, stored_summary
from equiform.validation.reproduce.tournaments.tables import PRINTED_BINS


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


def test_every_algorithm_raced() -> None:
    """As in the thesis: two reach its target and stop, FP-MDP does not after as many outer loops as it had there."""
    found = race.stored_race()
    assert list(found) == list(race.COURSES)
    for name in ("pi-fp", "vi-fp"):
        assert found[name][-1] is first_below(found[name])
    assert found["fp-mdp"][-1].iteration >= race.OUTER_LOOPS
    target = first_below(found["interleaved"])
    assert target is not None and all(target.seconds < points[-1].seconds for points in found.values())


def test_claims_about_the_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    raced = {
        "pi-fp": points((10.0, 0.3), (20.0, 0.04)),
        "vi-fp": points((10.0, 0.5), (30.0, 0.2), (55.0, 0.03)),
        "fp-mdp": [Point(30, 100.0, 0.9, (0,) * 7, 0.0)],
    }
    monkeypatch.setattr(race, "stored_race", lambda: raced)
    *reached, ratio, never, first = race.figure_cells()[:6]
    assert [c.verdict for c in (*reached, ratio, never)] == [Verdict.MATCH] * 5
    assert [c.ours for c in reached] == [0.03, 0.04, 0.9]
    assert ratio.ours == pytest.approx(2.75)
    assert never.ours == pytest.approx(5.0) and "not there after 30 iterations" in never.note
    assert first.verdict is Verdict.OURS and len(race.figure_cells()) == 5 + 6

    monkeypatch.setattr(race, "stored_race", lambda: raced | {"vi-fp": points((19.0, 0.01))})
    assert race.figure_cells()[3].verdict is Verdict.MISMATCH
    monkeypatch.setattr(race, "stored_race", lambda: raced | {"vi-fp": points((59.0, 0.06))})
    value, *_, ratio, never = race.figure_cells()[:5]
    assert value.verdict is Verdict.MISMATCH and "not there" in ratio.note
    monkeypatch.setattr(race, "stored_race", lambda: raced | {"pi-fp": points((59.0, 0.06))})
    assert race.figure_cells()[1].verdict is Verdict.MISMATCH and len(race.figure_cells()) == 3 + 5


def test_a_race_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a small tournament: the same iterations and the same ε, stopped or not; what is below its target stops."""
    small = Tournament(900, 100, 200, (50, 30, 20), 100)
    game = jam_fold_tournament(small, one_card_deals(4))
    monkeypatch.setattr(race, "deviations", lambda values: np.abs(values - small.icm_values()).ravel())

    def run(folder: str, name: str, course: race.Course) -> list[Point]:
        (tmp_path / folder).mkdir(exist_ok=True)
        solver = ALGORITHMS[name](game, values=small.icm_values(), **course.options)
        return race._run(game, solver, course, tmp_path / folder, lambda line: None)

    whole = run("whole", "interleaved", race.Course(3, 5))
    run("part", "interleaved", race.Course(2, 5))
    part = run("part", "interleaved", race.Course(3, 5))
    assert [(p.iteration, p.epsilon) for p in part] == [(p.iteration, p.epsilon) for p in whole]
    assert [p.iteration for p in whole] == [5, 10, 15] and all(sum(p.bins) <= 84 for p in whole)
    found = run("nested", "pi-fp", race.Course(20, 1, {"inner_tolerance": 0.025}, until=0.05))
    assert len(found) < 20 and found[-1] is first_below(found)


def test_readings_of_table_9_1() -> None:
    """Under no convention are the bins the printed ones; with prizes shared, a deviation is beyond their end of $3."""
    found = conventions.stored_readings()
    assert [r.convention for r in found] == list(conventions.VARIANTS)
    for reading in found:
        assert 2838 - sum(reading.bins) == (reading.largest > 3) and reading.epsilon < 0.005
        assert {name: np.shape(charts) for name, charts in reading.charts.items()} == dict.fromkeys(STACKS, (6, 169))
        assert reading.bins != PRINTED_BINS and sum(reading.worst) == pytest.approx(100.0)


def test_points_are_stored_as_they_are(tmp_path: Path) -> None:
    found = {"vi-fp": points((1.5, 0.2))}
    race.write_race(tmp_path / "race.json", found)
    assert race.read_race(tmp_path / "race.json") == found
