"""``equiform demo``: the main job on real games, in a minute."""

from __future__ import annotations

from typing import Any

from equiform.cli.equilibria.solve import print_solution
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json

#: Small enough to read, large enough to be real: the last has 1,247,500 payoff entries.
GAMES = (
    ("rps", True, 10),
    ("kuhn", True, 20),
    ("one-card", True, 8),
    ("leduc", True, 6),
    ("one-card:cards=500", False, 4),
)
#: Where to go from here; the tests run them all.
NEXT = (
    ("view leduc", "a page to explore the answer in a browser"),
    ("draw kuhn", "the tree as a picture"),
    ("solve kuhn --concept une --exact", "an equilibrium without dominated moves"),
    ("gifts kuhn", "moves that give something away"),
    ("respond kuhn --against uniform --epsilon 1/10", "win more, at a risk of at most 1/10"),
    ("match kuhn --agent rwywe --opponent random --opponents 20", "… without any risk, hand by hand"),
    ("compare leduc --algorithms lp,cfr+,egt", "programming against iteration"),
    ("parametric bet-or-check", "thresholds from a qualitative model"),
    ("closed-form kuhn --at alpha=1/6", "formulas, derived and proved"),
    ("reproduce 7.1", "a paper's table, cell by cell"),
    ("equity KcQc 7dQh4h", "the exact equity of a hold'em hand"),
    ("spot --board 2c2d2h3c3d --pot 100 --stack 100 --oop AA,QQ --ip KK --bets a", "a bluff, weighed"),
)


def demo(json: bool = JSON) -> None:
    """Solve a few real games; show strategies, value and proof."""
    from equiform import api

    documents = []
    for name, exact, rows in GAMES:
        if not json:
            console.print(f"\nequiform solve {name}{' --exact' if exact else ''}", style="dim", highlight=False)
        solved = api.solve(name, exact=exact)
        if json:
            documents.append(solved.to_dict())
        else:
            print_solution(name, solved, limit=rows)
    documents.append(_river(quiet=json))
    if json:
        print_json(documents)
        return
    console.print("\nNext, for example:", highlight=False)
    width = max(len(command) for command, _ in NEXT[:-1])  # the last is much longer
    for command, what in NEXT:
        console.print(f"  equiform {command:{width}}  {what}", highlight=False, soft_wrap=True)


def _river(*, quiet: bool) -> dict[str, Any]:
    """Solve a river with all hands of two real ranges, and prove it from the rules."""
    from equiform.api.spots import spot
    from equiform.cli.poker.spot import print_solution

    board, arguments = (
        "Td9d6hQc2s",
        {"pot": 200, "stack": 900, "oop": "66+,A8s+,AJo+,KTs+,QTs+,JTs", "ip": "TT-22,A2s+"},
    )
    if not quiet:
        words = " ".join(f"--{name} {value}" for name, value in arguments.items())
        console.print(f"\nequiform spot --board {board} {words}", style="dim", highlight=False)
    solution = spot(board, **arguments)  # type: ignore[arg-type]
    if not quiet:
        print_solution(solution, limit=6)
    return solution.summary()
