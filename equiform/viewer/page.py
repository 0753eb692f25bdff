"""Pages: one HTML file that holds a solved game, its proof and the program to look at them.

The file needs no network and no server, and it cannot run anything but our own script: its content security policy
names the script and the style sheet by their digests and forbids everything else. Names of games, players and moves
travel as JSON in which no ``<`` is left, and the script writes them as text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from abc import abstractmethod
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from equiform.models.common.files import write_text

#: The script's modules, each after those that it imports.
MODULES = (
    *("data/format", "parts/palette", "data/decode", "data/game", "data/state", "data/rows", "data/hands"),
    *("parts/dom", "parts/proof", "parts/walk", "parts/table", "parts/save", "parts/grid", "parts/chart"),
    "parts/curve",
    *("pages/spot", "pages/tournament", "pages/convergence", "pages/app", "pages/main"),
)
_IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)


class Page:
    """A page, which a notebook displays by itself; what it shows is up to its document."""

    name: str

    @property
    def title(self) -> str:
        """What the page is called."""
        return self.name

    @property
    @abstractmethod
    def document(self) -> dict[str, Any]:
        """The data of the page."""

    @property
    def titles(self) -> list[str]:
        """What the profiles on the page are called."""
        return [profile["title"] for profile in self.document["profiles"]]

    @cached_property
    def html(self) -> str:
        """The whole page."""
        return page(self.document)

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, atomically, and return its path."""
        write_text(path, self.html)
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Return the data of the page."""
        return self.document

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:44rem;border:1px solid #8888" srcdoc="{html.escape(self.html)}"></iframe>'
        )


def page(document: dict[str, Any]) -> str:
    """Return the HTML of an explorer page."""
    code, style = script(), asset("explorer.css")
    ours = f"script-src '{_digest(code)}'; style-src '{_digest(style)}'"
    parts = {
        "title": html.escape(f"{document['game']} · equiform"),
        "policy": f"default-src 'none'; {ours}; img-src data: blob:",
        "style": style,
        "data": inline_json(document),
        "script": code,
    }
    # one pass: what is put in is not searched again
    return re.sub(r"@@(\w+)@@", lambda found: parts[found[1]], asset("explorer.html"))


def inline_json(document: Any) -> str:
    r"""Write JSON that can stand inside a script element: nothing in it ends the element or begins another.

    >>> inline_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def script() -> str:
    """Return the modules of the page as one script: imports go, and exports become plain declarations."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(f"{name}.js"))) for name in MODULES)


@cache
def asset(name: str) -> str:
    """Return the text of a file in ``assets``."""
    return (resources.files("equiform.viewer") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
