"""What carries tasks out: this process, several, or a Ray cluster. Results are the same, only their order differs.

A further executor is a class with ``run`` and an entry in :data:`EXECUTORS`. It gets tasks, which are plain data, and
hands results back to the caller, who stores them: no worker needs the store's disk.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from equiform.models.common.arguments import require_name, require_workers
from equiform.models.common.errors import ParameterError, RunError
from equiform.runs.task import Task, Values


class Executor(Protocol):
    """Carries out tasks."""

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Values]]:
        """Yield the number of each task and its result as they finish, in any order."""


@dataclass(frozen=True)
class Local:
    """One task after another in this process."""

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Values]]:
        """Yield results in order."""
        for number, task in enumerate(tasks):
            yield number, task.compute()


@dataclass(frozen=True)
class Processes:
    """Several processes of this machine, by joblib (whose backend ``joblib.parallel_config`` may set)."""

    workers: int

    def __post_init__(self) -> None:
        require_workers(self.workers, "processes", "executor")

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Values]]:
        """Yield results as they come."""
        import joblib
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        jobs = (joblib.delayed(_numbered)(number, task) for number, task in enumerate(tasks))
        with warnings.catch_warnings():
            # joblib replaces a worker that has grown and warns; nothing is lost
            warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
            # an interrupt leaves tasks undone, which the caller knows
            warnings.filterwarnings("ignore", message=r"\d+ tasks which were", category=UserWarning)
            try:
                yield from joblib.Parallel(n_jobs=self.workers, return_as="generator_unordered")(jobs)
            except TerminatedWorkerError:
                raise RunError(
                    "a worker process was killed, perhaps for lack of memory",
                    where=f"{self.workers} processes",
                    fix="run again with fewer processes; with a store it resumes where it stopped",
                ) from None


def _numbered(number: int, task: Task) -> tuple[int, Values]:
    return number, task.compute()


def warm_up() -> Values:
    """Do nothing, as a task: what an executor alone costs."""
    return {}


def _local(argument: str) -> Executor:
    if argument:
        raise ParameterError(f"local takes no {argument!r}", where="executor", fix="use local or processes:2")
    return Local()


def _processes(argument: str) -> Executor:
    if argument and not argument.isdecimal():
        raise ParameterError(f"{argument!r} is not a number of processes", where="executor", fix="e.g. processes:2")
    return Processes(int(argument) if argument else len(os.sched_getaffinity(0)) if _AFFINITY else os.cpu_count() or 1)


_AFFINITY = hasattr(os, "sched_getaffinity")


def _ray(argument: str) -> Executor:
    from equiform.runs.ray_cluster import Ray

    return Ray(argument)


#: Executors by name; each takes what follows the colon.
EXECUTORS: dict[str, Callable[[str], Executor]] = {"local": _local, "processes": _processes, "ray": _ray}


def make_executor(on: Executor | str) -> Executor:
    """Read ``local``, ``processes`` (one per core), ``processes:N`` or ``ray[:ADDRESS]``; an executor is returned as
    it is.

    >>> make_executor("processes:2")
    Processes(workers=2)
    """
    if not isinstance(on, str):
        return on
    name, _, argument = on.partition(":")
    return EXECUTORS[require_name(name, EXECUTORS, "executor", on)](argument)
