"""Tighter feasibility tolerances for programs whose answer is a strategy.

A mixed-integer solver accepts rows that are broken by 1e-6. In a game that is a gain of 1e-6 times a big constant for
somebody, and where a signal has little probability, such a row may decide whether the program is feasible at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TIGHT: dict[str, dict[str, Any]] = {
    "highs": {"mip_feasibility_tolerance": 1e-9},
}


def tight(backend: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Add a backend's tight tolerances to the user's options, which win.

    >>> tight("highs", {"mip_feasibility_tolerance": 1e-7})
    {'mip_feasibility_tolerance': 1e-07}
    """
    return _TIGHT.get(backend, {}) | dict(options or {})
