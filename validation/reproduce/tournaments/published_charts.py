"""A heads-up chart that is given away, beside what is proved at its stacks, and where another chart differs.

At every tenth of a big blind from 1 to 20, a linear program finds an equilibrium, and its charts prove bounds of how
often every equilibrium jams and calls each hand. The published chart sums that up in one stack per hand. There is no
only way to do so: a hand may be mixed, or folded in a gap. So three numbers of ours stand beside the printed one, the
largest stack up to which the hand is bold throughout, the largest at which it is bold at least every other time, and
the largest at which it is bold at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from equiform.games.cards.charts import N_RANKS, starting_hands
from equiform.games.tournament.push_fold import PushFold
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.validation.certificates.push_fold import certify_push_fold, forced_calls, forced_jams
from equiform.validation.jam_ranges import JamRange, equilibrium_charts, jam_range
from equiform.validation.reproduce.cell import Cell, by_claim, by_digits, by_equilibria, new
from equiform.validation.reproduce.experiment import Experiment, Part
from equiform.validation.reproduce.tournaments import holdem_resources
from equiform.validation.reproduce.tournaments.holdem_resources import CALL, FIRST, JAM, LAST

#: Where two charts are quoted to us, HoldemResources' and another: stacks up to which to jam, in tenths.
QUOTED = {"J5s": (147, 153), "94s": (69, 65), "J8o": (133, 129), "87o": (147, 152)}
AROUND = 4
#: An equilibrium is bold with a hand if it is so more often than this; solvers leave less than that by rounding.
TRACE = 1e-3


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium at one stack: both charts, the bounds of all others, and what the published charts lose."""

    charts: dict[str, FloatArray]
    low: dict[str, FloatArray]
    high: dict[str, FloatArray]
    losses: dict[str, float]


@cache
def equilibrium(tenth: int) -> Equilibrium:
    """Solve the hand with a stack of so many tenths of a big blind."""
    game = PushFold(Fraction(tenth, 10))
    jam, call = equilibrium_charts(game.sequence_form())
    proof = certify_push_fold(game, jam, call)
    jams, calls = forced_jams(game, call, proof.lower), forced_calls(game, jam, proof.upper)
    theirs = {action: holdem_resources.plays(action, tenth).astype(np.float64) for action in (JAM, CALL)}
    chart = certify_push_fold(game, theirs[JAM], theirs[CALL])
    return Equilibrium(
        {JAM: jam, CALL: call},
        {JAM: jams[0], CALL: calls[0]},
        {JAM: jams[1], CALL: calls[1]},
        {JAM: proof.lower - chart.lower, CALL: chart.upper - proof.upper},
    )


def chart_cells(action: str, first: int, last: int) -> list[Cell]:
    """Judge the printed stack of every hand by equilibria at all stacks, and the chart by what it loses."""
    stacks = range(first, last + 1)
    solved = [equilibrium(tenth) for tenth in stacks]
    bold = np.array([e.charts[action] for e in solved])
    theirs = np.array([holdem_resources.plays(action, tenth) for tenth in stacks])
    low, high = np.array([e.low[action] for e in solved]), np.array([e.high[action] for e in solved])
    wrong = (theirs & (high < TRACE)) | (~theirs & (low > 1 - TRACE))
    cells = []
    for hand, text in enumerate(holdem_resources.printed(action)):
        if first == FIRST and last == LAST:
            note = _errors(wrong[:, hand], theirs[:, hand], first, action)
            cells.append(_hand_cell(starting_hands()[hand], action, text, bold[:, hand], note))
    worst = max(range(len(solved)), key=lambda k: solved[k].losses[action])
    losses = np.array([e.losses[action] for e in solved])
    about = "the chart of " + ("jams" if action == JAM else "calls")
    open_ = ((low <= 1 - TRACE) & (high >= TRACE)).mean()
    return [
        *cells,
        new(about, "mean loss, milliblinds per hand", 1000 * float(losses.mean())),
        new(about, "largest loss, milliblinds", 1000 * float(losses.max()), note=f"with {stacks[worst] / 10:g}"),
        new(about, "decisions proved wrong", float(wrong.sum()), note=f"of {wrong.size:,}, {wrong.mean():.2%}"),
        new(about, "decisions that are open", float(open_), note="mixed in the equilibrium, or not decided by it"),
    ]


