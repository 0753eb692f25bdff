"""When a run stops and what it leaves behind: :class:`Until`, :class:`Checkpoint`, :class:`IterativeResult`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.common.html import EXPLORE, html_facts, interval_text
from equiform.models.strategy import Strategy

#: Without an explicit spacing, checkpoints are this much further apart each time: a few dozen for a million iterations.
GROWTH = 1.25


@dataclass(frozen=True)
class Until:
    """Stop at the first limit that is met: a nash_conv, a total of iterations, or wall-clock seconds of this run.

    >>> Until.parse("gap=1e-3,seconds=60")
    Until(gap=0.001, iterations=None, seconds=60.0)
    """

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        limits = {"gap": self.gap, "iterations": self.iterations, "seconds": self.seconds}
        given = {name: limit for name, limit in limits.items() if limit is not None}
        if not given:
            raise ParameterError("a run needs an end", where="until", fix="set gap, iterations or seconds")
        if self.iterations is not None:
            require_count(self.iterations, "iterations", "until", least=0, most=10**30)
        for name, limit in given.items():
            if not isinstance(limit, Real) or isinstance(limit, bool) or not limit >= 0:
                raise ParameterError(
                    f"{name}={limit!r} is not a limit", where="until", fix="use a number from 0 upwards"
                )

    @staticmethod
    def parse(text: str) -> Until:
        """Read ``gap=1e-3,iterations=1000,seconds=60`` (any of the three)."""
        limits: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, _, number = (piece.strip() for piece in part.partition("="))
            if name in limits:
                raise ParameterError(f"{name} is given twice", where=f"until {text!r}", fix="write it once")
            try:
                if name not in ("gap", "iterations", "seconds"):
                    raise ValueError(name)
                limits[name] = float(number)
                if name == "iterations" and not limits[name].is_integer():
                    raise ValueError(number)
            except ValueError:
                raise ParameterError(
                    f"cannot read {part!r}", where=f"until {text!r}", fix="e.g. gap=1e-3,iterations=1000,seconds=60"
                ) from None
        whole = int(limits["iterations"]) if "iterations" in limits else None
        return Until(limits.get("gap"), whole, limits.get("seconds"))

    def reached(self, iteration: int, elapsed: float, nash_conv: float | None) -> str | None:
        """Name the limit that is met, if any."""
        if self.gap is not None and nash_conv is not None and nash_conv <= self.gap:
            return "gap"
        if self.iterations is not None and iteration >= self.iterations:
            return "iterations"
        return "seconds" if self.seconds is not None and elapsed >= self.seconds else None


@dataclass(frozen=True)
class Checkpoint:
    """A measured moment of a run.

    ``seconds`` counts iterating alone: no compilation, no measuring. ``lower`` and ``upper`` bracket the game's value
    to player 1 in two-player zero-sum games and are NaN elsewhere; ``regrets`` holds what each player could still gain.
    """

    iteration: int
    seconds: float
    lower: float
    upper: float
    nash_conv: float
    regrets: tuple[float, ...]

    @property
    def exploitability(self) -> float:
        """The mean regret per player."""
        return self.nash_conv / len(self.regrets)

    @property
    def metrics(self) -> dict[str, float]:
        """What progress shows of it: figures that exist for the game."""
        figures = {"exploitability": self.exploitability, "lower": self.lower, "upper": self.upper}
        return {name: value for name, value in figures.items() if not math.isnan(value)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; figures that do not exist for the game are null."""
        return {
            "iteration": self.iteration,
            "seconds": self.seconds,
            "nash_conv": _known(self.nash_conv),
            "regrets": [_known(r) for r in self.regrets],
            "bracket": None if math.isnan(self.lower) else [self.lower, self.upper],
            "exploitability": _known(self.exploitability),
        }

    def to_row(self) -> list[Any]:
        """Return the fields in order, as a saved state holds them; null stands for NaN."""
        figures = (self.lower, self.upper, self.nash_conv)
        return [self.iteration, self.seconds, *map(_known, figures), [_known(r) for r in self.regrets]]

    @staticmethod
    def from_row(row: Sequence[Any]) -> Checkpoint:
        """Read :meth:`to_row` back; raises ``TypeError`` or ``ValueError`` if it is something else."""
        iteration, seconds, lower, upper, nash_conv, regrets = row
        low, high, gap = (_number(v) for v in (lower, upper, nash_conv))
        return Checkpoint(int(iteration), float(seconds), low, high, gap, tuple(_number(r) for r in regrets))


@dataclass(frozen=True, eq=False)
class IterativeResult:
    """How a run ended, and the averaged profile with its measured gap."""

    algorithm: str
    game: str
    stopped_by: str
    checkpoint: Checkpoint
    compile_seconds: float
    history: tuple[Checkpoint, ...] = field(repr=False)
    strategies: tuple[Strategy, ...] = field(repr=False)

    def _repr_html_(self) -> str:
        last = self.checkpoint
        known = not (math.isnan(last.lower) or math.isnan(last.upper))
        facts = {
            "game": self.game,
            "iterations": f"{last.iteration:,}, stopped by {self.stopped_by}",
            "seconds": f"{last.seconds:.3g}",
            "value in": interval_text((last.lower, last.upper)) if known else None,
            "exploitability": f"{self.exploitability:.3g}",
        }
        return html_facts(f"Run of {self.algorithm}", facts, EXPLORE)

    @property
    def nash_conv(self) -> float:
        """The sum of the players' regrets at the end."""
        return self.checkpoint.nash_conv

    @property
    def exploitability(self) -> float:
        """The mean regret per player at the end."""
        return self.checkpoint.exploitability

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without the strategies."""
        return {
            "algorithm": self.algorithm,
            "game": self.game,
            "stopped_by": self.stopped_by,
            "compile_seconds": self.compile_seconds,
            **self.checkpoint.to_dict(),
            "history": [c.to_dict() for c in self.history],
        }


def next_checkpoint(iteration: int, every: int | None, growth: float = GROWTH, first: int = 1) -> int:
    """Return the iteration of the next checkpoint: a multiple of ``every``, or geometrically spaced from ``first``.

    It depends on the iteration alone, so that a resumed run measures at the same moments as an uninterrupted one.

    >>> next_checkpoint(-1, None), next_checkpoint(0, None), next_checkpoint(100, None), next_checkpoint(100, 30)
    (0, 1, 118, 120)
    """
    if iteration < 0:
        return 0
    if every is not None:
        return (iteration // every + 1) * every
    return _next_in_ladder(iteration, growth, first)


def foreseen_checkpoint(last: Checkpoint, gap: float, power: float) -> int:
    """Return where a gap that falls like ``iteration ** -power`` will be met: at least 3% and at most as much again on.

    It depends on the last checkpoint alone, so that a resumed run measures at the same moments.

    >>> foreseen_checkpoint(Checkpoint(100, 1.0, -2e-3, 2e-3, 4e-3, (2e-3, 2e-3)), 2.5e-3, power=2.0)
    127
    """
    growth = (last.nash_conv / gap) ** (1.0 / power)
    return math.ceil(last.iteration * min(max(growth, 1.03), 2.0))


def _known(figure: float) -> float | None:
    return None if math.isnan(figure) else figure


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _next_in_ladder(iteration: int, growth: float, first: int) -> int:
    step = first
    while step <= iteration:
        step = max(step + 1, math.ceil(step * growth))
    return step
