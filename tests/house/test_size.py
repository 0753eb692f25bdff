"""The house stays readable: short files, short functions, and folders that one can take in at a glance."""

from __future__ import annotations

import ast
import os
from collections import Counter
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
ROOMS = ("benchmarks", "equiform", "formulations", "games", "models", "solvers_iterative", "tests", "validation")
SUFFIXES = (".py", ".js", ".css")
FILE_LINES = 400
FUNCTION_LINES = 60
FOLDER_FILES = 16


def sources() -> list[Path]:
    """List the source files of every room once: the links in ``equiform/`` are not followed."""
    folders = [(Path(folder), names) for room in ROOMS for folder, _, names in os.walk(HOME / room)]
    return [folder / name for folder, names in folders for name in names if name.endswith(SUFFIXES)]


def long_functions(source: str) -> list[tuple[str, int]]:
    """Return name and number of lines of the functions that are too long, decorators not counted."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(f.name, (f.end_lineno or f.lineno) - f.lineno + 1) for f in functions]
    return [(name, length) for name, length in lengths if length > FUNCTION_LINES]


def crowded(files: list[Path]) -> dict[str, int]:
    """Return the folders with too many files; what only marks a package does not count."""
    counts = Counter(path.parent for path in files if path.name != "__init__.py")
    return {str(folder): count for folder, count in counts.items() if count > FOLDER_FILES}


def test_no_file_is_too_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    assert len(lengths) > 500
    assert not {str(path): length for path, length in lengths.items() if length > FILE_LINES}


def test_no_function_is_too_long() -> None:
    files = [path for path in sources() if path.suffix == ".py"]
    found = {str(path): long_functions(path.read_text(encoding="utf-8")) for path in files}
    assert not {path: functions for path, functions in found.items() if functions}


def test_no_folder_is_crowded() -> None:
    assert not crowded(sources())


@pytest.mark.parametrize(("body", "expected"), [(59, []), (60, [("f", 61)])])
def test_the_rule_for_functions_can_fail(body: int, expected: list[tuple[str, int]]) -> None:
    source = "@decorated\ndef f():\n" + "    pass\n" * body
    assert long_functions(source) == expected


@pytest.mark.parametrize(("files", "expected"), [(16, {}), (17, {"room": 17})])
def test_the_rule_for_folders_can_fail(files: int, expected: dict[str, int]) -> None:
    assert crowded([Path("room/__init__.py"), *(Path(f"room/{i}.py") for i in range(files))]) == expected
