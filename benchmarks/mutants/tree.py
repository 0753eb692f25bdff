"""The scratch copy of the tree: mutants never touch the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

#: Top-level folder -> name of the room in the table of scores.
ROOMS = {
    "formulations": "formulations",
    "solvers_iterative": "solvers_iterative",
    "equiform/play": "equiform/play",
    "validation": "validation",
}


def tracked(checkout: Path, *under: str) -> list[Path]:
    """List the files of the checkout that git knows or would add, relative to it."""
    command = ["git", "-C", str(checkout), "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *under]
    names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    return [Path(name) for name in names if name and os.path.lexists(checkout / name)]


def copy_tree(checkout: Path, target: Path) -> None:
    """Bring the copy up to date; files that are equal keep their time stamp, and so their compiled code."""
    wanted = tracked(checkout)
    for name in wanted:
        old, new = checkout / name, target / name
        new.parent.mkdir(parents=True, exist_ok=True)
        if old.is_symlink():
            if not new.is_symlink():
                new.symlink_to(os.readlink(old))
        elif not new.exists() or new.read_bytes() != old.read_bytes():
            shutil.copyfile(old, new)
    kept = {str(name) for name in wanted}
    for path in target.rglob("*.py"):
        name = path.relative_to(target)
        if "__pycache__" not in name.parts and str(name) not in kept and not _linked(target, name):
            path.unlink()


def _linked(target: Path, name: Path) -> bool:
    """Return whether the path leads through one of the links in ``equiform/``."""
    return any((target / parent).is_symlink() for parent in name.parents)


def room_of(path: Path) -> str:
    """Return the room of a source file."""
    return next(room for folder, room in ROOMS.items() if path.is_relative_to(folder))


def sources(checkout: Path) -> list[Path]:
    """List the files that mutants are made of.

    Pictures have no result. The experiments of ``reproduce`` are left out as well: their check is not a test but the
    verdict of every cell (``equiform reproduce all --check``).
    """
    found = (p for p in tracked(checkout, *ROOMS) if p.suffix == ".py")
    return sorted(p for p in found if p.name not in ("__init__.py", "plots.py") and not _experiment(p))


def _experiment(path: Path) -> bool:
    return path.is_relative_to("validation/reproduce") and len(path.parts) > 3
