"""Pictures of an outcome: the paper's numbers and ours in one frame, as SVG text."""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

from equiform.validation.reproduce.cell import Cell
from equiform.validation.reproduce.experiment import Experiment, Outcome

_COLORS = ("#1b6ca8", "#d1495b", "#3a7d44", "#8c5e9c", "#c17c00", "#2a9d8f", "#6b6b6b", "#e76f51")
_INK = "#222222"
_MOST_CELLS = 80


def svg(experiment: Experiment, outcome: Outcome) -> str:
    """Draw an outcome; an empty text if it does not lend itself to a picture."""
    from matplotlib import rc_context

    cells = outcome.cells
    with rc_context({"svg.hashsalt": "equiform", "svg.fonttype": "none", "font.size": 9, "axes.edgecolor": _INK}):
        if _numbers([c.column for c in cells]) and _numbers([c.printed for c in cells if c.printed]):
            figure = _lines(experiment, cells)
        elif len(cells) <= _MOST_CELLS and len({c.ours for c in cells}) > 2 and _has_groups(cells):
            figure = _dots(cells)
        else:
            return ""
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _has_groups(cells: tuple[Cell, ...]) -> bool:
    """Return whether some column, or the whole table as one column, has enough cells for a frame."""
    counts = Counter(c.column for c in cells)
    return max(counts.values()) > 2 or (max(counts.values()) == 1 and len(cells) > 2)


def _numbers(texts: list[str]) -> bool:
    try:
        values = {float(t) for t in texts}
    except ValueError:
        return False
    return len(values) > 2


def _lines(experiment: Experiment, cells: tuple[Cell, ...]) -> Any:
    """One line per row over numeric columns; crosses are the paper's, bars the attainable interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.8))
    axes = figure.subplots()
    rows = list(dict.fromkeys(c.row for c in cells))
    for k, row in enumerate(rows):
        own = sorted((c for c in cells if c.row == row), key=lambda c: float(c.column))
        x = [float(c.column) for c in own]
        color = _COLORS[k % len(_COLORS)]
        axes.plot(x, [c.ours for c in own], color=color, lw=1.4, marker="o", ms=3, label=row)
        printed = [(a, float(c.printed)) for a, c in zip(x, own, strict=True) if c.printed]
        if printed:
            axes.plot(*zip(*printed, strict=True), ls="", marker="x", ms=7, mew=1.3, color=color)
        for a, c in zip(x, own, strict=True):
            if c.low is not None and c.high is not None:
                axes.plot([a, a], [c.low, c.high], color=color, lw=4, alpha=0.25, solid_capstyle="butt")
    spread = [float(c.column) for c in cells]
    if min(spread) > 0 and max(spread) > 20 * min(spread):
        axes.set_xscale("log")
        axes.set_xticks(sorted(set(spread)), [f"{v:g}" for v in sorted(set(spread))])
        axes.minorticks_off()
    axes.set_xlabel(experiment.column_title)
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.set_title("lines and dots: ours; crosses: the paper; bars: attainable", fontsize=9, loc="left", color=_INK)
    return figure


def _dots(cells: tuple[Cell, ...]) -> Any:
    """Draw a line of dots per cell, grouped by column."""
    from matplotlib.figure import Figure

    columns = list(dict.fromkeys(c.column for c in cells))
    groups = [[c for c in cells if c.column == column] for column in columns]
    if all(len(g) == 1 for g in groups):
        groups, columns = [list(cells)], [""]
    shown = [k for k, g in enumerate(groups) if len(g) > 2]  # a frame with one or two dots says nothing
    groups, columns = [groups[k] for k in shown], [columns[k] for k in shown]
    tallest = max(map(len, groups))
    across = min(3, len(groups))
    down = -(-len(groups) // across)
    figure = Figure(figsize=(3.4 * across + 1.2, (0.19 * tallest + 0.7) * down))
    frames = figure.subplots(down, across, squeeze=False)
    for frame in frames.flat[len(groups) :]:
        frame.set_visible(False)
    for frame, column, group in zip(frames.flat, columns, groups, strict=False):
        for y, c in enumerate(group):
            if c.low is not None and c.high is not None:
                frame.plot([c.low, c.high], [y, y], color=_COLORS[0], lw=5, alpha=0.25, solid_capstyle="butt")
            frame.plot([c.ours], [y], "o", ms=4, color=_COLORS[0])
            if c.printed and _is_number(c.printed):
                frame.plot([float(c.printed)], [y], "x", ms=6, mew=1.3, color=_COLORS[1])
        labels = [c.row if len(columns) > 1 or columns[0] else f"{c.row} {c.column}" for c in group]
        frame.set_yticks(range(len(group)), labels, fontsize=7)
        frame.invert_yaxis()
        frame.grid(alpha=0.25, axis="x")
        frame.locator_params(axis="x", nbins=5)  # more would run into each other
        frame.set_title(column, fontsize=9, loc="left", color=_INK)
    figure.text(0.0, 0.0, "dots: ours; crosses: the paper; bars: attainable or confidence interval", fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    return figure


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
