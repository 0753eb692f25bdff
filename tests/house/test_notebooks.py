"""Notebooks to download are made from pages; the cells of the pages run in test_docs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_notebooks", DOCS / "make_notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_notebook_is_offered_and_holds_its_page(tmp_path: Path) -> None:
    made = maker()
    files = made.write_notebooks(tmp_path)
    assert len(files) >= 8 and len({f.name for f in files}) == len(files)
    gallery = (DOCS / "notebooks" / "index.md").read_text()
    for page, file in zip(made.PAGES, files, strict=True):
        assert f"_files/{file.name}" in gallery
        cells = json.loads(file.read_text())["cells"]
        source = (DOCS / f"{page}.md").read_text()
        assert sum(c["cell_type"] == "code" for c in cells) == source.count("```{code-cell}")
        words = "".join(line for c in cells if c["cell_type"] == "markdown" for line in c["source"])
        assert "{doc}" not in words and "{py:" not in words and "toctree" not in words


@pytest.mark.parametrize("page", maker().PAGES)
def test_notebooks_execute(page: str, tmp_path: Path) -> None:
    """Run a notebook as ``jupyter nbconvert --execute`` does, with the client that nbconvert uses."""
    from nbclient import NotebookClient  # takes long to load

    notebook = maker().notebook(page)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert all(c.execution_count for c in notebook.cells if c.cell_type == "code")
