"""Write the tables that follow from the code into the pages: ``python docs/make_tables.py``."""

from __future__ import annotations

import re
from pathlib import Path

from equiform.formulations.registry import formulations

PAGE = Path(__file__).parent / "programs" / "index.md"
PLACE = re.compile(r"(?<=<!-- programs -->\n).*?(?=<!-- /programs -->)", re.DOTALL)


def programs_table() -> str:
    """Return the table of all programs of this package, from the registry."""
    lines = ["| question | page | name | takes | exact route | how an answer is certified |", "|" + " --- |" * 6]
    for entry in formulations().values():
        page = entry.page.removeprefix("programs/") if entry.page.startswith("programs/") else f"../{entry.page}"
        exact = "yes" if entry.exact else ""
        lines.append(
            f"| {entry.title} | {{doc}}`{page}` | `{entry.name}` | {entry.takes} | {exact} | {entry.certificate} |"
        )
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """Return a page with the table in its place."""
    return PLACE.sub(lambda _: programs_table(), text)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
