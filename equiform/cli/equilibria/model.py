"""``equiform model``: the Pyomo program of a game, in a file or in figures."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from equiform.cli.options import GAME, JSON, parse_epsilon, seat
from equiform.cli.output import console, print_json

SUFFIXES = {".lp": "cpxlp", ".mps": "mps", ".nl": "nl"}


def model(
    game: str = GAME,
    formulation: str = typer.Option(
        "nash", help="nash, qpe, matrix, mip-nash, or best-response (to the uniform strategy)."
    ),
    epsilon: str = typer.Option("", help="For qpe: the least weight of a move, such as 1/1000."),
    player: int = typer.Option(1, help="Whose program, 1 or 2."),
    out: Path = typer.Option(None, "--out", "--write", help="Write the program to this .lp, .mps or .nl file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Build a program and write it for any other solver."""
    from equiform.formulations.optimization.compiler import compile_model
    from equiform.models.common.errors import ParameterError

    if out is not None and out.suffix not in SUFFIXES:
        raise ParameterError(
            f"cannot write a {out.suffix or 'suffixless'} file", where=str(out), fix="use .lp, .mps or .nl"
        )
    if out is not None and not out.parent.is_dir():
        raise ParameterError("there is no such folder", where=str(out.parent), fix="create it first")
    program = _build(game, formulation, parse_epsilon(epsilon), seat(player))
    compiled = compile_model(program)
    m, n = compiled.shape
    title = program.name.strip("'")  # Pyomo quotes a name with a point in it
    if out is not None:
        _write(program, out)
    figures = {
        "game": game,
        "formulation": formulation,
        "name": title,
        "rows": m,
        "columns": n,
        "nonzeros": int(compiled.A.nnz),
        "file": None if out is None else str(out),
    }
    if json:
        print_json(figures)
        return
    console.print(f"{title}: {m:,} rows, {n:,} columns, {compiled.A.nnz:,} nonzeros.", highlight=False)
    if out is not None:
        console.print(f"Written to {out}.")


def _write(program: Any, target: Path) -> None:
    """Write a program, with the names of rows and columns beside an .nl file."""
    from equiform.models.common.files import whole_file

    with tempfile.TemporaryDirectory() as folder:
        labels = {"symbolic_solver_labels": True}
        program.write(str(Path(folder) / target.name), format=SUFFIXES[target.suffix], io_options=labels)
        for file in Path(folder).iterdir():
            with whole_file(target.with_name(file.name)) as draft:
                shutil.copyfile(file, draft)


def _build(game: str, formulation: str, epsilon: Fraction | None, player: int) -> Any:
    from equiform import api
    from equiform.formulations.general_sum import mip_nash, mip_nash_extensive
    from equiform.formulations.zero_sum import best_response_lp, matrix_game_lp, quasi_perfect, sequence_form_lp
    from equiform.models.common.errors import ParameterError
    from equiform.models.normal_form import NormalForm

    if (formulation == "qpe") != (epsilon is not None):
        raise ParameterError("qpe, and only qpe, needs an epsilon", where="--epsilon", fix="e.g. 1/1000 with qpe")
    loaded: Any = api.as_game(game)
    if formulation == "matrix":
        if not isinstance(loaded, NormalForm):
            raise ParameterError(f"{game} is not a matrix game", where="--formulation matrix", fix="use nash")
        return matrix_game_lp.build(loaded)
    if formulation == "mip-nash":
        return mip_nash.build(loaded) if isinstance(loaded, NormalForm) else mip_nash_extensive.build(loaded)
    form = api.as_sequence_form(loaded)
    if epsilon is not None:
        return quasi_perfect.build(form, epsilon, player=player)
    if formulation == "nash":
        return sequence_form_lp.build(form, player=player)
    if formulation == "best-response":
        other = form.treeplexes[1 - player]
        return best_response_lp.build(form, other.realization(other.uniform()), player=player)
    raise ParameterError(
        f"unknown formulation {formulation!r}",
        where="--formulation",
        fix="use nash, qpe, matrix, mip-nash or best-response",
    )
