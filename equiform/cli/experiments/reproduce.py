"""``equiform reproduce``: the papers' tables, computed again and judged cell by cell."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json

if TYPE_CHECKING:
    from equiform.validation.reproduce.cell import Cell
    from equiform.validation.reproduce.experiment import Change, Experiment, Outcome

_STYLE = {"match": "green", "inside interval": "yellow", "mismatch": "red", "ours": "cyan"}


def reproduce(
    experiment: str = typer.Argument(metavar="ID", help="An id such as 7.2, several with commas, `all`, or `list`."),
    quick: bool = typer.Option(False, "--quick", help="The smaller set that continuous integration runs."),
    jobs: int = typer.Option(1, help="Processes."),
    report: Path = typer.Option(None, help="Write a self-contained HTML page with plots into this folder."),  # noqa: B008
    store: Path = typer.Option(None, help="Keep finished parts and results here as JSON, and resume from it."),  # noqa: B008
    fresh: bool = typer.Option(False, "--fresh", help="Compute again what the store already holds."),
    check: bool = typer.Option(False, "--check", help="Fail if a verdict differs from the published results."),
    json: bool = JSON,
) -> None:
    """Compute the papers' tables again, with a verdict a cell."""
    from equiform import __version__
    from equiform.validation.reproduce.experiment import changes
    from equiform.validation.reproduce.registry import EXPERIMENTS, select
    from equiform.validation.reproduce.report import write_report
    from equiform.validation.reproduce.runner import published, run

    if experiment == "list":
        _list(list(EXPERIMENTS.values()), json)
        return
    chosen = select(experiment)
    # joblib replaces a worker that has grown and warns; nothing is lost
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    outcomes: list[tuple[Experiment, Outcome]] = []
    differences: list[Change] = []
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"), TimeElapsedColumn(),
        console=console, disable=json,
    )  # fmt: skip
    with bar:
        for e in chosen:
            task = bar.add_task(f"{e.id}: {e.title[:60]}", total=None)

            def show(_: Any, done: int, total: int, task: Any = task) -> None:
                bar.update(task, completed=done, total=total)

            outcome = run(e, quick=quick, jobs=jobs, store=store, fresh=fresh, progress=show)
            outcomes.append((e, outcome))
            before = published(e.id, quick) if check else None
            if before is not None:
                differences += changes(before, outcome)
    if report is not None:
        page = write_report(report, outcomes, version=__version__)
    if json:
        print_json({"results": [o.document() for _, o in outcomes], "changes": [vars(c) for c in differences]})
    else:
        for e, outcome in outcomes:
            console.print(_table(e, outcome))
        console.print(_summary(outcomes))
        if report is not None:
            console.print(f"Report written to {page}.", highlight=False)
        for c in differences:
            console.print(
                Text.assemble(
                    ("changed", "red"), f" {c.experiment}, {c.row}, {c.column}: {c.before or '–'} → {c.after or '–'}"
                )
            )
    if differences:
        raise typer.Exit(1)


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


def _summary(outcomes: list[tuple[Experiment, Outcome]]) -> Table:
    table = Table(title="Verdicts", title_justify="left")
    for name in ("id", *_STYLE, "seconds"):
        table.add_column(name, justify="right" if name != "id" else "left")
    for e, o in outcomes:
        counts = {v.value: n for v, n in o.counts.items()}
        table.add_row(e.id, *(str(counts.get(v, "")) for v in _STYLE), f"{o.seconds:.1f}")
    return table
