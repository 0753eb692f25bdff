"""Figure 9.1: ε against running time, for the thesis's three algorithms and the interleaved one.

``python -m benchmarks.race FOLDER`` runs the four on the whole tournament, one after the other on one core, and keeps
every point and every solver's state in the folder, so that it can be stopped and started again. Seconds are processor
seconds of the algorithm; measuring ε is not counted.

As in the thesis, VI-FP and PI-FP stop at the first ε below $0.05. How closely their stages are solved is not printed
there; the gains of single hands add up over a tournament, so that a stage may leave half of the target here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.games.tournament.game import jam_fold_tournament
from equiform.models.common.array_types import FloatArray
from equiform.models.common.files import read_json, write_text
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative.stochastic import ALGORITHMS, StochasticSolver, best_responses
from equiform.validation.reproduce.cell import Cell, by_claim, new
from equiform.validation.reproduce.experiment import Experiment, Part
from equiform.validation.reproduce.tournaments.conventions import bin_counts, deviations
from equiform.validation.reproduce.tournaments.solution import THESIS

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture

FILE = "race.json"
TARGET = 0.05  # the thesis stopped VI-FP and PI-FP there, in dollars


@dataclass(frozen=True)
class Course:
    """How many points an algorithm gets, how many iterations there are between two of them, and when it may stop."""

    points: int
    stride: int
    options: Mapping[str, Any] = field(default_factory=dict)
    until: float = 0.0


#: Outer loops of FP-MDP in the thesis: 20 hours, 40 minutes each.
OUTER_LOOPS = 30
TITLES = {"interleaved": "interleaved", "pi-fp": "PI-FP", "vi-fp": "VI-FP", "fp-mdp": "FP-MDP"}
_NESTED = Course(12, 1, {"inner_tolerance": TARGET / 2}, until=TARGET)
COURSES = {
    "interleaved": Course(10, 40),
    "pi-fp": _NESTED,
    "vi-fp": _NESTED,
    "fp-mdp": Course(6, 10),
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
    while len(points) < course.points and not (points and points[-1].epsilon < course.until):
        started = time.process_time()
        solver.step(course.stride)
        spent = time.process_time() - started + (points[-1].seconds if points else 0.0)
        off = deviations(solver.values)
        points.append(
            Point(
                solver.iteration,
                round(spent, 2),
                best_responses(game, solver.profile).epsilon,
                bin_counts(off),
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
    """Compare what the thesis says about the three algorithms, and list the points."""
    found = stored_race()
    cells = [*_who_gets_there(found), *_how_long_it_takes(found)]
    for name, points in found.items():
        cells.extend(new(f"{name} after {p.seconds:.0f} s", "ε", p.epsilon) for p in points)
    return cells


def _who_gets_there(found: Mapping[str, list[Point]]) -> list[Cell]:
    cells = []
    for name in ("vi-fp", "pi-fp"):
        last = found[name][-1]
        note = f"after {last.iteration} outer loops"
        row = f"{TITLES[name]} reaches $0.05"
        cells.append(by_claim(row, "§9.6", "yes", last.epsilon, last.epsilon < TARGET, note=note))
    thesis = next(p for p in found["fp-mdp"] if p.iteration >= OUTER_LOOPS)
    note = f"ε after {thesis.iteration} outer loops, of which the thesis did about {OUTER_LOOPS}"
    cells.append(by_claim("FP-MDP reaches $0.05", "§9.6", "no", thesis.epsilon, thesis.epsilon >= TARGET, note=note))
    return cells


def _how_long_it_takes(found: Mapping[str, list[Point]]) -> list[Cell]:
    policy = first_below(found["pi-fp"])
    if policy is None:
        return []
    claims: tuple[tuple[str, str, float, float, str], ...] = (
        ("vi-fp", "almost 3", 2.5, 3.0, "how closely stages are solved is not printed, and decides"),
        ("fp-mdp", "more than 1", 1.0, np.inf, ""),
    )
    cells = []
    for name, printed, low, high, note in claims:
        reached, last = first_below(found[name]), found[name][-1]
        ratio = (reached or last).seconds / policy.seconds
        holds = low <= ratio <= high
        if reached is None:
            note = f"at least: not there after {last.iteration} iterations"
        row = f"{TITLES[name]}'s time to $0.05 over PI-FP's"
        cells.append(by_claim(row, "§9.6", printed, ratio, holds, note="" if holds and reached else note))
    return cells


def draw_race(found: Mapping[str, Sequence[Point]]) -> Picture:
    """Draw ε over processor seconds, a line per algorithm; the grey line is where the thesis stopped."""
    from equiform.models.common.pictures import Picture

    picture = Picture(figsize=(6.4, 3.8), layout="constrained")
    axes = picture.subplots()
    for name, points in found.items():
        axes.loglog([p.seconds for p in points], [p.epsilon for p in points], "o-", markersize=3, label=TITLES[name])
    axes.axhline(TARGET, color="grey", linewidth=0.7)
    axes.set(xlabel="processor seconds", ylabel="dollars that somebody can gain")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    return picture


EXPERIMENT = Experiment(
    id="figure-9.1",
    title="Epsilon as a function of running time",
    source="thesis §9.6, Figure 9.1",
    about="Dollars that somebody could gain, after processor seconds on one core: a stored race of four algorithms.",
    tolerance="the order of the algorithms, as the text tells it",
    parts=lambda quick: [Part("all", figure_cells)],
    seconds=(1.0, 1.0),
    remarks=(
        "The thesis's clock counts minutes on 16 processors; the numbers behind its curves are not printed.",
        "Iterations of VI-FP and PI-FP are those of the outer loop.",
    ),
)
