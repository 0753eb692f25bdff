"""``equiform derive``: a family of zero-sum games in, formulas that were found and proved out."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from equiform.cli.options import JSON
from equiform.cli.output import console, errors, print_json


def derive(
    what: str = typer.Argument(
        metavar="FILE", help="A TOML file, a table or tree from the gallery, or inspection or one-card."
    ),
    points: int = typer.Option(12, help="How many of the domain's simplest points a formula must be found for."),
    json: bool = JSON,
) -> None:
    """Find formulas for a family of games and prove them.

    Supports are guessed from exact solutions at single points. The exit code is 1 unless every point
    tried is covered.
    """
    from equiform.validation.closed_forms.deriving.by_size import BY_SIZE, derive_by_size
    from equiform.validation.closed_forms.deriving.derive import derive as find

    line: AbstractContextManager[Any] = nullcontext() if json else errors.status("deriving …")
    with line:
        if what in BY_SIZE and not Path(what).exists():
            size = derive_by_size(what)
            document, text, found = size.to_dict(), str(size), size.proved
        else:
            derived = find(_family(what), points=points)
            document, text, found = derived.to_dict(), str(derived), derived.complete
    if json:
        print_json(document)
    else:
        console.print(Text(text))
    if not found:
        raise typer.Exit(1)


def _family(what: str) -> Any:
    from equiform.models.common.errors import ParameterError
    from equiform.validation.closed_forms.gallery import gallery_entry
    from equiform.validation.closed_forms.proving.document import read_statement

    if Path(what).exists() or "." in what:
        return read_statement(what).family
    statement = gallery_entry(what).statement
    if statement is None:
        raise ParameterError(
            f"{what} brings its own derivation", where="derive", fix=f"use `equiform closed-form {what}`"
        )
    return statement.family
