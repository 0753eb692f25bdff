"""What an experiment is: where it comes from, its parts, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equiform.models.common.errors import FormatError
from equiform.models.common.html import html_rows
from equiform.runs.task import Task, function_name, resolve_function
from equiform.validation.reproduce.cell import Cell, Verdict, cells_of

VERSION = 2


@dataclass(frozen=True)
class Part:
    """A piece of an experiment that is computed, stored and resumed on its own: a function and its arguments."""

    key: str
    function: Callable[..., list[Cell]] = field(repr=False)
    arguments: tuple[Any, ...] = ()

    def task(self, experiment: str) -> Task:
        """Return the part as a task, which is identified by the function, its arguments and the code."""
        name = function_name(self.function)
        arguments = {"function": name, "arguments": self.arguments}
        return Task(function_name(compute_cells), arguments, label=f"{experiment}-{self.key}")


def compute_cells(function: str, arguments: Sequence[Any]) -> dict[str, Any]:
    """Compute the cells of a part; lists among the arguments are converted to tuples."""
    given = [tuple(a) if isinstance(a, list) else a for a in arguments]
    cells: list[Cell] = resolve_function(function)(*given)
    return {"cells": [cell.document() for cell in cells]}


@dataclass(frozen=True)
class Experiment:
    """An entry of the registry."""

    id: str
    title: str
    source: str
    about: str
    tolerance: str
    """How cells are judged, in words."""
    parts: Callable[[bool], Sequence[Part]] = field(repr=False)
    """Return the parts; the argument asks for the quick set."""
    seconds: tuple[float, float]
    """About how long the quick and the full set take on one core."""
    column_title: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment."""

    experiment: str
    quick: bool
    cells: tuple[Cell, ...]
    seconds: float
    parts: int = 0
    """How many parts were asked for,"""
    reused: int = 0
    """how many of them came from a store,"""
    outdated: int = 0
    """how many results there were of other code or parameters, which were not used."""
    interrupted: bool = False
    """Whether Ctrl-C left parts undone, whose cells are missing."""

    @property
    def numbers(self) -> Counter[Verdict]:
        """Return how many numbers got each verdict."""
        return Counter(c.verdict for c in self.cells if not c.yes_no)

    @property
    def decisions(self) -> Counter[Verdict]:
        """Return how many cells that say yes or no (or jam or fold) got each verdict."""
        return Counter(c.verdict for c in self.cells if c.yes_no)

    @property
    def summary(self) -> str:
        """Return the verdicts in words, numbers and yes or no apart."""
        kinds = (("", self.numbers), ("yes/no: ", self.decisions))
        return "; ".join(
            word + ", ".join(f"{n[v]} {v.value}" for v in Verdict if n[v]) for word, n in kinds if n.total()
        )

    def _repr_html_(self) -> str:
        rows = [
            ((f"{verdict.value} ({kind})", f"{found[verdict]:,}"), True)
            for kind, found in (("numbers", self.numbers), ("yes or no", self.decisions))
            for verdict in Verdict
            if found[verdict]
        ]
        return html_rows(f"{self.experiment}{' (quick set)' if self.quick else ''}", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON. Seconds are left out: they would change with every run."""
        return {
            "format": "equiform-reproduction",
            "version": VERSION,
            "experiment": self.experiment,
            "quick": self.quick,
            "summary": {
                "numbers": {v.value: self.numbers[v] for v in Verdict if self.numbers[v]},
                "yes/no": {v.value: self.decisions[v] for v in Verdict if self.decisions[v]},
            },
            "cells": [c.document() for c in self.cells],
        }

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Outcome:
        """Read an outcome back."""
        if not isinstance(content, Mapping) or content.get("format") != "equiform-reproduction":
            raise FormatError("not a result of `equiform reproduce`", fix="delete the file and run again")
        if content.get("version") != VERSION:
            raise FormatError(f"results of version {content.get('version')!r} are not supported", fix="run again")
        experiment, quick = content.get("experiment"), content.get("quick")
        if not isinstance(experiment, str) or not isinstance(quick, bool):
            raise FormatError("the results do not name their experiment", fix="delete the file and run again")
        return Outcome(experiment, quick, tuple(cells_of(content.get("cells"))), 0.0)


@dataclass(frozen=True)
class Change:
    """A verdict that differs between two outcomes; an empty verdict means that the cell is not there."""

    experiment: str
    row: str
    column: str
    before: str
    after: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data for JSON."""
        return dict(vars(self))


def changes(before: Outcome, after: Outcome) -> list[Change]:
    """List the cells whose verdict changed."""
    old = {(c.row, c.column): c.verdict.value for c in before.cells}
    new = {(c.row, c.column): c.verdict.value for c in after.cells}
    keys = [*old, *(k for k in new if k not in old)]
    return [
        Change(after.experiment, *k, old.get(k, ""), new.get(k, "")) for k in keys if old.get(k, "") != new.get(k, "")
    ]
