"""How long it takes to build a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_Model = TypeVar("_Model")


def timed(build: Callable[_P, _Model], *args: _P.args, **kwargs: _P.kwargs) -> tuple[_Model, float]:
    """Build a model; return it with the seconds that took."""
    started = time.perf_counter()
    model = build(*args, **kwargs)
    return model, time.perf_counter() - started
