"""Table 13.1: safe exploitation in Kuhn poker."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, Verdict, by_confidence
from equiform.validation.reproduce.experiment import Experiment, Part


def compute(agent: str, opponents: int) -> list[Cell]:
    """Let an agent play all classes of opponents, breaking ties in two ways."""
    from equiform.play.table_13_1 import OPPONENTS, play_table, printed

    runs = {
        ties: play_table(opponents=opponents, agents=(agent,), ties=ties, nemesis_ties=ties)
        for ties in ("last", "first")
    }
    cells = []
    for k, opponent in enumerate(OPPONENTS):
        theirs = printed(agent, opponent)
        last, first = (runs[ties][k].result.won for ties in ("last", "first"))
        digits = 5 if opponent == "dynamic" else 4
        cell = by_confidence(
            agent, opponent, f"{theirs.mean:.{digits}f}", theirs.half_width, last.mean, last.half_width
        )
        low = min(last.mean - last.half_width, first.mean - first.half_width)
        high = max(last.mean + last.half_width, first.mean + first.half_width)
        if cell.verdict is Verdict.MISMATCH:
            inside = low <= theirs.mean <= high
            verdict = Verdict.INSIDE if inside else Verdict.MISMATCH
            note = (
                "between preferring the moves listed last and those listed first where responses are equally good"
                if inside
                else "beyond both of our ways to break ties; the thesis does not say how it breaks them"
            )
            cell = Cell(agent, opponent, cell.printed, cell.ours, verdict, low, high, note)
        cells.append(cell)
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """A part an agent; the quick set has few opponents and wide intervals."""
    from equiform.play.table_13_1 import AGENTS

    return [Part(agent, compute, (agent, 60 if quick else 1000)) for agent in AGENTS]


EXPERIMENT = Experiment(
    id="13.1",
    title="Safe exploitation in Kuhn poker: win rates over 1,000 hands",
    source="thesis §13.7, Table 13.1",
    about="Five algorithms against four classes of opponents, one match a random opponent. Intervals are over matches.",
    tolerance="joint 95% confidence interval; where ties decide, the range between two ways to break them",
    parts=parts,
    seconds=(12, 260),
    column_title="opponent",
)
