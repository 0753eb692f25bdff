"""``equiform league``: everybody against everybody, with intervals."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from equiform.cli.experiments.live import JOBS, ON, end_interrupted, executor_name, live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.models.common.files import require_writable_folder


def league(
    file: Path = typer.Argument(metavar="FILE", help="The league's description (.json)."),  # noqa: B008
    store: Path = typer.Option(None, help="Keep finished pieces in this folder, and resume from it."),  # noqa: B008
    hands: int = typer.Option(0, help="Deals per match; 0 means the number in the file."),
    on: str = ON,
    jobs: int = JOBS,
    json: bool = JSON,
) -> None:
    """Let agents play each other, and show who wins how much.

    Show the matches, what endgame solving gains, and lower bounds on exploitability. Run the same command again to
    resume after an interruption.
    """
    from dataclasses import replace

    from equiform.play.league.league import play_league, read_league

    described = read_league(file)
    if hands:
        described = replace(described, hands=hands)
    if store is not None:
        require_writable_folder(store)
    with live(json) as listener:
        result = play_league(described, store=store, on=executor_name(on, jobs), progress=listener)
    document = result.to_dict()
    if json:
        print_json(document)
    else:
        _print(document)
    if result.interrupted:
        end_interrupted("run the same command to resume." if store else "nothing was stored.")


def _print(document: dict[str, Any]) -> None:
    names = document["players"]
    cells = {tuple(m["players"]): m["mbb"] for m in document["matches"]}
    table = Table("", *names, title=f"{document['game']} hold'em: mbb per hand of the row against the column")
    for a in names:
        row = []
        for b in names:
            found = cells.get((a, b)) or [-x if k == 0 else x for k, x in enumerate(cells.get((b, a), []))]
            row.append(amount(found) if found else "")
        table.add_row(a, *row)
    console.print(table)
    if document["endgames"]:
        table = Table("base", "with endgames", "opponent", "rivers", "all", "each", "both", "same")
        table.title = "What endgames gain, mbb per hand that reaches one"
        for gain in document["endgames"]:
            found = [amount(gain[n]) if n in gain else "" for n in ("all", "each", "both", "same")]
            table.add_row(gain["base"], gain["version"], gain["opponent"], f"{gain['reach']:.0%}", *found)
        console.print(table)
    if document["lower_bounds"]:
        table = Table("agent", "responds from", "deals", "exploitable by at least, mbb per hand")
        for bound in document["lower_bounds"]:
            table.add_row(bound["agent"], bound["from"], f"{bound['deals']:,}", amount(bound["mbb"]))
        console.print(table)


def amount(found: list[float]) -> str:
    """Write a mean and its half width."""
    mean, width = found
    return f"{mean:+z.0f}" + (f" ± {width:z.0f}" if math.isfinite(width) else "")
