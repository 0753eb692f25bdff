"""The gallery's index: text files, games written in Python, and the closed forms that derive themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from equiform.models.common.arguments import require_name
from equiform.validation.closed_forms import CLOSED_FORMS
from equiform.validation.closed_forms.gallery.poker import akq, kuhn, three_player_kuhn
from equiform.validation.closed_forms.proving.document import Statement, parse_statement
from equiform.validation.closed_forms.proving.prove import POINTS, prove
from equiform.validation.closed_forms.proving.verdict import Verdict

_SHELVES = ("poker", "classics", "economics")
_PYTHON: tuple[Callable[[], Statement], ...] = (
    akq.statement,
    kuhn.small_bet,
    kuhn.large_bet,
    three_player_kuhn.statement,
)


@dataclass(frozen=True, eq=False)
class Entry:
    """One known solution."""

    name: str
    shelf: str
    title: str
    source: str
    domain: str
    statement: Statement | None
    """The family and the claim; ``None`` for a closed form that derives its own formulas."""
    text: str = ""
    """The file's text, for an entry that is one."""

    def prove(self, *, points: int = POINTS) -> Verdict:
        """Prove it."""
        if self.statement is None:
            return prove(CLOSED_FORMS[self.name], points=points)
        return prove(self.statement.family, self.statement.claim, points=points)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"name": self.name, "shelf": self.shelf, "title": self.title, "source": self.source, "for": self.domain}


@cache
def gallery() -> dict[str, Entry]:
    """Return every entry by name.

    >>> gallery()["cournot"].shelf
    'economics'
    """
    found = [_entry(shelf, parse_statement(text, name), text) for shelf, name, text in _texts()]
    found += [_entry("poker", make()) for make in _PYTHON]
    found += [Entry(f.name, "closed forms", f.title, f.source, f.scope.text, None) for f in CLOSED_FORMS.values()]
    return {entry.name: entry for entry in found}


def gallery_entry(name: str) -> Entry:
    """Find an entry by name."""
    return gallery()[require_name(name, gallery(), "entry in the gallery")]


def _texts() -> list[tuple[str, str, str]]:
    """Read the gallery's text files: shelf, name of the file, text."""
    found = []
    for shelf in _SHELVES:
        folder = files(f"equiform.validation.closed_forms.gallery.{shelf}")
        for file in sorted(folder.iterdir(), key=lambda f: f.name):
            if file.name.endswith(".toml"):
                found.append((shelf, file.name, file.read_text(encoding="utf-8")))
    return found


def _entry(shelf: str, statement: Statement, text: str = "") -> Entry:
    title = statement.note.strip().split(". ")[0].removesuffix(".") or statement.name.replace("-", " ")
    domain = str(statement.family.parameters)
    return Entry(statement.name, shelf, title, statement.source, domain, statement, text)
