"""How wide text is, without a font at hand: advance widths of a wide sans serif, so that narrower fonts fit as well."""

from __future__ import annotations

import unicodedata

#: Characters by their advance width in hundredths of the font size (DejaVu Sans).
_CHARACTERS = {
    28: "'ijlIJ",
    34: " ,.·/:;\\|f",
    40: "-()[]t!›r",
    50: '"*_`–°',
    56: "sz?εcL",
    60: "FkvxyγPTYaoδ",
    64: "eESbdghnpquσ$0123456789{}β√",
    70: "KαAVBRXZC",
    78: "UHNDG&OQ",
    86: "w∞#+<=>^~−×≥≤≈→¬M",
    100: "♠♥♦♣%m½W@—…",
}
_WIDTH = {c: width / 100 for width, characters in _CHARACTERS.items() for c in characters}


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of the width of a line of text.

    >>> text_width("check", 10.0) > text_width("call", 10.0) > 0
    True
    """
    return size * sum(map(_advance, text))


def _advance(character: str) -> float:
    known = _WIDTH.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0.0
    return 1.1 if unicodedata.east_asian_width(character) in "WF" else 0.9
