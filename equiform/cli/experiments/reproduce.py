"""``equiform reproduce``: the papers' tables, computed again and judged cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from equiform.cli.experiments.live import JOBS, ON, end_interrupted, executor_name, live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.models.common.files import require_writable_folder

if TYPE_CHECKING:
    from equiform.validation.reproduce.cell import Cell
    from equiform.validation.reproduce.experiment import Experiment, Outcome
    from equiform.validation.reproduce.runner import Reproduction

_STYLE = {
    "match": "green",
    "attained": "bright_green",
    "not excluded": "yellow",
    "mismatch": "red",
    "ours": "cyan",
}
_DECIDED = ("match", "mismatch")


def reproduce(
    experiment: str = typer.Argument(
        metavar="ID", help="An id such as 7.2, several with commas between, `all` or `list`."
    ),
    quick: bool = typer.Option(False, "--quick", help="Run only the smaller set that continuous integration runs."),
    on: str = ON,
    jobs: int = JOBS,
    report: Path = typer.Option(None, help="Write a self-contained HTML page with plots into this folder."),  # noqa: B008
    store: Path = typer.Option(None, help="Keep finished parts and results in this folder, and resume from it."),  # noqa: B008
    fresh: bool = typer.Option(False, "--fresh", help="Recompute what the store already holds."),
    check: bool = typer.Option(False, "--check", help="Fail if a verdict differs from the published results."),
    json: bool = JSON,
) -> None:
    """Recompute the papers' tables, with a verdict per cell."""
    from equiform import __version__
    from equiform.validation.reproduce import runner
    from equiform.validation.reproduce.registry import EXPERIMENTS, select
    from equiform.validation.reproduce.report import write_report

    if experiment == "list":
        _list(list(EXPERIMENTS.values()), json)
        return
    chosen, executor = select(experiment), executor_name(on, jobs)
    for folder in filter(None, (report, store)):
        require_writable_folder(folder)
    with live(json) as listener:
        found = runner.reproduce(
            chosen, quick=quick, on=executor, store=store, fresh=fresh, check=check, progress=listener
        )
    page = None if report is None else write_report(report, found.outcomes, version=__version__)
    if json:
        print_json(found.to_dict())
    else:
        _print(found, page)
    if found.interrupted:
        end_interrupted("run the same command to resume." if store else "nothing was stored.")
    if found.changes:
        raise typer.Exit(1)


def _print(found: Reproduction, page: Path | None) -> None:
    for e, outcome in found.outcomes:
        console.print(_table(e, outcome))
        if outcome.reused:
            console.print(f"{e.id}: {outcome.reused} of {outcome.parts} parts come from the store.", highlight=False)
        if outcome.outdated:
            console.print(
                f"{e.id}: {outcome.outdated} stored parts are of other code or parameters and were not used.",
                highlight=False,
            )
    console.print(_summary(found.outcomes))
    if page is not None:
        console.print(f"Report written to {page}.", highlight=False)
    for c in found.changes:
        where = f" {c.experiment}, {c.row}, {c.column}: {c.before or '–'} → {c.after or '–'}"
        console.print(Text.assemble(("changed", "red"), where))


def _list(experiments: list[Experiment], json: bool) -> None:
    if json:
        print_json([{"id": e.id, "title": e.title, "source": e.source, "seconds": e.seconds} for e in experiments])
        return
    table = Table(title="Experiments", title_justify="left")
    for name in ("id", "what", "source", "quick / full, about"):
        table.add_column(name)
    for e in experiments:
        table.add_row(e.id, e.title, e.source, f"{e.seconds[0]:g} s / {e.seconds[1]:g} s")
    console.print(table)


def _table(e: Experiment, outcome: Outcome) -> Table:
    """Show an outcome as the paper's table: printed, ours, colour by verdict."""
    table = Table(title=f"{e.id}. {e.title}", title_justify="left", title_style="bold", caption=outcome.summary)
    columns = list(dict.fromkeys(c.column for c in outcome.cells))
    at = {(c.row, c.column): c for c in outcome.cells}
    table.add_column(e.column_title or "")
    for column in columns:
        table.add_column(column, justify="right")
    for row in dict.fromkeys(c.row for c in outcome.cells):
        table.add_row(row, *(_cell(at.get((row, column))) for column in columns))
    return table


def _cell(c: Cell | None) -> str | Text:
    from equiform.validation.reproduce.report import number

    if c is None:
        return ""
    style = _STYLE[c.verdict.value]
    printed = f"{c.printed}\n" if c.printed else ""
    return Text.assemble(printed, (number(c.ours), style))


def _summary(outcomes: Sequence[tuple[Experiment, Outcome]]) -> Table:
    table = Table(title="Verdicts: numbers, and cells that say yes or no", title_justify="left", padding=(0, 0))
    table.add_column("id", no_wrap=True)
    for name in (*_STYLE, *(f"yes/no {v}" for v in _DECIDED), "s"):
        table.add_column(name, justify="right", no_wrap=" " not in name)
    for e, o in outcomes:
        numbers = {v.value: n for v, n in o.numbers.items()}
        decisions = {v.value: n for v, n in o.decisions.items()}
        counts = [numbers.get(v, "") for v in _STYLE] + [decisions.get(v, "") for v in _DECIDED]
        table.add_row(e.id, *map(str, counts), f"{o.seconds:.0f}")
    return table
