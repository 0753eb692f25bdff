"""``equiform view`` and ``equiform draw``: a page to explore, and pictures of trees and tables."""

from __future__ import annotations

import re
from pathlib import Path

import typer

from equiform.cli.options import GAME, JSON
from equiform.cli.output import console, print_json, require_target


def view(
    shown: str = typer.Argument(
        metavar="FILE|GAME",
        help="A game to solve, or a file: --out of solve, spot or tournament, or --json of solve, iterate or compare.",
    ),
    out: Path = typer.Option(None, help="The .html file to write; by default named after the game."),  # noqa: B008
    game: str = typer.Option("", help="The game of a strategy file, if not the one it names."),
    against: Path = typer.Option(None, help="A second strategy file to compare with."),  # noqa: B008
    exact: bool = typer.Option(False, "--exact", help="Solve the game in rational numbers."),
    cards: str = typer.Option("", help="Run-outs that the page of a spot holds: 2s,Kh, or 2sKh after a flop."),
    json: bool = JSON,
) -> None:
    """Write a page to explore a solved game.

    One HTML file with the tree, the strategies and the proof: it needs no network and no server.
    """
    from equiform import api

    if out is not None:
        require_target(out, ".html", ".htm")
    page = api.view(shown, game=game or None, against=against, exact=exact, cards=cards.split(",") if cards else None)
    target = out or Path(_file_name(page.title) + ".html")
    page.write(target)
    size = target.stat().st_size
    if json:
        print_json({"game": page.title, "file": str(target), "bytes": size, "profiles": page.titles})
        return
    console.print(f"Written to {target} ({size / 1000:z.0f} kB). Open it in a browser.", highlight=False)


def draw(
    game: str = GAME,
    out: Path = typer.Option(None, help="The .svg, .pdf or .tex file to write; by default named after the game."),  # noqa: B008
    strategy: Path = typer.Option(None, help="A strategy file: its probabilities are written at the moves."),  # noqa: B008
    depth: int = typer.Option(0, help="How many moves deep to draw; 0 draws the whole tree."),
    history: str = typer.Option(
        "", help="Draw only what leads to this public history, such as check–bet, and what follows it."
    ),
    limit: int = typer.Option(0, help="Draw at most this many nodes; 0 means as many as stay readable."),
    diagram: bool = typer.Option(False, "--diagram", help="Draw best-response diagrams below a payoff table."),
    json: bool = JSON,
) -> None:
    """Draw a game tree or a payoff table.

    The picture is SVG, or PDF or TikZ for LaTeX if the file ends in .pdf or .tex.
    """
    from equiform import api

    if out is not None:
        require_target(out, ".svg", ".pdf", ".tex")
    loaded = api.as_game(game)
    drawing = api.draw(
        loaded,
        strategy=strategy,
        depth=depth or None,
        history=history or None,
        limit=limit or None,
        diagram=diagram,
    )
    target = out or Path(_file_name(loaded.name) + ".svg")
    drawing.write(target)
    if json:
        print_json({"game": loaded.name, "file": str(target), "width": drawing.width, "height": drawing.height})
        return
    console.print(f"Written to {target}.")


def _file_name(game: str) -> str:
    """Turn a game's name into the stem of a file.

    >>> _file_name("Kuhn poker (3 cards)")
    'Kuhn-poker-3-cards'
    """
    return re.sub(r"[^\w]+", "-", game).strip("-")[:80] or "game"
