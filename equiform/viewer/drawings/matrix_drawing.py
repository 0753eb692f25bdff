"""Matrix games as payoff tables: cells coloured by the row player's payoff, best responses underlined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.models.common.errors import UnsupportedGameError
from equiform.models.common.rational import short_text
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy
from equiform.viewer.drawings.scene import SIZE, Box, Line, Scene, Shape, Text, player_colour
from equiform.viewer.drawings.text_width import text_width
from equiform.viewer.labels import probability_text

ROW = 30.0
PAD = 10.0
MARGIN = 14.0
#: Larger tables are no longer readable.
MOST_CELLS = 400
# from the row player's least payoff to the largest, light enough for dark letters
_LOW, _MIDDLE, _HIGH = (246, 214, 173), (255, 255, 255), (173, 214, 236)


def matrix_scene(game: NormalForm, strategies: Sequence[Strategy] | None, limit: int | None = None) -> Scene:
    """Return the picture of a two-player table.

    Raises
    ------
    UnsupportedGameError
        If the game has other than two players or too many cells.
    """
    if len(game.players) != 2:
        raise UnsupportedGameError(
            f"{game.name} has {len(game.players)} players, and a table has rows and columns only",
            where="draw",
            fix="draw a two-player game, or look at it with `equiform view`",
        )
    most = MOST_CELLS if limit is None else limit
    if game.payoffs[0].size > most:
        raise UnsupportedGameError(
            f"{game.payoffs[0].size:,} cells do not make a readable table, which ends at about {most}",
            where=game.name,
            fix=f"look at it with `equiform view`, or raise the limit: limit={game.payoffs[0].size}",
        )
    return _Table(game, strategies).scene()


class _Table:
    def __init__(self, game: NormalForm, strategies: Sequence[Strategy] | None) -> None:
        self.game = game
        self.texts = [[[_payoff(v) for v in row] for row in table] for table in game.payoffs.tolist()]
        self.names = [list(actions) for actions in game.actions]
        if strategies is not None:
            for player, strategy in enumerate(strategies):
                weights = strategy.probabilities[1:].tolist()
                self.names[player] = [
                    f"{n}  {probability_text(w)}" for n, w in zip(self.names[player], weights, strict=True)
                ]
        first, second = game.payoffs
        # exact comparison: payoffs are fractions
        self.best = (first == first.max(axis=0, keepdims=True), second == second.max(axis=1, keepdims=True))

    def scene(self) -> Scene:
        widest = max(
            text_width(a + ", " + b, SIZE)
            for ra, rb in zip(*self.texts, strict=True)
            for a, b in zip(ra, rb, strict=True)
        )
        column = max(widest, *(text_width(n, SIZE) * 1.12 for n in self.names[1])) + 2 * PAD
        left = MARGIN + max(text_width(n, SIZE) * 1.12 for n in [*self.names[0], self.game.players[0]]) + 2 * PAD
        top = 72.0
        shapes: list[Shape] = [Text(MARGIN, 18.0, self.game.name, size=13.0, bold=True)]
        shapes.append(Text(MARGIN, top - 10, self.game.players[0], player_colour(0), bold=True))
        middle = left + column * len(self.names[1]) / 2
        shapes.append(Text(middle, top - 30, self.game.players[1], player_colour(1), anchor="middle", bold=True))
        for c, name in enumerate(self.names[1]):
            shapes.append(Text(left + column * (c + 0.5), top - 10, name, player_colour(1), anchor="middle"))
        for r, name in enumerate(self.names[0]):
            shapes.append(Text(left - PAD, top + ROW * (r + 0.5) + 4, name, player_colour(0), anchor="end"))
            for c in range(len(self.names[1])):
                shapes += self._cell(r, c, left + column * c, top + ROW * r, column)
        bottom = top + ROW * len(self.names[0])
        note = "underlined: a best response to the other's move"
        shapes.append(Text(MARGIN, bottom + 20, note, "#59636e", 11.0))
        title_width = max(
            1.15 * text_width(self.game.name, 13.0),
            text_width(note, 11.0),
            middle - left + text_width(self.game.players[1], SIZE),
        )
        width = max(left + column * len(self.names[1]), MARGIN + title_width) + MARGIN
        return Scene(width, bottom + 32, f"{self.game.name}: payoff table", tuple(shapes))

    def _cell(self, r: int, c: int, x: float, y: float, width: float) -> list[Shape]:
        shapes: list[Shape] = [Box(x, y, width, ROW, self._colour(r, c), "#9aa3ad")]
        parts = [self.texts[0][r][c], self.texts[1][r][c]]
        total = text_width(parts[0] + ", " + parts[1], SIZE)
        at = x + (width - total) / 2
        base = y + ROW / 2 + 4
        for player, part in enumerate(parts):
            wide = text_width(part, SIZE)
            # centred in the measured space, so that a narrower font stays above its line
            shapes.append(Text(at + wide / 2, base, part, player_colour(player), anchor="middle"))
            if self.best[player][r, c]:
                shapes.append(Line(((at, base + 4), (at + wide, base + 4)), player_colour(player), 1.6))
            at += wide + text_width(", ", SIZE)
            if player == 0:
                shapes.append(Text(at - text_width(", ", SIZE), base, ","))
        return shapes

    def _colour(self, r: int, c: int) -> str:
        payoffs = self.game.payoff_floats[0]
        low, high = float(payoffs.min()), float(payoffs.max())
        share = 0.5 if high == low else (float(payoffs[r, c]) - low) / (high - low)
        start, end, weight = (_LOW, _MIDDLE, 2 * share) if share < 0.5 else (_MIDDLE, _HIGH, 2 * share - 1)
        mixed = np.rint((1 - weight) * np.array(start) + weight * np.array(end)).astype(int)
        return "#{:02x}{:02x}{:02x}".format(*mixed.tolist())


def _payoff(value: object) -> str:
    return short_text(value).replace("-", "−")  # type: ignore[arg-type]
