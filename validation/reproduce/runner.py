"""Run experiments part by part: on any executor, with progress, and resuming where a run was cut off.

With a store every finished part is kept in ``STORE/parts`` (:mod:`equiform.runs.store`), identified by its function,
its arguments and the code. If the code has changed, a part is computed again. Verdicts are never read from a store:
they follow from the stored numbers (:mod:`equiform.validation.reproduce.cell`). ``STORE/ID.json``
(``ID.quick.json`` for the quick set) is the outcome for people and other programs; it is written but never read back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from equiform.models.common.errors import FormatError
from equiform.models.common.files import read_json, require_writable_folder, write_text
from equiform.runs.batch import run_tasks
from equiform.runs.executor import Executor
from equiform.runs.progress import Listener, silent
from equiform.runs.store import Store
from equiform.runs.task import Task, Values
from equiform.validation.reproduce.cell import Cell, cells_of
from equiform.validation.reproduce.experiment import Change, Experiment, Outcome, changes


@dataclass(frozen=True)
class Reproduction:
    """Outcomes of several experiments, and the verdicts that differ from the published ones."""

    outcomes: tuple[tuple[Experiment, Outcome], ...]
    changes: tuple[Change, ...]

    @property
    def interrupted(self) -> bool:
        """Return whether Ctrl-C ended the run."""
        return any(outcome.interrupted for _, outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "results": [outcome.to_dict() for _, outcome in self.outcomes],
            "changes": [change.to_dict() for change in self.changes],
            "reused": {o.experiment: {"parts": o.parts, "reused": o.reused} for _, o in self.outcomes if o.reused},
        }


def reproduce(
    experiments: Sequence[Experiment],
    *,
    quick: bool = False,
    on: Executor | str = "local",
    store: str | Path | None = None,
    fresh: bool = False,
    check: bool = False,
    progress: Listener = silent,
) -> Reproduction:
    """Run experiments one after another; see :func:`run`. ``check`` compares verdicts with the published ones."""
    outcomes: list[tuple[Experiment, Outcome]] = []
    differences: list[Change] = []
    for experiment in experiments:
        outcome = run(experiment, quick=quick, on=on, store=store, fresh=fresh, progress=progress)
        outcomes.append((experiment, outcome))
        if outcome.interrupted:
            break
        before = published(experiment.id, quick) if check else None
        if before is not None:
            differences += changes(before, outcome)
    return Reproduction(tuple(outcomes), tuple(differences))


def run(
    experiment: Experiment,
    *,
    quick: bool = False,
    on: Executor | str = "local",
    store: str | Path | None = None,
    fresh: bool = False,
    progress: Listener = silent,
) -> Outcome:
    """Run one experiment.

    Parameters
    ----------
    experiment : Experiment
    quick : bool
        The smaller set of parts.
    on : Executor or str
        ``local``, ``processes:N`` or an executor.
    store : path, optional
        A folder in which finished parts and the outcome are kept, and from which a later run continues.
    fresh : bool
        Compute again what the store already holds.
    progress : callable
        Called with a :class:`~equiform.runs.progress.Progress` that counts parts.

    Returns
    -------
    Outcome
        After Ctrl-C, of the parts that were finished.
    """
    started = time.perf_counter()
    path = None if store is None else _target(Path(store), experiment.id, quick)
    parts = None if path is None else Store(path.parent / "parts")
    tasks = [part.task(experiment.id) for part in experiment.parts(quick)]
    outdated = 0 if parts is None else sum(parts.others(task) for task in tasks if not parts.path(task).exists())
    title = f"{experiment.id}: {experiment.title[:60]}"
    batch = run_tasks(tasks, on=on, store=parts, fresh=fresh, progress=progress, label=title)
    cells = tuple(c for task, v in zip(tasks, batch.values, strict=True) if v is not None for c in _cells(task, v))
    seconds = time.perf_counter() - started
    outcome = Outcome(
        experiment.id, quick, cells, seconds, len(tasks), batch.reused, outdated, interrupted=batch.interrupted
    )
    if path is not None and not outcome.interrupted:
        write_text(path, json.dumps(outcome.to_dict(), indent=1, ensure_ascii=False) + "\n")
    return outcome


def _cells(task: Task, values: Values) -> list[Cell]:
    if set(values) != {"cells"}:
        raise FormatError("not the cells of a part", where=task.label, fix="delete the store and run again")
    return cells_of(values["cells"])


# -- files -------------------------------------------------------------------------------------------------------------


def outcome_path(store: Path, experiment: str, quick: bool) -> Path:
    """Return where the outcome of an experiment is stored."""
    return store / f"{experiment}{'.quick' if quick else ''}.json"


def read_outcome(path: Path) -> Outcome:
    """Read a stored outcome."""
    outcome = Outcome.from_dict(read_json(path, "the file of results", fix="delete it and run again"))
    if path != outcome_path(path.parent, outcome.experiment, outcome.quick):
        raise FormatError(
            f"the file holds the results of {outcome.experiment!r}", where=str(path), fix="delete it and run again"
        )
    return outcome


def published(experiment: str, quick: bool) -> Outcome | None:
    """Return the outcome that is kept in the repository and ships with the package, or ``None``."""
    name = f"{experiment}{'.quick' if quick else ''}.json"
    file = resources.files("equiform.validation.reproduce").joinpath("results", name)
    if not file.is_file():
        return None
    return Outcome.from_dict(json.loads(file.read_text(encoding="utf-8")))


def _target(store: Path, experiment: str, quick: bool) -> Path:
    """Reject, before the work, a store that cannot be written or has something else under the outcome's name."""
    path = outcome_path(require_writable_folder(store), experiment, quick)
    if path.exists():
        read_outcome(path)
    return path
