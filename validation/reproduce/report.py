"""A reproduction as one HTML page: no scripts, no network, pictures inline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from equiform.models.common.files import make_folder, write_text
from equiform.validation.reproduce.cell import Cell, Verdict
from equiform.validation.reproduce.experiment import Experiment, Outcome
from equiform.validation.reproduce.plots import svg

_CLASS = {v: v.value.replace(" ", "-") for v in Verdict}
#: What a yes or no can be.
_DECIDED = (Verdict.MATCH, Verdict.MISMATCH)
_MEANING = {
    Verdict.MATCH: "ours rounds to the printed number, or lies in the joint confidence interval",
    Verdict.ATTAINED: "the number hangs on which of many equilibria the paper's solver returned; we found one that "
    "attains what is printed, or two that it must lie between",
    Verdict.NOT_EXCLUDED: "within a bound, or right under another convention than ours: neither confirmed nor refuted",
    Verdict.MISMATCH: "not attained; the note below the table says why, as far as we know",
    Verdict.OURS: "the paper prints no number",
}
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 2rem auto; max-width: 72rem;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .3rem; border-top: 1px solid #ddd; padding-top: 1rem; }
.source { color: #555; margin: 0 0 .6rem; } .remark, .notes { color: #333; font-size: .92rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #d5d5d5; padding: .25rem .5rem; text-align: right; vertical-align: top; }
th { background: #f5f5f5; font-weight: 600; } th.row { text-align: left; white-space: nowrap; }
td.text { text-align: left; white-space: normal; }
td small { display: block; color: #555; } .wide { overflow-x: auto; }
.match { background: #e3f3e6; } .attained { background: #eef6d8; }
.not-excluded { background: #fdf3d7; }
.mismatch { background: #fadcd9; } .ours { background: #e7effa; }
.key span { padding: .1rem .5rem; margin-right: .4rem; border-radius: .2rem; } figure { margin: .6rem 0; }
svg { max-width: 100%; height: auto; } a { color: #1b5c8f; }
@media print { h2 { break-before: auto; } figure, table { break-inside: avoid; } }
"""


