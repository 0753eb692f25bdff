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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import FormatError, UnsupportedGameError
from equiform.models.strategy import Strategy
from equiform.solvers_iterative.progress import Checkpoint, IterativeResult, Until, next_checkpoint
from equiform.solvers_iterative.storage import read_state, write_state

logger = logging.getLogger(__name__)

Callback = Callable[[Checkpoint], None]

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
        """Name the arrays that hold the state; they are updated in place."""

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

    def step(self) -> None:
        """Run one iteration."""
        self._timed_advance(1)

    def run(
        self,
        until: Until,
        *,
        checkpoint_every: int | None = None,
        save_to: str | Path | None = None,
        callbacks: Sequence[Callback] = (),
    ) -> IterativeResult:
        """Iterate until a limit is met, measuring at checkpoints.

        Checkpoints fall on multiples of ``checkpoint_every``, or are geometrically spaced. At each the state goes to
        ``save_to``, if given, and every callback gets the checkpoint.
        """
        if checkpoint_every is not None:
            require_count(checkpoint_every, "checkpoint_every", self.algorithm)
        started = time.perf_counter()
        deadline = math.inf if until.seconds is None else started + until.seconds
        while True:
            last = self._history[-1] if self._history else None
            if last is None or last.iteration != self._iteration:
                last = self._checkpoint(until)
                if save_to is not None:
                    self.save(save_to)
                for callback in callbacks:
                    callback(last)
            reason = until.reached(self._iteration, time.perf_counter() - started, last.nash_conv)
            if reason is not None:
                break
            target = next_checkpoint(self._iteration, checkpoint_every)
            self._advance_to(target if until.iterations is None else min(target, until.iterations), deadline)
        return IterativeResult(
            self.algorithm,
            self._game_name,
            reason,
            self._history[-1],
            self.compile_seconds,
            self.history,
            self._strategies_or_none(),
        )

    def _advance_to(self, target: int, deadline: float) -> None:
        while self._iteration < target and (now := time.perf_counter()) < deadline:
            count = target - self._iteration
            if self._rate > 0.0:
                count = min(count, max(1, int(min(CALL_SECONDS, deadline - now) * self._rate)))
            elif target > 64:
                count = 1  # unknown speed: feel the way
            self._timed_advance(count)

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
        checkpoint = Checkpoint(
            self._iteration, self._seconds, measured.lower, measured.upper, measured.nash_conv, measured.regrets
        )
        self._history.append(checkpoint)
        logger.debug("%s on %s: %s", self.algorithm, self._game_name, checkpoint)
        return checkpoint

    def _strategies_or_none(self) -> tuple[Strategy, ...]:
        """The averaged profile, or nothing where strategies have no treeplex (imperfect recall)."""
        return self.average

    # -- saving -------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the whole state to an ``.npz`` file, atomically."""
        meta = {
            "algorithm": self.algorithm,
            "options": self.options,
            "game": self._game_name,
            "fingerprint": self._fingerprint(),
            "iteration": self._iteration,
            "seconds": self._seconds,
        }
        write_state(path, meta, {**self._state(), "history": _history_table(self._history)})

    def load(self, path: str | Path) -> Self:
        """Take over a saved state of the same algorithm with the same options on the same game."""
        saved = read_state(path)
        mine = {"algorithm": self.algorithm, "options": self.options, "fingerprint": self._fingerprint()}
        for name, expected in mine.items():
            if saved.meta.get(name) != expected:
                raise FormatError(
                    f"the saved state has another {name}: {saved.meta.get(name)!r}, not {expected!r}",
                    where=str(path),
                    fix="resume with the algorithm, options and game that wrote it",
                )
        state = self._state()
        if set(saved.arrays) != {*state, "history"} or any(
            saved.arrays[name].shape != array.shape or saved.arrays[name].dtype != array.dtype
            for name, array in state.items()
        ):
            raise FormatError(
                "the arrays of the saved state do not fit", where=str(path), fix="was it written by another release?"
            )
        try:
            iteration = require_count(saved.meta["iteration"], "iteration", "saved state", least=0, most=2**62)
            seconds = require_number(saved.meta["seconds"], "seconds", "saved state")
            history = _history_from_table(saved.arrays["history"])
        except (KeyError, TypeError, ValueError, IndexError):
            raise FormatError(
                "the saved state has no readable history", where=str(path), fix="give the .npz file that a run wrote"
            ) from None
        if any(np.isnan(saved.arrays[name]).any() for name, array in state.items() if array.dtype.kind == "f"):
            raise FormatError("the saved state holds NaN", where=str(path), fix="start anew: it cannot be continued")
        for name, array in state.items():
            array[...] = saved.arrays[name]
        self._iteration, self._seconds, self._history = iteration, seconds, history
        return self


def _history_table(history: Sequence[Checkpoint]) -> FloatArray:
    rows = [[c.iteration, c.seconds, c.lower, c.upper, c.nash_conv, *c.regrets] for c in history]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def _history_from_table(table: FloatArray) -> list[Checkpoint]:
    return [Checkpoint(int(r[0]), r[1], r[2], r[3], r[4], tuple(r[5:])) for r in table.tolist()]
