"""Writing a matplotlib figure into a file, in one step: it appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from equiform.models.errors import ParameterError
from equiform.models.strategy import publish

SUFFIXES = (".png", ".pdf", ".svg")


def check_target(file: str | Path) -> Path:
    """Refuse a file that cannot be drawn into; ask before a long computation, not after it."""
    target = Path(file)
    if target.suffix not in SUFFIXES or not target.parent.is_dir():
        raise ParameterError(
            f"cannot draw into {target.name}",
            where=str(target),
            fix=f"use {', '.join(SUFFIXES)} in a folder that exists",
        )
    return target


def save(figure: Any, file: str | Path) -> None:
    """Write the figure; the ending of the name says the format."""
    target = check_target(file)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
    except OSError as error:
        raise ParameterError(
            f"cannot write {target.name}: {error.strerror}", where=str(target), fix="check the folder's permissions"
        ) from None
    os.close(handle)
    try:
        figure.savefig(temporary)
        publish(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
