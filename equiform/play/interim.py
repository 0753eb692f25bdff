"""How far a chunk of matches has come: kept every few seconds, so that little is lost with the process that plays it.

Hands are played in spans. After a span an agent forgets everything that does not follow from the state it hands over,
such as the last basis of its solver. Whether the state was saved, or read back in another process, then makes no
difference to a single bit. How long spans are depends on the size of the game alone, not on the clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError
from equiform.play.seat import Seat
from equiform.runs.store import Store
from equiform.runs.task import Task, Values

#: Seconds after which a state is saved at the end of a span; a span is short, so that ten are never lost.
EVERY = 5.0
#: Sequences of both players, over all matches played side by side, that the hands of one span add up to.
SPAN = 100_000
#: How many seats a chunk may be played from.
_SEATS = 2

clock = time.monotonic


def hands_per_span(seat: Seat, matches: int) -> int:
    """Return after how many hands a state may be saved: few where a hand takes long."""
    return max(1, SPAN // (matches * (seat.own.num_sequences + seat.opponent.num_sequences)))


class Interim:
    """Saves the state of the matches of one chunk from one seat, and finds it again.

    Parameters
    ----------
    folder
        Where states are kept; an empty text, or a folder that this machine does not see, keeps none.
    chunk
        The task that is being carried out.
    seat
        The first or second of its seats.
    """

    def __init__(self, folder: str, chunk: Task, seat: int) -> None:
        self._store = Store(folder) if folder and Path(folder).is_dir() else None
        self._task = _task(chunk, seat)
        self._last: Values | None = None
        self._saved = clock()

    def read(self) -> Values | None:
        """Return the state that was saved last, if there is one."""
        return None if self._store is None else self._store.get(self._task)

    def offer(self, values: Values) -> None:
        """Take the state at the end of a span; save it when it is time."""
        self._last = {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in values.items()}
        if clock() - self._saved >= EVERY:
            self.save()

    def save(self) -> None:
        """Save the last state that was offered."""
        if self._store is not None and self._last is not None:
            self._store.put(self._task, self._last)
        self._last, self._saved = None, clock()


def discard(folder: str | Path, chunks: Iterable[Task]) -> None:
    """Delete the states of chunks that are finished."""
    store = Store(folder)
    for chunk in chunks:
        for seat in range(_SEATS):
            store.path(_task(chunk, seat)).unlink(missing_ok=True)


def _task(chunk: Task, seat: int) -> Task:
    return Task(chunk.function, {"of": chunk.key, "seat": seat}, version=chunk.version, label=f"{chunk.label}-interim")


_AGAIN = "delete the folder and play again"


def stored_array(values: Mapping[str, Any], name: str, like: FloatArray) -> FloatArray:
    """Return an array of a saved state, which must have the shape that it is used in."""
    found = values.get(name)
    if not isinstance(found, np.ndarray) or found.shape != like.shape or found.dtype != like.dtype:
        raise FormatError(f"the saved match has no such {name}", where=name, fix=_AGAIN)
    return found.copy()


def stored_count(values: Mapping[str, Any], name: str, most: int) -> int:
    """Return a count of a saved state, of at most ``most``."""
    found = values.get(name)
    if not isinstance(found, int) or not 0 <= found <= most:
        raise FormatError(f"the saved match has no such {name}", where=str(found), fix=_AGAIN)
    return found
