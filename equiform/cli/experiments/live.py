"""Progress on the terminal: one rich bar for every long run, and what Ctrl-C means to the shell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from equiform.cli.guard import INTERRUPTED
from equiform.cli.output import console, errors

if TYPE_CHECKING:
    from equiform.runs.progress import Listener, Progress

ON = typer.Option("", help="Where to compute: local, processes[:N] or ray[:ADDRESS]. Results are the same.")
JOBS = typer.Option(1, help="Processes: short for --on processes:N.")


def executor_name(on: str, jobs: int) -> str:
    """Return the executor that ``--on`` and ``--jobs`` ask for."""
    from equiform.models.common.arguments import require_workers
    from equiform.models.common.errors import ParameterError

    require_workers(jobs, "jobs", "--jobs")
    if on and jobs != 1:
        raise ParameterError("--on and --jobs are both set", where=f"--on {on} --jobs {jobs}", fix="use one of them")
    return on or ("local" if jobs == 1 else f"processes:{jobs}")


@contextmanager
def live(quiet: bool) -> Iterator[Listener]:
    """Yield a listener that draws one line per label, or one that does nothing."""
    from equiform.runs.progress import silent

    if quiet:
        yield silent
        return
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
        transient=True,
    )
    lines: dict[str, int] = {}
    figures: dict[str, str] = {}

    def listen(event: Progress) -> None:
        if event.label not in lines:
            lines[event.label] = bar.add_task(event.label, total=event.total, note="")
        if event.metrics:
            name, value = next(iter(event.metrics.items()))
            figures[event.label] = f"{name} {value:z.3e}"
        note = ", ".join(filter(None, (figures.get(event.label, ""), event.message)))
        bar.update(lines[event.label], completed=event.done, total=event.total, note=note)  # type: ignore[arg-type]

    with bar:
        yield listen


def end_interrupted(message: str) -> None:
    """Say how to go on after Ctrl-C and leave with the shell's exit code for it."""
    errors.print(f"Interrupted: {message}", highlight=False)
    raise typer.Exit(INTERRUPTED)
