"""Run a solver so that Ctrl-C and the time limit end it, whatever its library does in the meantime.

Python sees Ctrl-C between two of its own instructions, and a solver's library runs for minutes without one. So the
solver runs in a second thread, and the main thread only waits. On Ctrl-C, or some time after a limit that the solver
disregards, the main thread asks for a :class:`Stop`: backends look at it in their callbacks, or register what ends
them. A solver that has not ended within :data:`PATIENCE` is left behind, and its answer with it.

A library that holds on to the interpreter stops the main thread, too. It runs in a process of its own
(:mod:`equiform.formulations.optimization.backends.worker`), which is asked in the same way and ends by being killed.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")

PATIENCE = 0.7
"""Seconds that a solver has to hand over what it reached when it is asked to stop."""
GRACE = 5.0
"""Seconds that a solver may take beyond its own time limit before it is asked to stop."""
_POLL = 0.2  # Windows does not interrupt a wait without an end


class Stop:
    """A request to stop, made by one thread and seen by another."""

    def __init__(self) -> None:
        self._requested = False
        self._actions: list[Callable[[], object]] = []

    def __bool__(self) -> bool:
        return self._requested

    def on_request(self, action: Callable[[], object]) -> None:
        """Register what ends the solver; it is called at once if the request was made already."""
        self._actions.append(action)
        if self._requested:
            action()

    def request(self) -> None:
        """Ask the solver to stop."""
        self._requested = True
        for action in self._actions:
            with contextlib.suppress(Exception):  # a solver that has just ended has nothing left to stop
                action()


class StoppedError(Exception):
    """A solver was asked to stop; ``answer`` is what it still handed over."""

    def __init__(self, answer: Any, *, interrupted: bool) -> None:
        super().__init__("interrupted" if interrupted else "stopped beyond its time limit")
        self.answer = answer
        self.interrupted = interrupted


class _Job(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.finished = threading.Event()
        self.result: T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.work()
        except BaseException as error:  # it is raised again where the result is awaited
            self.error = error
        self.finished.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end; an interrupt comes through."""
        while not self.finished.wait(_POLL if seconds is None else min(_POLL, max(seconds, 0.0))):
            if seconds is not None:
                seconds -= _POLL
                if seconds <= 0:
                    return False
        return True


class _Thread:
    """A thread that does one job after another: some solvers keep threads of their own per thread that calls them."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.jobs: SimpleQueue[_Job[Any]] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="equiform-solver", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        while True:
            self.jobs.get().run()


_thread: _Thread | None = None
_left: list[_Job[Any]] = []


def left_behind() -> bool:
    """Return whether a solver that was asked to stop is still running in this process."""
    return any(not job.finished.is_set() for job in _left)


def stoppable(work: Callable[[], T], stop: Stop, time_limit: float | None = None) -> T:
    """Do the work in another thread; end it on Ctrl-C, or if it disregards its time limit.

    Parameters
    ----------
    work
        What to run. It must let go of the interpreter, and end when asked to by ``stop``.
    stop
        What the work looks at.
    time_limit
        Seconds after which it is stopped.

    Raises
    ------
    StoppedError
        After Ctrl-C, or if the work had to be stopped after its time limit.
    """
    global _thread
    if threading.current_thread() is not threading.main_thread():
        return work()  # signals do not arrive here
    if _thread is None or _thread.process != os.getpid():
        _thread = _Thread()
    job = _Job(work)
    _thread.jobs.put(job)
    try:
        ended = job.wait(time_limit)
    except KeyboardInterrupt:
        _ask(job, stop)
        raise StoppedError(job.result, interrupted=True) from None
    if not ended:
        _ask(job, stop)
        raise StoppedError(job.result, interrupted=False)
    if job.error is not None:
        raise job.error
    result: T = job.result  # type: ignore[assignment]
    return result


def _ask(job: _Job[T], stop: Stop) -> None:
    """Ask for an end; leave the thread to itself if none comes."""
    global _thread
    stop.request()
    try:
        ended = job.wait(PATIENCE)
    except KeyboardInterrupt:  # once more: at once, then
        ended = False
    if not ended:
        _thread = None
        _left[:] = [other for other in _left if not other.finished.is_set()]
        _left.append(job)
