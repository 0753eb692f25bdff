"""``equiform export``: a game written to a file."""

from __future__ import annotations

from pathlib import Path

import typer

from equiform.cli.options import GAME, JSON
from equiform.cli.output import console, print_json


def export(
    game: str = GAME,
    out: Path = typer.Option(..., help="The .efg, .nfg or .json file to write."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Write a game as .efg, .nfg or .json, with exact numbers."""
    from equiform import api

    written = api.export_game(game, out)
    if json:
        print_json({"game": game, "file": str(written)})
        return
    console.print(f"Written to {written}.")
