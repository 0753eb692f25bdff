"""Game trees from left to right: a row per leaf, a column per move, information sets joined by dashed arcs.

Every column is as wide as its longest label, and between the labels and the nodes a strip is left free for the arcs: no
text touches another text or an arc. Arcs of information sets that overlap bend by different amounts. An arc between two
columns may come across labels, and is interrupted there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.rational import short_text
from equiform.models.evaluation import reach_probabilities
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE as CHANCE_MOVES
from equiform.models.rules import TERMINAL
from equiform.models.strategy import Strategy
from equiform.viewer.drawings.scene import (
    CHANCE,
    FAINT,
    INK,
    PAPER,
    SIZE,
    Arc,
    Box,
    Disc,
    Line,
    Scene,
    Shape,
    Text,
    player_colour,
)
from equiform.viewer.drawings.text_width import text_width
from equiform.viewer.drawings.tree_cut import TreeCut
from equiform.viewer.labels import probability_text

ROW = 22.0
MARGIN = 14.0
HEAD = 44.0
RADIUS = 8.0
SLANT = 24.0
GAP = 6.0
_FIRST_LANE = 14.0
_LANE = 9.0
_WIDEST_STRIP = 110.0
_REACHED = 1e-9


class TreePicture:
    """The layout of one tree, and the shapes that follow from it."""

    def __init__(self, game: ExtensiveGame, cut: TreeCut, strategies: Sequence[Strategy] | None) -> None:
        self.game, self.cut = game, cut
        self.depth = np.searchsorted(game.layers, np.arange(game.num_nodes), side="right") - 1
        self.strategies = strategies
        self.reach: FloatArray | None = None
        if strategies is not None:
            self.reach = reach_probabilities(game, [s.floats for s in strategies]).prod(axis=0)
        self.edge_labels = {n: self._edge_label(n) for n in cut.nodes[1:].tolist()}
        self.y = self._rows()
        self.arcs = self._lanes()
        self.crossed = any(self.depth[first] != self.depth[second] for first, second, _ in self.arcs)
        self.x = self._columns()

    # -- layout ------------------------------------------------------------------------------------------------------

    def _rows(self) -> dict[int, float]:
        """Assign one row per leaf, in the order of the tree, and centre parents over their children."""
        y: dict[int, float] = {}
        waiting = [int(self.cut.nodes[0])]
        row = 0
        order = []
        while waiting:
            node = waiting.pop()
            order.append(node)
            below = self.cut.children.get(node, [])
            if not below:
                y[node] = HEAD + ROW * (row + 0.5)
                row += 1
            waiting.extend(reversed(below))
        for node in reversed(order):
            below = self.cut.children.get(node, [])
            if below:
                y[node] = (y[below[0]] + y[below[-1]]) / 2
        return y

    def _lanes(self) -> list[tuple[int, int, int]]:
        """Return the arcs as pairs of neighbours in an information set, each with its lane.

        Arcs that overlap in a column have different lanes; short ones come first, and stay close to their nodes.
        """
        members: dict[int, list[int]] = defaultdict(list)
        for node in self.cut.nodes.tolist():
            if self.game.infoset[node] >= 0 and node not in self.cut.below:
                members[int(self.game.infoset[node])].append(node)
        pairs = [pair for nodes in members.values() for pair in pairwise(sorted(nodes, key=self.y.__getitem__))]
        pairs.sort(key=lambda pair: self.y[pair[1]] - self.y[pair[0]])
        taken: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
        lanes = []
        for first, second in pairs:
            low, high, column = self.y[first], self.y[second], int(self.depth[first])
            lane = 0
            while any(low < end and start < high for start, end in taken[column, lane]):
                lane += 1
            taken[column, lane].append((low, high))
            lanes.append((first, second, lane))
        return lanes

    def _columns(self) -> dict[int, float]:
        """Place the columns: slant, label, strip for arcs, node."""
        deepest = int(self.depth[self.cut.nodes].max())
        widest = [0.0] * (deepest + 1)
        for node, (label, _) in self.edge_labels.items():
            d = int(self.depth[node])
            widest[d] = max(widest[d], SLANT + text_width(label, SIZE))
        # payoffs stand to the right of their leaves, in the space of the next column
        for node in self.cut.nodes.tolist():
            if node not in self.cut.children and (d := int(self.depth[node]) + 1) <= deepest:
                widest[d] = max(widest[d], 4 + text_width(self._leaf_text(node), SIZE))
        strips = [self._strip(d) for d in range(deepest + 1)]
        x = {0: MARGIN + strips[0] + RADIUS}
        for d in range(1, deepest + 1):
            x[d] = x[d - 1] + RADIUS + widest[d] + GAP + strips[d] + RADIUS
        return x

    def _last_lane(self, column: int) -> int:
        """Return the outermost lane of a column; -1 if it has no arcs."""
        return max((lane for first, _, lane in self.arcs if self.depth[first] == column), default=-1)

    def _strip(self, column: int) -> float:
        """Return the width that the arcs of a column need."""
        last = self._last_lane(column)
        return 4.0 + (min(_WIDEST_STRIP, _FIRST_LANE + _LANE * last) if last >= 0 else 0.0)

    def _bend(self, column: int, lane: int) -> float:
        """Return how far an arc of a lane leaves its nodes."""
        step = min(_LANE, (_WIDEST_STRIP - _FIRST_LANE) / max(1, self._last_lane(column)))
        return _FIRST_LANE + step * lane

    # -- words -------------------------------------------------------------------------------------------------------

    def _edge_label(self, node: int) -> tuple[str, bool]:
        """Return the move into a node with its probability, and whether it is played at all."""
        game, above = self.game, int(self.game.parent[node])
        label = game.move_sets[game.move_set[above]][game.branch[node]]
        if game.turn[above] == CHANCE_MOVES:
            return f"{label} ({short_text(game.chance_values[game.edge[node]])})", True
        if self.strategies is None:
            return label, True
        weight = self.strategies[game.turn[above]].probabilities[game.move[node]]
        return f"{label} {probability_text(weight)}", float(weight) > _REACHED

    def _leaf_text(self, node: int) -> str:
        if node in self.cut.below:
            hidden = self.cut.below[node]
            return f"… {hidden:,} {'node' if hidden == 1 else 'nodes'}"
        return ", ".join(short_text(v).replace("-", "−") for v in self.game.payoff_table[self.game.outcome[node]])

    def _title(self, node: int) -> str:
        game = self.game
        if game.turn[node] >= 0:
            return f"{game.players[game.turn[node]]}: {game.describe(game.infoset_keys[game.infoset[node]])}"
        return f"{'chance' if game.turn[node] == CHANCE_MOVES else 'end'}: {game.path(node)}"

    # -- shapes ------------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """Return the picture."""
        shapes: list[Shape] = []
        moves = self.cut.nodes[1:].tolist()
        shapes += [self._edge(node) for node in moves]
        shapes += [self._arc(*arc) for arc in self.arcs]
        for node in moves:
            shapes += self._label(node)
        right = 0.0
        for node in self.cut.nodes.tolist():
            drawn, end = self._node(node)
            shapes += drawn
            right = max(right, end)
        rows = sum(1 for n in self.cut.nodes.tolist() if n not in self.cut.children)
        title = self.game.name + (f" ({self.cut.note})" if self.cut.note else "")
        head, width = self._head(title)
        return Scene(max(right, width) + MARGIN, HEAD + ROW * rows + MARGIN, title, (*head, *shapes))

    def _head(self, title: str) -> tuple[list[Shape], float]:
        shapes: list[Shape] = [Text(MARGIN, 17.0, title, size=13.0, bold=True)]
        at = MARGIN
        for player, name in enumerate(self.game.players):
            shapes.append(Disc(at + 5, 31.0, 5.0, player_colour(player)))
            shapes.append(Text(at + 14, 35.0, name, player_colour(player)))
            at += 14 + text_width(name, SIZE) + 14
        if (self.game.turn[self.cut.nodes] == CHANCE_MOVES).any():
            shapes += [Box(at, 26.0, 10.0, 10.0, CHANCE), Text(at + 14, 35.0, "chance", CHANCE)]
            at += 14 + text_width("chance", SIZE) + 14
        return shapes, max(at, MARGIN + 1.15 * text_width(title, 13.0))

    def _edge(self, node: int) -> Line:
        above = int(self.game.parent[node])
        colour, width = INK, 1.0
        if self.reach is not None:
            on_path = self.reach[node] > _REACHED
            colour, width = (INK, 2.2) if on_path else (FAINT, 1.0)
        left, y = self.x[int(self.depth[above])], self.y[node]
        bend = (left + RADIUS + SLANT - GAP, y)
        return Line(((left, self.y[above]), bend, (self.x[int(self.depth[node])], y)), colour, width)

    def _label(self, node: int) -> list[Shape]:
        """Write a move above its line."""
        label, played = self.edge_labels[node]
        left = self.x[int(self.depth[self.game.parent[node]])] + RADIUS + SLANT
        return self._words(left, self.y[node] - 4, label, INK if played else CHANCE)

    def _words(self, x: float, y: float, words: str, ink: str = INK) -> list[Shape]:
        """Write on a ground of its own where arcs may come across."""
        text = Text(x, y, words, ink)
        return [Box(x - 1, y - 10, text_width(words, SIZE) + 2, 12.0, PAPER), text] if self.crossed else [text]

    def _arc(self, first: int, second: int, lane: int) -> Arc:
        start = (self.x[int(self.depth[first])], self.y[first])
        end = (self.x[int(self.depth[second])], self.y[second])
        # a quadratic curve goes half as far as its control point
        left = min(start[0], end[0]) - 2 * self._bend(int(self.depth[first]), lane)
        return Arc(start, (left, (start[1] + end[1]) / 2), end, player_colour(int(self.game.turn[first])))

    def _node(self, node: int) -> tuple[list[Shape], float]:
        x, y, mover = self.x[int(self.depth[node])], self.y[node], int(self.game.turn[node])
        shapes: list[Shape] = []
        if mover == TERMINAL:
            shapes.append(Disc(x, y, 2.5, INK, self._title(node)))
        elif mover == CHANCE_MOVES:
            shapes.append(Box(x - 6, y - 6, 12, 12, CHANCE, title=self._title(node)))
        else:
            shapes.append(Disc(x, y, RADIUS, player_colour(mover), self._title(node)))
            shapes.append(Text(x, y + 3.5, str(mover + 1), "#ffffff", 10.0, "middle", bold=True))
        if node in self.cut.children:
            return shapes, x + RADIUS
        text = self._leaf_text(node)
        shapes += self._words(x + RADIUS + 4, y + 4, text)
        return shapes, x + RADIUS + 4 + text_width(text, SIZE)