def _hand_cell(hand: str, action: str, text: str, bold: FloatArray, note: str) -> Cell:
    last, often, ever = (_last(bold >= part) for part in (1 - TRACE, 0.5, TRACE))
    throughout = FIRST + int(np.argmin(np.append(bold, 0.0) >= 1 - TRACE)) - 1
    if text.endswith("+"):
        words = note or ("" if last == LAST else f"mixed: up to {last / 10:g} throughout")
        return by_claim(hand, action, text, often / 10, often == LAST, note=words)
    span = (min(throughout, ever) / 10, ever / 10)
    words = f"throughout up to {span[0]:g}, at all up to {span[1]:g}; " if throughout < ever else ""
    return by_equilibria(
        hand, action, text, often / 10, None, attained=False, selected=(often / 10,), others=(span,),
        note=(words + note).rstrip("; "),
    )  # fmt: skip


def _last(where: BoolArray) -> int:
    """Return the largest stack of these, in tenths; the one before the first if there is none."""
    return FIRST + int(np.flatnonzero(where).max(initial=-1))


def _errors(wrong: BoolArray, theirs: BoolArray, first: int, action: str) -> str:
    """Say at which stacks the chart contradicts every equilibrium."""
    texts = []
    for bold, word in ((True, "folds"), (False, f"{action}s")):
        runs = runs_of([first + k for k in np.flatnonzero(wrong & (theirs == bold)).tolist()])
        if runs:
            texts.append(f"every equilibrium {word} at {runs}")
    return "; ".join(texts)


def hand_cells(hand: str) -> list[Cell]:
    """Judge the stacks of a hand in two charts by the largest one nearby at which it is jammed at least half the time.

    Linear programs find the lowest and the highest jamming probability of an equilibrium, at every tenth around both.
    """
    printed = QUOTED[hand]
    window = range(min(printed) - AROUND, max(printed) + AROUND + 1)
    ranges = {tenth: jam_range(PushFold(Fraction(tenth, 10)), hand) for tenth in window}
    last = max(tenth for tenth in window if ranges[tenth].attained[1] >= 0.5)
    jammed = runs_of([tenth for tenth, found in ranges.items() if found.attained[1] >= 0.5])
    cells = []
    for chart, tenth in zip(("HoldemResources", "another chart"), printed, strict=True):
        note = f"at {tenth / 10:g}: {_words(ranges[tenth])}; jammed at least every other time at {jammed}"
        cells.append(by_digits(hand, chart, f"{tenth / 10:.1f}", last / 10, note="" if tenth == last else note))
    for tenth, found in ranges.items():
        low, high = found.bounds
        cells.append(new(f"{hand} at {tenth / 10:g}", "jams", found.attained[1], low, high, note=_words(found)))
    return cells


def _words(found: JamRange) -> str:
    if found.verdict != "open":
        return f"every equilibrium {found.verdict}s, proved"
    low, high = found.attained
    return f"mixed: jammed with probability {low:.3f}" + (f" to {high:.3f}" if high - low > 0.0005 else "")


def runs_of(tenths: list[int]) -> str:
    """Write stacks as ranges: one stack is not the whole story.

    >>> runs_of([64, 65, 69])
    '6.4 to 6.5 and 6.9'
    """
    runs: list[list[int]] = []
    for tenth in tenths:
        if runs and tenth == runs[-1][1] + 1:
            runs[-1][1] = tenth
        else:
            runs.append([tenth, tenth])
    return " and ".join(f"{a / 10:g}" if a == b else f"{a / 10:g} to {b / 10:g}" for a, b in runs)


def _parts(quick: bool) -> list[Part]:
    last = FIRST + 10 if quick else LAST
    charts = [Part(action, chart_cells, (action, FIRST, last)) for action in (JAM, CALL)]
    return charts + [Part(hand, hand_cells, (hand,)) for hand in (["94s"] if quick else QUOTED)]


EXPERIMENT = Experiment(
    id="push-fold-charts",
    title="Published heads-up charts",
    source="HoldemResources, HeadsUp Push/Fold Nash Equilibrium; another chart, as quoted for four hands",
    about=f"Up to which stack, in big blinds, the {N_RANKS**2} hands are jammed and called: charts and what is proved.",
    tolerance="the printed tenth of a big blind",
    parts=_parts,
    seconds=(6.0, 90.0),
    remarks=(
        "Ours is the largest stack up to 20 at which the hand is played at least every other time.",
        "Not excluded: the printed stack is not ours, but lies between the largest stack up to which the hand is "
        "played throughout and the largest at which it is played at all.",
        "The chart's authors say that it simplifies: most hands are mixed at some stacks, and many have gaps.",
        "The interval of a stack bounds the jamming probability of every equilibrium: [0, 1] where the hand is mixed.",
    ),
)
