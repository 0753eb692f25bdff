"""The shape that all iterative solvers share: step, run until a limit, measure, save and resume.

A solver keeps its whole mutable state in arrays (:meth:`IterativeSolver._state`) and an iteration is a function of
that state and of the iteration number alone. Hence saving the arrays is saving the run: a resumed run equals an
uninterrupted one bit for bit, wherever it was cut, and measuring never changes the course.
"""

from __future__ import annotations

import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.errors import FormatError, UnsupportedGameError
from equiform.models.common.files import require_writable
from equiform.models.strategy import Strategy
from equiform.runs.interrupts import deferred_interrupt
from equiform.runs.progress import Listener, Progress, silent
from equiform.runs.record import read_record, write_record
from equiform.runs.task import Task
from equiform.solvers_iterative.progress import (
    GROWTH,
    Checkpoint,
    IterativeResult,
    Until,
    foreseen_checkpoint,
    next_checkpoint,
)

logger = logging.getLogger(__name__)

#: A run that was asked to save does so at least this often.
SAVE_SECONDS = 10.0
#: A single compiled call lasts about this long at most, so that deadlines and Ctrl-C are heard.
CALL_SECONDS = 0.25


@dataclass(frozen=True)
class Measurement:
    """A profile's gap as an independent best-response computation sees it."""

    lower: float
    upper: float
    regrets: tuple[float, ...]

    @property
    def nash_conv(self) -> float:
        """The sum of the regrets; in zero-sum games the width of the bracket."""
        return sum(self.regrets) if math.isnan(self.lower) else self.upper - self.lower


