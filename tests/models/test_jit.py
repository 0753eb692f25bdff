"""Cached machine code never outlives the sources it was compiled from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HELPER = """
from equiform.models.common.jit import jit

@jit
def weight(t):
    return t * {factor}
"""
LOOP = """
from {package}.helper import weight
from {package}.constants import SHIFT
from equiform.models.common.jit import jit

@jit
def total(n):
    s = 0.0
    for t in range(n):
        s += weight(t) + SHIFT
    return s

if __name__ == "__main__":
    print(total(4), total.stats.cache_hits[(total.signatures[0])] if total.stats.cache_hits else 0)
"""


def write(folder: Path, *, factor: float = 1.0, shift: float = 0.0) -> None:
    package = folder / "edited"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text(HELPER.format(factor=factor))
    (package / "constants.py").write_text(f"SHIFT = {shift}\n")
    (package / "loop.py").write_text(LOOP.format(package="edited"))


def run(folder: Path) -> tuple[float, int]:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(root)])}
    done = subprocess.run(
        [sys.executable, "-m", "edited.loop"], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    total, hits = done.stdout.split()
    return float(total), int(hits)


@pytest.mark.parametrize(("change", "expected"), [({"factor": 2.0}, 12.0), ({"shift": 1.0}, 10.0)])
def test_an_edited_helper_or_constant_reaches_a_cached_loop(
    tmp_path: Path, change: dict[str, float], expected: float
) -> None:
    write(tmp_path)
    assert run(tmp_path) == (6.0, 0)
    assert run(tmp_path) == (6.0, 1)  # the cache is warm
    write(tmp_path, **change)
    assert run(tmp_path) == (expected, 0)
    write(tmp_path)
    assert run(tmp_path) == (6.0, 1)  # the old machine code fits the old sources again
