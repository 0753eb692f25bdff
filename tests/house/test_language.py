"""Phrases that are not English as its speakers write it, and that have crept in before."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
ROOMS = ("benchmarks", "equiform", "formulations", "games", "models", "solvers_iterative", "validation")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")

#: "one a player" for "one per player": a number or a thing that is counted, and then the unit.
PER = re.compile(
    r"\b(?:one|two|three|four|\d+|(?:numbers?|plans?|rows?|columns?|strateg(?:y|ies)|vectors?|entr(?:y|ies)|bets|raises"
    r"|chips|cards|hands|programs|variables|weights|files?|sets?|arrays?|lines?)) "
    r"an? (?:player|seat|hand|street|round|game|match|row|state|node|iteration|second|infoset)\b"
    r"(?=[.,;:)!?]|$| (?:and|or|in|for|with|at|to|on|by)\b)"
)
#: "the file is no solution" for "is not a solution".
NO = re.compile(r"(?<![Tt]here )\b(?:is|are) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b|matter\b|one\b)")
GIVE = re.compile(r"\A\W*Gives?\b")
FIX = re.compile(r"\Agive\b")


def sources() -> Iterator[Path]:
    for room in ROOMS:
        for folder, _, names in os.walk(HOME / room):
            yield from (Path(folder) / name for name in names if name.endswith(".py"))


def pages() -> list[Path]:
    return [HOME / name for name in PAGES] + [p for p in (HOME / "docs").rglob("*.md") if "_build" not in p.parts]


def text_of(node: ast.expr) -> str:
    """Return a literal's text, with a mark for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "•" for v in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def complaints(source: str) -> list[str]:
    """List the phrases of a source file: in docstrings, in other literals, and in comments."""
    found = [line.strip() for line in source.splitlines() if "#" in line and PER.search(line.partition("#")[2])]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and GIVE.match(ast.get_docstring(node) or ""):
            found.append(f"{node.name}: Give")
        if isinstance(node, ast.Constant | ast.JoinedStr):
            text = re.sub(r"\s+", " ", text_of(node))
            found += [text for pattern in (PER, NO) if pattern.search(text)]
        if isinstance(node, ast.keyword) and node.arg == "fix" and FIX.match(text_of(node.value)):
            found.append(f"fix={text_of(node.value)!r}")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_sources(room: str) -> None:
    files = [path for path in sources() if path.is_relative_to(HOME / room)]
    assert files
    assert not {str(p): bad for p in files if (bad := complaints(p.read_text(encoding="utf-8")))}


def test_pages() -> None:
    texts = {path: re.sub(r"\s+", " ", path.read_text(encoding="utf-8")) for path in pages()}
    assert len(texts) > 50
    assert not {str(p): bad[0] for p, text in texts.items() if (bad := PER.search(text) or NO.search(text))}


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    """Give the value."""',
        'raise E("strategies do not fit: one a player")',
        'raise E(f"{path} is no solution")',
        'raise E("x", fix="give a number")',
        "x = 1  # one row a player",
    ],
)
def test_the_search_finds_them(source: str) -> None:
    assert complaints(source)


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    """Return one per player."""',
        'raise E("there is no such file")',
        'raise E("x is no longer read", fix="use one game")',
        "y = 2  # two a-priori estimates of what one player's hand is worth",
    ],
)
def test_the_search_lets_english_pass(source: str) -> None:
    assert not complaints(source)
