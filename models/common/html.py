"""Small HTML tables for notebooks; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

#: How a notebook reaches the page of what it displays: ``_`` is the last output.
EXPLORE = "Explore it: equiform.view(_)"


def html_facts(title: str, facts: Mapping[str, str | None], foot: str = "") -> str:
    """Return a table with a row per fact and, if there is one, a line below; facts that are ``None`` are left out.

    >>> html_facts("Proof", {"value": "<1>", "bracket": None})
    '<table><caption>Proof</caption><tr><th scope="row">value</th><td>&lt;1&gt;</td></tr></table>'
    """
    rows = (
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in facts.items()
        if value is not None
    )
    return f"<table><caption>{escape(title)}</caption>{''.join(rows)}{_foot(foot, 2)}</table>"


def html_rows(title: str, rows: Iterable[tuple[Sequence[str], bool]], foot: str = "") -> str:
    """Return a table of rows, each with whether it counts; those that do not are grey."""
    lines = []
    wide = 1
    for (head, *cells), counts in rows:
        wide = max(wide, 1 + len(cells))
        style = "" if counts else ' style="opacity:.5"'
        body = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<tr{style}><th scope="row">{escape(head)}</th>{body}</tr>')
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}{_foot(foot, wide)}</table>"


def _foot(text: str, columns: int) -> str:
    return f'<tr><td colspan="{columns}">{escape(text)}</td></tr>' if text else ""


def interval_text(interval: tuple[float, float] | None) -> str | None:
    """Write an interval with nine digits, or nothing."""
    return None if interval is None else f"[{interval[0]:.9g}, {interval[1]:.9g}]"
