"""The heads-up chart of HoldemResources ("HeadsUp Push/Fold Nash Equilibrium", no ante), all 169 hands, as published.

The site says that it was calculated in 2007. It names a stack per hand, in big blinds, up to which the small blind jams
and the big blind calls. Its stacks end at 20; three hands are jammed in two ranges of stacks. Rows and columns run from
ace to two, suited hands in the upper right.
"""

from __future__ import annotations

import numpy as np

from equiform.games.cards.charts import N_RANKS, chart_classes, starting_hand
from equiform.models.common.array_types import BoolArray

#: In tenths of a big blind: the stacks that the chart speaks of.
FIRST, LAST = 10, 200
JAM, CALL = "jam", "call"

CHART = {
    JAM: """
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 19.9 19.3
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 16.3 13.5 12.7
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 18.6 14.7 13.5 10.6 8.5
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 11.9 10.5 7.7 6.5
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 14.4 6.9 4.9 3.7
20+ 18.0 13.0 13.3 17.5 20+ 20+ 20+ 20+ 18.8 10.1 2.7 2.5
20+ 16.1 10.3 8.5 9.0 10.8 14.7 20+ 20+ 20+ 13.9 2.5 2.1
20+ 15.1 9.6 6.5 5.7 5.2 7.0 10.7 20+ 20+ 16.3 7.1 2.0
20+ 14.2 8.9 6.0 4.1 3.5 3.0 2.6 2.4 20+ 20+ 12.9 2.0
20+ 13.1 7.9 5.4 3.8 2.7 2.3 2.1 2.0 2.1 20+ 10.0 1.8
20+ 12.2 7.5 5.0 3.4 2.5 1.9 1.8 1.7 1.8 1.6 20+ 1.7
20+ 11.6 7.0 4.6 2.9 2.2 1.8 1.6 1.5 1.5 1.4 1.4 20+
""",
    CALL: """
20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+ 20+
20+ 20+ 20+ 20+ 20+ 20+ 17.6 15.2 14.3 13.2 12.1 11.4 10.7
20+ 20+ 20+ 20+ 20+ 16.1 13.0 10.5 9.9 8.9 8.4 7.8 7.2
20+ 20+ 19.5 20+ 18.0 13.4 10.6 8.8 7.0 6.9 6.1 5.8 5.6
20+ 20+ 15.3 12.7 20+ 11.5 9.3 7.4 6.3 5.2 5.2 4.8 4.5
20+ 17.1 11.7 9.5 8.4 20+ 8.2 7.0 5.8 5.0 4.3 4.1 3.9
20+ 13.8 9.7 7.6 6.6 6.0 20+ 6.5 5.6 4.8 4.1 3.6 3.5
20+ 12.4 8.0 6.4 5.5 5.0 4.7 20+ 5.4 4.8 4.1 3.6 3.3
20+ 11.0 7.3 5.4 4.6 4.2 4.1 4.0 20+ 4.9 4.3 3.8 3.3
20+ 10.2 6.8 5.1 4.0 3.7 3.6 3.6 3.7 20+ 4.6 4.0 3.6
18.3 9.1 6.2 4.7 3.8 3.3 3.2 3.2 3.3 3.5 20+ 3.8 3.4
16.6 8.7 5.9 4.5 3.6 3.1 2.9 2.9 2.9 3.1 3.0 20+ 3.3
15.8 8.1 5.6 4.2 3.5 3.0 2.8 2.6 2.7 2.8 2.7 2.6 15.0
""",
}

#: Stacks, in tenths, of which the chart's footnotes say that the small blind folds in spite of the number in the chart.
GAPS = {"63s": (24, 50), "53s": (25, 37), "43s": (23, 48)}


def printed(action: str) -> tuple[str, ...]:
    """Return what the chart prints per hand, in the order of :func:`~equiform.games.cards.charts.starting_hands`."""
    cells = CHART[action].split()
    found = [""] * N_RANKS**2
    for index, text in zip(chart_classes().ravel(), cells, strict=True):
        found[index] = text
    return tuple(found)


def plays(action: str, tenth: int) -> BoolArray:
    """Return which hands the chart jams or calls with a stack of so many tenths of a big blind."""
    stacks = np.array([LAST if text.endswith("+") else round(10 * float(text)) for text in printed(action)])
    found = tenth <= stacks
    if action == JAM:
        for hand, (low, high) in GAPS.items():
            found[starting_hand(hand)] &= not low <= tenth <= high
    return np.asarray(found)
