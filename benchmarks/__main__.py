"""``make bench`` or ``python -m benchmarks [NAME …] [--slow] [--json FILE]``."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks.registry import ENTRIES, Row


def main() -> int:
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.name not in ("__main__", "registry"):
            importlib.import_module(f"benchmarks.{module.name}")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of: {', '.join(ENTRIES)}")
    parser.add_argument("--slow", action="store_true", help="also those that take minutes")
    parser.add_argument("--json", type=Path, help="write the rows to this file as well")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in ENTRIES]
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}")
    chosen = [e for e in ENTRIES.values() if e.name in arguments.names or not arguments.names]
    chosen = [e for e in chosen if arguments.slow or arguments.names or not e.slow]
    console = Console(width=max(160, Console().width))
    rows: dict[str, list[Row]] = {}
    for item in chosen:
        with console.status(f"running {item.name}"):
            rows[item.name] = list(item.run())
        console.print(_table(item.name, rows[item.name]))
    if arguments.json:
        document = {
            name: [{**asdict(r), "ratio": r.ratio, "verdict": r.verdict} for r in found] for name, found in rows.items()
        }
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def _table(name: str, rows: list[Row]) -> Table:
    table = Table("what", "equiform", "peer", "peer's", "ratio", "goal", "note", title=name, title_justify="left")
    for row in rows:
        table.add_row(
            row.what,
            f"{row.ours:.4g} {row.unit}",
            row.peer_name,
            "" if row.peer is None else f"{row.peer:.4g} {row.unit}",
            "" if row.ratio is None else f"{row.ratio:.2f}×",
            "" if row.goal is None else f"{row.goal:g}× {row.verdict}",
            row.note,
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
