"""Figure 9.1: ε against running time, for the thesis's three algorithms and the interleaved one.

``python -m benchmarks.race FOLDER`` runs the four on the whole tournament, one after the other on one core, and keeps
every point and every solver's state in the folder, so that it can be stopped and started again. Seconds are processor
seconds of the algorithm; measuring ε is not counted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.tournament.game import jam_fold_tournament
from equiform.models.common.array_types import FloatArray
from equiform.models.common.files import read_json, write_text
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative.stochastic import ALGORITHMS, StochasticSolver, best_responses
from equiform.validation.reproduce.cell import Cell, by_claim, new
from equiform.validation.reproduce.experiment import Experiment, Part
from equiform.validation.reproduce.tournaments.solution import THESIS

FILE = "race.json"
TARGET = 0.05  # the thesis stopped VI-FP and PI-FP there, in dollars
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 3.0)  # of Table 9.1


@dataclass(frozen=True)
class Course:
    """How many points an algorithm gets, and how many iterations there are between two of them."""

    points: int
    stride: int
    options: Mapping[str, Any]


COURSES = {
    "interleaved": Course(10, 40, {}),
    "pi-fp": Course(5, 1, {"inner_tolerance": 0.05}),
    "vi-fp": Course(7, 1, {"inner_tolerance": 0.05}),
    "fp-mdp": Course(5, 40, {}),
}


@dataclass(frozen=True)
class Point:
    """Where an algorithm was."""

    iteration: int
    seconds: float
    epsilon: float
    bins: tuple[int, ...]
    """Deviations of its values from ICM, counted as in Table 9.1."""
    mean: float
    """Their mean."""


def race(folder: Path, tell: Callable[[str], None]) -> tuple[dict[str, list[Point]], Sequence[FloatArray]]:
    """Run all algorithms, or what is left of them; return their points and the interleaved one's profile."""
    game = jam_fold_tournament(THESIS)
    found: dict[str, list[Point]] = {}
    profile: Sequence[FloatArray] = ()
    for name, course in COURSES.items():
        solver = ALGORITHMS[name](game, values=THESIS.icm_values(), **course.options)
        found[name] = _run(game, solver, course, folder, tell)
        profile = profile or solver.profile
    return found, profile


def write_race(path: Path, found: Mapping[str, Sequence[Point]]) -> None:
    """Store the points."""
    write_text(path, json.dumps({name: [asdict(p) for p in points] for name, points in found.items()}, indent=1))


def _run(
    game: StochasticGame, solver: StochasticSolver, course: Course, folder: Path, tell: Callable[[str], None]
) -> list[Point]:
    state, rows = folder / f"{solver.name}.npz", folder / f"{solver.name}.json"
    points: list[Point] = []
    if state.exists() and rows.exists():
        solver.load(state)
        points = [_point(row) for row in read_json(rows, "the points of the race", fix="start the race again")]
        points = [p for p in points if p.iteration <= solver.iteration]
    while len(points) < course.points:
        started = time.process_time()
        solver.step(course.stride)
        spent = time.process_time() - started + (points[-1].seconds if points else 0.0)
        off = np.abs(solver.values - THESIS.icm_values()).ravel()
        points.append(
            Point(
                solver.iteration,
                round(spent, 2),
                best_responses(game, solver.profile).epsilon,
                tuple(np.histogram(off, BINS)[0].tolist()),
                float(off.mean()),
            )
        )
        write_text(rows, json.dumps([asdict(p) for p in points]))
        solver.save(state)
        tell(f"{solver.name}: iteration {solver.iteration}, {spent:.0f} s, ε {points[-1].epsilon:.6f}")
    return points


def _point(row: Mapping[str, Any]) -> Point:
    return Point(**{**row, "bins": tuple(row["bins"])})


@cache
def stored_race() -> dict[str, list[Point]]:
    """Read the stored race."""
    with resources.as_file(resources.files(__package__) / FILE) as path:
        return read_race(path)


def read_race(path: Path) -> dict[str, list[Point]]:
    """Read points that were stored."""
    content = read_json(path, "the stored race", fix="run the race again with --store")
    return {name: [_point(row) for row in rows] for name, rows in content.items()}


def first_below(points: list[Point], target: float = TARGET) -> Point | None:
    """Return the first point whose ε is below the target."""
    return next((p for p in points if p.epsilon < target), None)


def figure_cells() -> list[Cell]:
    """Compare what the thesis says about the order of the algorithms, as far as they raced, and list the points."""
    found = stored_race()
    cells = [*_value_against_policy(found), *_process_against_policy(found)]
    for name, points in found.items():
        cells.extend(new(f"{name} after {p.seconds:.0f} s", "ε", p.epsilon) for p in points)
    return cells


def _value_against_policy(found: Mapping[str, list[Point]]) -> list[Cell]:
    value, policy = (first_below(found.get(name, [])) for name in ("vi-fp", "pi-fp"))
    if value is None or policy is None:
        return []
    ratio = value.seconds / policy.seconds
    holds = 2.5 <= ratio <= 3.0
    note = "" if holds else "how long fictitious play ran inside is not printed"
    return [by_claim("VI-FP's time to $0.05 over PI-FP's", "§9.6", "almost 3", ratio, holds, note=note)]


def _process_against_policy(found: Mapping[str, list[Point]]) -> list[Cell]:
    policy, points = first_below(found.get("pi-fp", [])), found.get("fp-mdp", [])
    if policy is None or not points:
        return []
    reached = first_below(points)
    ratio = (reached or points[-1]).seconds / policy.seconds
    note = "" if reached else f"not there after {points[-1].iteration} iterations"
    return [by_claim("FP-MDP's time to $0.05 over PI-FP's", "§9.6", "more than 1", ratio, ratio > 1, note=note)]


EXPERIMENT = Experiment(
    id="figure-9.1",
    title="Epsilon as a function of running time",
    source="thesis §9.6, Figure 9.1",
    about="Dollars that somebody could gain, after processor seconds on one core; a stored race of four algorithms.",
    tolerance="the order of the algorithms, as the text tells it",
    parts=lambda quick: [Part("all", figure_cells)],
    seconds=(1.0, 1.0),
    remarks=(
        "The thesis's clock counts minutes on 16 processors; the numbers behind its curves are not printed.",
        "Iterations of VI-FP and PI-FP are those of the outer loop.",
    ),
)
