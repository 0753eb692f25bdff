"""``equiform model`` and ``read-solution``: a program in a file, and a foreign solver's answer to it."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from equiform.cli.options import ALL, GAME, JSON, OUT, SET, parse_settings, seat, shown
from equiform.cli.output import console, print_json, strategy_table, warn_of


def model(
    game: str = typer.Argument("", metavar="GAME", help="What the program takes; see `--formulation list`."),
    formulation: str = typer.Option("nash", help="Which program; `list` shows them all with their parameters."),
    epsilon: str = typer.Option("", help="Short for --set epsilon=…."),
    player: int = typer.Option(None, help="Short for --set player=…: whose program, 1 or 2."),
    setting: list[str] = SET,
    out: Path = typer.Option(None, "--out", "--write", help="Write the program to this .lp, .mps or .nl file."),  # noqa: B008
    names: bool = typer.Option(False, "--names", help="Name rows and columns by information sets and actions."),
    json: bool = JSON,
) -> None:
    """Build any program and write it for any other solver."""
    if formulation == "list":
        print_formulations(json)
        return
    from equiform import api
    from equiform.formulations.registry import find_formulation
    from equiform.models.common.errors import ParameterError

    entry = find_formulation(formulation)
    texts = parse_settings(setting)
    if epsilon:
        texts["epsilon"] = epsilon
    if player is not None:
        texts["player"] = str(seat(player) + 1)
    if not game:
        raise ParameterError(f"{formulation} takes a {entry.takes}", where="GAME", fix=f"for example {entry.example}")
    written = api.write_model(game, out, formulation, names=names, **entry.read(texts))
    if json:
        print_json(written.to_dict())
        return
    console.print(
        f"{written.name}: {written.rows:,} rows, {written.columns:,} columns, {written.nonzeros:,} nonzeros.",
        highlight=False,
    )
    if out is not None:
        console.print(f"Written to {out}.")


def print_formulations(json: bool, *, concepts: bool = False) -> None:
    """List the programs, or the solution concepts among them."""
    from equiform.formulations.registry import broken_formulations, formulations
    from equiform.models.common.parameters import value_text

    known = [entry for entry in formulations().values() if entry.concept or not concepts]
    warn_of(broken_formulations())
    if json:
        print_json([entry.to_dict() for entry in known])
        return
    table = Table("name", "takes", "parameters", "question")
    for entry in known:
        parameters = ", ".join(f"{p.name}={value_text(p.default)}" for p in entry.parameters)
        table.add_row(entry.name, entry.takes, parameters, entry.title)
    console.print(table)


def read_solution(
    file: Path = typer.Argument(metavar="MODEL", help="The .lp or .mps file that `equiform model` wrote."),  # noqa: B008
    solution: Path = typer.Argument(metavar="SOLUTION", help="What HiGHS, CBC, Gurobi or SCIP wrote."),  # noqa: B008
    game: str = GAME,
    tolerance: float = typer.Option(1e-6, help="Exit with code 1 if a player can gain more than this."),
    out: Path = OUT,
    everything: bool = ALL,
    json: bool = JSON,
) -> None:
    """Certify what another solver found.

    Its solution file becomes strategies; the file of the model says which program was solved.
    """
    from equiform import api
    from equiform.models.strategy import write_profile

    found = api.read_solution(file, solution, game, tolerance=tolerance)
    if out is not None:
        write_profile(out, game, found.strategies)
    if json:
        print_json(found.to_dict())
    else:
        for strategy in found.strategies:
            console.print(strategy_table(strategy, limit=shown(everything)))
        origin = "its duals" if found.opponent == "duals" else "a program solved here, as the file has no duals"
        console.print(
            f"Player {found.player + 1}'s strategy is from {found.solver} ({found.status}), the other's from {origin}.",
            highlight=False,
        )
        lower, upper = found.certificate.bracket or (float("nan"), float("nan"))
        verdict = "an equilibrium" if found.equilibrium else "not an equilibrium"
        console.print(
            f"The value lies in [{lower:z.12f}, {upper:z.12f}]; "
            f"nash_conv {found.certificate.nash_conv:z.3e}: {verdict} at tolerance {tolerance:g}.",
            highlight=False,
        )
        if out is not None:
            console.print(f"Strategies written to {out}.")
    if not found.equilibrium:
        raise typer.Exit(1)
