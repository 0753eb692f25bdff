"""Which code computes a result: a hash of our own sources and the versions of what they calculate with."""

from __future__ import annotations

import hashlib
import importlib.util
import pkgutil
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

#: What only shows results.
_DISPLAY = frozenset({"cli", "viewer"})
#: Distributions whose release may change a result.
_CALCULATORS = ("clarabel", "highspy", "numba", "numpy", "piqp", "pot", "pulp", "pyomo", "pyscipopt", "scipy")


@cache
def code_version() -> str:
    """Return a short hash of the sources of all rooms but those for display, and of the solvers' releases.

    An edit, a pull or an upgrade changes it, so that results of different code are never mixed.
    """
    digest = hashlib.sha256()
    for name in sorted(_rooms()):
        for path in _sources(name):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    for name in _CALCULATORS:
        digest.update(f"{name} {_release(name)}\n".encode())
    return digest.hexdigest()[:16]


def _rooms() -> list[str]:
    package = sys.modules["equiform"]
    return [f"equiform.{m.name}" for m in pkgutil.iter_modules(package.__path__) if m.name not in _DISPLAY]


def _sources(name: str) -> list[Path]:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)] if spec.origin and spec.origin.endswith(".py") else []
    return sorted(path for folder in spec.submodule_search_locations for path in Path(folder).rglob("*.py"))


def _release(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "none"
