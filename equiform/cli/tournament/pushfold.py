"""``equiform pushfold``: heads-up charts for any stack, solved and proved."""

from __future__ import annotations

from pathlib import Path

import typer

from equiform.cli.options import BACKEND, JSON
from equiform.cli.output import console, print_json, require_drawable
from equiform.cli.tournament.charts import chart, mixed, named


def pushfold(
    stack: str = typer.Option(..., help="Each player's stack in big blinds, like 10 or 12.5."),
    ante: str = typer.Option("0", help="Each player's ante, in big blinds."),
    small_blind: str = typer.Option("1/2", help="The small blind, in big blinds."),
    method: str = typer.Option("lp", help="lp, or an iterative algorithm such as cfr+."),
    backend: str = BACKEND,
    hand: str = typer.Option("", help="Find how often this hand is jammed in any equilibrium, like J5s."),
    plot: Path = typer.Option(None, help="Draw both charts into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Solve heads-up push or fold, with a proof."""
    from equiform.games.tournament.push_fold import PushFold
    from equiform.tournaments import solve_push_fold
    from equiform.validation.jam_ranges import jam_range

    require_drawable(plot)
    game = PushFold(stack, small_blind, ante)  # type: ignore[arg-type]  # texts are read exactly
    span = jam_range(game, hand) if hand else None
    found = solve_push_fold(game, method=method, backend=backend)
    if plot is not None:
        found.plot().write(plot)
    if json:
        print_json(found.to_dict() | ({"range": span.to_dict()} if span else {}))
        return
    console.print(chart(found.jam, f"Small blind jams with {float(game.stack):g} big blinds"))
    console.print(chart(found.call, "Big blind calls"))
    for player, probabilities in (("small blind", found.jam), ("big blind", found.call)):
        hands = named(probabilities)
        mixing = [f"{hand} {hands[hand]:z.3f}" for hand in mixed(probabilities)]
        console.print(f"The {player} mixes with {', '.join(mixing) or 'no hand'}.", highlight=False)
    proof = found.certificate
    console.print(
        f"Value for the small blind: {found.value:z.7f} big blinds per hand, proved to lie in "
        f"[{proof.lower:z.9f}, {proof.upper:z.9f}].",
        highlight=False,
    )
    if span is not None:
        (least, most), (low, high) = span.attained, span.bounds
        console.print(
            f"{span.hand}: linear programs find equilibria that jam it with probability {least:z.4f} to {most:z.4f}; "
            f"proved for all: {low:z.4f} to {high:z.4f} ({span.verdict}).",
            highlight=False,
        )
