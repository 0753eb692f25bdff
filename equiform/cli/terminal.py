"""Terminals that cannot show every character: what they cannot is written in characters that they can."""

from __future__ import annotations

import codecs
import sys
import unicodedata

_PLAIN = {
    "ε": "eps",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "σ": "sigma",
    "…": "...",
    "≈": "~",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "±": "+-",
    "×": "x",
    "·": "*",
    "−": "-",
    "–": "-",
    "—": "-",
    "→": "->",
    "←": "<-",
    "⇒": "=>",
    "∞": "inf",
    "√": "sqrt",
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "“": '"',
    "”": '"',
    "’": "'",
    "‘": "'",
    "♠": "s",
    "♥": "h",
    "♦": "d",
    "♣": "c",
    "✓": "yes",
    "✗": "no",
    "•": "*",
    "█": "#",
    "│": "|",
    "─": "-",
    "━": "-",
}
NAME = "equiform-plain"


def plain(text: str) -> str:
    """Write characters in ASCII: a short word where there is one, otherwise without accents, otherwise ``?``.

    >>> plain("ε ≤ ½ … é ∮")
    'eps <= 1/2 ... e ?'
    """
    return "".join(_character(c) for c in text)


def _character(c: str) -> str:
    if c.isascii():
        return c
    if c in _PLAIN:
        return _PLAIN[c]
    bare = unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode()
    return bare or "?"


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


codecs.register_error(NAME, _replace)


def show_what_can_be_shown() -> None:
    """Let the standard streams write in :func:`plain` characters what their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not is_unicode(stream):
            reconfigure(errors=NAME)


def is_unicode(stream: object) -> bool:
    """Return whether a stream can write every character."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-").startswith("utf")
