"""Run the tests that reach a mutant, in a process of its own, and say whether one of them failed."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.mutations import Mutant, mutated_source
from benchmarks.mutants.reach import Reach

KILLED, SURVIVED, SLOW, UNREACHED, GONE = "killed", "survived", "too slow", "not reached", "gone"
#: Nothing came of it in a long time, on a machine that is busy with other work perhaps: it is tried again.
UNDECIDED = "undecided"
_GIGABYTES = 6


@dataclass(frozen=True)
class Workplace:
    """The folders of a run: a copy of the tree, compiled code, and what is mutated."""

    checkout: Path
    scratch: Path

    @property
    def tree(self) -> Path:
        """The copy that the tests run in."""
        return self.scratch / "tree"

    @property
    def cache(self) -> Path:
        """numba's compiled code of the tree without a mutant."""
        return self.scratch / "cache"


def preload() -> None:
    """Import what every test imports, except for equiform, once and for all children."""
    import flint
    import highspy
    import hypothesis
    import numba
    import pulp
    import pyomo.environ
    import scipy.optimize
    import sympy

    assert all((flint, highspy, hypothesis, numba, pulp, pyomo, scipy, sympy))
    assert "equiform" not in sys.modules, "the children import equiform from the copy of the tree"


def enter(tree: Path, cache: Path) -> None:
    """Make this process, and those that it starts, use the copy of the tree and its own compiled code."""
    import numba

    os.environ |= {"PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    numba.config.CACHE_DIR = str(cache)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(tree))
    os.chdir(tree)


def chosen_tests(reach: Reach, mutant: Mutant, budget: float) -> list[str]:
    """Order the tests that may notice a mutant, up to the budget.

    First come those that reach it, then those that reach its file; if there are none, those that name its module.
    """
    first = reach.tests(mutant.file, mutant.line, mutant.last_line)
    others = reach.tests_of_file(mutant.file) - first
    if not first and not others:
        first = reach.tests_naming(mutant.file)
    spent = 0.0
    taken: list[str] = []
    for test in [*_quickest(reach, first), *_quickest(reach, others)]:
        if spent + reach.seconds[test] <= budget or not taken:
            taken.append(test)
            spent += reach.seconds[test]
    return taken


def _quickest(reach: Reach, tests: set[str]) -> list[str]:
    """Order tests: the quickest of every file first, then by duration."""
    ordered = sorted(tests, key=lambda t: (reach.seconds[t], t))
    quickest: dict[str, str] = {}
    for test in ordered:
        quickest.setdefault(test.split("::")[0], test)
    start = dict.fromkeys(quickest.values())
    return [*start, *(test for test in ordered if test not in start)]


def judge(place: Workplace, reach: Reach, mutant: Mutant, *, budget: float) -> tuple[str, float, int]:
    """Return the outcome of a mutant, the seconds it took, and how many tests there were to kill it."""
    tests = chosen_tests(reach, mutant, budget)
    if not tests:
        return UNREACHED, 0.0, 0
    path = place.tree / mutant.file
    text = mutated_source(place.tree, Path(mutant.file), mutant.key)
    if text is None:
        return GONE, 0.0, 0
    original, stamp = path.read_bytes(), path.stat()
    compiled = place.scratch / "cache-of-mutant"
    shutil.rmtree(compiled, ignore_errors=True)
    shutil.copytree(place.cache, compiled, copy_function=os.link)  # numba replaces files, it does not change them
    started = time.monotonic()
    limit = 90 + 6 * sum(reach.seconds[t] for t in tests)
    try:
        path.write_text(text, encoding="utf-8")
        outcome = _child(place, compiled, tests, limit)
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    return outcome, time.monotonic() - started, len(tests)


def _child(place: Workplace, compiled: Path, tests: list[str], limit: float) -> str:
    """Run the tests in a forked process with a limit on its processor time; being stuck counts as being noticed."""
    child = os.fork()
    if child == 0:
        _run_tests(place, compiled, tests, int(limit))
    end = time.monotonic() + 20 * limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return SURVIVED if code == 0 else SLOW if code in (-signal.SIGXCPU, -signal.SIGKILL) else KILLED
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return UNDECIDED


def _run_tests(place: Workplace, compiled: Path, tests: list[str], seconds: int) -> None:
    """Run in the child, in a group of its own, and leave without going back to the parent's code."""
    import pytest

    code = 1
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (_GIGABYTES << 30, _GIGABYTES << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        log = os.open(place.scratch / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        enter(place.tree, compiled)
        listing = place.scratch / "tests.txt"
        listing.write_text("\n".join(tests))
        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", f"@{listing}"]))
    finally:
        os._exit(code)
