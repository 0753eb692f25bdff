"""Chapter 9 under every convention that rules leave open: does one of them explain Table 9.1?

``python -m benchmarks.race FOLDER`` solves the tournament once per convention, as far as tables need it. None is chosen
because it fits: the default stays, and Table 9.1 says what the others would give.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from equiform.games.tournament.game import jam_fold_tournament
from equiform.models.common.array_types import FloatArray
from equiform.models.common.files import read_json, write_text
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import Interleaved
from equiform.validation.reproduce.tournaments.solution import STACKS, THESIS, charts_at

FILE = "conventions.json"
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0, 3.0)  # of Table 9.1
WORST = (300, 12300, 900)  # where the thesis's largest deviation from ICM is
ITERATIONS = 160
VARIANTS = {
    "double busts shared": replace(THESIS, double_bust="shared"),
    "double busts by the better hand": replace(THESIS, double_bust="better-hand"),
    "odd chips to the first seat": replace(THESIS, odd_chip="first-seat"),
}


@dataclass(frozen=True)
class Reading:
    """What one convention makes of Table 9.1, and of the charts."""

    convention: str
    epsilon: float
    """The solver's own word."""
    bins: tuple[int, ...]
    mean: float
    largest: float
    worst: tuple[float, ...]
    """Values at the stacks of the thesis's largest deviation, by seat."""
    charts: Mapping[str, list[list[float]]]
    """At the stacks of the printed charts, ``[decision][hand]``."""


def deviations(values: FloatArray) -> FloatArray:
    """Return how far values are from ICM, for all stacks and seats."""
    off: FloatArray = np.abs(values - THESIS.icm_values()).ravel()
    return off


def bin_counts(off: FloatArray) -> tuple[int, ...]:
    """Count deviations as Table 9.1 does."""
    return tuple(np.histogram(off, BINS)[0].tolist())


def measure(folder: Path, tell: Callable[[str], None]) -> list[Reading]:
    """Solve the tournament under every convention but the default, as far as the folder does not say how it ends."""
    kept = folder / FILE
    found = read_readings(kept) if kept.exists() else []
    for convention, tournament in list(VARIANTS.items())[len(found) :]:
        run = Interleaved(jam_fold_tournament(tournament), values=tournament.icm_values())
        run.run(Until(iterations=ITERATIONS), checkpoint_every=ITERATIONS)
        assert run.measured is not None
        off, at = deviations(run.values), tournament.state_index(WORST)
        found.append(
            Reading(
                convention,
                run.measured.epsilon,
                bin_counts(off),
                float(off.mean()),
                float(off.max()),
                tuple(run.values[at].tolist()),
                {name: charts_at(run.profile, stacks).round(4).tolist() for name, stacks in STACKS.items()},
            )
        )
        write_readings(kept, found)
        tell(f"{convention}: ε {found[-1].epsilon:.5f}, mean deviation {found[-1].mean:.4f}")
    return found


def write_readings(path: Path, readings: Sequence[Reading]) -> None:
    """Store what was measured."""
    write_text(path, "[\n" + ",\n".join(json.dumps(asdict(r)) for r in readings) + "\n]\n")


@cache
def stored_readings() -> list[Reading]:
    """Read what is stored."""
    with resources.as_file(resources.files(__package__) / FILE) as path:
        return read_readings(path)


def read_readings(path: Path) -> list[Reading]:
    """Read what was measured."""
    rows = read_json(path, "chapter 9 under other conventions", fix="run the race again with --store")
    return [Reading(**{**row, "bins": tuple(row["bins"]), "worst": tuple(row["worst"])}) for row in rows]
