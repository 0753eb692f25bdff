"""Carry out many tasks: read what is stored, compute the rest, store it, report progress, and stop cleanly."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equiform.runs.executor import Executor, make_executor
from equiform.runs.interrupts import deferred_interrupt
from equiform.runs.progress import Listener, Progress, silent
from equiform.runs.store import Store
from equiform.runs.task import Task, Values, inside_task

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Batch:
    """The results of tasks, in their order; ``None`` for those that an interrupt left undone."""

    values: tuple[Values | None, ...] = field(repr=False)
    reused: int
    """How many came from the store."""
    interrupted: bool
    seconds: float

    @property
    def finished(self) -> int:
        """Count the tasks that are done."""
        return sum(v is not None for v in self.values)


def _stored(tasks: Sequence[Task], store: Store | None, label: str) -> list[Values | None]:
    """Look up what the store already holds."""
    if store is None:
        return [None] * len(tasks)
    values = [store.get(task) for task in tasks]
    if any(v is not None for v in values):
        found = sum(v is not None for v in values)
        logger.info("%s: %d of %d results come from %s", label, found, len(tasks), store.folder)
    return values


def run_tasks(
    tasks: Sequence[Task],
    *,
    on: Executor | str = "local",
    store: Store | str | Path | None = None,
    fresh: bool = False,
    progress: Listener = silent,
    label: str = "",
) -> Batch:
    """Carry out tasks.

    Parameters
    ----------
    tasks : sequence of Task
    on : Executor or str
        ``local``, ``processes:N`` or an executor; the results do not depend on it.
    store : Store or path, optional
        A folder in which every result is kept as soon as it is there, and from which a later run continues.
    fresh : bool
        Compute again what the store already holds.
    progress : callable
        Called with a :class:`Progress` at the start and after every task.
    label : str
        What to call the whole in progress.

    Returns
    -------
    Batch
        After Ctrl-C, with what was done until then.
    """
    executor = make_executor(on)
    kept = Store(store) if isinstance(store, str | Path) else store
    started = time.perf_counter()
    values = _stored(tasks, None if fresh else kept, label)
    reused = sum(v is not None for v in values)
    missing = [k for k, v in enumerate(values) if v is None]

    def report() -> None:
        done = sum(task.weight for task, v in zip(tasks, values, strict=True) if v is not None)
        message = f"{reused} of {len(tasks)} from the store" if reused else ""
        total = sum(task.weight for task in tasks)
        progress(Progress(label, done, total, time.perf_counter() - started, message))

    interrupted = False
    try:
        report()
        for number, found in executor.run([tasks[k] for k in missing]) if missing else ():
            with deferred_interrupt() as pressed:  # what is stored is reported, and the other way round
                if kept is not None:
                    kept.put(tasks[missing[number]], found)
                values[missing[number]] = found
            if pressed():
                raise KeyboardInterrupt
            report()
    except KeyboardInterrupt:
        if inside_task():
            raise
        interrupted = True
        logger.warning("%s: interrupted", label)
    return Batch(tuple(values), reused, interrupted, time.perf_counter() - started)
