"""``equiform icm``: what stacks are worth by the Independent Chip Model."""

from __future__ import annotations

import typer

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.cli.tournament.numbers import numbers


def icm(
    stacks: str = typer.Argument(metavar="STACKS", help="Chips of all players, like 5000,4900,100."),
    payouts: str = typer.Option("50,30,20", help="Prizes, from first place down."),
    json: bool = JSON,
) -> None:
    """Turn stacks into expected prizes by ICM."""
    from rich.table import Table

    from equiform.games.tournament.icm import icm as expected_prizes

    chips, prizes = numbers(stacks, "stacks"), numbers(payouts, "--payouts")
    values = expected_prizes(chips, prizes)
    if json:
        print_json({"stacks": chips, "payouts": prizes, "values": values.tolist()})
        return
    table = Table()
    for column in ("player", "chips", "share of chips", "expected prize"):
        table.add_column(column, justify="right")
    for player, (stack, value) in enumerate(zip(chips, values, strict=True), start=1):
        table.add_row(str(player), f"{stack:,g}", f"{stack / sum(chips):.2%}", f"{value:z.4f}")
    console.print(table)
