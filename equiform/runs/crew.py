"""Members that keep a state between calls, wherever they live: in this process, in several, or on a cluster.

A :class:`~equiform.runs.task.Task` forgets everything when it is done. Some algorithms cannot: each part of a
distributed solver owns tables that would be too large to send around. Such a part is a *member*: an object that a
function builds from plain data, so that any process on any machine can build it. A *crew* holds members and carries
requests to them.

A crew may lose members with the process or the machine that holds them. It says so by :data:`LOST` in place of an
answer; :class:`~equiform.runs.lasting.LastingCrew` brings them back to the state that they had.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from equiform.models.common.errors import EquiformError
from equiform.runs.executor import Executor, Local, Processes, make_executor
from equiform.runs.task import resolve_function


@dataclass(frozen=True)
class Recipe:
    """How to build a member: ``package.module:function`` and its arguments, plain data."""

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Any:
        """Build the member."""
        return resolve_function(self.function)(**self.arguments)


@dataclass(frozen=True, eq=False)
class Request:
    """A call of one of a member's methods."""

    member: int
    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Lost:
    """Stands for the answer of a member that is gone, with its state, together with the worker that held it."""

    def __repr__(self) -> str:
        return "LOST"

    def __reduce__(self) -> str:
        return "LOST"  # there is one of them in every process


LOST = Lost()


class Crew(Protocol):
    """Holds members, numbered from 0."""

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests, those of one member in order; return an answer per request, or :data:`LOST`."""

    def rebuild(self, members: Sequence[int]) -> None:
        """Build lost members again, as new, wherever there is room."""

    def close(self) -> None:
        """Let the workers go."""


class Host:
    """The members of one worker; every kind of crew consists of these."""

    def __init__(self) -> None:
        self._members: dict[int, Any] = {}

    def build(self, recipes: Mapping[int, Recipe]) -> None:
        """Build members."""
        self._members |= {number: recipe.build() for number, recipe in recipes.items()}

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests in order."""
        return [
            getattr(self._members[r.member], r.method)(**r.arguments) if r.member in self._members else LOST
            for r in requests
        ]


class LocalCrew:
    """All members in this process, one after another."""

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._recipes = tuple(recipes)
        self._host = Host()
        self.rebuild(range(len(self._recipes)))

    def ask(self, requests: Sequence[Request]) -> list[Any]:
        """Carry out requests in order."""
        return self._host.ask(requests)

    def rebuild(self, members: Sequence[int]) -> None:
        """Build members as new."""
        self._host.build({number: self._recipes[number] for number in members})

    def close(self) -> None:
        """Forget the members."""
        self._host = Host()


def shares(requests: Sequence[Request], worker_of: Callable[[int], int]) -> dict[int, list[int]]:
    """Return which requests (by their places) go to which worker, in order."""
    found: dict[int, list[int]] = {}
    for place, request in enumerate(requests):
        found.setdefault(worker_of(request.member), []).append(place)
    return found


def collect(split: Mapping[int, Sequence[int]], receive: Callable[[int], Any]) -> list[Any]:
    """Put the answers of all workers in the order of the requests, whose shares are in ``split``.

    ``receive`` returns a worker's answers, its error, or :data:`LOST`. All workers are heard before an error is raised.
    """
    answers: list[Any] = [LOST] * sum(map(len, split.values()))
    failed: EquiformError | None = None
    for worker, places in split.items():
        found = receive(worker)
        if isinstance(found, EquiformError):
            failed = found
        elif found is not LOST:
            for place, answer in zip(places, found, strict=True):
                answers[place] = answer
    if failed is not None:
        raise failed
    return answers


def make_crew(recipes: Sequence[Recipe], on: Executor | str = "local") -> Crew:
    """Build members on an executor: ``local``, ``processes:N`` or ``ray[:ADDRESS]``.

    >>> crew = make_crew([Recipe("builtins:list")])
    >>> crew.ask([Request(0, "__len__")])
    [0]
    """
    executor = make_executor(on)
    if isinstance(executor, Local):
        return LocalCrew(recipes)
    if isinstance(executor, Processes):
        from equiform.runs.process_crew import ProcessCrew

        return ProcessCrew(recipes, executor.workers)
    crew: Crew = executor.crew(recipes)  # type: ignore[attr-defined]
    return crew
