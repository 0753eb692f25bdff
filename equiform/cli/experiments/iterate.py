"""``equiform iterate`` and ``equiform compare``: iterative solvers, alone and side by side with the LP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from equiform.cli.experiments.live import end_interrupted, live
from equiform.cli.options import GAME, JSON, parse_options
from equiform.cli.output import console, print_json, require_drawable
from equiform.models.common.files import require_writable

if TYPE_CHECKING:
    from equiform.comparison import Comparison
    from equiform.solvers_iterative import Checkpoint, IterativeResult

UNTIL = typer.Option(
    "gap=1e-3,seconds=60", help="Stop at the first of these: gap=… (nash_conv), iterations=…, seconds=…."
)
SEED = typer.Option(0, help="Seed of the Monte Carlo algorithms.")
THREADS = typer.Option(1, help="Threads for the products of large games.")


def iterate(
    game: str = GAME,
    algorithm: str = typer.Option("cfr+", help="cfr+, dcfr, egt, fp, mccfr-external, …; `list` shows all."),
    until: str = UNTIL,
    option: list[str] = typer.Option([], help="An option of the algorithm as name=value; may be repeated."),  # noqa: B008
    seed: int = SEED,
    threads: int = THREADS,
    checkpoint_every: int = typer.Option(0, help="Iterations between measurements; 0 spaces them geometrically."),
    state: Path = typer.Option(  # noqa: B008
        None, help="Save the state here at every checkpoint and every ten seconds, and continue from it if it exists."
    ),
    out: Path = typer.Option(None, help="Write the averaged strategies to this JSON file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Approximate an equilibrium by an iterative algorithm.

    The gap is measured by exact best responses. Ctrl-C stops and shows what was reached.
    """
    from equiform import api
    from equiform.models.strategy import write_profile
    from equiform.solvers_iterative import Until, create
    from equiform.solvers_iterative.registry import seeded_options

    if algorithm == "list":
        _list_algorithms(json)
        return
    limit = Until.parse(until)
    for path in filter(None, (state, out)):
        require_writable(path)
    options = seeded_options(algorithm, parse_options(option), seed=seed, threads=threads)
    solver = create(algorithm, api.as_game(game), **options)
    if state is not None and state.exists():
        solver.load(state)
    with live(json) as listener:
        result = solver.run(limit, checkpoint_every=checkpoint_every or None, save_to=state, progress=listener)
    if out is not None:
        write_profile(out, game, result.strategies)
    if json:
        print_json(result.to_dict())
    else:
        _print_result(game, result, out)
    if result.stopped_by == "interrupt":
        end_interrupted("the state is saved; run the same command to resume." if state else "nothing was saved.")


def compare(
    game: str = GAME,
    algorithms: str = typer.Option(
        "lp,cfr+,egt,fp", help="Algorithms to run, separated by commas; lp means the program."
    ),
    until: str = UNTIL,
    seed: int = SEED,
    threads: int = THREADS,
    plot: Path = typer.Option(None, help="Draw exploitability against seconds and iterations into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Run several algorithms on one game and compare them."""
    from equiform import comparison
    from equiform.solvers_iterative import Until

    require_drawable(plot)
    if plot is not None:
        require_writable(plot)
    names = [name.strip() for name in algorithms.split(",") if name.strip()]
    with live(json) as listener:
        found = comparison.compare(game, names, Until.parse(until), seed=seed, threads=threads, progress=listener)
    if plot is not None:
        found.plot().write(plot)
    if json:
        print_json(found.to_dict())
    else:
        _print_comparison(found)
        if plot is not None:
            console.print(f"Plot written to {plot}.")
    if found.interrupted:
        end_interrupted("the algorithms after this one were not run.")


def _print_result(game: str, result: IterativeResult, out: Path | None) -> None:
    from equiform.solvers_iterative import ALGORITHMS

    last = result.checkpoint
    console.print(Text.assemble((game, "bold"), f", {result.algorithm}: {ALGORITHMS[result.algorithm].summary}."))
    speed = f", {last.iteration / last.seconds:,.0f} per second" if last.seconds else ""
    console.print(
        f"{last.iteration:,} iterations in {last.seconds:.3f} s{speed}; compiling took {result.compile_seconds:.2f} s; "
        f"stopped by {result.stopped_by}.",
        highlight=False,
    )
    console.print(_gap_line(last), highlight=False)
    if out is not None:
        console.print(f"Strategies written to {out}.")


def _gap_line(last: Checkpoint) -> str:
    if last.nash_conv != last.nash_conv:
        return "The gap is unknown: a player forgets, so best responses are not computed."
    regrets = ", ".join(f"{r:z.3e}" for r in last.regrets)
    value = (
        "" if last.lower != last.lower else f"The value to player 1 lies in [{last.lower:z.9f}, {last.upper:z.9f}]; "
    )
    return f"{value}nash_conv {last.nash_conv:z.3e}, exploitability {last.exploitability:z.3e} (regrets {regrets})."


def _print_comparison(found: Comparison) -> None:
    columns = ("algorithm", "iterations", "seconds", "exploitability", "stopped by")
    table = Table(*columns, title=found.game, title_justify="left")
    lp = found.program
    if lp is not None:
        table.add_row("lp", "", f"{lp.seconds:.3f}", f"{lp.exploitability:z.2e}", "optimality")
    for name, result in found.results.items():
        last = result.checkpoint
        table.add_row(
            name, f"{last.iteration:,}", f"{last.seconds:.3f}", f"{last.exploitability:z.2e}", result.stopped_by
        )
    console.print(table)


def _list_algorithms(json: bool) -> None:
    from equiform.solvers_iterative import ALGORITHMS

    if json:
        print_json([{"name": a.name, "summary": a.summary} for a in ALGORITHMS.values()])
        return
    table = Table("algorithm", "what it is")
    for a in ALGORITHMS.values():
        table.add_row(a.name, a.summary)
    console.print(table)
