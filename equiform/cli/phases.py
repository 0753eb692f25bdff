"""What a command is doing, on standard error, from the second second on and on a terminal only."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from equiform.cli.output import errors

if TYPE_CHECKING:
    from equiform.runs.progress import Listener, Progress

AFTER = 1.0
"""Seconds after which a line appears."""


@contextmanager
def phases(quiet: bool) -> Iterator[Listener]:
    """Yield a listener whose last event stands on a line with a clock, until the body ends."""
    from equiform.models.size import size_limits
    from equiform.runs.progress import silent

    if quiet or not errors.is_terminal:
        yield silent
        return
    began, words, finished = time.perf_counter(), [""], threading.Event()

    def tell(text: str) -> None:
        words[0] = text

    def listen(event: Progress) -> None:
        tell(event.message)

    def draw() -> None:
        if finished.wait(AFTER):
            return
        with errors.status("") as status:
            while not finished.wait(0.2):
                status.update(f"{words[0]} ({time.perf_counter() - began:z.0f} s)")

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        with size_limits(report=lambda text: tell(f"reading the game: {text}")):
            yield listen
    finally:
        finished.set()
        thread.join()
