"""``equiform games``: what can be solved by name."""

from __future__ import annotations

from typing import Any

import typer
from rich.table import Table

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json


def games(
    name: str = typer.Argument("", metavar="NAME", help="One game, to see what its parameters mean; all if not given."),
    json: bool = JSON,
) -> None:
    """List the built-in games and their parameters."""
    from equiform.games.registry import GAMES, find_entry, show

    if json:
        documents = [_document(entry) for entry in GAMES.values()]
        print_json(_document(find_entry(name)) if name else documents)
        return
    if name:
        entry = find_entry(name)
        console.print(f"{entry.name}: {entry.summary}.", highlight=False)
        for p in entry.parameters:
            console.print(f"  {p.name}: {p}", highlight=False)
        console.print(f"For example: equiform solve {entry.example or entry.name}", highlight=False)
        return
    table = Table("name", "parameters", "what it is")
    for entry in GAMES.values():
        table.add_row(entry.name, ", ".join(f"{p.name}={show(p.default)}" for p in entry.parameters), entry.summary)
    console.print(table)
    console.print("Also: a path to an .efg or .nfg file, or openspiel:NAME with OpenSpiel's own parameters.")


def _document(entry: Any) -> dict[str, Any]:
    parameters = [{"name": p.name, "default": p.default, "type": p.kind, "help": p.help} for p in entry.parameters]
    return {"name": entry.name, "summary": entry.summary, "parameters": parameters, "example": entry.example}
