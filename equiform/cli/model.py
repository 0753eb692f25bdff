"""``equiform model``: the Pyomo program of a game, in a file or in figures."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import typer

from equiform.cli.output import JSON_OPTION, console, print_json
from equiform.cli.solve import GAME

SUFFIXES = {".lp": "cpxlp", ".mps": "mps", ".nl": "nl"}


def model(
    game: str = GAME,
    formulation: str = typer.Option("nash", help="nash, matrix, or best-response (to the uniform strategy)."),
    player: int = typer.Option(1, help="Whose program, 1 or 2."),
    write: Path = typer.Option(None, help="Write the program to this .lp, .mps or .nl file."),  # noqa: B008
    json: bool = JSON_OPTION,
) -> None:
    """Build a program without solving it, and write it for any other solver."""
    from equiform.formulations.compiler import compile_model
    from equiform.models.errors import ParameterError

    if player not in (1, 2):
        raise ParameterError(f"there is no player {player}", where="--player", fix="use 1 or 2")
    if write is not None and write.suffix not in SUFFIXES:
        raise ParameterError(
            f"cannot write a {write.suffix or 'suffixless'} file", where=str(write), fix="use .lp, .mps or .nl"
        )
    if write is not None and not write.parent.is_dir():
        raise ParameterError("there is no such folder", where=str(write.parent), fix="create it first")
    program = _build(game, formulation, player - 1)
    compiled = compile_model(program)
    m, n = compiled.shape
    if write is not None:
        _write(program, write)
    figures = {
        "game": game,
        "formulation": formulation,
        "name": program.name,
        "rows": m,
        "columns": n,
        "nonzeros": int(compiled.A.nnz),
        "file": None if write is None else str(write),
    }
    if json:
        print_json(figures)
        return
    console.print(f"{program.name}: {m:,} rows, {n:,} columns, {compiled.A.nnz:,} nonzeros.", highlight=False)
    if write is not None:
        console.print(f"Written to {write}.")


def _write(program: Any, target: Path) -> None:
    """Write a program, with the names of rows and columns beside an .nl file."""
    from equiform.models.files import whole_file

    with tempfile.TemporaryDirectory() as folder:
        labels = {"symbolic_solver_labels": True}
        program.write(str(Path(folder) / target.name), format=SUFFIXES[target.suffix], io_options=labels)
        for file in Path(folder).iterdir():
            with whole_file(target.with_name(file.name)) as draft:
                shutil.copyfile(file, draft)


def _build(game: str, formulation: str, player: int) -> Any:
    from equiform import api
    from equiform.formulations import best_response_lp, matrix_game_lp, sequence_form_lp
    from equiform.models.errors import ParameterError
    from equiform.models.normal_form import NormalForm

    loaded = api.as_game(game)
    if formulation == "matrix":
        if not isinstance(loaded, NormalForm):
            raise ParameterError(f"{game} is not a matrix game", where="--formulation matrix", fix="use nash")
        return matrix_game_lp.build(loaded)
    form = api.as_sequence_form(loaded)
    if formulation == "nash":
        return sequence_form_lp.build(form, player=player)
    if formulation == "best-response":
        other = form.treeplexes[1 - player]
        return best_response_lp.build(form, other.realization(other.uniform()), player=player)
    raise ParameterError(
        f"unknown formulation {formulation!r}", where="--formulation", fix="use nash, matrix or best-response"
    )
