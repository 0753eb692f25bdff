"""``equiform tournament``: the jam-or-fold equilibrium of a tournament's end, for all stacks at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equiform.cli.experiments.live import end_interrupted, live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json, require_drawable
from equiform.cli.tournament.charts import chart, named
from equiform.cli.tournament.numbers import numbers, whole_numbers
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import require_writable

if TYPE_CHECKING:
    from equiform.tournaments import TournamentSolution


def tournament(
    chips: int = typer.Option(..., help="All chips in play."),
    blinds: str = typer.Option(..., help="Small and big blind, like 300/600."),
    payouts: str = typer.Option("50,30,20", help="One prize per player: three, or two for heads-up."),
    unit: int | None = typer.Option(None, help="The smallest chip; by default the small blind."),
    ante: int = typer.Option(0, help="The ante of every player."),
    algorithm: str = typer.Option("interleaved", help="interleaved, vi-fp, pi-fp, fp-mdp or ftpl-mdp."),
    until: str = typer.Option("epsilon=0.05", help="Stop at the first of these: epsilon=…, iterations=…, seconds=…."),
    state: str = typer.Option("", help="Show the charts at these stacks, button first, like 4500,4500,4500."),
    checkpoint_every: int = typer.Option(40, help="Iterations between measurements of epsilon."),
    double_bust: str = typer.Option("larger-stack", help="Who finishes higher when two go out together; see the docs."),
    odd_chip: str = typer.Option("random", help="Who gets the odd chip of a split pot: random or first-seat."),
    save: Path = typer.Option(None, help="Save the run here, and continue from it if it exists."),  # noqa: B008
    out: Path = typer.Option(None, help="Write values and charts to this JSON file, for `equiform view`."),  # noqa: B008
    plot: Path = typer.Option(None, help="Draw the charts of --state into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Solve the end of a tournament and check the result.

    The first run with three players counts all showdowns of three hands, which takes minutes.
    """
    from equiform.games.tournament.structure import Tournament
    from equiform.solvers_iterative import Until
    from equiform.tournaments import draw_charts, solve_tournament

    amounts = whole_numbers(blinds, "--blinds", "/")
    if len(amounts) != 2:
        raise ParameterError(f"{blinds!r} are not two blinds", where="--blinds", fix="e.g. 300/600")
    small, big = amounts
    prizes, smallest = tuple(numbers(payouts, "--payouts")), small if unit is None else unit
    game = Tournament(
        chips, small, big, prizes, smallest, ante, len(prizes), double_bust=double_bust, odd_chip=odd_chip
    )
    limit = Until.parse(until.replace("epsilon", "gap"))
    require_drawable(plot)
    for path in filter(None, (save, out, plot)):
        require_writable(path)
    stacks = whole_numbers(state, "--state") if state else []
    if stacks:
        game.state_index(stacks)  # refuse impossible stacks before the work
    with live(json) as listener:
        found = solve_tournament(
            game, limit, algorithm=algorithm, checkpoint_every=checkpoint_every, state_file=save, progress=listener
        )
    document = _document(found, stacks)
    if plot is not None and stacks:
        draw_charts(list(found.charts(stacks).items())).write(plot)
    if out is not None:
        import json as writer

        from equiform.models.common.files import write_text

        write_text(out, writer.dumps({**found.document(), **document}, indent=1))
    if json:
        print_json(document)
    else:
        _print(found, stacks)
    if found.stopped_by == "interrupt":
        end_interrupted("the run is saved; the same command resumes it." if save else "nothing was saved.")


def _document(found: TournamentSolution, stacks: list[int]) -> dict[str, Any]:
    """Return the JSON of a solution, with the charts at the stacks asked for."""
    document: dict[str, Any] = found.to_dict()
    if stacks:
        document["state"] = {
            "stacks": stacks,
            "values": found.values[found.tournament.state_index(stacks)].tolist(),
            "charts": {name: named(table) for name, table in found.charts(stacks).items()},
        }
    return document


def _print(found: TournamentSolution, stacks: list[int]) -> None:
    game, proof = found.tournament, found.certificate
    if stacks:
        for title, table in found.charts(stacks).items():
            console.print(chart(table, title))
        values = found.values[game.state_index(stacks)]
        icm = game.icm_values()[game.state_index(stacks)]
        for seat, value, model in zip(game.seats, values, icm, strict=True):
            console.print(f"{seat}: {value:z.4f} (ICM {model:z.4f})", highlight=False)
    worst, seat = proof.worst
    console.print(
        f"{len(proof.values):,} states, {found.iterations:,} iterations of {found.algorithm} in {found.seconds:.1f} s, "
        f"stopped by {found.stopped_by}.",
        highlight=False,
    )
    console.print(
        f"Checked ex post: no player gains more than {proof.epsilon:z.6f} from any stacks (worst: {seat} at {worst}).",
        highlight=False,
    )
    deviation = found.to_dict()["icm"]
    largest = deviation["largest"]
    console.print(
        f"ICM is off by {deviation['mean_deviation']:z.4f} on average, most for the {largest['seat']} at "
        f"{largest['stacks']}: {largest['icm']:z.3f} instead of {largest['value']:z.3f}.",
        highlight=False,
    )
