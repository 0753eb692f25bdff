"""Where commands write: every output is tested before the work whose result it shall hold.

A command's options are told apart by their names, here and nowhere else; a test makes sure that every path of every
command is on one of the lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equiform.cli.output import require_drawable
from equiform.models.common.files import require_writable, require_writable_folder

FILES = frozenset({"out", "state", "save", "log", "page"})
PICTURES = frozenset({"plot"})
FOLDERS = frozenset({"report", "store", "run"})
#: Names that mean one thing in one command and another in another.
SPECIAL = {
    ("match", "checkpoint"): "folder",
    ("agent-build", "checkpoint"): "file",
    ("agent-build", "folder"): "folder",
    ("spot-report", "folder"): "folder",
    ("blueprint", "folder"): "folder",
}
INPUTS = frozenset(
    {"file", "solution", "against", "strategy", "lock", "folder", "abstraction", "river", "solved", "blueprint_of"}
)


def kind_of(command: str, name: str) -> str:
    """Return what a path is: a ``file``, ``picture`` or ``folder`` to write, or an ``input``; empty if nobody said."""
    if (command, name) in SPECIAL:
        return SPECIAL[command, name]
    kinds = {"file": FILES, "picture": PICTURES, "folder": FOLDERS, "input": INPUTS}
    return next((kind for kind, names in kinds.items() if name in names), "")


def require_outputs(command: str, arguments: Mapping[str, Any]) -> None:
    """Refuse outputs of a command that could not be written."""
    for name, path in arguments.items():
        if not isinstance(path, Path):
            continue
        kind = kind_of(command, name)
        if kind == "picture":
            require_drawable(path)
        if kind in ("file", "picture"):
            require_writable(path)
        elif kind == "folder":
            require_writable_folder(path)
