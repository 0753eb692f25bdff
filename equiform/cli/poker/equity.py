"""``equiform equity``: the chances of a hand, and how they are spread over the rivers."""

from __future__ import annotations

import re
from typing import Any

import typer

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json

HANDS = typer.Argument(
    metavar="HAND [VS] [HAND]… [BOARD]",
    help="Hands like KcQc, or two ranges like QQ+,AKs; a board of three to five cards may follow the last.",
)
_CONCRETE = re.compile("(?:[2-9TJQKA][cdhs]){2}", re.IGNORECASE)
_BOARD = re.compile("(?:[2-9TJQKA][cdhs]){3,5}", re.IGNORECASE)


def equity(
    hands: list[str] = HANDS,
    board: str = typer.Option("", help="Three to five public cards, like 7dQh4h; by default none."),
    bins: int = typer.Option(50, help="Intervals of the river histogram of a single hand."),
    json: bool = JSON,
) -> None:
    """Count the exact equity of Texas hold'em hands.

    A single hand plays against a uniformly random one; two or more play against each other. All remaining boards are
    dealt.
    """
    cards = [hand for hand in hands if hand.lower() != "vs"]
    if len(cards) > 1 and not board and _BOARD.fullmatch(cards[-1]):
        board = cards.pop()
    if len(cards) == 1:
        _against_random(cards[0], board, bins, json)
    elif all(_CONCRETE.fullmatch(hand) for hand in cards):
        _showdown(cards, board, json)
    else:
        _ranges(cards, board, json)


def _ranges(texts: list[str], board: str, json: bool) -> None:
    """Show how a range fares against another."""
    from equiform.games.poker.holdem.range_equity import range_equity
    from equiform.games.poker.holdem.ranges import Range
    from equiform.models.common.errors import ParameterError

    if len(texts) != 2:
        raise ParameterError(f"{len(texts)} ranges", where=" vs ".join(texts), fix="pass two ranges, or hands of cards")
    found = range_equity(Range(texts[0]), Range(texts[1]), board)
    if json:
        print_json({"ranges": texts, **found.to_dict()})
        return
    console.print(
        f"{texts[0]} against {texts[1]}: equity {found.equity:.4%}, wins {found.win:.4%}, ties {found.tie:.4%}.",
        highlight=False,
    )


def _showdown(hands: list[str], board: str, json: bool) -> None:
    """Show how several hands fare against each other."""
    from rich.table import Table

    from equiform.games.cards.all_in.equities import showdown_equities
    from equiform.games.cards.card import cards_text, parse

    found = showdown_equities(hands, board)
    if json:
        print_json({"board": cards_text(parse(board)), "hands": [e.to_dict() for e in found]})
        return
    table = Table(title=cards_text(parse(board)) or None)
    for column in ("hand", "equity", "wins", "ties"):
        table.add_column(column, justify="left" if column == "hand" else "right")
    for e in found:
        shares = (float(e.exact), e.wins / e.deals, e.ties / e.deals)
        table.add_row(cards_text(e.hand), *(f"{share:.4%}" for share in shares))
    console.print(table)
    console.print(f"over {found[0].deals:,} boards, all of them counted.", highlight=False)


def _against_random(hand: str, board: str, bins: int, json: bool) -> None:
    """Show the equity of a hand against a random one, and the histogram of its equities on the river."""
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
    console.print(Text.assemble("Equity ", (f"{chances.ehs:z.4f}", "bold"), shares))
    console.print(f"over {chances.total:,} deals, all of them counted.", highlight=False)
    if len(found.board) < 5:
        console.print(bar_chart([f"{k / bins:z.2f}–{(k + 1) / bins:z.2f}" for k in range(bins)], histogram))


def bar_chart(names: list[str], values: Any, *, width: int = 50, most: int = 60) -> Any:
    """Show shares as bars, leaving out empty rows (and the smallest ones beyond ``most``)."""
    from rich.table import Table

    shown = sorted(sorted((k for k, v in enumerate(values) if v > 0), key=lambda k: -values[k])[:most])
    tallest = max((values[k] for k in shown), default=1.0)
    table = Table(box=None, show_header=False)
    for k in shown:
        table.add_row(names[k], "█" * max(1, round(width * values[k] / tallest)), f"{values[k]:.2%}")
    return table
