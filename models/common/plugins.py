"""What other packages add through entry points. A broken one is set aside with an error that names it."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from equiform.models.common.errors import PluginError

T = TypeVar("T")


@dataclass(frozen=True)
class Plugins(Generic[T]):
    """The plug-ins of one group: those that loaded, and the error of each that did not, by name."""

    found: Mapping[str, T]
    broken: Mapping[str, PluginError]


def load_plugins(group: str, read: Callable[[str, Any], T]) -> Plugins[T]:
    """Load all entry points of a group.

    Parameters
    ----------
    group
        The entry-point group, such as ``equiform.games``.
    read
        Turns an entry point's name and the object that it refers to into an entry; whatever it raises makes the plug-in
        a broken one.
    """
    return _load(group, read, tuple(sys.path))


@lru_cache(maxsize=16)
def _load(group: str, read: Callable[[str, Any], T], path: tuple[str, ...]) -> Plugins[T]:
    found: dict[str, T] = {}
    broken: dict[str, PluginError] = {}
    for point in importlib.metadata.entry_points(group=group):
        try:
            found[point.name] = read(point.name, point.load())
        except Exception as error:  # a plug-in may fail in any way, and must not take the others with it
            package = point.dist.name if point.dist is not None else "an unknown package"
            broken[point.name] = PluginError(
                f"the plug-in {point.name!r} of {package} cannot be loaded: {type(error).__name__}: {error}",
                where=f"entry point {point.value} of the group {group}",
                fix=f"repair or uninstall {package}",
            )
    return Plugins(found, broken)
