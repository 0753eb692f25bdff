"""Tables that took long to play, as the repository keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equiform.models.errors import FormatError
from equiform.models.files import read_json

FOLDER = Path(__file__).parent / "results"


def load_table(name: str) -> dict[str, Any] | None:
    """Give a stored table (``table_13_1``, ``dbbr``), or nothing if this installation comes without it."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return None
    document = read_json(path, "the stored table", fix="play it again")
    if not isinstance(document, dict) or "cells" not in document:
        raise FormatError("not a stored table", where=str(path), fix="play it again")
    return document
