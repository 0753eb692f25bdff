"""Turn documentation pages into notebooks to download: ``python docs/make_notebooks.py FOLDER``.

The pages are the one source. The build of the documentation calls :func:`write_notebooks` before it reads them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import nbformat

DOCS = Path(__file__).parent
#: What the gallery of notebooks offers.
PAGES = (
    "quickstart",
    "notebooks/sequential_games",
    "notebooks/refinements",
    "swap_a_backend",
    "spots/solve_a_river",
    "tournaments/tutorial",
    "prove_your_own",
    "notebooks/openspiel_to_proof",
)
_ROLE = re.compile(r"\{[\w:]+\}`~?(?:([^`<]*?)\s*<[^`>]*>|([^`]*))`")
_FENCE = re.compile(r"^(`{3,}|:{3,})\{[^\n]*\n.*?^\1\n?", re.MULTILINE | re.DOTALL)


def notebook(page: str) -> nbformat.NotebookNode:
    """Return a page as a notebook; roles become their text, and directives of the site are left out."""
    import nbformat
    from myst_nb.core.read import read_myst_markdown_notebook

    found = read_myst_markdown_notebook((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    for number, cell in enumerate(found.cells):
        cell["id"] = f"cell-{number}"  # the same file from the same page
        if cell.cell_type == "markdown":
            cell.source = _ROLE.sub(_words, _FENCE.sub("", cell.source)).strip()
    found.cells = [cell for cell in found.cells if cell.source.strip()]
    found.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    found.nbformat, found.nbformat_minor = 4, 5
    nbformat.validate(found)
    return found


def write_notebooks(folder: Path) -> list[Path]:
    """Write all notebooks of the gallery into a folder."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in PAGES:
        target = folder / f"{Path(page).name}.ipynb"
        text = nbformat.writes(notebook(page)) + "\n"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _words(role: re.Match[str]) -> str:
    if role[1] is not None:
        return role[1]
    return f"`{role[2]}`" if "." in role[2] else role[2].rsplit("/", 1)[-1].replace("_", " ")


if __name__ == "__main__":
    for path in write_notebooks(Path(sys.argv[1])):
        print(path)
