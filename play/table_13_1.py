r"""Table 13.1 of Ganzfried (2015): five algorithms against four classes of opponents in Kuhn poker.

The thesis plays 40,000 opponents a class, 1,000 hands each, and prints what was won a hand. Its intervals (± 0.0004
everywhere) are those of 40 million independent hands: 1.96 · 1.3 / √(4·10⁷). But the hands against one opponent are not
independent, and opponents of a class differ widely. Our intervals are over matches; where a cell is compared, the
thesis's interval is taken as printed. Beside what was won stands an estimate of the same mean without the luck of the
cards and of the draw of opponents (:mod:`equiform.play.controls`).

The text leaves open how equally good responses are told apart and what a third of five fictitious hands is. A
*convention* (:data:`CONVENTIONS`) settles both; the first is ours, the others show what hangs on it.

Four cells fit no convention. A *reading* (:data:`READINGS`) other than the text's own departs from what the text says,
in a way that may have been played all the same, to see whether it would explain them.

Run it with ``python -m equiform.play.table_13_1 OUT.json --opponents 1000``; it stores every finished chunk beside the
output and continues from there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equiform.models.files import write_text
from equiform.models.kinds import require_name
from equiform.play.controls import adjusted_worth
from equiform.play.match import Estimate, MatchResult, MatchSpec, play_match

AGENTS = ("rwywe", "befewp", "beffe", "best-equilibrium", "best-response")
OPPONENTS = ("random", "sophisticated", "dynamic", "equilibrium")

#: The printed win rates and 95% intervals: a row an agent, a column an opponent.
PRINTED: dict[str, tuple[tuple[float, float], ...]] = {
    "rwywe": ((0.3636, 0.0004), (-0.0110, 0.0004), (-0.02043, 0.00044), (-0.0556, 0.0004)),
    "befewp": ((0.3553, 0.0004), (-0.0115, 0.0004), (-0.02138, 0.00045), (-0.0556, 0.0004)),
    "beffe": ((0.1995, 0.0004), (-0.0131, 0.0004), (-0.03972, 0.00044), (-0.0556, 0.0004)),
    "best-equilibrium": ((0.1450, 0.0004), (-0.0148, 0.0004), (-0.03522, 0.00044), (-0.0556, 0.0004)),
    "best-response": ((0.4700, 0.0004), (0.0548, 0.0004), (-0.12094, 0.00039), (-0.0556, 0.0004)),
}

#: What the thesis leaves open, settled in some ways.
CONVENTIONS: dict[str, dict[str, Any]] = {
    "last": {},
    "first": {"ties": "first", "nemesis_ties": "first"},
    "whole-prior": {"whole_prior": True},
    "cautious": {"ties": "cautious"},
}
CONVENTION_SUMMARIES = {
    "last": "ties go to bet and call",
    "first": "ties go to check and fold, the nemesis's too",
    "whole-prior": "as last, but of five fictitious hands a third is one and two thirds are three",
    "cautious": "ties go to the response that guarantees the most",
}


@dataclass(frozen=True)
class Reading:
    """A way to read the experiment."""

    summary: str
    classes: tuple[str, ...]
    """The opponents for which it makes a difference."""
    players: Mapping[str, str]
    """Which agent plays which row of the table."""
    options: Mapping[str, Any] = field(default_factory=dict)


READINGS = {
    "text": Reading("all is as the text says", OPPONENTS, {agent: agent for agent in AGENTS}),
    "fresh-start": Reading(
        "the agent forgets its model and its gifts when the opponent turns",
        ("dynamic",),
        {agent: agent for agent in AGENTS},
        {"restart": True},
    ),
    "printed-test": Reading(
        "beffe compares k with (T - t + 1)(v - e) as printed, e being a loss and negative",
        ("random", "sophisticated", "dynamic"),
        {"beffe": "beffe-printed"},
    ),
}


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell: our matches beside the printed figure."""

    row: str
    convention: str
    reading: str
    result: MatchResult
    adjusted: Estimate
    """What the class is worth to the agent, without the luck of the cards and of the draw of opponents."""
    printed: Estimate

    @property
    def agrees(self) -> bool:
        """Whether what was won is within the joint 95% interval of the printed figure."""
        return self.result.won.agrees(self.printed)

    def summary(self) -> dict[str, Any]:
        """Give the cell as plain values."""
        return {
            "row": self.row,
            "convention": self.convention,
            "reading": self.reading,
            **self.result.summary(),
            "adjusted": [self.adjusted.mean, self.adjusted.half_width],
            "printed": [self.printed.mean, self.printed.half_width],
            "agrees": self.agrees,
            "adjusted_agrees": self.adjusted.agrees(self.printed),
        }


def printed(agent: str, opponent: str) -> Estimate:
    """Look a cell up in the thesis."""
    return Estimate(*PRINTED[agent][OPPONENTS.index(opponent)])


def play_table(
    *,
    opponents: int = 1000,
    hands: int = 1000,
    seed: int = 1,
    agents: Iterable[str] = AGENTS,
    classes: Iterable[str] = OPPONENTS,
    convention: str = "last",
    reading: str = "text",
    jobs: int = 1,
    checkpoint: str | Path | None = None,
    done: Callable[[Cell], None] | None = None,
) -> list[Cell]:
    """Play the table, or some of its cells; ``done`` is called with every finished cell.

    Of a reading other than the text's, only the cells that it changes are played.
    """
    settled = CONVENTIONS[require_name(convention, CONVENTIONS, "convention", "Table 13.1")]
    read = READINGS[require_name(reading, READINGS, "reading", "Table 13.1")]
    rows = [require_name(name, AGENTS, "agent", "Table 13.1") for name in agents]
    columns = [require_name(name, OPPONENTS, "opponent", "Table 13.1") for name in classes]
    cells = []
    for row, opponent in itertools.product(rows, columns):
        if row not in read.players or opponent not in read.classes:
            continue
        options = {**settled, **read.options}
        spec = MatchSpec("kuhn", read.players[row], opponent, hands=hands, opponents=opponents, seed=seed, **options)
        result = play_match(spec, jobs=jobs, checkpoint=checkpoint)
        cell = Cell(row, convention, reading, result, adjusted_worth(spec, result.scores.worth), printed(row, opponent))
        cells.append(cell)
        if done is not None:
            done(cell)
    return cells


def main(arguments: list[str] | None = None) -> None:
    """Play the table and write it as JSON after every cell."""
    parser = argparse.ArgumentParser(description="Play Table 13.1.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--opponents", type=int, default=1000)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--conventions", nargs="+", choices=tuple(CONVENTIONS), default=["last"])
    parser.add_argument("--readings", nargs="+", choices=tuple(READINGS), default=["text"])
    parser.add_argument(
        "--checkpoint", type=Path, default=None, help="folder of finished chunks; beside OUT by default"
    )
    asked = parser.parse_args(arguments)
    started = time.perf_counter()
    cells: list[Cell] = []

    def done(cell: Cell) -> None:
        cells.append(cell)
        seconds = round(time.perf_counter() - started, 1)
        found = {"table": "13.1", "seconds": seconds, "cells": [c.summary() for c in cells]}
        write_text(asked.out, json.dumps(found, indent=1) + "\n")

    for reading, convention in itertools.product(asked.readings, asked.conventions):
        play_table(
            opponents=asked.opponents,
            hands=asked.hands,
            seed=asked.seed,
            convention=convention,
            reading=reading,
            jobs=asked.jobs,
            checkpoint=asked.checkpoint or asked.out.with_suffix(".chunks"),
            done=done,
        )


if __name__ == "__main__":
    main()
