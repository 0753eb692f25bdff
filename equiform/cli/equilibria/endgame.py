"""``equiform endgame``: cut a game, re-solve what lies below, and measure it in the whole game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.progress import Progress
from rich.table import Table

from equiform.cli.options import BACKEND, GAME, JSON, OUT, TIME_LIMIT
from equiform.cli.output import console, errors, print_json
from equiform.models.common.errors import ParameterError

if TYPE_CHECKING:
    from equiform.api.endgames import EndgamesSolvedExactly


def endgame(
    game: str = GAME,
    cut: str = typer.Option("chance=2", help="Where endgames begin: chance=N, moves=N or history=EVENTS."),
    blueprint: str = typer.Option(
        "equilibrium", help="A strategy file, equilibrium, uniform, or groups:0,0,1 (one group per rank of Leduc)."
    ),
    method: str = typer.Option("all", help="unsafe, resolve, max-margin, joint, several separated by commas, or all."),
    floor: float = typer.Option(0.0, help="For unsafe: the least weight with which players are taken to arrive."),
    delta: list[float] = typer.Option([], help="Also compute ε*(δ) for this δ; may be repeated."),  # noqa: B008
    exact: bool = typer.Option(False, "--exact", help="Round the blueprint to 1/1000 and use rational numbers."),
    backend: str = BACKEND,
    time_limit: float = TIME_LIMIT,
    out: Path = OUT,
    json: bool = JSON,
) -> None:
    """Re-solve the endgames of a game below a trunk.

    Show what that does to the strategy as a whole.
    """
    from equiform import api
    from equiform.endgames.methods import METHODS
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.models.strategy import write_profile

    methods = METHODS if method == "all" else tuple(m.strip() for m in method.split(","))
    if out is not None and (exact or len(methods) != 1):
        raise ParameterError("--out takes the strategies of one method", where="--out", fix="name one --method")
    solver = SolverOptions(backend, time_limit=time_limit or None)
    if exact:
        asked = [m for m in methods if m != "joint"]
        _show_exact(api.endgame_exactly(game, cut=cut, blueprint=blueprint, methods=asked, solver=solver), json)
        return
    with Progress(console=errors, transient=True, disable=json) as bar:
        task = bar.add_task("re-solving")
        found = api.endgame(
            game,
            cut=cut,
            blueprint=blueprint,
            methods=methods,
            floor=floor,
            deltas=delta,
            solver=solver,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if out is not None:
        write_profile(out, game, found.strategies(methods[0]))
    if json:
        print_json(found.to_dict())
        return
    _show(found.to_dict())
    if out is not None:
        console.print(f"Strategies written to {out}.")


def _show_exact(found: EndgamesSolvedExactly, json: bool) -> None:
    """Print exact gains."""
    if json:
        print_json(found.to_dict())
        return
    table = Table("method", "player", "gain, exactly", "about")
    for r in found.rows:
        text = str(r.gain)
        table.add_row(r.method, str(r.player + 1), text if len(text) < 30 else "…", f"{float(r.gain):+z.9f}")
    console.print(table)


def _show(document: dict[str, Any]) -> None:
    console.print(
        f"{document['game']}: value {document['value']:z.9f} to player 1, {len(document['endgames'])} endgames "
        f"({document['endgames'][0]}, …)",
        highlight=False,
    )
    table = Table("strategy", "exploitability of player 1", "of player 2", "kept")
    for row in document["rows"]:
        first, second = row["exploitability"]
        kept = "/".join(map(str, row.get("kept", [])))
        table.add_row(row["method"], f"{first:z.6f}", f"{second:z.6f}", kept)
    console.print(table)
    for point in document["property"]:
        console.print(
            f"ε*({point['delta']:g}) = {point['epsilon']:z.9f} for player {point['player']} "
            f"(best response: {point['exploitability']:z.9f})",
            highlight=False,
        )
