"""``make bench``, ``python -m benchmarks [NAME …] [--slow] [--json FILE]`` or ``python -m benchmarks --readme``."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import os
import pkgutil
import platform
import sys
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks import readme
from benchmarks.registry import ENTRIES, Row
from equiform.models.common.files import write_text


def main() -> int:
    register()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of: {', '.join(ENTRIES)}")
    parser.add_argument("--slow", action="store_true", help="also those that take minutes")
    parser.add_argument("--json", type=Path, help="put the rows into this file as well, in place of older ones")
    parser.add_argument(
        "--readme", action="store_true", help="write the stored figures into the README; measure nothing"
    )
    arguments = parser.parse_args()
    if arguments.readme:
        readme.write()
        return 0
    unknown = [name for name in arguments.names if name not in ENTRIES]
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}")
    chosen = [e for e in ENTRIES.values() if e.name in arguments.names or not arguments.names]
    chosen = [e for e in chosen if arguments.slow or arguments.names or not e.slow]
    console = Console(width=max(160, Console().width))
    for item in chosen:
        with console.status(f"running {item.name}"):
            rows = list(item.run())
        console.print(_table(item.name, rows))
        if arguments.json:
            _store(arguments.json, item.name, rows)
    return 0


def register() -> None:
    """Import the modules of benchmarks, each of which registers its own."""
    for module in pkgutil.walk_packages(benchmarks.__path__, "benchmarks."):
        if not module.name.startswith("benchmarks.mutants") and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _store(path: Path, name: str, rows: list[Row]) -> None:
    """Add the rows of one benchmark to the file and keep those of the others."""
    document = json.loads(path.read_text()) if path.exists() else {"benchmarks": {}}
    document["machine"] = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, {_versions()}"
    document.setdefault("dates", {})[name] = date.today().isoformat()
    document["benchmarks"][name] = [{**asdict(r), "ratio": r.ratio, "verdict": r.verdict} for r in rows]
    for part in ("benchmarks", "dates"):
        document[part] = {n: document[part][n] for n in sorted(document[part]) if n in ENTRIES}
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in ("highspy", "numba", "open_spiel", "LiteEFG"):
        with suppress(importlib.metadata.PackageNotFoundError):
            found.append(f"{name} {importlib.metadata.version(name)}")
    return ", ".join(found)


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
