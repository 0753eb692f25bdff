"""Which tests reach which line: one run of the tests under coverage, with a context per test.

Compiled functions are invisible to coverage. A test reaches a compiled function if it reaches a line of ordinary Python
that names it, directly or through other compiled functions. What is computed once, on import or for a cache, is seen
only in the first test that needs it: any test that reaches some line of the file may notice it.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import coverage
import pytest

from benchmarks.mutants.tree import ROOMS

#: Tests that check no result of these rooms, or start other processes, whose lines are not seen.
LEFT_OUT = ("tests/viewer", "tests/house/test_docs.py", "tests/house/test_packaging.py", "tests/house/test_plugins.py",
            "tests/house/test_start.py", "tests/runs/test_kill.py", "tests/games/cards")  # fmt: skip

_COMPILED = {"jit", "vector_jit", "borrowing_jit", "inlined", "njit"}


class Recorder:
    """A pytest plug-in that switches coverage's context to the test that runs, and notes what the test took."""

    def __init__(self, measured: coverage.Coverage, known: Collection[str]) -> None:
        self.measured = measured
        self.known = known
        self.collected: set[str] = set()
        self.seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is known already."""
        self.collected = {item.nodeid for item in items}
        items[:] = [item for item in items if item.nodeid not in self.known]

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


def up_to_date(target: Path, output: Path) -> bool:
    """Return whether the copy is still the one that was measured."""
    return output.exists() and json.loads(output.read_text()).get("files") == _files(target)


def measure(target: Path, output: Path, tests: list[str]) -> None:
    """Run the tests in the copy (the current process works in it) and store lines and seconds per test.

    What is stored already remains, for tests in files that have not changed since; its lines follow the changed
    sources.
    """
    files = _files(target)
    earlier = json.loads(output.read_text()) if output.exists() else {"seconds": {}, "lines": {}, "files": {}}
    same = {name for name, text in earlier["files"].items() if files.get(name) == text}
    known = {test: s for test, s in earlier["seconds"].items() if _file_of(test) in same}
    measured = coverage.Coverage(
        data_file=None, include=[str(target / folder / "*") for folder in ROOMS], check_preimported=False
    )
    recorder = Recorder(measured, known)
    measured.start()
    try:
        ignored = [f"--ignore={name}" for name in LEFT_OUT]
        pytest.main(["-q", "-p", "no:cacheprovider", *ignored, *tests], plugins=[recorder])
    finally:
        measured.stop()
    lines = {
        name: moved(found, earlier["files"][name], files[name])
        for name, found in earlier["lines"].items()
        if name in files
    }
    data = measured.get_data()
    for file in data.measured_files():
        own = lines.setdefault(str(Path(file).resolve().relative_to(target.resolve())), {})
        for line, contexts in data.contexts_by_lineno(file).items():
            own[str(line)] = sorted({*own.get(str(line), ()), *contexts} - {""})
    seconds = {test: s for test, s in known.items() if test in recorder.collected}
    seconds |= {test: s for test, s in recorder.seconds.items() if s != float("inf")}
    output.write_text(json.dumps({"seconds": seconds, "lines": lines, "files": files}))


def moved(lines: dict[str, list[str]], before: str, after: str) -> dict[str, list[str]]:
    """Carry what is known of the lines of a file over to its new text; a changed passage shares what is known of it."""
    if before == after:
        return lines
    found: dict[str, list[str]] = {}
    blocks = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    for kind, start, stop, new_start, new_stop in blocks:
        old = [lines.get(str(i + 1), []) for i in range(start, stop)]
        shared = sorted(set().union(*old))
        for i in range(new_start, new_stop):
            tests = old[i - new_start] if kind == "equal" else shared
            if tests:
                found[str(i + 1)] = tests
    return found


def _files(tree: Path) -> dict[str, str]:
    """Return the texts of the sources and the tests of a copy."""
    found = (path for folder in (*ROOMS, "tests") for path in (tree / folder).rglob("*.py"))
    return {str(path.relative_to(tree)): path.read_text(encoding="utf-8") for path in sorted(found)}


def _file_of(test: str) -> str:
    """Return the file of a test; that of a docstring's example is named by its link in ``equiform/``."""
    file = test.split("::")[0]
    inside = file.removeprefix("equiform/")
    return inside if inside.split("/")[0] in ROOMS else file


class Reach:
    """Answers which tests reach a line."""

    def __init__(self, path: Path, tree: Path) -> None:
        content = json.loads(path.read_text())
        self.seconds: dict[str, float] = content["seconds"]
        self.lines: dict[str, dict[int, set[str]]] = {
            file: {int(line): set(tests) for line, tests in found.items()} for file, found in content["lines"].items()
        }
        self.compiled = CompiledCallers(tree)
        self.files: dict[str, str] = content["files"]

    def tests_naming(self, file: str) -> set[str]:
        """Return the tests that run a line that names a module: nobody sees running what runs on its import."""
        name = re.compile(rf"\b{Path(file).stem}\b")
        places = {
            (other, number)
            for other, text in self.files.items()
            for number, line in enumerate(text.splitlines(), 1)
            if name.search(line)
        }
        homes = {other for other, _ in places}
        direct = {test for test in self.seconds if _file_of(test) in homes}
        return direct | self._union([(other, number, number) for other, number in places])

    def tests(self, file: str, first: int, last: int) -> set[str]:
        """Return the tests that execute one of the lines, or name the compiled function around them."""
        return self._union(self.compiled.callers(file, first) or [(file, first, last)])

    def tests_of_file(self, file: str) -> set[str]:
        """Return the tests that execute some line of a file, or name a compiled function in it."""
        starts = [start for start, _, _ in self.compiled.spans[file]]
        last = max(self.lines.get(file, {}), default=0)
        return self._union([(file, 1, last), *(span for line in starts for span in self.compiled.callers(file, line))])

    def _union(self, spans: list[tuple[str, int, int]]) -> set[str]:
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
        start = (file, self.around(file, line))
        waiting, seen, found = [start] if start[1] else [], {start}, []
        while waiting:
            home, name = waiting.pop()
            for place, first, last in self.mentions[name]:
                if name.startswith("_") and place != home:
                    continue  # another one of that name
                outer = (place, self.around(place, first))
                if not outer[1]:
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
