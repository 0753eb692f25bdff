"""The page of a tournament: values beside ICM for all stacks, and the charts of every decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.errors import FormatError
from equiform.models.common.records import plain
from equiform.viewer.document import packed
from equiform.viewer.page import Page

FORMAT = "equiform-explorer-tournament"
VERSION = 1
#: Charts are whole numbers of ten-thousandths: 0.01 percent.
WHOLE = 10_000


@dataclass(frozen=True, eq=False)
class TournamentExplorer(Page):
    """A page about the solved end of a tournament.

    Parameters
    ----------
    name
        What the tournament is called.
    seats
        Names of the seats.
    decisions
        Name of each decision and the number of the seat that takes it.
    hands
        Names of the starting hands, in the order of the charts.
    unit
        The smallest chip.
    stacks, values, icm
        A row per state, a column per seat.
    charts
        How likely each hand jams, in ten-thousandths: by state, decision and hand.
    proof
        What is known about the answer, as plain data: epsilon, worst, icm, algorithm and so on.
    unproved
        Sentences that say what the check does not cover.
    course
        How the answer was reached, as :func:`equiform.viewer.convergence.course` returns it.
    """

    name: str
    seats: Sequence[str]
    decisions: Sequence[tuple[str, int]]
    hands: Sequence[str]
    unit: int
    stacks: NDArray[Any] = field(repr=False)
    values: NDArray[Any] = field(repr=False)
    icm: NDArray[Any] = field(repr=False)
    charts: NDArray[Any] = field(repr=False)
    proof: Mapping[str, Any] = field(repr=False)
    unproved: tuple[str, ...] = ()
    course: Mapping[str, Any] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.stacks), len(self.seats))
        shapes = {a.shape for a in (self.stacks, self.values, self.icm)}
        if shapes != {shape} or self.charts.shape != (shape[0], len(self.decisions), len(self.hands)):
            raise FormatError("tables of different sizes", where=self.name, fix="pass a row per state in each of them")
        if not np.isfinite(self.values).all() or self.charts.min() < 0 or self.charts.max() > WHOLE:
            raise FormatError("values or charts are out of range", where=self.name, fix="solve the tournament again")

    @cached_property
    def document(self) -> dict[str, Any]:
        """The data of the page."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.name,
            "seats": list(self.seats),
            "decisions": [{"name": name, "seat": seat} for name, seat in self.decisions],
            "hands": list(self.hands),
            "unit": self.unit,
            "stacks": packed(self.stacks.ravel()),
            "values": packed(self.values.ravel()),
            "icm": packed(self.icm.ravel()),
            "charts": packed(self.charts.ravel().astype(np.int16)),
            "course": self.course,
            "profiles": [{"title": self.name, "proof": plain(dict(self.proof)), "unproved": list(self.unproved)}],
        }
