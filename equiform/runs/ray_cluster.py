"""Ray: tasks and members on the machines of a cluster (``--on ray`` or ``--on ray:ADDRESS``).

Ray (Moritz et al. 2018) places work, moves arrays and starts lost actors again on a machine that has room. What a lost
actor knew is ours to bring back: see :mod:`equiform.runs.lasting`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiform.models.common.errors import BackendMissingError, EquiformError, RunError
from equiform.runs.crew import LOST, Host, Recipe, Request, collect, shares
from equiform.runs.task import Task, Values

#: Arrays of this many bytes and more are sent once for all members that need them.
_SHARED_BYTES = 50_000
#: How long to wait for room on the cluster, in seconds.
_PATIENCE = 120.0


@dataclass(frozen=True)
class Ray:
    """A Ray cluster: one at an address (``auto`` for the one that this machine belongs to), or a new one here."""

    address: str = ""

    def connect(self) -> Any:
        """Return Ray, connected."""
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # it warns about graphics cards otherwise
        try:
            import ray
        except ImportError:
            raise BackendMissingError(
                "Ray is not installed", where="--on ray", fix="pip install 'equiform[cluster]'"
            ) from None
        if ray.is_initialized():
            return ray
        options: dict[str, Any] = {"address": self.address} if self.address else {"include_dashboard": False}
        try:
            ray.init(log_to_driver=False, logging_level="ERROR", configure_logging=False, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise RunError(
                f"no Ray cluster answers at {self.address or 'this machine'}: {str(error).splitlines()[0][:200]}",
                where="--on ray",
                fix="start one with `ray start --head`, or leave the address out to use this machine alone",
            ) from None
        return ray

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Values]]:
        """Yield the results of tasks as they finish; Ray repeats a task whose worker died."""
        ray = self.connect()
        compute = ray.remote(num_cpus=1, max_retries=3)(_compute)
        waiting = {compute.remote(task): number for number, task in enumerate(tasks)}
        try:
            while waiting:
                done, _ = ray.wait(list(waiting), num_returns=1)
                for reference in done:
                    number = waiting.pop(reference)
                    yield number, _unwrapped(ray, reference)
        finally:
            for reference in waiting:
                ray.cancel(reference, force=False)

    def crew(self, recipes: Sequence[Recipe]) -> RayCrew:
        """Build members as actors."""
        return RayCrew(self.connect(), recipes)


class _RayHost(Host):
    """The members of an actor; arrays may arrive as references to the object store."""

    def process_id(self) -> int:
        """Return the actor's process number."""
        return os.getpid()

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Fetch what is referred to, and carry out requests."""
        import ray

        fetched: dict[Any, Any] = {}
        for request in requests:
            for value in request.arguments.values():
                if isinstance(value, ray.ObjectRef) and value not in fetched:
                    fetched[value] = ray.get(value)
        return super().ask(
            [
                Request(
                    r.member,
                    r.method,
                    {n: fetched[v] if isinstance(v, ray.ObjectRef) else v for n, v in r.arguments.items()},
                )
                for r in requests
            ]
        )


def _compute(task: Task) -> Values:
    return task.compute()


def _unwrapped(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, EquiformError) else error from None
    except ray.exceptions.RayError as error:
        raise RunError(
            f"a worker of the cluster was lost: {type(error).__name__}",
            where="ray",
            fix="run again; with a store it resumes where it stopped",
        ) from None


class RayCrew:
    """Members as Ray actors: one each if the cluster has the processors, otherwise several per actor."""

    def __init__(self, ray: Any, recipes: Sequence[Recipe]) -> None:
        self._ray, self._recipes = ray, tuple(recipes)
        processors = int(ray.cluster_resources().get("CPU", 1))
        self._actors: list[Any] = []
        # without num_cpus an actor is placed by processors but holds none: when a node is lost, the others take it in
        host = ray.remote(max_restarts=-1, max_task_retries=0)(_RayHost)
        for _ in range(max(1, min(processors, len(self._recipes)))):
            self._actors.append(host.options(scheduling_strategy="SPREAD").remote())
        self.rebuild(range(len(self._recipes)))

    def _worker_of(self, member: int) -> int:
        return member % len(self._actors)

    def rebuild(self, members: Sequence[int]) -> None:
        """Build members as new in their actors, which Ray has started again."""
        wanted: dict[int, dict[int, Recipe]] = {}
        for member in members:
            wanted.setdefault(self._worker_of(member), {})[member] = self._recipes[member]
        deadline = time.monotonic() + _PATIENCE
        while wanted and time.monotonic() < deadline:
            started = {
                w: (self._actors[w].process_id.remote(), self._actors[w].build.remote(recipes))
                for w, recipes in wanted.items()
            }
            wanted = {
                w: wanted[w] for w, (placed, built) in started.items() if not self._is_built(placed, built, deadline)
            }
            if wanted:  # Ray has not noticed the loss yet, or is still looking for room
                time.sleep(0.5)
        if wanted:
            raise RunError(
                f"the cluster found no room for an actor within {_PATIENCE:g} s",
                where="ray",
                fix="add a machine; with a checkpoint the run resumes where it stopped",
            )

    def _is_built(self, placed: Any, built: Any, deadline: float) -> bool:
        """Wait for an actor to be placed, though not longer than until the deadline, and for what it builds."""
        errors = self._ray.exceptions
        try:
            self._ray.get(placed, timeout=max(0.1, deadline - time.monotonic()))
            self._ray.get(built)  # large tables take as long as they take
        except errors.RayTaskError as error:
            raise error.cause if isinstance(error.cause, EquiformError) else error from None
        except (errors.GetTimeoutError, errors.RayActorError):
            return False
        return True

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests on all actors at the same time."""
        sent: dict[int, Any] = {}
        split = shares(requests, self._worker_of)
        references = {
            worker: self._actors[worker].ask.remote([self._slim(requests[k], sent) for k in places])
            for worker, places in split.items()
        }
        return collect(split, lambda worker: self._receive(references[worker]))

    def _receive(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, EquiformError):
                raise
            return error.cause
        except self._ray.exceptions.RayError:
            return LOST

    def _slim(self, request: Request, sent: dict[int, Any]) -> Request:
        """Put large arguments into the object store once, however many members read them."""
        large = {name: value for name, value in request.arguments.items() if _bytes(value) >= _SHARED_BYTES}
        for value in large.values():
            if id(value) not in sent:
                sent[id(value)] = self._ray.put(value)
        slim = {**request.arguments, **{name: sent[id(value)] for name, value in large.items()}}
        return Request(request.member, request.method, slim)

    def close(self) -> None:
        """End the actors."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []


def _bytes(value: Any) -> int:
    """Return the size of an array, or of a mapping of arrays; 0 for anything else."""
    if isinstance(value, Mapping):
        return sum(map(_bytes, value.values()))
    return value.nbytes if isinstance(value, np.ndarray) else 0
