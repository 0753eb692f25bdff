"""The file format of all runs: one ``.npz`` per result or state, written in one step, read without unpickling anything.

============== =========================================================================================================
``header``     a text in JSON: ``format`` (``equiform-run``), ``version``, ``task`` (what identifies the work:
               ``function``, ``arguments`` with hashes for games, ``version`` of the code), ``key`` (its hash) and
               ``values`` (results that are plain data)
``array.NAME`` each result that is an array
============== =========================================================================================================

A file that is damaged, belongs to other work or holds NaN is refused with :class:`FormatError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_arrays, whole_file
from equiform.runs.task import Task, Values, identity_key, plain_data

FORMAT = "equiform-run"
VERSION = 1
_AGAIN = "delete the file and run again"


@dataclass(frozen=True, eq=False)
class Record:
    """What a file holds: the identity of a task and what came of it so far."""

    path: Path
    task: Mapping[str, Any]
    values: Mapping[str, Any]
    """Plain data and arrays by name."""

    def require(self, task: Task) -> Values:
        """Return the values if they are the task's, or say what is different."""
        mine = task.to_dict()
        if identity_key(self.task) == task.key:
            return self.values
        theirs = {**self.task, **_mapping(self.task.get("arguments"))}
        expected = {**mine, **mine["arguments"]}
        for name in (n for n in expected if n != "arguments" and theirs.get(n) != expected[n]):
            raise FormatError(
                f"the saved run has another {name}: {str(theirs.get(name))[:60]!r}, not {str(expected[name])[:60]!r}",
                where=str(self.path),
                fix="resume with the arguments, game and release that wrote it, or choose another file",
            )
        raise FormatError("the saved run is another one", where=str(self.path), fix="choose another file")


def write_record(path: str | Path, task: Task, values: Values) -> None:
    """Write a record atomically: at any moment, even after a crash, readers see the old file or the new one."""
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    others = {name: value for name, value in values.items() if name not in arrays}
    where = task.label or task.function
    try:
        text = plain_data(others, where)
    except ParameterError as error:
        raise FormatError(f"a result cannot be stored: {error.what}", where=where, fix=error.fix) from None
    bad = _holding_nan(arrays)
    if bad:
        raise FormatError(f"{bad} holds NaN and is not stored", where=where, fix="report this with the command")
    header = {"format": FORMAT, "version": VERSION, "task": task.to_dict(), "key": task.key, "values": text}
    named: dict[str, Any] = {f"array.{name}": array for name, array in arrays.items()}
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **named)


def read_record(path: str | Path) -> Record:
    """Read a record, or raise :class:`FormatError`."""
    stored = read_arrays(path, "the saved run", fix=_AGAIN)
    try:
        header = json.loads(str(stored["header"]))
    except (KeyError, ValueError, RecursionError):
        raise FormatError("not a saved run", where=str(path), fix="choose an .npz file that a run wrote") from None
    if not isinstance(header, dict) or (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise FormatError(
            "this release cannot read the saved run", where=str(path), fix=f"expected {FORMAT!r}, version {VERSION}"
        )
    task, values = header.get("task"), header.get("values")
    if not isinstance(task, dict) or not isinstance(values, dict) or header.get("key") != identity_key(task):
        raise FormatError("the saved run does not say what it belongs to", where=str(path), fix=_AGAIN)
    try:
        plain_data(values, "")
    except ParameterError:
        raise FormatError("the saved run holds NaN", where=str(path), fix=_AGAIN) from None
    arrays = {name.removeprefix("array."): a for name, a in stored.items() if name.startswith("array.")}
    bad = _holding_nan(arrays)
    if bad:
        raise FormatError(f"{bad} of the saved run holds NaN", where=str(path), fix=_AGAIN)
    return Record(Path(path), task, {**values, **arrays})


def _holding_nan(arrays: Mapping[str, NDArray[Any]]) -> str:
    return next((name for name, a in arrays.items() if a.dtype.kind in "fc" and np.isnan(a).any()), "")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
