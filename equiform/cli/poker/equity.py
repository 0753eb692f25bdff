"""``equiform equity``: the chances of a hand, and how they are spread over the rivers."""

from __future__ import annotations

from typing import Any

import typer

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json


def equity(
    hand: str = typer.Argument(metavar="HAND", help="Two private cards, like KcQc."),
    board: str = typer.Argument("", metavar="BOARD", help="No public cards, or three to five of them, like 7dQh4h."),
    bins: int = typer.Option(50, help="Intervals of the river histogram."),
    json: bool = JSON,
) -> None:
    """Return the exact equity of a Texas hold'em hand.

    The opponent's hand is uniformly random.
    """
    from rich.text import Text

    from equiform.games.cards.card import cards_text
    from equiform.games.cards.equity import river_distribution

    found = river_distribution(hand, board)
    chances, histogram = found.equity, found.histogram(bins)
    if json:
        print_json(
            {
                "hand": cards_text(found.hand),
                "board": cards_text(found.board),
                "win": chances.win,
                "tie": chances.tie,
                "equity": chances.ehs,
                "exact": str(chances.exact),
                "deals": chances.total,
                "histogram": histogram.tolist(),
            }
        )
        return
    console.rule(Text(f"{cards_text(found.hand)} {cards_text(found.board)}".rstrip(), "bold"))
    shares = f": wins {chances.win:.2%}, ties {chances.tie:.2%}"
    console.print(Text.assemble("Equity ", (f"{chances.ehs:.4f}", "bold"), shares))
    console.print(f"over {chances.total:,} deals, all of them counted.", highlight=False)
    if len(found.board) < 5:
        console.print(bar_chart([f"{k / bins:.2f}–{(k + 1) / bins:.2f}" for k in range(bins)], histogram))


def bar_chart(names: list[str], values: Any, *, width: int = 50, most: int = 60) -> Any:
    """Show shares as bars, leaving out empty rows (and the smallest ones beyond ``most``)."""
    from rich.table import Table

    shown = sorted(sorted((k for k, v in enumerate(values) if v > 0), key=lambda k: -values[k])[:most])
    tallest = max((values[k] for k in shown), default=1.0)
    table = Table(box=None, show_header=False)
    for k in shown:
        table.add_row(names[k], "█" * max(1, round(width * values[k] / tallest)), f"{values[k]:.2%}")
    return table
