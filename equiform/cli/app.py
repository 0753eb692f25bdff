"""The typer application: the commands, and how an error looks on the terminal or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from equiform import __version__
from equiform.cli.about import backends, demo, games
from equiform.cli.equilibria import (
    closed_form,
    derive,
    endgame,
    export,
    mip_nash,
    model,
    parametric,
    prove,
    refine,
    solve,
    verify,
)
from equiform.cli.experiments import iterate, match, reproduce
from equiform.cli.guard import end_process, guarded
from equiform.cli.output import console, errors, print_json
from equiform.cli.pictures import view
from equiform.cli.play import agent, league, play
from equiform.cli.play import match as holdem_match
from equiform.cli.poker import abstract, blueprint, equity, holdem, spot
from equiform.cli.terminal import show_what_can_be_shown
from equiform.cli.tournament import icm, pushfold, tournament
from equiform.models.common.errors import EquiformError

#: In the order of the help text; ``agent`` has commands of its own.
COMMANDS: tuple[tuple[str, Callable[..., None] | typer.Typer], ...] = (
    ("games", games.games),
    ("solve", solve.solve),
    ("mip-nash", mip_nash.mip_nash),
    ("model", model.model),
    ("read-solution", model.read_solution),
    ("verify", verify.verify),
    ("export", export.export),
    ("view", view.view),
    ("draw", view.draw),
    ("respond", refine.respond),
    ("gifts", refine.gifts),
    ("qpe-table", refine.qpe_table),
    ("endgame", endgame.endgame),
    ("match", match.match),
    ("agent", agent.agent_app),
    ("play", play.play),
    ("play-match", holdem_match.play_match),
    ("league", league.league),
    ("parametric", parametric.parametric),
    ("iterate", iterate.iterate),
    ("compare", iterate.compare),
    ("closed-form", closed_form.closed_form),
    ("prove", prove.prove),
    ("derive", derive.derive),
    ("reproduce", reproduce.reproduce),
    ("equity", equity.equity),
    ("holdem", holdem.holdem),
    ("spot", spot.spot),
    ("spot-report", spot.spot_report),
    ("icm", icm.icm),
    ("pushfold", pushfold.pushfold),
    ("tournament", tournament.tournament),
    ("abstract", abstract.abstract),
    ("buckets", abstract.buckets),
    ("blueprint", blueprint.blueprint),
    ("backends", backends.backends),
    ("demo", demo.demo),
)


class _Ordered(TyperGroup):
    """Lists commands in their order, whether they have commands of their own or not."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name, _ in COMMANDS]


app = typer.Typer(
    name="equiform",
    cls=_Ordered,
    help="Turn games into mathematical programs, solve them, and prove the answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for name, what in COMMANDS:
    if not isinstance(what, typer.Typer):
        app.command(name)(guarded(name, what))
        continue
    for part in what.registered_commands:
        assert part.callback is not None
        part.callback = guarded(f"{name}-{part.name}", part.callback)
    app.add_typer(what, name=name)


def _show_version(value: bool) -> None:
    if value:
        console.print(f"equiform {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    max_memory: str = typer.Option(
        "", envvar="EQUIFORM_MAX_MEMORY", help="What a game may take, such as 2GB. By default 60% of the machine."
    ),
    max_nodes: int = typer.Option(0, envvar="EQUIFORM_MAX_NODES", help="How many nodes a game's tree may have."),
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    """Turn games into mathematical programs, solve them, and prove the answer."""
    if max_memory or max_nodes:
        from equiform.models.size import size_limits

        context.with_resource(size_limits(nodes=max_nodes or None, memory=max_memory or None))


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; our own errors become one message and exit code 2.

    Without ``arguments`` it is the process's own command line, and the process ends with it.
    """
    try:
        _run(sys.argv[1:] if arguments is None else arguments)
    except SystemExit as end:
        if arguments is None:
            end_process(end.code)
        raise


def _run(argv: list[str]) -> None:
    show_what_can_be_shown()
    try:
        app(args=argv, prog_name="equiform", standalone_mode=True)
    except EquiformError as error:
        if "--json" in argv:
            print_json(error_document(error))
        else:
            errors.print(Text.assemble((type(error).__name__, "bold red"), f": {error}"))
        sys.exit(2)


def error_document(error: EquiformError) -> dict[str, Any]:
    """Return the JSON form of an error."""
    return {"error": {"type": type(error).__name__, "what": error.what, "where": error.where, "fix": error.fix}}
