"""``equiform match``: an agent against many opponents, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from equiform.cli.experiments.live import JOBS, ON, end_interrupted, executor_name, live
from equiform.cli.options import GAME, JSON, seat
from equiform.cli.output import console, print_json, require_drawable
from equiform.models.common.files import require_writable, require_writable_folder

if TYPE_CHECKING:
    from equiform.play import MatchResult


def match(
    game: str = GAME,
    agent: list[str] = typer.Option(["rwywe"], help="rwywe, befewp, dbbr-ws, …; may be repeated; `list` shows all."),  # noqa: B008
    opponent: str = typer.Option("random", help="random, sophisticated, dynamic, …; `list` shows all."),
    hands: int = typer.Option(1000, help="Hands per match."),
    opponents: int = typer.Option(100, help="How many opponents of this kind; one match each."),
    seed: int = typer.Option(1, help="Seed of the opponents and the cards."),
    player: int = typer.Option(1, help="The agent's seat, 1 or 2."),
    duplicate: bool = typer.Option(False, "--duplicate", help="Play every match from both seats with the same cards."),
    showing: str = typer.Option("shown", help="What is seen of the opponent after a hand: shown, hidden or showdown."),
    ties: str = typer.Option("last", help="Which of equally good responses the agent plays: last, first or cautious."),
    on: str = ON,
    jobs: int = JOBS,
    checkpoint: Path = typer.Option(None, help="Keep finished matches in this folder, and continue from it."),  # noqa: B008
    plot: Path = typer.Option(None, help="Draw profit and k of the first match into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Let agents play against weak or hostile opponents.

    All agents get the same opponents and cards. Ctrl-C stops and shows the matches that were finished.
    """
    from equiform.play import AGENTS, OPPONENTS, MatchSpec, play_match, trace_match
    from equiform.play.plots import trace_figure

    if "list" in (*agent, opponent):
        _list(AGENTS, OPPONENTS, json)
        return
    own, executor = seat(player), executor_name(on, jobs)
    require_drawable(plot)
    if plot is not None:
        require_writable(plot)
    if checkpoint is not None:
        require_writable_folder(checkpoint)
    specs = [
        MatchSpec(game, name, opponent, hands, opponents, seed, own, showing, duplicate, ties=ties) for name in agent
    ]
    results: list[MatchResult] = []
    with live(json) as listener:
        for spec in specs:
            results.append(play_match(spec, on=executor, checkpoint=checkpoint, progress=listener))
            if results[-1].interrupted:
                break
    interrupted = results[-1].interrupted
    if plot is not None and not interrupted:
        trace_figure(trace_match(specs[0]), title=f"{agent[0]} against {opponent}, {game}").write(plot)
    if json:
        print_json({"game": game, "value": results[0].value, "matches": [r.to_dict() for r in results]})
    else:
        _print_results(results)
        if plot is not None and not interrupted:
            console.print(f"Plot written to {plot}.")
    if interrupted:
        finished = f"{len(results[-1].scores.won):,} of {opponents:,} opponents of {results[-1].spec.agent}"
        end_interrupted(f"{finished}; " + ("run the same command to resume." if checkpoint else "nothing was stored."))


def _print_results(results: list[MatchResult]) -> None:
    from equiform.play import AGENTS

    spec = results[0].spec
    console.print(  # a table's own title would be broken to its width
        f"{spec.game} against {spec.opponent}: {spec.opponents:,} opponents × {spec.hands:,} hands, "
        f"value {results[0].value:z.4f}",
        highlight=False,
    )
    table = Table("agent", "won per hand", "in expectation", "safe")
    for r in results:
        table.add_row(r.spec.agent, str(r.won), str(r.worth), "yes" if AGENTS[r.spec.agent].safe else "no")
    console.print(table)


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
