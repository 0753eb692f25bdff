"""Which part of a tree is drawn: all of it, down to a depth, or along a public history."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import BoolArray, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.event_histories import EventHistories, event_histories
from equiform.models.extensive import ExtensiveGame

#: Larger pictures are no longer readable.
MOST_NODES = 260


@dataclass(frozen=True, eq=False)
class TreeCut:
    """The nodes to draw, in the game's order, and how many nodes are left out below each."""

    nodes: IntArray = field(repr=False)
    children: dict[int, list[int]] = field(repr=False)
    below: dict[int, int] = field(repr=False)
    """How many nodes are hidden below a node that the depth cuts off."""
    note: str = ""
    """What is left out, in words."""


def cut_tree(
    game: ExtensiveGame, *, depth: int | None = None, history: str | None = None, limit: int | None = None
) -> TreeCut:
    """Select what to draw.

    Raises
    ------
    ParameterError
        If the depth is not a positive number, or there is no such public history.
    UnsupportedGameError
        If more than ``limit`` nodes are left; the error says which cuts would do.
    """
    if depth is not None and depth < 1:
        raise ParameterError(f"a tree cannot be cut at depth {depth}", where="depth", fix="use 1 or more")
    keep = np.ones(game.num_nodes, dtype=bool)
    notes = []
    if history is not None:
        histories = event_histories(game)
        keep = _along(game, histories, _find(histories, history, game))
        notes.append(f"only along {history}")
    last = len(game.layers) - 2
    cut = last if depth is None else min(depth, last)
    end = int(game.layers[cut + 1])
    if cut < last:
        notes.append(f"cut after {cut} {'move' if cut == 1 else 'moves'}")
    shown = np.flatnonzero(keep[:end])
    most = MOST_NODES if limit is None else limit
    if len(shown) > most:
        raise _too_large(game, keep, len(shown), most, history)
    children: dict[int, list[int]] = {}
    for node in shown[1:].tolist():
        children.setdefault(int(game.parent[node]), []).append(node)
    hidden = _sizes(game, keep)
    below = {n: int(hidden[n]) for n in shown.tolist() if n not in children and hidden[n] > 0}
    return TreeCut(shown, children, below, "; ".join(notes))


def _along(game: ExtensiveGame, histories: EventHistories, target: int) -> BoolArray:
    """Mark the nodes of a history, those after it, and those on the way there; cards may leave no way to it."""
    after = np.array([_follows(histories, k, target) for k in range(len(histories.parents))])
    kept = after[histories.of_node]
    for d in range(len(game.layers) - 2, 0, -1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        kept[game.parent[nodes[kept[nodes]]]] = True
    return kept


def _follows(histories: EventHistories, history: int, target: int) -> bool:
    while history > target:
        history = histories.parents[history]
    return history == target


def _find(histories: EventHistories, wanted: str, game: ExtensiveGame) -> int:
    words = [histories.words(k) for k in range(len(histories.parents))]
    for spelled in (str, lambda text: text.replace("-", "–")):
        same = [k for k, text in enumerate(words) if spelled(text) == spelled(wanted)]
        if same:
            return same[0]
    shown = ", ".join(repr(text) for text in words[1:7])
    raise ParameterError(
        f"there is no public history {wanted!r}", where=game.name, fix=f"join the events by –: {shown}, …"
    )


def _sizes(game: ExtensiveGame, keep: BoolArray) -> IntArray:
    """Count the kept nodes below each node."""
    sizes = keep.astype(np.int64)
    for d in range(len(game.layers) - 2, 0, -1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        np.add.at(sizes, game.parent[nodes], sizes[nodes])
    return sizes - keep


def _too_large(
    game: ExtensiveGame, keep: BoolArray, count: int, most: int, history: str | None
) -> UnsupportedGameError:
    """Name cuts that fit."""
    layers = np.add.reduceat(keep.astype(np.int64), game.layers[:-1]).cumsum()
    proposals = []
    fits = np.flatnonzero(layers <= most)
    if len(fits) and fits[-1] > 0:
        proposals.append(f"by depth: depth={fits[-1]} (--depth {fits[-1]}) leaves {layers[fits[-1]]} nodes")
    if history is None and (example := _history_that_fits(game, most)):
        proposals.append(f"by public history: history={example[0]!r} (--history) leaves {example[1]}")
    proposals.append(f"or raise the limit: limit={count}")
    return UnsupportedGameError(
        f"{count:,} nodes do not make a readable picture, which ends at about {most}",
        where=game.name,
        fix="; ".join(proposals),
    )


def _history_that_fits(game: ExtensiveGame, most: int) -> tuple[str, int] | None:
    """Return the public history that shows the most and still fits."""
    histories = event_histories(game)
    own = np.bincount(histories.of_node, minlength=len(histories.parents))
    after = own.copy()
    for k in range(len(after) - 1, 0, -1):
        after[histories.parents[k]] += after[k]
    before = np.zeros(len(own), dtype=np.int64)  # some of these nodes may not lead there
    for k in range(1, len(own)):
        before[k] = before[histories.parents[k]] + own[histories.parents[k]]
    total = before + after
    fits = np.flatnonzero(total[1:] <= most) + 1
    if not len(fits):
        return None
    best = int(fits[np.argmax(total[fits])])
    return histories.words(best), int(_along(game, histories, best).sum())
