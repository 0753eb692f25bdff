"""Packages that import what they offer on first use: numba and solvers take a second, and a help text should not."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package, from names to the modules that define them.

    A home of the form ``module:name`` is for what has another name there. Where an object shares its name with its
    module, as ``sequence_form`` does, the package offers the object: importing the module does not replace it.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, _, original = homes[name].partition(":")
        return getattr(importlib.import_module(home), original or name)

    shared = [name for name, home in homes.items() if home == f"{package}.{name}"]
    if shared:
        module = sys.modules[package]
        module.__class__ = type("Package", (type(module),), {name: _fixed(find, name) for name in shared})
    return find


def _fixed(find: Callable[[str], Any], name: str) -> property:
    """Return an attribute that stays what it is when a module of its name is imported."""
    return property(lambda _: find(name), lambda _, module: None)
