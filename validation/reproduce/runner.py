"""Run experiments part by part: in parallel, with progress, and resuming where a run was cut off."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import joblib

from equiform.models.common.arguments import require_workers
from equiform.models.common.errors import FormatError
from equiform.models.common.files import make_folder, read_json, write_text
from equiform.validation.reproduce.cell import Cell, cells_of
from equiform.validation.reproduce.experiment import Experiment, Outcome, Part

log = logging.getLogger(__name__)

#: Called after each part: experiment, parts done, parts in all.
Progress = Callable[[Experiment, int, int], None]


def run(
    experiment: Experiment,
    *,
    quick: bool = False,
    jobs: int = 1,
    store: Path | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Run one experiment.

    With a ``store`` every finished part is kept there and a later run continues from it; the finished outcome is
    written to ``ID.json`` (``ID.quick.json`` for the quick set) and not computed again. ``fresh`` forgets what was
    stored.
    """
    require_workers(jobs, "jobs", "reproduce")
    if store is not None and not fresh and outcome_path(store, experiment.id, quick).exists():
        return read_outcome(outcome_path(store, experiment.id, quick))
    started = time.perf_counter()
    parts = list(experiment.parts(quick))
    kept = {} if fresh or store is None else _load_parts(store, experiment, quick)
    todo = [p for p in parts if p.key not in kept]
    done = len(parts) - len(todo)
    if progress is not None:
        progress(experiment, done, len(parts))
    for part, found in _computed(todo, jobs):
        kept[part.key] = found
        done += 1
        log.info("%s: part %s done (%d of %d)", experiment.id, part.key, done, len(parts))
        if store is not None:
            _save_parts(store, experiment, quick, kept)
        if progress is not None:
            progress(experiment, done, len(parts))
    cells = tuple(cell for part in parts for cell in kept[part.key])
    outcome = Outcome(experiment.id, quick, cells, time.perf_counter() - started)
    if store is not None:
        _write(outcome_path(store, experiment.id, quick), outcome.document())
        _parts_path(store, experiment, quick).unlink(missing_ok=True)
    return outcome


def _computed(parts: Sequence[Part], jobs: int) -> Iterator[tuple[Part, list[Cell]]]:
    """Compute parts and give them back as they finish."""
    if jobs == 1 or len(parts) <= 1:
        for part in parts:
            yield part, part.compute()
        return
    tasks = (joblib.delayed(_compute)(k, part) for k, part in enumerate(parts))
    for k, cells in joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
        yield parts[k], cells


def _compute(number: int, part: Part) -> tuple[int, list[Cell]]:
    return number, part.compute()


# -- files -------------------------------------------------------------------------------------------------------------


def outcome_path(store: Path, experiment: str, quick: bool) -> Path:
    """Name the file of an outcome."""
    return store / f"{experiment}{'.quick' if quick else ''}.json"


def read_outcome(path: Path) -> Outcome:
    """Read a stored outcome."""
    outcome = Outcome.from_document(_read(path))
    if path != outcome_path(path.parent, outcome.experiment, outcome.quick):
        raise FormatError(
            f"the file holds the results of {outcome.experiment!r}", where=str(path), fix="delete it and run again"
        )
    return outcome


def published(experiment: str, quick: bool) -> Outcome | None:
    """Give the outcome that is kept in the repository and ships with the package, if there is one."""
    name = f"{experiment}{'.quick' if quick else ''}.json"
    file = resources.files("equiform.validation.reproduce").joinpath("results", name)
    if not file.is_file():
        return None
    return Outcome.from_document(json.loads(file.read_text(encoding="utf-8")))


def _parts_path(store: Path, experiment: Experiment, quick: bool) -> Path:
    return store / f".{experiment.id}{'.quick' if quick else ''}.parts.json"


def _load_parts(store: Path, experiment: Experiment, quick: bool) -> dict[str, list[Cell]]:
    path = _parts_path(store, experiment, quick)
    if not path.exists():
        return {}
    content = _read(path)
    if not isinstance(content, dict):
        raise FormatError("not the parts of a reproduction", where=str(path), fix="delete the file and run again")
    return {key: cells_of(cells) for key, cells in content.items()}


def _save_parts(store: Path, experiment: Experiment, quick: bool, parts: dict[str, list[Cell]]) -> None:
    _write(_parts_path(store, experiment, quick), {key: [c.document() for c in cells] for key, cells in parts.items()})


def _read(path: Path) -> Any:
    return read_json(path, "the file of results", fix="delete it and run again")


def _write(path: Path, content: object) -> None:
    make_folder(path.parent)
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
