"""Numbers separated by commas."""

from __future__ import annotations

from equiform.models.common.errors import ParameterError


def numbers(text: str, where: str) -> list[float]:
    """Read a list of numbers.

    >>> numbers("5000, 4900,100", "stacks")
    [5000.0, 4900.0, 100.0]
    """
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of numbers", where=where, fix="e.g. 50,30,20") from None


def whole_numbers(text: str, where: str, separator: str = ",") -> list[int]:
    """Read a list of whole numbers."""
    try:
        return [int(part) for part in text.split(separator)]
    except ValueError:
        fix = f"e.g. {separator.join(('300', '600'))}"
        raise ParameterError(f"{text!r} is not a list of whole numbers", where=where, fix=fix) from None
