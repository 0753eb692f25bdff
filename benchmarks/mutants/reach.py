"""Which tests reach which line: one run of the tests under coverage, with a context per test.

Compiled functions are invisible to coverage. A test reaches a compiled function if it reaches a line of ordinary Python
that names it, directly or through other compiled functions.
"""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

from benchmarks.mutants.tree import ROOMS

#: Tests that check no result of these rooms, or start other processes, whose lines are not seen.
LEFT_OUT = ("tests/viewer", "tests/house/test_docs.py", "tests/house/test_packaging.py", "tests/house/test_plugins.py",
            "tests/house/test_start.py", "tests/runs/test_kill.py", "tests/games/cards")  # fmt: skip

_COMPILED = {"jit", "vector_jit", "inlined", "njit"}


class Recorder:
    """A pytest plug-in that switches coverage's context to the test that runs, and notes what the test took."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test in its own context."""
        self.measured.switch_context(item.nodeid)
        yield
        self.measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up set-up, call and tear-down; a test that fails without a mutant can kill none."""
        before = self.seconds.get(report.nodeid, 0.0)
        self.seconds[report.nodeid] = before + report.duration if report.passed else float("inf")


def measure(target: Path, output: Path, tests: list[str]) -> None:
    """Run the tests in the copy (the current process works in it) and store lines and seconds per test."""
    measured = coverage.Coverage(
        data_file=None, include=[str(target / folder / "*") for folder in ROOMS], check_preimported=False
    )
    recorder = Recorder(measured)
    measured.start()
    try:
        ignored = [f"--ignore={name}" for name in LEFT_OUT]
        pytest.main(["-q", "-p", "no:cacheprovider", *ignored, *tests], plugins=[recorder])
    finally:
        measured.stop()
    data = measured.get_data()
    lines: dict[str, dict[str, list[str]]] = {}
    for file in data.measured_files():
        name = str(Path(file).resolve().relative_to(target.resolve()))
        found = data.contexts_by_lineno(file)
        lines[name] = {str(line): [c for c in contexts if c] for line, contexts in found.items()}
    seconds = {test: s for test, s in recorder.seconds.items() if s != float("inf")}
    output.write_text(json.dumps({"seconds": seconds, "lines": lines}))


class Reach:
    """Answers which tests reach a line."""

    def __init__(self, path: Path, tree: Path) -> None:
        content = json.loads(path.read_text())
        self.seconds: dict[str, float] = content["seconds"]
        self.lines: dict[str, dict[int, set[str]]] = {
            file: {int(line): set(tests) for line, tests in found.items()} for file, found in content["lines"].items()
        }
        self.compiled = CompiledCallers(tree)

    def tests(self, file: str, first: int, last: int) -> set[str]:
        """Return the tests that execute one of the lines, or name the compiled function around them."""
        spans = [(file, first, last)] if not (found := self.compiled.callers(file, first)) else found
        reached: set[str] = set()
        for name, start, stop in spans:
            own = self.lines.get(name, {})
            reached |= set().union(*(own.get(line, set()) for line in range(start, stop + 1)))
        return {test for test in reached if test in self.seconds}


class CompiledCallers:
    """Finds the ordinary lines from which a compiled function is reached."""

    def __init__(self, tree: Path) -> None:
        self.spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self.mentions: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        for folder in ROOMS:
            for path in sorted((tree / folder).rglob("*.py")):
                self._read(str(path.relative_to(tree)), ast.parse(path.read_text(encoding="utf-8")))

    def _read(self, file: str, module: ast.Module) -> None:
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and any(_named(d) in _COMPILED for d in node.decorator_list):
                self.spans[file].append((node.lineno, node.end_lineno or node.lineno, node.name))
        for node in ast.walk(module):
            name = _named(node)
            if name and isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                self.mentions[name].append((file, node.lineno, node.end_lineno or node.lineno))

    def around(self, file: str, line: int) -> str:
        """Return the compiled function that a line belongs to, or nothing."""
        return next((name for first, last, name in self.spans[file] if first <= line <= last), "")

    def callers(self, file: str, line: int) -> list[tuple[str, int, int]]:
        """Return ordinary lines that name the compiled function around a line; none if there is no such function."""
        start = self.around(file, line)
        waiting, seen, found = [start] if start else [], {start}, []
        while waiting:
            for place, first, last in self.mentions[waiting.pop()]:
                outer = self.around(place, first)
                if not outer:
                    found.append((place, first, last))
                elif outer not in seen:
                    seen.add(outer)
                    waiting.append(outer)
        return found


def _named(node: Any) -> str:
    """Return the last part of a name."""
    if isinstance(node, ast.Call):
        return _named(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