class IterativeSolver(ABC):
    """Base of all iterative solvers. A subclass provides the iteration, its state, its profiles and the measuring."""

    #: Of the arrays and of what an iteration does with them: a state of another version is not resumed.
    state_version: ClassVar[str] = "1"
    #: Where checkpoints begin, and how much further apart they are each time, unless their spacing is given.
    first_checkpoint: ClassVar[int] = 1
    growth: ClassVar[float] = GROWTH
    #: Where a gap is to be met: the power of the iteration it falls like, by which the next checkpoint is foreseen.
    #: At 0 checkpoints stay where they are without a gap.
    falls_by: ClassVar[float] = 0.0

    def __init__(self, algorithm: str, game_name: str) -> None:
        self.algorithm = algorithm
        self._game_name = game_name
        self._iteration = 0
        self._seconds = 0.0
        self._rate = 0.0
        self._history: list[Checkpoint] = []
        self.compile_seconds = 0.0

    # -- what a subclass provides -------------------------------------------------------------------------------------

    @abstractmethod
    def _advance(self, count: int) -> None:
        """Run ``count`` iterations from ``self.iteration``; zero must be a no-op that compiles everything."""

    @abstractmethod
    def _state(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that hold the state, by name; they are updated in place."""

    @abstractmethod
    def _measure(self) -> Measurement | None:
        """Measure the averaged profile; None where no best response can be computed."""

    @abstractmethod
    def _fingerprint(self) -> str:
        """Identify the game."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """The keyword arguments, JSON values, that rebuild this solver on the same game."""

    @property
    @abstractmethod
    def average(self) -> tuple[Strategy, ...]:
        """The averaged profile: the one whose gap is measured."""

    @property
    @abstractmethod
    def current(self) -> tuple[Strategy, ...]:
        """The last iterate."""

    # -- running ------------------------------------------------------------------------------------------------------

    @property
    def iteration(self) -> int:
        """How many iterations are done."""
        return self._iteration

    @property
    def seconds(self) -> float:
        """Seconds spent iterating, resumed parts included; neither compiling nor measuring."""
        return self._seconds

    @property
    def history(self) -> tuple[Checkpoint, ...]:
        """All checkpoints so far."""
        return tuple(self._history)

    def compile(self) -> None:
        """Compile the loops, or load them from numba's cache on disk; ``compile_seconds`` says how long it took."""
        started = time.perf_counter()
        self._advance(0)
        self.compile_seconds += time.perf_counter() - started

    def step(self, count: int = 1) -> None:
        """Run one iteration, or several, without measuring."""
        self._timed_advance(require_count(count, "count", self.algorithm))

    def run(
        self,
        until: Until,
        *,
        checkpoint_every: int | None = None,
        save_to: str | Path | None = None,
        progress: Listener = silent,
    ) -> IterativeResult:
        """Iterate until a limit is met, measuring at checkpoints.

        Parameters
        ----------
        until : Until
            The limits; Ctrl-C is one too (``stopped_by`` is then ``"interrupt"``).
        checkpoint_every : int, optional
            Measure at multiples of this many iterations; by default geometrically spaced.
        save_to : path, optional
            An ``.npz`` file that takes the state at every checkpoint, at the end, and every ten seconds in between.
        progress : callable
            Called with a :class:`~equiform.runs.progress.Progress` event, several times a second on long runs. Its
            ``metrics`` hold what was measured at a checkpoint, and nothing between two of them.

        Returns
        -------
        IterativeResult
            The averaged profile, measured where the run stopped.
        """
        if checkpoint_every is not None:
            require_count(checkpoint_every, "checkpoint_every", self.algorithm)
        if save_to is not None:
            require_writable(save_to)
        course = _Course(until, checkpoint_every, None if save_to is None else Path(save_to), progress)
        with deferred_interrupt() as interrupted:
            reason = self._follow(course, interrupted)
        return IterativeResult(
            self.algorithm,
            self._game_name,
            reason,
            self._history[-1],
            self.compile_seconds,
            self.history,
            self._strategies_or_none(),
        )

    def _follow(self, course: _Course, interrupted: Callable[[], bool]) -> str:
        """Iterate, measure, save and report; return what ended the run.

        What is measured hangs on the iteration alone and on where a run was told to end, never on where it was killed.
        """
        until = course.until
        while True:
            measured = self._history[-1] if self._history else None
            here = measured is not None and measured.iteration == self._iteration
            gap = measured.nash_conv if measured is not None and here else None
            reason = "interrupt" if interrupted() else until.reached(self._iteration, course.elapsed, gap)
            due = self._next_checkpoint(self._iteration - 1, course) == self._iteration
            if not here and (reason is not None or due or measured is None):
                course.report(self.algorithm, self._checkpoint(until), measured=True)
                self._save(course)
                continue
            if reason is not None:
                return reason
            target = self._next_checkpoint(self._iteration, course)
            self._advance_to(target if until.iterations is None else min(target, until.iterations), course, interrupted)

    def _next_checkpoint(self, iteration: int, course: _Course) -> int:
        """Return the first checkpoint after an iteration."""
        last, gap = self._history[-1] if self._history else None, course.until.gap
        if self.falls_by and gap and course.every is None and last and last.iteration and last.nash_conv > 0.0:
            return max(foreseen_checkpoint(last, gap, self.falls_by), iteration + 1)
        return next_checkpoint(iteration, course.every, self.growth, self.first_checkpoint)

    def _advance_to(self, target: int, course: _Course, interrupted: Callable[[], bool]) -> None:
        while self._iteration < target and (now := time.perf_counter()) < course.deadline and not interrupted():
            count = target - self._iteration
            if self._rate > 0.0:
                count = min(count, max(1, int(min(CALL_SECONDS, course.deadline - now) * self._rate)))
            elif target > 64:
                count = 1  # unknown speed: feel the way
            self._timed_advance(count)
            if self._iteration < target:
                course.report(self.algorithm, self._moment(Measurement(math.nan, math.nan, ())), measured=False)
                if time.perf_counter() - course.saved >= SAVE_SECONDS:
                    self._save(course)

    def _save(self, course: _Course) -> None:
        if course.save_to is not None:
            self.save(course.save_to)
            course.saved = time.perf_counter()

    def _timed_advance(self, count: int) -> None:
        if self.compile_seconds == 0.0:
            self.compile()
        started = time.perf_counter()
        self._advance(count)
        elapsed = time.perf_counter() - started
        self._iteration += count
        self._seconds += elapsed
        self._rate = count / max(elapsed, 1e-9)

    def _checkpoint(self, until: Until) -> Checkpoint:
        measured = self._measure()
        if measured is None:
            if until.gap is not None:
                raise UnsupportedGameError(
                    f"the gap of {self._game_name} cannot be measured: a player forgets",
                    where=f"until gap={until.gap}",
                    fix="stop by iterations or seconds, and evaluate the strategy in the full game",
                )
            measured = Measurement(math.nan, math.nan, (math.nan,))
        checkpoint = self._moment(measured)
        self._history.append(checkpoint)
        logger.debug("%s on %s: %s", self.algorithm, self._game_name, checkpoint)
        return checkpoint

    def _moment(self, measured: Measurement) -> Checkpoint:
        return Checkpoint(
            self._iteration, self._seconds, measured.lower, measured.upper, measured.nash_conv, measured.regrets
        )

    def _strategies_or_none(self) -> tuple[Strategy, ...]:
        """The averaged profile, or nothing where strategies have no treeplex (imperfect recall)."""
        return self.average

    # -- saving -------------------------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """What identifies this run: algorithm, options and the content of the game."""
        return Task(
            "equiform.solvers_iterative.registry:create",
            {"algorithm": self.algorithm, "options": self.options, "game": self._game_name},
            content={"game": self._fingerprint()},
            version=self.state_version,
            label=f"{self.algorithm} on {self._game_name}",
        )

    def save(self, path: str | Path) -> None:
        """Write the whole state to an ``.npz`` file (:mod:`equiform.runs.record`), atomically."""
        values = {
            "iteration": self._iteration,
            "seconds": self._seconds,
            "history": [c.to_row() for c in self._history],
        }
        write_record(path, self.task, {**values, **{f"state.{name}": a for name, a in self._state().items()}})

    def load(self, path: str | Path) -> Self:
        """Take over a saved state of the same algorithm with the same options on the same game."""
        saved = read_record(path).require(self.task)
        state = self._state()
        arrays = {name.removeprefix("state."): a for name, a in saved.items() if isinstance(a, np.ndarray)}
        if set(arrays) != set(state) or any(
            arrays[name].shape != array.shape or arrays[name].dtype != array.dtype for name, array in state.items()
        ):
            raise FormatError(
                "the arrays of the saved state do not fit", where=str(path), fix="was it written by another release?"
            )
        try:
            iteration = require_count(saved["iteration"], "iteration", "saved state", least=0, most=2**62)
            seconds = require_number(saved["seconds"], "seconds", "saved state")
            history = [Checkpoint.from_row(row) for row in saved["history"]]
        except (KeyError, TypeError, ValueError, IndexError):
            raise FormatError(
                "the saved state has no readable history", where=str(path), fix="choose the .npz file that a run wrote"
            ) from None
        for name, array in state.items():
            array[...] = arrays[name]
        self._iteration, self._seconds, self._history = iteration, seconds, history
        return self


class _Course:
    """What one call of :meth:`IterativeSolver.run` was asked for, and when it last saved."""

    def __init__(self, until: Until, every: int | None, save_to: Path | None, progress: Listener) -> None:
        self.until, self.every, self.save_to, self._progress = until, every, save_to, progress
        self.started = self.saved = time.perf_counter()
        self.deadline = math.inf if until.seconds is None else self.started + until.seconds

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.started

    def report(self, label: str, moment: Checkpoint, *, measured: bool) -> None:
        speed = f"{moment.iteration / moment.seconds:,.0f} per second" if moment.seconds else ""
        metrics = moment.metrics if measured else {}
        self._progress(Progress(label, moment.iteration, self.until.iterations, self.elapsed, speed, metrics))
