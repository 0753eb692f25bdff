"""``equiform games``: what can be solved by name."""

from __future__ import annotations

from rich.table import Table

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json


def games(json: bool = JSON) -> None:
    """List the built-in games and their parameters."""
    from equiform.games.registry import GAMES, show

    if json:
        print_json(
            [
                {
                    "name": entry.name,
                    "summary": entry.summary,
                    "parameters": [
                        {"name": p.name, "default": p.default, "type": p.kind, "help": p.help} for p in entry.parameters
                    ],
                }
                for entry in GAMES.values()
            ]
        )
        return
    table = Table("name", "parameters", "what it is")
    for entry in GAMES.values():
        table.add_row(entry.name, ", ".join(f"{p.name}={show(p.default)}" for p in entry.parameters), entry.summary)
    console.print(table)
    console.print("Also: a path to an .efg or .nfg file, or openspiel:NAME with OpenSpiel's own parameters.")
