"""What all commands have in common: their outputs are tested first, Ctrl-C ends them, and memory may run out."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from equiform.cli.output import errors, print_json
from equiform.cli.paths import require_outputs
from equiform.models.common.errors import OutOfMemoryError

#: What a shell expects of a command that Ctrl-C ended.
INTERRUPTED = 130
#: The answer is the best so far: a limit came first.
UNFINISHED = 3


def guarded(command: str, function: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command."""

    @functools.wraps(function)
    def run(*args: Any, **arguments: Any) -> None:
        require_outputs(command, arguments)
        try:
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


def leave(code: int) -> None:
    """End with an exit code, at once if a solver that was asked to stop is still busy."""
    stopping = sys.modules.get("equiform.formulations.optimization.backends.stopping")
    if stopping is not None and stopping.left_behind():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # the library's threads would otherwise run into Python's end
    raise typer.Exit(code)
