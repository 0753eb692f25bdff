"""Repeated games: hands per second of the safe agents in Kuhn poker."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.registry import Row, entry, seconds
from equiform.play import MatchSpec, play_match


@entry("play-hands")
def hands() -> Iterator[Row]:
    """Play whole matches: models, programs, deals and updates of k."""
    for agent in ("rwywe", "befewp", "best-equilibrium", "best-response"):
        spec = MatchSpec("kuhn", agent, "random", hands=200, opponents=250)
        took = seconds(lambda spec=spec: play_match(spec))  # type: ignore[misc]
        yield Row(f"{agent}, Kuhn", spec.hands * spec.opponents / took, "hands/s", higher_is_better=True)
