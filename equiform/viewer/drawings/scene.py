"""A picture as shapes with roles; what a role looks like is decided once, for SVG and TikZ alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

#: The colours of players 1, 2, 3, … (Okabe and Ito, dark enough for white letters); later players begin again.
PLAYERS = ("#0072b2", "#b35c00", "#00735a", "#a0417a", "#4b5bab", "#7a6a00")
CHANCE = "#59636e"
INK = "#1b1f24"
PAPER = "#ffffff"
FAINT = "#9aa3ad"
SIZE = 12.0


@dataclass(frozen=True)
class Line:
    """A polyline."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    width: float = 1.0


@dataclass(frozen=True)
class Arc:
    """A dashed curve between two points that bends towards a third."""

    start: tuple[float, float]
    bend: tuple[float, float]
    end: tuple[float, float]
    colour: str = INK


@dataclass(frozen=True)
class Disc:
    """A node of a player."""

    x: float
    y: float
    radius: float
    colour: str
    title: str = ""


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = ""
    title: str = ""


@dataclass(frozen=True)
class Area:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True)
class Text:
    """A line of text whose baseline begins, is centred or ends at a point."""

    x: float
    y: float
    text: str
    colour: str = INK
    size: float = SIZE
    anchor: str = "start"
    bold: bool = False


Shape: TypeAlias = Line | Arc | Disc | Box | Area | Text


@dataclass(frozen=True)
class Scene:
    """A picture of a certain size, its shapes from back to front, and what it shows in words."""

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...] = field(repr=False)


def player_colour(player: int) -> str:
    """Return the colour of a player, from 0."""
    return PLAYERS[player % len(PLAYERS)]
