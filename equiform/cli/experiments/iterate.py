"""``equiform iterate`` and ``equiform compare``: iterative solvers, alone and side by side with the LP."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from equiform.cli.options import GAME, JSON, parse_options
from equiform.cli.output import console, print_json, require_drawable

if TYPE_CHECKING:
    from equiform.solvers_iterative import Checkpoint, IterativeResult, IterativeSolver, Until

UNTIL = typer.Option(
    "gap=1e-3,seconds=60", help="When to stop: gap=… (nash_conv), iterations=…, seconds=…; the first one met ends."
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
        None, help="Save the state here at every checkpoint, and continue from it if it exists."
    ),
    out: Path = typer.Option(None, help="Write the averaged strategies to this JSON file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Approximate an equilibrium by an iterative algorithm.

    The gap is measured by exact best responses.
    """
    from equiform import api
    from equiform.models.strategy import write_profile
    from equiform.solvers_iterative import ALGORITHMS, Until

    if algorithm == "list":
        _list_algorithms(json)
        return
    limit = Until.parse(until)
    loaded = api.as_game(game)
    solver = _solver(algorithm, loaded, parse_options(option), seed, threads)
    if state is not None and state.exists():
        solver.load(state)
    result = _run(solver, limit, quiet=json, checkpoint_every=checkpoint_every or None, save_to=state)
    if out is not None:
        write_profile(out, game, result.strategies)
    if json:
        print_json(result_document(result))
        return
    last = result.checkpoint
    console.print(Text.assemble((game, "bold"), f", {algorithm}: {ALGORITHMS[algorithm].summary}."))
    speed = f", {last.iteration / last.seconds:,.0f} a second" if last.seconds else ""
    console.print(
        f"{last.iteration:,} iterations in {last.seconds:.3f} s{speed}; compiling took {result.compile_seconds:.2f} s; "
        f"stopped by {result.stopped_by}.",
        highlight=False,
    )
    console.print(_gap_line(last), highlight=False)
    if out is not None:
        console.print(f"Strategies written to {out}.")


def compare(
    game: str = GAME,
    algorithms: str = typer.Option("lp,cfr+,egt,fp", help="Algorithms to run, separated by commas; lp is the program."),
    until: str = UNTIL,
    seed: int = SEED,
    threads: int = THREADS,
    plot: Path = typer.Option(None, help="Draw exploitability against seconds and iterations into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Run several algorithms on one game and compare them."""
    from equiform import api
    from equiform.solvers_iterative import Until
    from equiform.solvers_iterative.plots import convergence_plot

    require_drawable(plot)
    limit = Until.parse(until)
    loaded = api.as_game(game)
    names = [name.strip() for name in algorithms.split(",") if name.strip()]
    solvers = {name: _solver(name, loaded, {}, seed, threads) for name in names if name != "lp"}
    lp: dict[str, Any] | None = None
    if "lp" in names:
        solved = api.solve(loaded)
        lp = {
            "seconds": solved.seconds["program"],
            "exploitability": solved.certificate.exploitability,
            "value": solved.value,
        }
    results = {name: _run(solver, limit, quiet=json) for name, solver in solvers.items()}
    if plot is not None:
        histories = {name: result.history for name, result in results.items()}
        convergence_plot(histories, title=game, lp_seconds=None if lp is None else lp["seconds"]).write(plot)
    if json:
        documents = {name: result_document(result) for name, result in results.items()}
        print_json({"game": game, "until": asdict(limit), "lp": lp, "algorithms": documents})
        return
    _print_comparison(game, lp, results)
    if plot is not None:
        console.print(f"Plot written to {plot}.")


def result_document(result: IterativeResult) -> dict[str, Any]:
    """Give the JSON form of a run; figures that do not exist for the game are null."""
    return {
        "algorithm": result.algorithm,
        "game": result.game,
        "stopped_by": result.stopped_by,
        "compile_seconds": result.compile_seconds,
        **_checkpoint_document(result.checkpoint),
        "history": [_checkpoint_document(c) for c in result.history],
    }


def _checkpoint_document(checkpoint: Checkpoint) -> dict[str, Any]:
    figures = asdict(checkpoint)
    ends = [figures.pop("lower"), figures.pop("upper")]
    bracket = None if ends[0] != ends[0] else ends
    return {**figures, "bracket": bracket, "exploitability": checkpoint.exploitability}


def _solver(name: str, game: Any, options: dict[str, Any], seed: int, threads: int) -> IterativeSolver:
    from equiform.solvers_iterative import create

    if name.startswith("mccfr"):
        options = {"seed": seed, **options}
    if threads != 1:
        options = {"threads": threads, **options}
    return create(name, game, **options)


def _run(
    solver: IterativeSolver,
    until: Until,
    *,
    quiet: bool,
    checkpoint_every: int | None = None,
    save_to: Path | None = None,
) -> IterativeResult:
    """Run with a live line on the terminal."""
    line: AbstractContextManager[Any] = nullcontext() if quiet else console.status(f"{solver.algorithm}: compiling")
    with line as status:

        def show(checkpoint: Checkpoint) -> None:
            if status is not None:
                speed = checkpoint.iteration / checkpoint.seconds if checkpoint.seconds else 0.0
                status.update(
                    f"{solver.algorithm}: iteration {checkpoint.iteration:,}, {speed:,.0f} a second, "
                    f"exploitability {checkpoint.exploitability:.3e}"
                )

        return solver.run(until, checkpoint_every=checkpoint_every, save_to=save_to, callbacks=[show])


def _gap_line(last: Checkpoint) -> str:
    if last.nash_conv != last.nash_conv:
        return "The gap is unknown: a player forgets, so best responses are not computed."
    regrets = ", ".join(f"{r:.3e}" for r in last.regrets)
    value = "" if last.lower != last.lower else f"The value to player 1 lies in [{last.lower:.9f}, {last.upper:.9f}]; "
    return f"{value}nash_conv {last.nash_conv:.3e}, exploitability {last.exploitability:.3e} (regrets {regrets})."


def _print_comparison(game: str, lp: dict[str, Any] | None, results: dict[str, IterativeResult]) -> None:
    table = Table(
        "algorithm", "iterations", "seconds", "exploitability", "stopped by", title=game, title_justify="left"
    )
    if lp is not None:
        table.add_row("lp", "", f"{lp['seconds']:.3f}", f"{lp['exploitability']:.2e}", "optimality")
    for name, result in results.items():
        last = result.checkpoint
        table.add_row(
            name, f"{last.iteration:,}", f"{last.seconds:.3f}", f"{last.exploitability:.2e}", result.stopped_by
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
