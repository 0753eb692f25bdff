"""``equiform games``: what can be solved by name."""

from __future__ import annotations

import typer
from rich.table import Table

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json, warn_of


def games(
    name: str = typer.Argument("", metavar="NAME", help="Show only this game, and what its parameters mean."),
    json: bool = JSON,
) -> None:
    """List the games that have a name, with their parameters."""
    from equiform.games.registry import broken_games, find_entry, known_games
    from equiform.models.common.parameters import value_text

    if name:
        entry = find_entry(name)
        if json:
            print_json(entry.to_dict())
            return
        console.print(f"{entry.name}: {entry.summary}.", highlight=False)
        for p in entry.parameters:
            console.print(f"  {p.name}: {p}", highlight=False)
        console.print(f"For example: equiform solve {entry.example or entry.name}", highlight=False)
        return
    known = known_games()
    warn_of(broken_games())
    if json:
        print_json([entry.to_dict() for entry in known.values()])
        return
    table = Table("name", "parameters", "what it is")
    for entry in known.values():
        parameters = ", ".join(f"{p.name}={value_text(p.default)}" for p in entry.parameters)
        table.add_row(entry.name, parameters, entry.summary)
    console.print(table)
    console.print(
        "Also: the path of an .efg, .nfg or .json file, FILE.py:CLASS, or openspiel:NAME with its parameters."
    )
