"""``equiform backends``: which solvers this machine has, and what they can do."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json


def backends(json: bool = JSON) -> None:
    """List the solvers: which are installed, what they can do."""
    from equiform.formulations.optimization.backends import list_backends

    known = list_backends()
    if json:
        print_json([asdict(info) for info in known])
        return
    table = Table("backend", "version", "can do", "algorithms", "note")
    for info in known:
        skills = ", ".join(skill for skill, able in asdict(info.capabilities).items() if able)
        table.add_row(info.name, info.version or "not installed", skills, ", ".join(info.algorithms), info.note)
    console.print(table)
