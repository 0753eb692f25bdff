"""A folder of results: one record per finished task, named after the hash of everything that it depends on."""

from __future__ import annotations

import re
from pathlib import Path

from equiform.models.common.files import require_writable_folder
from equiform.runs.record import read_record, write_record
from equiform.runs.task import Task, Values

#: Of the key in a file's name; the whole key is in the header.
_DIGITS = 20


class Store:
    """Keeps the results of tasks in a folder, which several runs may share."""

    def __init__(self, folder: str | Path) -> None:
        """Take a folder; it is made if need be and tested for writing now, not after the work."""
        self.folder = require_writable_folder(folder)

    def path(self, task: Task) -> Path:
        """Return where the task's record is, or would be."""
        return self.folder / f"{_prefix(task)}{task.key[:_DIGITS]}.npz"

    def get(self, task: Task) -> Values | None:
        """Return the stored result, or ``None`` if there is none.

        Raises
        ------
        FormatError
            If the file is damaged, belongs to another task or holds NaN.
        """
        path = self.path(task)
        return read_record(path).require(task) if path.exists() else None

    def put(self, task: Task, values: Values) -> None:
        """Store a result in one step."""
        write_record(self.path(task), task, values)

    def others(self, task: Task) -> int:
        """Count results with the task's label that are not its own: of other arguments, games or code."""
        mine, prefix = self.path(task), _prefix(task)
        pattern = re.compile(re.escape(prefix) + rf"[0-9a-f]{{{_DIGITS}}}\.npz")
        return sum(bool(pattern.fullmatch(path.name)) and path != mine for path in self.folder.iterdir())


def _prefix(task: Task) -> str:
    label = re.sub(r"[^\w.+-]+", "_", task.label)[:60]
    return f"{label}-" if label else ""
