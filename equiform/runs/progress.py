"""Progress: one event for every long run. A listener is any function of it: a bar, a logger, or nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    label: str
    """What is running."""
    done: int
    total: int | None
    """In the same units as ``done``; ``None`` where the end is not a number of them."""
    seconds: float
    """Since the run began."""
    message: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Figures measured at this moment, by name; empty between measurements."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**vars(self), "metrics": dict(self.metrics)}

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total:,}"
        metrics = "".join(f", {name} {value:.3e}" for name, value in self.metrics.items())
        message = f", {self.message}" if self.message else ""
        return f"{self.label}: {self.done:,}{of}{metrics}{message}, {self.seconds:.1f} s"


Listener: TypeAlias = Callable[[Progress], None]


def silent(event: Progress) -> None:
    """Do nothing: the default listener."""


def log_progress(logger: logging.Logger, level: int = logging.INFO) -> Listener:
    """Return a listener that writes every event to a logger.

    >>> import logging
    >>> log_progress(logging.getLogger("doc"))(Progress("match", 250, 1000, 2.5))
    """
    return lambda event: logger.log(level, "%s", event)
