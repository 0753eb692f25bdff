"""Every code cell of every documentation page runs, page by page, in one namespace; so do the README's examples."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

ROOT = Path(__file__).parents[2]
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(?::[^\n]*\n)*(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A(?:---\n.*?\n---\n|(?::[^\n]*\n)+)", re.DOTALL)


def pages() -> list[Path]:
    return sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)


def run_cell(cell: str, name: str, names: dict[str, object]) -> object:
    """Run a cell as a notebook does, and return what it shows: the value of its last line."""
    tree = ast.parse(cell, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    return eval(compile(ast.Expression(last.value), name, "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT / "docs")))
def test_the_cells_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = [OPTIONS.sub("", cell) for cell in CELL.findall(page.read_text())]
    names: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        shown = run_cell(cell, f"{page.name}, cell {number}", names)
        # a bare matplotlib figure would appear as the text "<Figure size …>"
        assert not isinstance(shown, Figure) or hasattr(shown, "_repr_png_"), f"cell {number} shows no picture"


def test_every_page_is_in_the_table_of_contents() -> None:
    docs = ROOT / "docs"
    reached, waiting = set(), [docs / "index.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        for entries in TOCTREE.findall(page.read_text()):
            for entry in entries.split():
                named = entry.strip("<>") + ".md"  # titles may stand before a page in angle brackets
                waiting += [found for found in page.parent.glob(named) if found not in reached]
    assert not set(pages()) - reached


def test_the_readme_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = PYTHON.findall((ROOT / "README.md").read_text())
    assert examples
    names: dict[str, object] = {"__name__": "__main__"}
    for number, example in enumerate(examples, 1):
        exec(compile(example, f"README, example {number}", "exec"), names)


def test_the_architecture_names_every_folder_of_the_rooms() -> None:
    named = (ROOT / "docs" / "architecture.md").read_text()
    inner = [ROOT / "equiform" / name for name in ("abstraction", "endgames", "play", "viewer")]
    rooms = [ROOT / n for n in ("models", "games", "formulations", "solvers_iterative", "validation", "benchmarks")]
    folders = [f for room in (*rooms, *inner) for f in room.iterdir() if f.is_dir() and any(f.glob("*.py"))]
    assert len(folders) > 40
    assert not [str(f) for f in folders if f"{f.name}/" not in named]


def test_no_page_has_left_a_file() -> None:
    """Pages write files when they are run; none belongs to the sources."""
    kinds = {".md", ".rst", ".py", ".css", ".js", ".png", ".svg"}
    made = {"_build", "generated", "_files", "jupyter_execute", "__pycache__"}
    found = [path for path in (ROOT / "docs").rglob("*") if path.is_file() and not made & set(path.parts)]
    assert len(found) > 100
    assert not [str(path) for path in found if path.suffix not in kinds]
