"""Charts of the 169 starting hands as text: P, F or a percentage."""

from __future__ import annotations

from typing import Any

RANKS = "AKQJT98765432"


def cell(probability: float) -> str:
    """Write a probability as Tables 9.2 to 9.15 of the thesis do.

    >>> cell(1.0), cell(0.0), cell(0.234), cell(0.997)
    ('P', 'F', '23', 'P')
    """
    percent = round(100 * probability)
    return "F" if percent == 0 else "P" if percent == 100 else str(percent)


def chart(probabilities: Any, title: str) -> Any:
    """Return a table: suited hands in the upper right, offsuit ones in the lower left."""
    from rich.table import Table

    from equiform.games.cards.charts import chart_classes

    table = Table(title=title, title_justify="left", box=None, padding=(0, 0))
    table.add_column("", style="bold")
    for rank in RANKS:
        table.add_column(rank, justify="right", min_width=3, header_style="bold")
    cells = chart_classes()
    for row, rank in enumerate(RANKS):
        table.add_row(rank, *(cell(float(probabilities[index])) for index in cells[row]))
    return table


def named(probabilities: Any) -> dict[str, float]:
    """Return probabilities by the name of the hand."""
    from equiform.games.cards.charts import starting_hands

    return {hand: float(p) for hand, p in zip(starting_hands(), probabilities, strict=True)}


def mixed(probabilities: Any, tolerance: float = 1e-6) -> list[str]:
    """List the hands that are neither always nor never played."""
    return [hand for hand, p in named(probabilities).items() if tolerance < p < 1 - tolerance]