def html(outcomes: Sequence[tuple[Experiment, Outcome]], *, version: str) -> str:
    """Write the whole page."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>equiform: the papers' numbers, computed again</title><style>{_STYLE}</style></head><body>",
        "<h1>The papers' numbers, computed again</h1>",
        f"<p>By equiform {escape(version)}. Each cell shows the printed number, ours below it, and in brackets the "
        "interval that the paper's unstated choices span, or our confidence interval. “Thesis” is S. Ganzfried, "
        "<i>Computing strong game-theoretic strategies and exploiting suboptimal opponents in large games</i>, "
        "Carnegie Mellon University, 2015.</p>",
        _key(),
        _overview(outcomes),
    ]
    parts += [_section(e, o) for e, o in outcomes]
    return "\n".join([*parts, "</body></html>\n"])


def write_report(folder: Path, outcomes: Sequence[tuple[Experiment, Outcome]], *, version: str) -> Path:
    """Write ``index.html`` into a folder."""
    path = make_folder(folder) / "index.html"
    write_text(path, html(outcomes, version=version))
    return path


def _key() -> str:
    items = [f"<span class='{_CLASS[v]}'>{v.value}</span>{escape(_MEANING[v])}<br>" for v in Verdict]
    return f"<p class='key'>{''.join(items)}</p>"


def _overview(outcomes: Sequence[tuple[Experiment, Outcome]]) -> str:
    head = "".join(f"<th>{v.value}</th>" for v in Verdict) + "".join(f"<th>yes/no: {v.value}</th>" for v in _DECIDED)
    rows = []
    for e, o in outcomes:
        counts = _counts(o.numbers, tuple(Verdict)) + _counts(o.decisions, _DECIDED)
        link = f"<a href='#{escape(e.id)}'>{escape(e.id)}</a>"
        quick = " <small>quick set</small>" if o.quick else ""
        title = f"<td class='text'>{escape(e.title)}{quick}</td>"
        rows.append(f"<tr><th class='row'>{link}</th>{title}{counts}</tr>")
    numbers = sum((o.numbers for _, o in outcomes), Counter[Verdict]())
    decisions = sum((o.decisions for _, o in outcomes), Counter[Verdict]())
    total = _counts(numbers, tuple(Verdict)) + _counts(decisions, _DECIDED)
    rows.append(f"<tr><th class='row'></th><td class='text'>all together</td>{total}</tr>")
    return (
        f"<div class='wide'><table><tr><th></th><th class='row'>experiment</th>{head}</tr>{''.join(rows)}</table></div>"
    )


def _counts(counts: Counter[Verdict], verdicts: Sequence[Verdict]) -> str:
    return "".join(f"<td class='{_CLASS[v] if counts[v] else ''}'>{counts[v] or ''}</td>" for v in verdicts)


def _section(e: Experiment, o: Outcome) -> str:
    picture = svg(e, o)
    remarks = "".join(f"<p class='remark'>{escape(r)}</p>" for r in e.remarks)
    return "\n".join(
        [
            f"<h2 id='{escape(e.id)}'>{escape(e.id)}. {escape(e.title)}</h2>",
            f"<p class='source'>{escape(e.source)}. Judged by: {escape(e.tolerance)}. {escape(o.summary)}.</p>",
            f"<p>{escape(e.about)}</p>{remarks}",
            f"<figure>{picture}</figure>" if picture else "",
            _table(e, o.cells),
            _notes(o.cells),
        ]
    )


def _table(e: Experiment, cells: Sequence[Cell]) -> str:
    rows = list(dict.fromkeys(c.row for c in cells))
    columns = list(dict.fromkeys(c.column for c in cells))
    at = {(c.row, c.column): c for c in cells}
    head = "".join(f"<th>{escape(c)}</th>" for c in columns)
    body = []
    for row in rows:
        line = "".join(_cell(at.get((row, column))) for column in columns)
        body.append(f"<tr><th class='row'>{escape(row)}</th>{line}</tr>")
    corner = f"<th class='row'>{escape(e.column_title)}</th>"
    return f"<div class='wide'><table><tr>{corner}{head}</tr>{''.join(body)}</table></div>"


def _cell(c: Cell | None) -> str:
    if c is None:
        return "<td></td>"
    interval = f"<small>[{number(c.low)}, {number(c.high)}]</small>" if c.low is not None and c.high is not None else ""
    printed = escape(c.printed) if c.printed else "–"
    title = escape(c.note or c.verdict.value, quote=True)
    return f"<td class='{_CLASS[c.verdict]}' title='{title}'>{printed}<small>{number(c.ours)}</small>{interval}</td>"


def _notes(cells: Sequence[Cell]) -> str:
    """List the remarks about cells, each of them once."""
    grouped: dict[str, list[Cell]] = {}
    for c in cells:
        if c.note and c.verdict is not Verdict.OURS:
            grouped.setdefault(c.note, []).append(c)
    items = []
    for note, own in grouped.items():
        named = ", ".join(f"{c.row} {c.column}" for c in own[:6]) + (
            f" and {len(own) - 6} more" if len(own) > 6 else ""
        )
        items.append(f"<li><b>{escape(named)}</b>: {escape(note)}</li>")
    return f"<ul class='notes'>{''.join(items)}</ul>" if items else ""


def number(value: float | None) -> str:
    """Write a number with four significant digits and no noise.

    >>> number(0.0286), number(-119.4567), number(2.5e-6), number(1e-17), number(None)
    ('0.0286', '−119.5', '2.5e-06', '0', '')
    """
    if value is None:
        return ""
    if abs(value) < 5e-10:
        return "0"
    text = f"{value:.4g}"
    return text.replace("-", "−", 1) if "e" not in text else text
