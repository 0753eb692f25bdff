"""Results as plain data: what ``to_dict`` returns, ``--json`` prints and notebooks and the viewer read."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from equiform.models.common.rational import exact_text


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: fractions as text, arrays as lists, NaN and infinity as ``None``.

    >>> plain({"value": Fraction(1, 3), "row": (1.0, float("nan"))})
    {'value': '1/3', 'row': [1.0, None]}
    """
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Fraction):
        return exact_text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # numpy
        return plain(value.tolist())
    if isinstance(value, Path):
        return str(value)
    name = getattr(value, "name", None)
    if isinstance(name, str):  # a game stands for itself by its name
        return name
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


class Record:
    """A dataclass whose fields are its documented JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: plain(getattr(self, field.name)) for field in fields}
