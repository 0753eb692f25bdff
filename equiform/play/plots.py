"""Pictures of a match: profit and k, as in Figures 13.10 and 13.11, and profit of several agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiform.play.match import Trace

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture


def trace_figure(trace: Trace, *, title: str = "") -> Picture:
    """Draw profit (left axis, thick) and k (right axis, thin) over the hands of one match."""
    from equiform.models.common.pictures import Picture

    figure = Picture(figsize=(7, 4), layout="constrained")
    left = figure.add_subplot()
    hands = np.arange(1, len(trace.profit) + 1)
    left.plot(hands, trace.profit, color="tab:blue", linewidth=2.5, label="profit")
    left.set_xlabel("hand")
    left.set_ylabel("profit", color="tab:blue")
    if np.isfinite(trace.gifts).any():
        right = left.twinx()
        right.plot(hands, trace.gifts, color="tab:green", linewidth=1, label="k")
        right.set_ylabel("$k_t$, gifts so far", color="tab:green")
    left.set_title(title)
    return figure
