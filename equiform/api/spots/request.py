"""What is asked of a method that solves spots."""

from __future__ import annotations

from dataclasses import dataclass

from equiform.api.spots.accuracy import Accuracy
from equiform.api.spots.locks import Lock
from equiform.games.poker.holdem.spot import Spot
from equiform.runs.progress import Listener, silent


@dataclass(frozen=True)
class SpotRequest:
    """A spot, the concept, and when to stop; the options of a method come apart from it."""

    spot: Spot
    concept: str = "nash"
    epsilon: float | None = None
    """The least weight of a move, for ``qpe``."""
    accuracy: Accuracy | None = None
    """When to stop; ``None`` leaves it to the method."""
    locks: tuple[Lock, ...] = ()
    progress: Listener = silent
