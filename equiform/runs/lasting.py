"""A crew that outlives its workers: what is lost is built again, takes its last saved state, and repeats what followed.

A member's state depends on nothing but its recipe and the requests that it has carried out. The leader keeps these
since the last save. A lost member therefore comes back exactly, and costs at most its own work since then; the others
do not go back at all.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equiform.models.common.errors import RunError
from equiform.runs.crew import LOST, Crew, Request

logger = logging.getLogger(__name__)

#: How often in a row a request is tried before the run ends.
MOST_LOSSES = 5


class LastingCrew:
    """Wraps a crew whose members have ``save(path)`` and ``restore(path)``.

    Parameters
    ----------
    crew : Crew
    size : int
        How many members it has.
    folder : path, optional
        Where members save their states: a folder that all workers see. Without one, a lost member repeats everything.
    """

    def __init__(self, crew: Crew, size: int, folder: str | Path | None = None) -> None:
        self._crew, self._size = crew, size
        self._folder = None if folder is None else Path(folder)
        self._since: list[list[Request]] = [[] for _ in range(size)]
        self._saved: str | None = None
        self.losses = 0

    def path(self, member: int, tag: str) -> Path:
        """Return where a member's state of one moment is."""
        assert self._folder is not None
        return self._folder / f"member-{member}-{tag}.npz"

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests that change states, and bring lost members back as often as needed."""
        answers = self._crew.ask(requests)
        for _ in range(MOST_LOSSES):
            lost = sorted({r.member for r, a in zip(requests, answers, strict=True) if a is LOST})
            if not lost:
                break
            answers = self._recovered(requests, answers, lost)
        else:
            raise RunError(
                "a worker was lost again and again",
                where=f"members {', '.join(map(str, lost))}",
                fix="see whether it runs out of memory; with a checkpoint the run resumes where it stopped",
            )
        for request in requests:
            self._since[request.member].append(request)
        return answers

    def _recovered(self, requests: Sequence[Request], answers: list[Any], lost: Sequence[int]) -> list[Any]:
        """Build lost members again, repeat what they did, and ask them once more."""
        self.losses += 1
        logger.warning("%d members were lost with their workers and are built again", len(lost))
        self._crew.rebuild(lost)
        again: list[Request] = []
        places: list[int | None] = []
        for member in lost:
            steps = list(self._since[member])
            if self._saved is not None:
                steps.insert(0, Request(member, "restore", {"path": str(self.path(member, self._saved))}))
            again += steps
            places += [None] * len(steps)
            own = [k for k, r in enumerate(requests) if r.member == member]
            again += [requests[k] for k in own]
            places += own
        for place, answer in zip(places, self._crew.ask(again), strict=True):
            if place is not None:
                answers[place] = answer
        return answers

    def look(self, method: str, arguments: Mapping[str, Any] | None = None) -> list[Any]:
        """Ask every member something that changes no state."""
        requests = [Request(member, method, arguments or {}) for member in range(self._size)]
        kept = [list(since) for since in self._since]
        answers = self.ask(requests)
        self._since = kept
        return answers

    def save(self, tag: str) -> None:
        """Let every member save its state; it counts only after :meth:`commit`."""
        if self._folder is None:
            return
        kept = [list(since) for since in self._since]
        self.ask([Request(m, "save", {"path": str(self.path(m, tag))}) for m in range(self._size)])
        self._since = kept

    def commit(self, tag: str) -> None:
        """Make the states of a moment those to come back to, and delete older ones."""
        if self._folder is None:
            return
        self._saved, self._since = tag, [[] for _ in range(self._size)]
        for member in range(self._size):
            for old in self._folder.glob(f"member-{member}-*.npz"):
                if old != self.path(member, tag):
                    old.unlink(missing_ok=True)

    def restore(self, tag: str) -> None:
        """Go back to the states of a moment."""
        self._saved, self._since = tag, [[] for _ in range(self._size)]
        requests = [Request(m, "restore", {"path": str(self.path(m, tag))}) for m in range(self._size)]
        if any(answer is LOST for answer in self._crew.ask(requests)):
            raise RunError("a worker was lost while the run was restored", where=tag, fix="run the command again")

    def close(self) -> None:
        """Let the workers go."""
        self._crew.close()
