"""Table 13.1: safe exploitation in Kuhn poker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from equiform.validation.reproduce.cell import Cell, Verdict, by_confidence
from equiform.validation.reproduce.experiment import Experiment, Part

if TYPE_CHECKING:
    from equiform.play.match import Estimate


def compute(agent: str, opponents: int) -> list[Cell]:
    """Let an agent play all classes of opponents under every convention that the text allows."""
    from equiform.play.table_13_1 import CONVENTIONS, OPPONENTS, play_table, printed

    runs = {name: play_table(opponents=opponents, agents=(agent,), convention=name) for name in CONVENTIONS}
    cells = []
    for k, opponent in enumerate(OPPONENTS):
        theirs = printed(agent, opponent)
        found = [run[k].adjusted for run in runs.values()]
        digits = 5 if opponent == "dynamic" else 4
        cell = by_confidence(
            agent, opponent, f"{theirs.mean:.{digits}f}", theirs.half_width, found[0].mean, found[0].half_width
        )
        if cell.verdict is Verdict.MISMATCH:
            low, high = _span(found)
            inside = low - theirs.half_width <= theirs.mean <= high + theirs.half_width
            verdict = Verdict.INSIDE if inside else Verdict.MISMATCH
            note = (
                "inside the range of our conventions for ties and for a third of five fictitious hands"
                if inside
                else "beyond all conventions" + "".join(_other_readings(agent, opponent, opponents))
            )
            cell = Cell(agent, opponent, cell.printed, cell.ours, verdict, low, high, note)
        cells.append(cell)
    return cells


def _span(found: Sequence[Estimate]) -> tuple[float, float]:
    """Give the range that the intervals cover."""
    return min(f.mean - f.half_width for f in found), max(f.mean + f.half_width for f in found)


def _other_readings(agent: str, opponent: str, opponents: int) -> Iterator[str]:
    """Say what the cell would be under readings that depart from the text."""
    from equiform.play.table_13_1 import CONVENTIONS, READINGS, play_table

    for name, reading in READINGS.items():
        if name != "text" and agent in reading.players and opponent in reading.classes:
            runs = {
                c: play_table(opponents=opponents, agents=(agent,), classes=(opponent,), convention=c, reading=name)[0]
                for c in CONVENTIONS
            }
            low, high = _span([run.adjusted for run in runs.values()])
            fitting = [c for c, run in runs.items() if run.adjusted.agrees(run.printed)]
            yield (
                f"; if {reading.summary}: {runs['last'].adjusted}, by convention from {low:.4f} to {high:.4f}"
                + (f", within the interval by {' and '.join(fitting)}" if fitting else "")
            )


def parts(quick: bool) -> Sequence[Part]:
    """A part an agent; the quick set has few opponents and wide intervals."""
    from equiform.play.table_13_1 import AGENTS

    return [Part(agent, compute, (agent, 60 if quick else 4000)) for agent in AGENTS]


EXPERIMENT = Experiment(
    id="13.1",
    title="Safe exploitation in Kuhn poker: win rates over 1,000 hands",
    source="thesis §13.7, Table 13.1",
    about="Five algorithms against four classes of opponents, one match a random opponent. Ours is the expectation of"
    " what was played, less the luck of the draw of opponents (control variates); intervals are over matches.",
    tolerance="joint 95% confidence interval; else the range over four conventions for what the text leaves open",
    parts=parts,
    seconds=(20, 400),
    column_title="opponent",
)
