"""A process that runs a solver whose library holds on to the interpreter, so that it can be killed.

It is started on first use and kept, and gets a program's arrays through a pipe. It is a fresh Python, no copy of this
process: copies of a process with threads deadlock, and :mod:`multiprocessing` would run the user's script again. Both
ends of the pipe are ours, so what comes out of it may be unpickled.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import struct
import subprocess
import sys
from dataclasses import replace
from typing import IO, Any

from equiform.formulations.optimization.backends.base import Backend, RawAnswer, Settings, run_stoppable
from equiform.formulations.optimization.backends.stopping import Stop
from equiform.formulations.optimization.program import Program
from equiform.formulations.optimization.solution import TerminationCondition

SIZE = struct.Struct("<Q")
_START = "from equiform.formulations.optimization.backends.worker import main; main()"


class _Worker:
    """The process and its pipes."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        atexit.register(self.end)
        try:
            self.ask(None)  # it is ready: a solver's limit of time does not pay for the start
        except BaseException:
            self.end()
            raise

    def ask(self, request: Any) -> Any:
        """Send a request and wait for its answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        _write(self.process.stdin, request)
        return _read(self.process.stdout)

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()


_worker: _Worker | None = None


def start_worker() -> _Worker:
    """Return the process, starting it if there is none."""
    global _worker
    if _worker is None or _worker.owner != os.getpid() or _worker.process.poll() is not None:
        _worker = _Worker()
    return _worker


def run_apart(backend: Backend, program: Program, settings: Settings) -> RawAnswer:
    """Let a backend solve a program in the other process, so that Ctrl-C and the time limit end it."""
    try:
        start_worker()
    except KeyboardInterrupt:
        message = f"{backend.name} was interrupted before it began"
        return RawAnswer(TerminationCondition.INTERRUPTED, "none", message=message)
    return run_stoppable(backend, settings, lambda: _solve(backend.name, program, settings))


def _solve(name: str, program: Program, settings: Settings) -> RawAnswer:
    worker, stop = start_worker(), settings.stop
    stop.on_request(worker.end)
    bare = replace(program, variables=(), row_blocks=())
    settings = replace(settings, stop=Stop())
    try:
        answer: RawAnswer | BaseException = worker.ask((name, bare, settings))
    except (EOFError, OSError):
        worker.end()
        code = worker.process.wait()
        if stop:
            return RawAnswer(TerminationCondition.INTERRUPTED, "none", message=f"{name} was stopped")
        killed = -code == getattr(signal, "SIGKILL", None)
        end = TerminationCondition.MEMORY_LIMIT if killed else TerminationCondition.CRASHED
        why = "was killed, perhaps for lack of memory" if killed else f"ended with code {code}"
        return RawAnswer(end, "none", message=f"the process of {name} {why}")
    if isinstance(answer, BaseException):
        raise answer
    return answer


def main() -> None:
    """Answer requests until the other end closes the pipe."""
    from equiform.formulations.optimization.backends.base import run_guarded
    from equiform.formulations.optimization.backends.registry import get

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to us, too: the other process decides
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a solver prints must not get between the answers
    while True:
        try:
            request = _read(requests)
        except EOFError:
            return
        if request is None:
            _write(answers, None)
            continue
        name, program, settings = request
        answer: RawAnswer | BaseException
        try:
            backend = get(name)
            answer = run_guarded(backend, lambda: backend.run(program, settings))  # noqa: B023
        except Exception as error:
            answer = error
        with contextlib.suppress(BrokenPipeError):
            _write(answers, answer)


def _write(pipe: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message, protocol=5)
    pipe.write(SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _read(pipe: IO[bytes]) -> Any:
    head = pipe.read(SIZE.size)
    if len(head) < SIZE.size:
        raise EOFError
    (size,) = SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
