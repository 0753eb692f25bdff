r"""Table 13.1 of Ganzfried (2015): five algorithms against four classes of opponents in Kuhn poker.

The thesis plays 40,000 opponents a class, 1,000 hands each, and prints what was won a hand. Its intervals (± 0.0004
everywhere) are those of 40 million independent hands: 1.96 · 1.3 / √(4·10⁷). But the hands against one opponent are not
independent, and opponents of a class differ widely. Our intervals are over matches; where a cell is compared, the
thesis's interval is taken as printed.

Run it with ``python -m equiform.play.table_13_1 OUT.json --opponents 1000``; it stores every finished chunk beside the
output and continues from there.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiform.models.files import write_text
from equiform.play.match import Estimate, MatchResult, MatchSpec, play_match
from equiform.play.ties import TIES

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


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell: our matches beside the printed figure."""

    result: MatchResult
    printed: Estimate

    @property
    def agrees(self) -> bool:
        """Whether what was won is within the joint 95% interval of the printed figure."""
        return self.result.won.agrees(self.printed)

    def summary(self) -> dict[str, Any]:
        """Give the cell as plain values."""
        printed = [self.printed.mean, self.printed.half_width]
        return {**self.result.summary(), "printed": printed, "agrees": self.agrees}


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
    ties: str = "last",
    nemesis_ties: str = "last",
    jobs: int = 1,
    checkpoint: str | Path | None = None,
    done: Callable[[Cell], None] | None = None,
) -> list[Cell]:
    """Play the table, or some of its cells; ``done`` is called with every finished cell."""
    cells = []
    classes = tuple(classes)
    for agent in agents:
        for opponent in classes:
            spec = MatchSpec(
                "kuhn",
                agent,
                opponent,
                hands=hands,
                opponents=opponents,
                seed=seed,
                ties=ties,
                nemesis_ties=nemesis_ties,
            )
            cell = Cell(play_match(spec, jobs=jobs, checkpoint=checkpoint), printed(agent, opponent))
            cells.append(cell)
            if done is not None:
                done(cell)
    return cells


def document(cells: Iterable[Cell], seconds: float) -> dict[str, Any]:
    """Give the table as plain values for JSON."""
    return {"table": "13.1", "seconds": round(seconds, 1), "cells": [cell.summary() for cell in cells]}


def main(arguments: list[str] | None = None) -> None:
    """Play the table and write it as JSON after every cell."""
    parser = argparse.ArgumentParser(description="Play Table 13.1.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--opponents", type=int, default=1000)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ties", choices=tuple(TIES), default="last")
    parser.add_argument("--nemesis-ties", choices=tuple(TIES), default="last")
    parser.add_argument(
        "--checkpoint", type=Path, default=None, help="folder of finished chunks; beside OUT by default"
    )
    asked = parser.parse_args(arguments)
    started = time.perf_counter()
    cells: list[Cell] = []

    def done(cell: Cell) -> None:
        cells.append(cell)
        write_text(asked.out, json.dumps(document(cells, time.perf_counter() - started), indent=1) + "\n")

    play_table(
        opponents=asked.opponents,
        hands=asked.hands,
        seed=asked.seed,
        ties=asked.ties,
        nemesis_ties=asked.nemesis_ties,
        jobs=asked.jobs,
        checkpoint=asked.checkpoint or asked.out.with_suffix(".chunks"),
        done=done,
    )


if __name__ == "__main__":
    main()
