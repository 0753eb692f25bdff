"""Convergence in a picture: exploitability against seconds and against iterations, the LP as a vertical line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from equiform.solvers_iterative.progress import Checkpoint

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture

#: What is drawn at the bottom of a logarithmic axis where the gap is zero in floats.
_FLOOR = 1e-16


def convergence_plot(
    histories: Mapping[str, Sequence[Checkpoint]], *, title: str = "", lp_seconds: float | None = None
) -> Picture:
    """Draw histories on two logarithmic panels, and the LP's time as a vertical line."""
    from equiform.models.common.pictures import Picture

    figure = Picture(figsize=(10, 4.2), layout="constrained")
    by_time, by_iteration = figure.subplots(1, 2, sharey=True)
    for name, history in histories.items():
        points = [c for c in history if c.iteration > 0]
        gaps = [max(c.exploitability, _FLOOR) for c in points]
        by_time.loglog([max(c.seconds, 1e-7) for c in points], gaps, label=name)
        by_iteration.loglog([c.iteration for c in points], gaps, label=name)
    if lp_seconds is not None:
        by_time.axvline(lp_seconds, color="black", linestyle="--", linewidth=1.0, label=f"LP, {lp_seconds:.2g} s")
    by_time.set_xlabel("seconds of iterating")
    by_time.set_ylabel("exploitability")
    by_iteration.set_xlabel("iterations")
    by_time.legend()
    for panel in (by_time, by_iteration):
        panel.grid(visible=True, which="major", alpha=0.3)
    if title:
        figure.suptitle(title)
    return figure
