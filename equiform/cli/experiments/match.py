"""``equiform match``: an agent against many opponents, with intervals."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from equiform.cli.options import GAME, JSON, seat
from equiform.cli.output import console, print_json, require_drawable


def match(
    game: str = GAME,
    agent: list[str] = typer.Option(["rwywe"], help="rwywe, befewp, dbbr-ws, …; may be repeated; `list` shows all."),  # noqa: B008
    opponent: str = typer.Option("random", help="random, sophisticated, dynamic, …; `list` shows all."),
    hands: int = typer.Option(1000, help="Hands in a match."),
    opponents: int = typer.Option(100, help="Opponents of the kind, one match each."),
    seed: int = typer.Option(1, help="Seed of the opponents and the cards."),
    player: int = typer.Option(1, help="The agent's seat, 1 or 2."),
    duplicate: bool = typer.Option(False, "--duplicate", help="Play every match from both seats with the same cards."),
    showing: str = typer.Option("shown", help="What is seen of the opponent after a hand: shown, hidden or showdown."),
    ties: str = typer.Option("last", help="Which of equally good responses the agent plays: last, first or cautious."),
    jobs: int = typer.Option(1, help="Processes."),
    checkpoint: Path = typer.Option(None, help="Keep finished matches in this folder, and continue from it."),  # noqa: B008
    plot: Path = typer.Option(None, help="Draw profit and k of the first match into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Let agents play against weak or hostile ones.

    All agents get the same opponents and cards.
    """
    from equiform.play import AGENTS, OPPONENTS, MatchSpec, play_match, trace_match
    from equiform.play.plots import trace_figure

    if "list" in (*agent, opponent):
        _list(AGENTS, OPPONENTS, json)
        return
    own = seat(player)
    require_drawable(plot)
    specs = [
        MatchSpec(game, name, opponent, hands, opponents, seed, own, showing, duplicate, ties=ties) for name in agent
    ]
    results = []
    for spec in specs:
        line: AbstractContextManager[Any] = nullcontext() if json else console.status(f"{spec.agent}: starting")
        with line as status:

            def show(done: int, total: int, status: Any = status, spec: MatchSpec = spec) -> None:
                if status is not None:
                    status.update(f"{spec.agent}: {done:,} of {total:,} opponents")

            results.append(play_match(spec, jobs=jobs, checkpoint=checkpoint, progress=show))
    if plot is not None:
        trace_figure(trace_match(specs[0]), title=f"{agent[0]} against {opponent}, {game}").write(plot)
    if json:
        print_json({"game": game, "value": results[0].value, "matches": [r.summary() for r in results]})
        return
    title = f"{game} against {opponent}: {opponents:,} opponents × {hands:,} hands, value {results[0].value:.4f}"
    console.print(title, highlight=False)  # a table's own title would be broken to its width
    table = Table("agent", "won a hand", "in expectation", "safe")
    for r in results:
        table.add_row(r.spec.agent, str(r.won), str(r.worth), "yes" if AGENTS[r.spec.agent].safe else "no")
    console.print(table)
    if plot is not None:
        console.print(f"Plot written to {plot}.")


def _list(agents: Any, opponents: Any, json: bool) -> None:
    if json:
        print_json(
            {
                "agents": [{"name": a.name, "summary": a.summary, "safe": a.safe} for a in agents.values()],
                "opponents": [{"name": name, "summary": summary} for name, summary in opponents.items()],
            }
        )
        return
    table = Table("agent", "what it does", "safe")
    for a in agents.values():
        table.add_row(a.name, a.summary, "yes" if a.safe else "no")
    console.print(table)
    table = Table("opponent", "what it does")
    for name, summary in opponents.items():
        table.add_row(name, summary)
    console.print(table)
