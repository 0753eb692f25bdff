"""Tables 9.1 to 9.16 beside the stored equilibrium: cell by cell, and what the printed charts lose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.validation.reproduce.cell import Cell, Verdict, by_claim, by_digits, new, rounds_to
from equiform.validation.reproduce.experiment import Experiment, Part
from equiform.validation.reproduce.tournaments import published_charts, race, two_player
from equiform.validation.reproduce.tournaments.conventions import BINS, WORST, bin_counts, deviations, stored_readings
from equiform.validation.reproduce.tournaments.printed import TABLES
from equiform.validation.reproduce.tournaments.solution import STACKS, THESIS, stored_summary

#: Table, stored state, number of the decision, unit of the loss.
CHARTS: dict[str, tuple[str, int]] = {
    **{f"9.{2 + k}": ("even", k) for k in range(6)},
    **{f"9.{8 + k}": ("single hand", k) for k in range(6)},
    "9.15": ("uneven", 2),
}
# Table 9.1: deviations from ICM.
PRINTED_BINS = (510, 460, 368, 363, 403, 626, 108)
PRINTED_WORST = (("button", "22.96", "25.45"), ("small blind", "48.19", "48.69"), ("big blind", "28.848", "25.856"))
# Table 9.14.
SITUATIONS = (
    ("Button jam", "0.376", "0.355"),
    ("SB jam after jam", "0.088", "0.234"),
    ("SB jam after fold", "0.652", "0.633"),
    ("BB jam after jam/fold", "0.145", "0.308"),
    ("BB jam after fold/jam", "0.273", "0.466"),
    ("BB jam after jam/jam", "0.021", "0.197"),
)


def printed_chart(table: str) -> list[list[str]]:
    """Return the cells of a printed table, row by row."""
    return [row.split() for row in TABLES[table][1].split("\n") if row]


def as_probability(text: str) -> float:
    """Read P, F or a percentage.

    >>> as_probability("P"), as_probability("F"), as_probability("23")
    (1.0, 0.0, 0.23)
    """
    return {"P": 1.0, "F": 0.0}.get(text) if text in "PF" else float(text) / 100  # type: ignore[return-value]


def chart_cells(table: str) -> list[Cell]:
    """Compare a chart: every hand by the printed percentage, then the whole by what it loses."""
    from equiform.games.cards.charts import chart_classes, starting_hands

    state, decision = CHARTS[table]
    solved, names = stored_summary().states[state], starting_hands()
    ours, gains = solved.charts[decision], solved.gains[decision]
    cells = []
    for row, classes in zip(printed_chart(table), chart_classes(), strict=True):
        for text, index in zip(row, classes, strict=True):
            note = f"jamming gains {gains[index]:.2e} there"
            cells.append(_chart_cell(names[index], f"Table {table}", text, float(ours[index]), note))
    unit = "chips" if state == "single hand" else "dollars"
    figures = {f"loss of the printed chart against a best response, {unit}": _loss(table), **_agreement(table, ours)}
    return cells + [new(what, f"Table {table}", number) for what, number in figures.items()]


def _agreement(table: str, ours: FloatArray) -> dict[str, float]:
    """Count the hands of a printed chart that are played alike."""
    theirs = printed_probabilities(table)
    return {
        "cells within 0.10": float((np.abs(ours - theirs) <= 0.1 + 1e-9).sum()),
        "cells on the same side of one half": float(((ours > 0.5) == (theirs > 0.5)).sum()),
    }


def _chart_cell(hand: str, table: str, text: str, ours: float, note: str) -> Cell:
    """Judge a percentage by its digits; P and F say jam or fold, which ours must do in all but half a percent."""
    if text in "PF":
        cell = by_claim(hand, table, text, ours, abs(ours - as_probability(text)) <= 0.005)
    else:
        cell = by_digits(hand, table, text, ours, scale=100.0)
    return cell if cell.verdict is Verdict.MATCH else replace(cell, note=note)


def _judged(row: str, column: str, printed: str, ours: float, note: str) -> Cell:
    """Judge by the printed digits, with a note where they differ."""
    return by_digits(row, column, printed, ours, note="" if rounds_to(ours, printed) else note)


def icm_cells() -> list[Cell]:
    """Compare Table 9.1 and the worst stacks of §9.8.3."""
    summary = stored_summary()
    icm, off = THESIS.icm_values(), deviations(summary.values)
    note = "not decided: unfinished runs and other rules for double busts differ from ours as much; see below"
    cells = []
    for row, printed, count in zip(_bin_names(), PRINTED_BINS, bin_counts(off), strict=True):
        cells.append(_judged(row, "Table 9.1", str(printed), float(count), note))
    cells.append(_judged("average deviation", "§9.8.3", "0.3703", float(off.mean()), note))
    cells.append(_judged("largest deviation", "§9.8.3", "2.99", float(off.max()), note))
    cells.append(_judged("smallest deviation", "§9.8.3", "0.0000442", float(off.min()), note))
    state = THESIS.state_index(WORST)
    for seat, (name, model, value) in enumerate(PRINTED_WORST):
        row = f"{name} at 300, 12,300, 900"
        cells.append(_judged(row, "ICM", model, float(icm[state, seat]), note))
        cells.append(_judged(row, "equilibrium", value, float(summary.values[state, seat]), note))
    at = int(np.abs(summary.values - icm).max(axis=1).argmax())
    cells.append(_judged("worst stacks", "state number", str(state), float(at), note))
    cells.append(_judged("states", "§9.3.2", "946", float(len(icm)), note))
    return [*cells, *_other_conventions(), *_on_the_way()]


def _bin_names() -> list[str]:
    return [f"{low:g}-{high:g}" for low, high in pairwise(BINS)]


def _other_conventions() -> list[Cell]:
    """Return what Table 9.1 would be under each of the other conventions, and how well the charts agree."""
    states = stored_summary().states
    default = {name: states[name].charts for name in STACKS}
    cells = [new(row, "default", number) for row, number in _all_agreements(default).items()]
    for reading in stored_readings():
        numbers = dict(zip(_bin_names(), map(float, reading.bins), strict=True))
        numbers |= {"average deviation": reading.mean, "largest deviation": reading.largest}
        for (name, *_), value in zip(PRINTED_WORST, reading.worst, strict=True):
            numbers[f"{name} at 300, 12,300, 900"] = value
        numbers |= _all_agreements({name: np.array(charts) for name, charts in reading.charts.items()})
        cells.extend(new(row, reading.convention, number) for row, number in numbers.items())
    return cells


def _all_agreements(charts: Mapping[str, FloatArray]) -> dict[str, float]:
    """Count the hands of all charts of the tournament that are played alike."""
    found: dict[str, float] = {}
    for table, (state, decision) in CHARTS.items():
        if state in charts:
            for what, number in _agreement(table, charts[state][decision]).items():
                found[what] = found.get(what, 0.0) + number
    return found


def _on_the_way() -> list[Cell]:
    """Return the deviations of unfinished runs, by the values they believe in: the run of Table 9.1 stopped early."""
    return [
        new(f"{name}, ε of {point.epsilon:.2g}", what, number)
        for name, points in race.stored_race().items()
        for point in points
        if point.epsilon < 1.0
        for what, number in (("average deviation", point.mean), ("deviations below 0.1", float(point.bins[0])))
    ]


def frequencies(probabilities: FloatArray) -> list[float]:
    """Return how often each decision is a jam, given that it comes up."""
    walk, open_fold, steal = probabilities[:3]
    open_call, jam_call, squeeze, all_in = (probabilities[b:e].sum() for b, e in ((3, 6), (6, 9), (9, 12), (12, 25)))
    jam, fold = steal + jam_call + squeeze + all_in, walk + open_fold + open_call
    small = squeeze + all_in
    return [
        jam / (jam + fold),
        small / jam,
        (open_fold + open_call) / fold,
        jam_call / (jam_call + steal),
        open_call / (open_call + open_fold),
        all_in / small,
    ]


def frequency_cells() -> list[Cell]:
    """Compare Table 9.14: the share of hands that jam; the thesis's own charts add up to its numbers that way.

    Where ours differs, the printed chart differs: the note says in which hands, and what the printed chart loses. The
    chance of a jam given that the decision comes up differs from the share, because cards are missing from the deck: we
    add it.
    """
    states = stored_summary().states
    columns = (("tournament", "even", 2), ("single hand", "single hand", 8))
    cells = []
    for k, (situation, *printed) in enumerate(SITUATIONS):
        for (column, state, first), digits in zip(columns, printed, strict=True):
            ours = float(hand_shares() @ states[state].charts[k])
            cells.append(_judged(situation, column, digits, ours, _difference(f"9.{first + k}")))
    for column, state, _ in columns:
        for (situation, *_), chance in zip(SITUATIONS, frequencies(states[state].probabilities), strict=True):
            cells.append(new(f"{situation}, given the cards in play", column, float(chance)))
    return cells


def hand_shares() -> FloatArray:
    """Return the share of each of the 169 hands in all deals."""
    from equiform.games.cards.charts import starting_hands

    return np.array([6 if len(name) == 2 else 4 if name.endswith("s") else 12 for name in starting_hands()]) / 1326


def _difference(table: str) -> str:
    """Say what a printed chart adds up to, what it loses, and which hands differ most from ours."""
    from equiform.games.cards.charts import starting_hands

    state, decision = CHARTS[table]
    solved, theirs = stored_summary().states[state], printed_probabilities(table)
    parts = hand_shares() * (theirs - solved.charts[decision])
    largest = np.argsort(-np.abs(parts), kind="stable")[:3]
    hands = ", ".join(f"{starting_hands()[h]} {parts[h]:+.4f}" for h in largest)
    unit = "chips" if state == "single hand" else "dollars"
    return (
        f"Table {table} as printed adds up to {hand_shares() @ theirs:.3f} and loses {_loss(table):.2g} {unit} as a "
        f"whole; its largest differences to ours are {hands}"
    )


def _loss(table: str) -> float:
    """Return what a printed chart gets less than a best response."""
    state, decision = CHARTS[table]
    gains = stored_summary().states[state].gains[decision]
    return float(((gains > 0) * gains - printed_probabilities(table) * gains).sum())


def printed_probabilities(table: str) -> FloatArray:
    """Return a printed chart by the number of the hand."""
    from equiform.games.cards.charts import chart_classes

    found = np.zeros(169)
    for row, classes in zip(printed_chart(table), chart_classes(), strict=True):
        found[list(classes)] = [as_probability(text) for text in row]
    return found


def ranking_cells() -> list[Cell]:
    """Compare Table 9.16 with the order of the largest stacks that may be jammed face up."""
    from equiform.games.cards.charts import chart_classes, starting_hands
    from equiform.games.tournament.face_up import face_up_stacks

    stacks = face_up_stacks()
    rank = np.empty(len(stacks), dtype=np.int64)
    rank[np.argsort(-stacks, kind="stable")] = np.arange(len(stacks))
    names, cells = starting_hands(), []
    for row, classes in zip(printed_chart("9.16"), chart_classes(), strict=True):
        for text, index in zip(row, classes, strict=True):
            cells.append(_judged(names[index], "Table 9.16", text, float(rank[index]), "hands meet by class here"))
    printed = np.array([int(c.printed) for c in cells])
    ours = np.array([c.ours for c in cells])
    apart = float(np.abs(printed - ours).max())
    cells.append(new("largest difference of ranks", "Table 9.16", apart))
    return cells


_STORED = "From the stored equilibrium of the 946-state tournament, checked ex post."
_CHART_REMARKS = (
    "Most printed 1s and 99s are fictitious play on its way; the loss of the whole chart is what they cost.",
    "Q5s in Table 9.11 is printed as P between 1 and F: it looks like a misprint.",
)


def _charts(id_: str, title: str, tables: Sequence[str]) -> Experiment:
    """Return the experiment of several charts, a part per table; the quick set has the first."""

    def parts(quick: bool) -> Sequence[Part]:
        return [Part(table, chart_cells, (table,)) for table in (tables[:1] if quick else tables)]

    return Experiment(
        id=id_,
        title=title,
        source=f"thesis §9.8, Tables {id_}",
        about=_STORED,
        tolerance="the printed percentage, and what the printed chart loses as a whole",
        parts=parts,
        seconds=(1.0, 2.0),
        remarks=_CHART_REMARKS,
    )


def _single(id_: str, title: str, about: str, compute: Callable[[], list[Cell]]) -> Experiment:
    return Experiment(
        id=id_,
        title=title,
        source=f"thesis §9.8, Table {id_}",
        about=about,
        tolerance="printed digits",
        parts=lambda quick: [Part("all", compute)],
        seconds=(1.0, 1.0),
    )


_FACE_UP = "Hands by the largest stack that the small blind may jam face up (the idea of Sklansky and Karlson)."
EXPERIMENTS: tuple[Experiment, ...] = (
    two_player.EXPERIMENT,
    published_charts.EXPERIMENT,
    race.EXPERIMENT,
    _single("9.1", "Deviations between ICM and equilibrium", _STORED, icm_cells),
    _charts("9.2-9.7", "Tournament strategy with even stacks", list(CHARTS)[:6]),
    _charts("9.8-9.13", "Single hand strategy with even stacks", list(CHARTS)[6:12]),
    _single("9.14", "How often each decision is a jam", _STORED, frequency_cells),
    _charts("9.15", TABLES["9.15"][0].rstrip("."), ["9.15"]),
    _single("9.16", "Karlson-Sklansky hand rankings", _FACE_UP, ranking_cells),
)
