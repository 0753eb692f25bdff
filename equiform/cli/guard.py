"""What all commands have in common: their outputs are tested first, Ctrl-C ends them, and memory may run out."""

from __future__ import annotations

import _thread
import atexit
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from equiform.cli.output import errors, print_json
from equiform.cli.paths import require_outputs
from equiform.models.common.errors import OutOfMemoryError

#: What a shell expects of a command that Ctrl-C ended.
INTERRUPTED = 130
#: The answer is the best so far: a limit came first.
UNFINISHED = 3
#: Seconds until an interrupt that a library swallowed is raised again.
_AGAIN = 0.02


def guarded(command: str, function: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command."""

    @functools.wraps(function)
    def run(*args: Any, **arguments: Any) -> None:
        require_outputs(command, arguments)
        try:
            with persistent_interrupt():
                function(*args, **arguments)
        except KeyboardInterrupt as stopped:
            reached = str(stopped) or "nothing was reached yet."
            if arguments.get("json"):
                print_json({"error": {"type": "Interrupted", "what": reached, "where": "", "fix": ""}})
            else:
                errors.print(f"Interrupted: {reached}", highlight=False)
            leave(INTERRUPTED)
        except MemoryError as error:
            raise OutOfMemoryError(
                "memory ran out",
                where=str(error) or command,
                fix="choose a smaller game, or a machine with more memory",
            ) from None

    return run


@contextmanager
def persistent_interrupt() -> Iterator[None]:
    """Let no library swallow Ctrl-C.

    Python raises an interrupt wherever the main thread happens to be. In a function that a library in C calls (numba
    has one for every piece of machine code that it loads), or that is called when an object is deleted, the exception
    cannot get out, and Python only reports it. Here it is raised again, when the main thread is likely to be elsewhere.
    """
    before = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        again = threading.Timer(_AGAIN, _thread.interrupt_main)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def leave(code: int) -> None:
    """End with an exit code, at once if a solver that was asked to stop is still busy."""
    stopping = sys.modules.get("equiform.formulations.optimization.backends.stopping")
    if stopping is not None and stopping.left_behind():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # the library's threads would otherwise run into Python's end
    raise typer.Exit(code)


def end_process(code: str | int | None) -> None:
    """End the process without taking the interpreter apart.

    With all that numba has compiled, that takes seconds on a busy machine, and nothing comes of it. What was registered
    to be done at the end is done. If a thread that must not be cut off is still at work, the process ends as usual.
    """
    others = (t for t in threading.enumerate() if t is not threading.main_thread())
    if not isinstance(code, int | None) or any(not t.daemon for t in others):
        return
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody reads any more: Python's own end says so
        return
    os._exit(code or 0)
