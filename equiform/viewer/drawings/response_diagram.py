"""Best-response diagrams: what the other player should do against every mix of a player with two or three moves.

Against a mix of two moves, the payoff of each reply is a line, and best replies lie on the upper envelope. The mixes of
three moves form a triangle; where reply $b$ is best is its part in which $(u_b - u_c)^T x \\ge 0$ for all other $c$.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy
from equiform.viewer.drawings.scene import INK, SIZE, Area, Disc, Line, Scene, Shape, Text, player_colour
from equiform.viewer.drawings.text_width import text_width

#: Colours of the replies: light enough for a dark mark on them, dark enough for a line on paper.
COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#999999", "#0072b2", "#b8a800")
WIDE, HIGH, MARGIN = 300.0, 220.0, 14.0


def response_scene(game: NormalForm, strategies: Sequence[Strategy] | None, above: Scene) -> Scene:
    """Return the picture of a table with the best-response diagrams of its game below it.

    Raises
    ------
    UnsupportedGameError
        If neither player has two or three moves, or there are more replies than colours.
    """
    panels = [p for p in (0, 1) if 2 <= len(game.actions[p]) <= 3 and len(game.actions[1 - p]) <= len(COLOURS)]
    if not panels:
        sizes = " × ".join(str(len(a)) for a in game.actions)
        raise UnsupportedGameError(
            f"a {sizes} game has no best-response diagram",
            where=game.name,
            fix=f"one player needs two or three moves, the other {len(COLOURS)} at most; draw the table alone",
        )
    shapes, top, width = list(above.shapes), above.height, above.width
    for player in panels:
        panel = _Panel(game, player, strategies, top)
        shapes += panel.shapes()
        top, width = top + panel.height, max(width, panel.width)
    return Scene(width, top, f"{above.title} and best responses", tuple(shapes))


class _Panel:
    """One player's mixes, and the other's best replies."""

    def __init__(self, game: NormalForm, player: int, strategies: Sequence[Strategy] | None, top: float) -> None:
        self.player, self.other, self.top = player, 1 - player, top
        self.moves, self.replies = game.actions[player], game.actions[self.other]
        self.names = game.players
        payoffs = game.payoff_floats[self.other]
        #: the other's payoff by reply and move
        self.table: FloatArray = payoffs.T if player == 0 else payoffs
        self.mix = None if strategies is None else np.asarray(strategies[player].floats[1:], dtype=float)
        self.left = MARGIN + max(40.0, text_width(self.moves[0], SIZE) / 2)
        legend = max(text_width(name, SIZE) for name in self.replies) + 24
        end = max(24.0, text_width(self.moves[1], SIZE) / 2 + 8)
        self.legend = self.left + WIDE + end
        heading = text_width(self.heading, SIZE) * 1.15
        self.width = max(self.legend + legend, MARGIN + heading) + MARGIN
        self.height = max(HIGH, 20.0 * len(self.replies)) + 90.0

    @property
    def heading(self) -> str:
        return f"{self.names[self.other]}'s best replies to {self.names[self.player]}'s mix"

    def shapes(self) -> list[Shape]:
        found: list[Shape] = [Text(MARGIN, self.top + 16, self.heading, player_colour(self.other), bold=True)]
        found += self._lines() if len(self.moves) == 2 else self._triangle()
        for k, name in enumerate(self.replies):
            y = self.top + 46 + 20 * k
            found.append(Disc(self.legend + 5, y, 5, COLOURS[k]))
            found.append(Text(self.legend + 16, y + 4, name))
        return found

    def _lines(self) -> list[Shape]:
        low, high = float(self.table.min()), float(self.table.max())
        high = high if high > low else low + 1.0
        bottom = self.top + 36 + HIGH

        def at(share: float, payoff: float) -> tuple[float, float]:
            return self.left + WIDE * share, bottom - HIGH * (payoff - low) / (high - low)

        found: list[Shape] = [Line((at(s, low), at(s, high)), "#9aa3ad") for s in (0.0, 1.0)]
        found.append(Line(tuple(at(s, v) for s, v in envelope(self.table)), INK, 6.0))
        for k, (first, second) in enumerate(self.table.tolist()):
            found.append(Line((at(0, first), at(1, second)), COLOURS[k], 2.0))
        for payoff in (low, high):
            words = f"{payoff:.4g}".replace("-", "−")
            found.append(Text(self.left - 6, at(0, payoff)[1] + 4, words, size=10.0, anchor="end"))
        for share, name in ((0.0, self.moves[0]), (1.0, self.moves[1])):
            found.append(Text(at(share, low)[0], bottom + 18, name, player_colour(self.player), anchor="middle"))
        if self.mix is not None:
            x, y = at(float(self.mix[1]), float((self.table @ self.mix).max()))
            found.append(Disc(x, y, 5, INK, "the strategy"))
        note = "edged in black: the payoff of a best reply" + ("; dot: the strategy" if self.mix is not None else "")
        return [*found, Text(MARGIN, bottom + 38, note, "#59636e", 11.0)]

    def _triangle(self) -> list[Shape]:
        top, bottom = self.top + 50, self.top + 36 + HIGH
        corners = np.array(
            [[self.left, bottom], [self.left + WIDE, bottom], [self.left + WIDE / 2, top]], dtype=float
        )  # the mixes that are one move each

        def points(mixes: FloatArray) -> tuple[tuple[float, float], ...]:
            return tuple((x, y) for x, y in (mixes @ corners).tolist())

        found: list[Shape] = []
        for k in range(len(self.replies)):
            part = best_part(self.table, k)
            if len(part) >= 3:
                found.append(Area(points(part), COLOURS[k]))
        found.append(Line(points(np.eye(3)[[0, 1, 2, 0]]), INK, 1.2))
        ends = ((0, bottom + 18), (1, bottom + 18), (2, top - 6))
        for k, y in ends:
            found.append(Text(corners[k, 0], y, self.moves[k], player_colour(self.player), anchor="middle"))
        if self.mix is not None:
            ((x, y),) = points(self.mix[None])
            found.append(Disc(x, y, 5, INK, "the strategy"))
        note = "coloured: where this reply is best" + ("; dot: the strategy" if self.mix is not None else "")
        return [*found, Text(MARGIN, bottom + 38, note, "#59636e", 11.0)]


def envelope(table: FloatArray) -> list[tuple[float, float]]:
    """Return the corners of the upper envelope of lines, each given by its values at 0 and 1.

    >>> envelope(np.array([[1.0, 0.0], [0.0, 1.0]]))
    [(0.0, 1.0), (0.5, 0.5), (1.0, 1.0)]
    """
    start, slope = table[:, 0], table[:, 1] - table[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = -(start[:, None] - start) / (slope[:, None] - slope)
    inside = np.unique(crossings[np.isfinite(crossings) & (crossings > 0) & (crossings < 1)])
    shares = np.concatenate([[0.0], inside, [1.0]])
    values = (start[:, None] + slope[:, None] * shares).max(axis=0)
    return list(zip(shares.tolist(), values.tolist(), strict=True))


def best_part(table: FloatArray, reply: int) -> FloatArray:
    """Return the corners of the part of the triangle where a reply is best, a mix per row.

    >>> best_part(np.array([[1.0, 0, 0], [0, 0, 0]]), 0).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    corners = list(np.eye(3))
    for other in range(len(table)):
        ahead = table[reply] - table[other]
        kept = []
        for here, there in zip(corners, corners[1:] + corners[:1], strict=True):
            a, b = float(ahead @ here), float(ahead @ there)
            if a >= 0:
                kept.append(here)
            if a * b < 0:
                kept.append(here + a / (a - b) * (there - here))
        corners = kept
    return np.array(corners).reshape(-1, 3)
