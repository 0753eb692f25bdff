"""The 169 starting hands by name, and the 13 x 13 chart they are usually drawn in.

Rows and columns run from ace to two. Pairs stand on the diagonal, suited hands above it, offsuit hands below (the
layout of thesis Tables 9.2 to 9.16).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from equiform.games.cards.card import STANDARD
from equiform.games.cards.indexing import hand_indexer
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError

N_RANKS = 13


@cache
def chart_classes() -> IntArray:
    """Return the class of ``hand_indexer(2)`` in each cell of the chart, row by row."""
    rows, columns = np.indices((N_RANKS, N_RANKS))
    top = N_RANKS - 1
    # Row i and column j: both cards clubs above the diagonal; otherwise the column's card is a diamond.
    first = 4 * (top - rows)
    second = 4 * (top - columns) + (rows >= columns)
    hands = np.stack([first.ravel(), second.ravel()], axis=1)
    return hand_indexer(2).index(hands).reshape(N_RANKS, N_RANKS)


@cache
def starting_hands() -> tuple[str, ...]:
    """Return the names of the 169 classes in the order of ``hand_indexer(2)``.

    >>> names = starting_hands()
    >>> len(names), sorted(names)[:3]
    (169, ['22', '32o', '32s'])
    """
    names = [""] * N_RANKS**2
    ranks = STANDARD.ranks[::-1]
    for (i, j), index in np.ndenumerate(chart_classes()):
        kind = "" if i == j else "s" if i < j else "o"
        names[index] = ranks[min(i, j)] + ranks[max(i, j)] + kind
    return tuple(names)


def starting_hand(name: str) -> int:
    """Return the class of a starting hand given by name: ``"AA"``, ``"AKs"``, ``"AKo"`` (either order of ranks).

    >>> starting_hands()[starting_hand("KAs")]
    'AKs'
    """
    ranks, kind = (name[:2].upper(), name[2:].lower()) if isinstance(name, str) else ("", "")
    for wanted in (ranks + kind, ranks[::-1] + kind):
        if wanted in starting_hands():
            return starting_hands().index(wanted)
    raise ParameterError(f"{name!r} is not a starting hand", fix="write it like AA, AKs (suited) or AKo (offsuit)")


def draw_chart(
    values: ArrayLike,
    *,
    ax: Any = None,
    title: str = "",
    text: str = "{name}\n{value:.3g}",
    cmap: str = "viridis",
) -> Any:
    """Draw one value per starting hand as a 13 x 13 heat map and return the figure.

    ``values`` come in the order of :func:`starting_hands`; ``text`` is the format of each cell. Without ``ax`` a new
    figure without a window is made.
    """
    from equiform.models.common.pictures import Picture

    numbers = require_numbers(values, "values of the 169 starting hands", "chart", shape=(N_RANKS**2,))
    try:
        text.format(name="AA", value=0.5)
    except (AttributeError, LookupError, ValueError, TypeError):
        fix = "write a text with {name} and {value}"
        raise ParameterError(f"{text!r} is not a format for a cell"[:200], where="chart", fix=fix) from None
    axes = Picture(figsize=(8, 8), layout="constrained").add_subplot() if ax is None else ax
    cells = chart_classes()
    grid = numbers[cells]
    try:
        image = axes.imshow(grid, cmap=cmap)
    except (ValueError, TypeError, AttributeError) as error:
        fix = "pass a matplotlib colour map, and matplotlib axes or None"
        raise ParameterError(f"cannot draw: {error}"[:200], where="chart", fix=fix) from None
    for (i, j), index in np.ndenumerate(cells):
        label = text.format(name=starting_hands()[index], value=grid[i, j])
        brightness = np.dot(image.cmap(image.norm(grid[i, j]))[:3], (0.3, 0.6, 0.1))
        colour = "white" if brightness < 0.5 else "black"
        axes.text(j, i, label, ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(range(N_RANKS), list(STANDARD.ranks[::-1]))
    axes.set_yticks(range(N_RANKS), list(STANDARD.ranks[::-1]))
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.set_title(title)
    return axes.figure
