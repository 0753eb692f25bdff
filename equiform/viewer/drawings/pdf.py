"""Scenes as PDF, of the same size and with the same letters as the SVG. It loads matplotlib, so import it late."""

from __future__ import annotations

import warnings
from typing import Literal

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text as Label

from equiform.models.common.pictures import Picture
from equiform.viewer.drawings.scene import Arc, Area, Box, Disc, Line, Scene, Shape

#: A pixel of the scene in points, and in inches.
POINT = 0.75
INCH = POINT / 72
_ALIGN: dict[str, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}


def to_pdf(scene: Scene, target: str) -> None:
    """Write a PDF of one page; letters are letters, so that they can be found and copied."""
    picture = Picture(figsize=(scene.width * INCH, scene.height * INCH))
    axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(scene.shapes):
        drawn = _shape(shape)
        drawn.set_zorder(order)
        axes.add_artist(drawn)
    # no date: the same game makes the same file
    with mpl.rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # a letter that the font lacks is drawn as a box
        picture.savefig(target, format="pdf", metadata={"Title": scene.title, "CreationDate": None})


def _shape(shape: Shape) -> Artist:
    if isinstance(shape, Line):
        across, down = zip(*shape.points, strict=True)
        return Line2D(across, down, color=shape.colour, linewidth=POINT * shape.width)
    if isinstance(shape, Arc):
        way = Path([shape.start, shape.bend, shape.end], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        return PathPatch(
            way, fill=False, edgecolor=shape.colour, linewidth=1.3 * POINT, linestyle=(0, (5 / 1.3, 3 / 1.3))
        )
    if isinstance(shape, Disc):
        return Circle((shape.x, shape.y), shape.radius, color=shape.colour, linewidth=0)
    if isinstance(shape, Box):
        edge = shape.stroke or "none"
        return Rectangle(
            (shape.x, shape.y), shape.width, shape.height, facecolor=shape.fill, edgecolor=edge, linewidth=POINT
        )
    if isinstance(shape, Area):
        return Polygon(shape.points, facecolor=shape.fill, edgecolor="none")
    return Label(
        shape.x, shape.y, shape.text, color=shape.colour, fontsize=POINT * shape.size, family="DejaVu Sans",
        weight="bold" if shape.bold else "normal", horizontalalignment=_ALIGN[shape.anchor],
        verticalalignment="baseline", parse_math=False,
    )  # fmt: skip
