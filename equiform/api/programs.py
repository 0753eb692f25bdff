"""Programs by name: build one, look at its size, write it for any other solver."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from equiform.api.inputs import GameLike, as_game
from equiform.api.thresholds import load_signals
from equiform.formulations.inputs.abstraction import ErrorTable, read_error_table
from equiform.formulations.inputs.parametric import ModelledGame
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.names import labeler
from equiform.formulations.registry import Formulation, find_formulation, formulations
from equiform.games.registry import find_entry
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import whole_file
from equiform.models.common.records import Record, plain
from equiform.models.normal_form import NormalForm
from equiform.models.stochastic import StochasticGame
from equiform.models.stochastic.explicit import ExplicitStochasticGame, read_stochastic

SUFFIXES = {".lp": "cpxlp", ".mps": "mps", ".nl": "nl"}
HEADER = {".lp": "\\* {} *\\", ".mps": "* {}"}
"""How a comment is written in the first line, from which ``read_solution`` learns which program it is."""


@dataclass(frozen=True, eq=False)
class ModelFile(Record):
    """A program that was built, its size, and the file that it was written to."""

    game: str
    formulation: str
    name: str
    rows: int
    columns: int
    nonzeros: int
    file: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def list_formulations() -> dict[str, Formulation]:
    """Return every program by name, those of installed plug-ins included; listing them imports no solver."""
    return formulations()


def build_model(game: GameLike, formulation: str = "nash", **parameters: Any) -> Any:
    """Build the Pyomo model of any program, to add constraints of your own, solve or write.

    Parameters
    ----------
    game
        What the program takes: anything that :func:`as_game` takes, the name of a signal game, or the
        file of a stochastic game or of a table of errors.
    formulation
        A name from :func:`list_formulations`.
    parameters
        The program's own parameters; players are 0 and 1.
    """
    import pyomo.environ  # noqa: F401  # the model is the caller's now, who may want Pyomo's writers

    entry = find_formulation(formulation)
    values = entry.complete(parameters)
    return entry.build_model(load_input(entry, game), **values)


def load_input(entry: Formulation, game: GameLike) -> Any:
    """Load what a program takes."""
    if entry.takes == "signal game":
        if isinstance(game, ModelledGame):
            return game
        rules, models = load_signals(cast(Any, game))
        return ModelledGame(rules, tuple(models))
    if entry.takes == "error table":
        return game if isinstance(game, ErrorTable) else read_error_table(cast(str, game))
    if entry.takes == "stochastic game":
        return _stochastic(game)
    if entry.takes == "betting game":
        if not isinstance(game, str):
            return game  # rules
        name, _, rest = game.strip().partition(":")
        known = find_entry(name)
        return known.build(**known.parse(rest, game))
    loaded = as_game(game)
    if entry.takes == "matrix game" and not isinstance(loaded, NormalForm):
        raise ParameterError(f"{loaded.name} is not a matrix game", where=f"formulation {entry.name}", fix="use nash")
    return loaded


def _stochastic(game: GameLike) -> StochasticGame:
    if isinstance(game, StochasticGame):
        return game
    return (game if isinstance(game, ExplicitStochasticGame) else read_stochastic(cast(str, game))).compile()


def write_model(
    game: GameLike,
    path: str | Path | None = None,
    formulation: str = "nash",
    *,
    names: bool = False,
    **parameters: Any,
) -> ModelFile:
    """Build a program and write it as ``.lp``, ``.mps`` or ``.nl``; without a path, only count it.

    Parameters
    ----------
    game, formulation, parameters
        As for :func:`build_model`.
    path
        The file; its suffix says how.
    names
        Whether rows and columns are called by information sets and actions, in ``.lp`` and ``.mps`` files
        (:mod:`equiform.formulations.optimization.names` has the rules).
    """
    target = None if path is None else _target(Path(path), names)
    model = build_model(game, formulation, **parameters)
    compiled = compile_model(model)
    spec = game if isinstance(game, str) else str(getattr(game, "name", type(game).__name__))
    given = {key: value for key, value in parameters.items() if value is not None}
    if target is not None:
        header = {"equiform": {"game": spec, "formulation": formulation, "parameters": plain(given), "names": names}}
        _write(model, target, json.dumps(header, ensure_ascii=True), names)
    m, n = compiled.shape
    return ModelFile(
        game=spec,
        formulation=formulation,
        name=model.name.strip("'"),  # Pyomo quotes a name with a point in it
        rows=m,
        columns=n,
        nonzeros=int(compiled.A.nnz),
        file=None if target is None else str(target),
        parameters=given,
    )


def _target(path: Path, names: bool) -> Path:
    if path.suffix not in SUFFIXES:
        raise ParameterError(
            f"cannot write a {path.suffix or 'suffixless'} file", where=str(path), fix="use .lp, .mps or .nl"
        )
    if not path.parent.is_dir():
        raise ParameterError("there is no such folder", where=str(path.parent), fix="create it first")
    if names and path.suffix == ".nl":
        raise ParameterError("an .nl file has no names of its own", where=str(path), fix="use .lp or .mps")
    return path


def _write(model: Any, target: Path, header: str, names: bool) -> None:
    """Write a program, with the names of rows and columns beside an .nl file."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"labeler": labeler(model)} if names else {"symbolic_solver_labels": True}
        draft_file = Path(folder) / target.name
        model.write(str(draft_file), format=SUFFIXES[target.suffix], io_options=options)
        if target.suffix in HEADER:
            body = draft_file.read_text()
            draft_file.write_text(HEADER[target.suffix].format(header) + "\n" + body)
        for file in Path(folder).iterdir():
            with whole_file(target.with_name(file.name)) as draft:
                shutil.copyfile(file, draft)
