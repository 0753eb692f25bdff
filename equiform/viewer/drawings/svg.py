"""Scenes as SVG."""

from __future__ import annotations

from html import escape

from equiform.viewer.drawings.scene import INK, PAPER, Arc, Area, Box, Disc, Line, Scene, Shape, Text

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
#: XML has no place for these, whatever a file of somebody else calls its moves.
_CONTROL = {code: "\ufffd" for code in [*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)]}


def to_svg(scene: Scene) -> str:
    """Return an SVG document that stands alone."""
    width, height = _n(scene.width), _n(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FONT}" role="img" aria-label="{_text(scene.title)}">',
        f"<title>{_text(scene.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        *map(_shape, scene.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _shape(shape: Shape) -> str:
    if isinstance(shape, Line):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        return f'<polyline points="{points}" fill="none" stroke="{shape.colour}" stroke-width="{_n(shape.width)}"/>'
    if isinstance(shape, Arc):
        (x1, y1), (x2, y2), (x3, y3) = shape.start, shape.bend, shape.end
        path = f"M{_n(x1)} {_n(y1)}Q{_n(x2)} {_n(y2)} {_n(x3)} {_n(y3)}"
        return f'<path d="{path}" fill="none" stroke="{shape.colour}" stroke-width="1.3" stroke-dasharray="5 3"/>'
    if isinstance(shape, Disc):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" fill="{shape.colour}"'
        return _titled("circle", place, shape.title)
    if isinstance(shape, Box):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
        stroke = f' stroke="{shape.stroke}"' if shape.stroke else ""
        return _titled("rect", f'{place} fill="{shape.fill}"{stroke}', shape.title)
    if isinstance(shape, Area):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        return f'<polygon points="{points}" fill="{shape.fill}"/>'
    return _written(shape)


def _written(shape: Text) -> str:
    look = f' fill="{shape.colour}"' if shape.colour != INK else f' fill="{INK}"'
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    bold = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}"'
    return f"<text {place}{look}{anchor}{bold}>{_text(shape.text)}</text>"


def _titled(name: str, attributes: str, title: str) -> str:
    return f"<{name} {attributes}><title>{_text(title)}</title></{name}>" if title else f"<{name} {attributes}/>"


def _text(text: str) -> str:
    return escape(text.translate(_CONTROL))


def _n(x: float) -> str:
    """Write a coordinate with two decimals at most.

    >>> _n(3.0), _n(2.346), _n(-0.001)
    ('3', '2.35', '0')
    """
    return (
        f"{x:.2f}".rstrip("0").rstrip(".").replace("-0", "0") if abs(x) < 0.005 else f"{x:.2f}".rstrip("0").rstrip(".")
    )
