"""Pictures of trade-off curves; matplotlib is loaded only here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from equiform.formulations.opponents.tradeoff import TradeOff

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture


def plot(curves: Mapping[str, TradeOff], *, title: str | None = None) -> Picture:
    """Draw payoff against risk, one curve per name with dots at its kinks, and return the matplotlib figure.

    The dashed line is the game's value. A curve starts at what the best equilibrium strategy earns (ε = 0); from its
    last dot on, the best response is safe enough.
    """
    from equiform.models.common.pictures import Picture

    figure = Picture(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    widest = max((float(c.epsilons[-1]) for c in curves.values()), default=0.0) * 1.1 or 1.0
    for name, curve in curves.items():
        grid = np.append(curve.epsilons, widest)
        line = axes.plot(grid, [curve.payoff(float(e)) for e in grid], label=name)[0]
        axes.plot(curve.epsilons, curve.payoffs, "o", markersize=3.5, color=line.get_color())
    for value in {round(c.value, 12) for c in curves.values()}:
        axes.axhline(value, linestyle="--", linewidth=0.8, color="gray")
    axes.set_xlim(0.0, widest)
    axes.set_xlabel("risk ε: how far below the value the guarantee may lie")
    axes.set_ylabel("payoff against the opponent")
    if title is not None:
        axes.set_title(title)
    if len(curves) > 1:
        axes.legend()
    return figure
