"""``equiform prove``: a family of games and a claimed equilibrium in, a verdict for all parameters out."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from equiform.cli.options import JSON
from equiform.cli.output import console, errors, print_json

if TYPE_CHECKING:
    from equiform.validation.closed_forms.proving.verdict import Verdict

_COLORS = {"proved": "bold green", "proved on a region": "bold yellow", "refuted": "bold red", "open": "bold yellow"}


def prove(
    what: str = typer.Argument(metavar="FILE", help="A TOML file, a name from the gallery, or `list`."),
    points: int = typer.Option(20, help="How many of the domain's simplest points are also checked exactly."),
    every: bool = typer.Option(False, "--claims", help="List every relation, not only those that were not proved."),
    json: bool = JSON,
) -> None:
    """Prove or refute a formula for all parameters.

    The exit code is 1 unless it is proved for all parameters.
    """
    from equiform.models.common.errors import FormatError
    from equiform.validation.closed_forms.gallery import gallery, gallery_entry
    from equiform.validation.closed_forms.proving.document import read_statement
    from equiform.validation.closed_forms.proving.prove import prove as decide

    if what == "list":
        list_gallery(json)
        return
    line: AbstractContextManager[Any] = nullcontext() if json else errors.status("proving …")
    with line:
        if what in gallery() and not Path(what).exists():
            verdict = gallery_entry(what).prove(points=points)
        elif Path(what).exists() or "." in what:
            statement = read_statement(what)
            if statement.claim is None:
                raise FormatError(
                    "the file claims nothing", where=what, fix="add a [claim], or let `equiform derive` find one"
                )
            verdict = decide(statement.family, statement.claim, points=points)
        else:
            verdict = gallery_entry(what).prove(points=points)
    if json:
        print_json(verdict.to_dict())
    else:
        _show(verdict, every)
    if not verdict.proved:
        raise typer.Exit(1)


def _show(verdict: Verdict, every: bool) -> None:
    console.print(Text.assemble((verdict.name, "bold"), ": ", (str(verdict.status), _COLORS[verdict.status])))
    done = sum(o.holds is True for o in verdict.obligations)
    console.print(f"{done} of {len(verdict.obligations)} relations proved for {verdict.domain}.", highlight=False)
    for condition in verdict.region:
        console.print(f"  true where {condition}", highlight=False)
    if verdict.counterexample is not None:
        console.print(f"  counterexample {verdict.counterexample}", highlight=False)
    for o in verdict.obligations:
        if every or o.holds is not True:
            mark = {True: "proved", False: "false", None: "not proved"}[o.holds]
            console.print(f"  {mark}: {o.text}{': ' if o.relation else ''}{o.relation}", highlight=False)
    agree = sum(c.agrees for c in verdict.checks)
    console.print(f"Exact checks agree at {agree} of {len(verdict.checks)} points.", highlight=False)


def list_gallery(json: bool) -> None:
    """List the gallery."""
    from equiform.validation.closed_forms.gallery import gallery

    if json:
        print_json([entry.to_dict() for entry in gallery().values()])
        return
    table = Table("name", "shelf", "for", "source")
    for entry in gallery().values():
        table.add_row(entry.name, entry.shelf, entry.domain, entry.source)
    console.print(table)
