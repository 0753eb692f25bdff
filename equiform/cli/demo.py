"""``equiform demo``: the main job on real games, in a minute."""

from __future__ import annotations

from equiform.cli.output import JSON_OPTION, console, print_json
from equiform.cli.solve import document, show

#: Small enough to read, large enough to be real: the last has 1,247,500 payoff entries.
GAMES = (
    ("rps", True, 10),
    ("kuhn", True, 20),
    ("one-card", True, 8),
    ("leduc", True, 6),
    ("one-card:cards=500", False, 4),
)


def demo(json: bool = JSON_OPTION) -> None:
    """Solve a few real games; show strategies, value and proof."""
    from equiform import api

    documents = []
    for name, exact, rows in GAMES:
        if not json:
            console.print(f"\nequiform solve {name}{' --exact' if exact else ''}", style="dim", highlight=False)
        solved = api.solve(name, exact=exact)
        if json:
            documents.append(document(name, solved))
        else:
            show(name, solved, limit=rows)
    if json:
        print_json(documents)
