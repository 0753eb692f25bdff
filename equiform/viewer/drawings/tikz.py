"""Scenes as TikZ, in a document of their own. No LaTeX is needed to write it."""

from __future__ import annotations

import math
import re

from equiform.viewer.drawings.scene import Arc, Area, Box, Disc, Line, Scene, Shape, Text

_GREEK = ("alpha", "beta", "gamma", "delta", "lambda", "mu", "pi", "sigma")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "—": "---",
    "−": r"\ensuremath{-}",
    "…": r"\ldots{}",
    "≈": r"\ensuremath{\approx}",
    "♠": r"\ensuremath{\spadesuit}",
    "♥": r"\ensuremath{\heartsuit}",
    "♦": r"\ensuremath{\diamondsuit}",
    "♣": r"\ensuremath{\clubsuit}",
    "→": r"\ensuremath{\to}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "∞": r"\ensuremath{\infty}",
    "ε": r"\ensuremath{\varepsilon}",
    **{c: rf"\ensuremath{{\{name}}}" for c, name in zip("αβγδλμπσ", _GREEK, strict=True)},
}
#: pdfLaTeX knows the letters of Latin alphabets up to here.
_LATIN = 0x17F
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


#: Empty space around the picture, in TeX's points.
_MARGIN = 4


def to_tikz(scene: Scene) -> str:
    """Return a LaTeX document of one page with the picture; the smallest installation with TikZ compiles it."""
    wide, high = (math.ceil(0.75 * side) + 2 * _MARGIN + 1 for side in (scene.width, scene.height))
    lines = [
        f"% {_comment(scene.title)}",
        r"\documentclass{article}",
        rf"\usepackage[paperwidth={wide}pt,paperheight={high}pt,margin={_MARGIN}pt,noheadfoot]{{geometry}}",
        # without these fonts, T1 would ask for bitmaps that a small installation cannot make
        r"\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}",
        r"\usepackage{tikz}",
        *_stand_ins(scene),
        r"\pagestyle{empty}",
        r"\setlength{\parindent}{0pt}",
        r"\begin{document}",
        r"\begin{tikzpicture}[x=0.75pt,y=-0.75pt,inner sep=0pt,font=\sffamily]",
        rf"\useasboundingbox (0,0) rectangle ({scene.width:.2f},{scene.height:.2f});",
        *map(_shape, scene.shapes),
        r"\end{tikzpicture}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _stand_ins(scene: Scene) -> list[str]:
    """Declare a question mark for each letter that pdfLaTeX's fonts lack; LuaLaTeX takes the letters themselves."""
    used = {c for shape in scene.shapes if isinstance(shape, Text) for c in shape.text}
    foreign = sorted(c for c in used if ord(c) > _LATIN and c.isprintable() and c not in _SPECIAL)
    declare = r"\ifdefined\DeclareUnicodeCharacter\DeclareUnicodeCharacter"
    return [rf"{declare}{{{ord(c):04X}}}{{?}}\fi" for c in foreign]


def tex_text(text: str) -> str:
    r"""Write text so that TeX prints it.

    >>> tex_text("50% of {a_1}")
    '50\\% of \\{a\\_1\\}'
    """
    return "".join(_SPECIAL.get(c, c if c.isprintable() else "?") for c in text)


def _shape(shape: Shape) -> str:
    if isinstance(shape, Line):
        path = " -- ".join(map(_point, shape.points))
        return rf"\draw[{_colour('draw', shape.colour)},line width={0.75 * shape.width:.2f}pt] {path};"
    if isinstance(shape, Arc):
        # a quadratic curve as a cubic one
        (x1, y1), (x2, y2), (x3, y3) = shape.start, shape.bend, shape.end
        first = (x1 + 2 * (x2 - x1) / 3, y1 + 2 * (y2 - y1) / 3)
        second = (x3 + 2 * (x2 - x3) / 3, y3 + 2 * (y2 - y3) / 3)
        path = f"{_point(shape.start)} .. controls {_point(first)} and {_point(second)} .. {_point(shape.end)}"
        return rf"\draw[{_colour('draw', shape.colour)},dashed,line width=0.9pt] {path};"
    if isinstance(shape, Disc):
        where = _point((shape.x, shape.y))
        return rf"\fill[{_colour('fill', shape.colour)}] {where} circle[radius={0.75 * shape.radius:.2f}pt];"
    if isinstance(shape, Box):
        corners = f"{_point((shape.x, shape.y))} rectangle {_point((shape.x + shape.width, shape.y + shape.height))}"
        draw = f",{_colour('draw', shape.stroke)}" if shape.stroke else ""
        return rf"\path[{_colour('fill', shape.fill)}{draw}] {corners};"
    if isinstance(shape, Area):
        return rf"\fill[{_colour('fill', shape.fill)}] {' -- '.join(map(_point, shape.points))} -- cycle;"
    return _written(shape)


def _written(shape: Text) -> str:
    size = 0.75 * shape.size
    bold = r"\bfseries" if shape.bold else ""
    font = rf"\sffamily{bold}\fontsize{{{size:.1f}pt}}{{{size:.1f}pt}}\selectfont"
    where = f"anchor={_ANCHORS[shape.anchor]},{_colour('text', shape.colour)},font={{{font}}}"
    return rf"\node[{where}] at {_point((shape.x, shape.y))} {{{tex_text(shape.text)}}};"


def _point(point: tuple[float, float]) -> str:
    return f"({point[0]:.2f},{point[1]:.2f})"


def _colour(what: str, colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"{what}={{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _comment(text: str) -> str:
    return re.sub(r"\s+", " ", text)
