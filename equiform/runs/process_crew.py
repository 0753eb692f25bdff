"""A crew in several processes of this machine, each of which holds a share of the members."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from joblib.externals.loky.backend.context import get_context

from equiform.models.common.arguments import require_workers
from equiform.models.common.errors import EquiformError
from equiform.runs.crew import LOST, Host, Recipe, Request, collect, shares


def _serve(pipe: Connection) -> None:
    """Be a worker: build and ask members as told until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever leads the crew decides when to stop
    host = Host()
    while True:
        try:
            word, content = pipe.recv()
        except EOFError:
            return
        answer: Any = None
        try:
            if word == "build":
                host.build(content)
            else:
                answer = host.ask(content)
        except EquiformError as error:
            answer = error
        pipe.send(answer)


class ProcessCrew:
    """Members in several processes; member m lives in worker m modulo their number."""

    def __init__(self, recipes: Sequence[Recipe], workers: int) -> None:
        require_workers(workers, "workers", "crew")
        self._recipes = tuple(recipes)
        self._workers = min(workers, max(1, len(self._recipes)))
        # a fresh interpreter that does not run the caller's script again: a copy of this one would hold locks of
        # compiled code and solvers
        self._context = get_context("loky")
        self._pipes: dict[int, Connection] = {}
        self._processes: dict[int, BaseProcess] = {}
        self.rebuild(range(len(self._recipes)))

    def _worker_of(self, member: int) -> int:
        return member % self._workers

    @property
    def process_ids(self) -> tuple[int, ...]:
        """The workers' process numbers."""
        return tuple(p.pid or 0 for _, p in sorted(self._processes.items()))

    def _start(self, worker: int) -> None:
        mine, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._pipes[worker], self._processes[worker] = mine, process

    def rebuild(self, members: Sequence[int]) -> None:
        """Build members as new, in a new process where theirs is gone."""
        wanted: dict[int, dict[int, Recipe]] = {}
        for member in members:
            wanted.setdefault(self._worker_of(member), {})[member] = self._recipes[member]
        for worker, recipes in wanted.items():
            if worker not in self._processes or not self._processes[worker].is_alive():
                self._start(worker)
            self._pipes[worker].send(("build", recipes))
        for worker in wanted:
            answer = self._pipes[worker].recv()
            if isinstance(answer, EquiformError):
                raise answer

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests, every worker its own share at the same time."""
        split = shares(requests, self._worker_of)
        for worker, places in split.items():
            try:
                self._pipes[worker].send(("ask", [requests[k] for k in places]))
            except (BrokenPipeError, ConnectionResetError):
                continue
        return collect(split, self._receive)

    def _receive(self, worker: int) -> Any:
        try:
            return self._pipes[worker].recv()
        except (EOFError, ConnectionResetError, BrokenPipeError):
            self._processes[worker].join()
            return LOST

    def close(self) -> None:
        """Close the pipes, on which the workers end."""
        for pipe in self._pipes.values():
            pipe.close()
        for process in self._processes.values():
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()  # loky's processes have no kill()
        self._pipes, self._processes = {}, {}
