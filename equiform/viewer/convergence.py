"""The page of iterative runs on one game: how the gap closed, run beside run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from equiform.models.common.errors import ParameterError
from equiform.viewer.page import Page

FORMAT = "equiform-explorer-runs"
VERSION = 1
_RUN = ("algorithm", "stopped_by", "iteration", "seconds", "exploitability")
_POINT = ("iteration", "seconds", "exploitability", "bracket")


def course(
    points: Sequence[tuple[int, float, float]], *, algorithm: str, gap: str, steps: str = "iterations"
) -> dict[str, Any] | None:
    """Return how an answer was reached, for the chart of its page; None where fewer than two gaps are positive.

    Parameters
    ----------
    points
        Steps, seconds and the measured gap.
    algorithm, gap, steps
        Words for the legend and the axes.
    """
    known = [(int(n), float(s), float(g)) for n, s, g in points]
    known = [point for point in known if point[0] > 0 and all(map(math.isfinite, point[1:]))]
    if sum(g > 0 for _, _, g in known) < 2:
        return None
    return {"algorithm": algorithm, "gap": gap, "steps": steps, "points": [list(point) for point in known]}


@dataclass(frozen=True, eq=False)
class RunsExplorer(Page):
    """A page about one or more iterative runs.

    Parameters
    ----------
    name
        The game.
    runs
        Each as plain data: algorithm, stopped_by, iteration, seconds, exploitability, and a history of measurements.
    program
        What the linear program took and reached, if it took part: seconds and exploitability.
    unproved
        Sentences that say what the measurements do not cover.
    """

    name: str
    runs: Sequence[Mapping[str, Any]] = field(repr=False)
    program: Mapping[str, float] | None = None
    unproved: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.runs or not all(run["history"] for run in self.runs):
            raise ParameterError("there is no measurement to show", where=self.name, fix="run an iterative algorithm")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The data of the page."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.name,
            "runs": [
                {**{k: run[k] for k in _RUN}, "history": [{k: c[k] for k in _POINT} for c in run["history"]]}
                for run in self.runs
            ],
            "lp": None if self.program is None else dict(self.program),
            "profiles": [
                {"title": run["algorithm"], "proof": {}, "unproved": list(self.unproved)} for run in self.runs
            ],
        }
