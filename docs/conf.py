"""Sphinx configuration. Pages are MyST notebooks: their cells are executed by the build."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # the checkout, for the browser of the tests
os.environ.setdefault("MPLBACKEND", "Agg")

project = "equiform"
author = "The equiform developers"
copyright = "2026, the equiform developers"
release = "0.1.0"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx-mathjax-offline",
    "sphinx_design",
]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True  # what a page writes is not found again by the next build
nb_merge_streams = True
exclude_patterns = ["_build", "jupyter_execute", "notebooks/_files"]

html_theme = "pydata_sphinx_theme"
html_title = "equiform"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_js_files = ["pages.js"]
html_search_scorer = str(HERE / "search_scorer.js")  # guides before the names of functions
html_context = {"default_mode": "auto"}  # light or dark as the reader's system; unset, every page complains
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    # the whole tree of the reference on every page would make them all slow
    "collapse_navigation": True,
}
autodoc_typehints = "signature"
napoleon_use_ivar = True  # attributes named alike in several classes would be ambiguous targets
autodoc_member_order = "bysource"
# matplotlib writes a method `set` of its own into every figure class
autodoc_default_options = {"exclude-members": "set"}


def _description(docstring: Any) -> tuple[str, list[str]]:
    """Read the text about an attribute: annotations say its type, and not what stands before the first colon."""
    return "", docstring.__class__(docstring._dedent(docstring._consume_to_end()), docstring._config).lines()


def setup(app: Any) -> None:
    """Write the notebooks that pages offer for download before the pages are read."""
    import zmq
    from jupyter_client.manager import KernelManager
    from make_notebooks import write_notebooks
    from sphinx.ext.napoleon.docstring import GoogleDocstring

    if zmq.has("curve"):  # else every kernel warns that it is not encrypted
        KernelManager.transport_encryption.default_value = "auto"
    GoogleDocstring._consume_inline_attribute = _description  # type: ignore[method-assign,assignment]

    # it copies MathJax and touches no page, but does not say so, and the build would run on one core
    mathjax = app.extensions["sphinx-mathjax-offline"]
    mathjax.parallel_read_safe = mathjax.parallel_write_safe = True
    app.connect("builder-inited", lambda _: write_notebooks(HERE / "notebooks" / "_files"))
    app.connect("builder-inited", _photograph)


def _photograph(app: Any) -> None:
    """Photograph explorer pages where there is a browser; elsewhere the pictures of the checkout are shown."""
    if app.builder.format != "html":
        return
    from make_pictures import begin_screenshots, show_screenshots

    begun = begin_screenshots(Path(app.outdir))

    def finish(app: Any, failure: Exception | None) -> None:
        if failure is None:
            show_screenshots(Path(app.outdir), begun)
        else:
            begun.kill()

    app.connect("build-finished", finish)
