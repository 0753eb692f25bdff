"""Heads-up charts that are sold or given away, where they contradict each other: what is proved at their stacks.

Two published charts (HoldemResources' is one) name a stack per hand up to which the small blind should jam, to a tenth
of a big blind. They differ by a tenth or more in 13 of 153 hands. Only four of those pairs are quoted in what we have,
so that only four hands can be judged here. At every tenth of a big blind around both stacks, linear programs find the
lowest and the highest jamming probability of an equilibrium, and a calling chart proves bounds for all equilibria.
"""

from __future__ import annotations

from fractions import Fraction

from equiform.games.tournament.push_fold import PushFold
from equiform.validation.jam_ranges import JamRange, jam_range
from equiform.validation.reproduce.cell import Cell, by_digits, new
from equiform.validation.reproduce.experiment import Experiment, Part

#: Stacks up to which to jam, in tenths of a big blind.
PUBLISHED = {"J5s": (147, 153), "94s": (69, 65), "J8o": (133, 129), "87o": (147, 152)}
AROUND = 4


def hand_cells(hand: str) -> list[Cell]:
    """Judge the printed stacks of a hand by the largest one nearby at which it is jammed at least every other time."""
    printed = PUBLISHED[hand]
    window = range(min(printed) - AROUND, max(printed) + AROUND + 1)
    ranges = {tenth: jam_range(PushFold(Fraction(tenth, 10)), hand) for tenth in window}
    last = max(tenth for tenth in window if ranges[tenth].attained[1] >= 0.5)
    cells = []
    for chart, tenth in enumerate(printed, start=1):
        note = "" if tenth == last else f"at {tenth / 10:g}: {_words(ranges[tenth])}; {_runs(ranges)}"
        cells.append(by_digits(hand, f"chart {chart}", f"{tenth / 10:.1f}", last / 10, note=note))
    for tenth, found in ranges.items():
        low, high = found.bounds
        cells.append(new(f"{hand} at {tenth / 10:g}", "jams", found.attained[1], low, high, note=_words(found)))
    return cells


def _words(found: JamRange) -> str:
    if found.verdict != "open":
        return f"every equilibrium {found.verdict}s, proved"
    low, high = found.attained
    return f"mixed: jammed with probability {low:.3f}" + (f" to {high:.3f}" if high - low > 0.0005 else "")


def _runs(ranges: dict[int, JamRange]) -> str:
    """Say where the hand is jammed at least every other time: one stack is not the whole story."""
    runs: list[list[int]] = []
    for tenth in (t for t, found in ranges.items() if found.attained[1] >= 0.5):
        if runs and tenth == runs[-1][1] + 1:
            runs[-1][1] = tenth
        else:
            runs.append([tenth, tenth])
    texts = [f"{a / 10:g}" if a == b else f"{a / 10:g} to {b / 10:g}" for a, b in runs]
    return f"jammed at least every other time at {' and '.join(texts)}"


EXPERIMENT = Experiment(
    id="push-fold-charts",
    title="Published heads-up charts where they differ",
    source="two published charts, as quoted for four hands",
    about="Up to which stack, in big blinds, the small blind jams a hand: two published charts and what is proved.",
    tolerance="the printed tenth of a big blind",
    parts=lambda quick: [Part(hand, hand_cells, (hand,)) for hand in (list(PUBLISHED)[1:2] if quick else PUBLISHED)],
    seconds=(3.0, 12.0),
    remarks=(
        "Only four of the 13 hands in which the charts differ are quoted to us; the others cannot be judged.",
        "Ours is the largest stack nearby at which the hand is jammed at least every other time.",
        "The interval of a stack bounds the jamming probability of every equilibrium: [0, 1] where the hand is mixed.",
    ),
)
