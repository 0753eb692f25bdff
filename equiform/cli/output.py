"""How things look: JSON on stdout, tables by rich, probabilities as people write them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equiform.cli.terminal import is_unicode
from equiform.models.common.errors import EquiformError
from equiform.models.common.rational import exact_text, short_text

if TYPE_CHECKING:
    from equiform.models.strategy import Strategy

#: Brackets in the names of games, players and moves are brackets, and no markup.
console = Console(markup=False)
errors = Console(stderr=True, markup=False)


def print_json(document: Any) -> None:
    """Print one JSON document on standard output; JSON has neither NaN nor infinity, and they become null."""
    escape = not is_unicode(sys.stdout)
    print(json.dumps(_finite(document), indent=1, ensure_ascii=escape, default=_plain, allow_nan=False))


def warn_of(broken: Mapping[str, EquiformError]) -> None:
    """Name the plug-ins that cannot be loaded on standard error; the others go on working."""
    for error in broken.values():
        errors.print(Text.assemble((type(error).__name__, "bold red"), f": {error}"))


def rounded(value: Fraction) -> tuple[tuple[str, str], str]:
    """Write an exact number, in bold, and what it is about: parts for ``Text.assemble``."""
    about = f"{float(value):z.9f}" if abs(value) < 10**15 else short_text(value)
    return (exact_text(value), "bold"), f" ≈ {about}"


def require_drawable(picture: Path | None) -> None:
    """Refuse a picture that cannot be drawn before the work that it would show."""
    if picture is not None:
        from equiform.models.common.pictures import check_target  # matplotlib takes a while to load

        check_target(picture)


def require_target(path: Path, *suffixes: str) -> None:
    """Refuse a file of another kind, or one that cannot be written, before the work that it would hold."""
    from equiform.models.common.errors import ParameterError
    from equiform.models.common.files import require_writable

    if path.suffix.lower() not in suffixes:
        usual = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise ParameterError(f"cannot write {path.name}", where=str(path), fix=f"let the name end in {usual}")
    require_writable(path)


def probability(p: float | Fraction) -> str:
    """Write a probability: exact if it is a fraction, else four digits with the certain ones short.

    >>> probability(Fraction(1, 3)), probability(0.25), probability(1.0), probability(1e-17)
    ('1/3', '0.2500', '1', '0')
    """
    if isinstance(p, Fraction):
        text = exact_text(p)
        return text if len(text) <= 24 else f"≈{float(p):z.6f}"
    if abs(p) < 5e-10:
        return "0"
    return "1" if abs(p - 1) < 5e-10 else f"{p:z.4f}"


def strategy_table(strategy: Strategy, *, limit: int = 60) -> Table:
    """Show a strategy: one row per information set, in words."""
    table = Table(title=f"Strategy of {strategy.treeplex.player}", title_justify="left", title_style="bold")
    table.add_column("information set")
    table.add_column("plays")
    total = strategy.treeplex.num_infosets
    reached = strategy.reached
    for shown, (label, row) in enumerate(strategy.rows()):
        if shown == limit:
            table.add_row("…", f"{total - limit} more; see --all or --out FILE")
            break
        played = {a: p for a, p in row.items() if float(p) >= 5e-10}
        plays = ", ".join(f"{a} {probability(p)}" if len(played) > 1 else a for a, p in played.items())
        table.add_row(label, plays if reached[shown] else f"({plays})", style=None if reached[shown] else "dim")
    if not reached[:limit].all():
        table.caption = "In brackets: ruled out by the player's own earlier moves."
        table.caption_justify = "left"
    return table


def seconds_line(seconds: dict[str, float] | Any) -> str:
    """Put a breakdown of seconds on one line."""
    return ", ".join(f"{phase} {value:z.3f} s" for phase, value in seconds.items())


def _finite(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: _finite(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_finite(value) for value in document]
    if hasattr(document, "tolist"):  # numpy
        return _finite(document.tolist())
    return None if isinstance(document, float) and not math.isfinite(document) else document


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return exact_text(value)
    if hasattr(value, "value"):
        return value.value
    raise TypeError(f"cannot write {type(value).__name__} as JSON")
