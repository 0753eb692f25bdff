"""Make the pictures of the README and the gallery: ``python docs/make_pictures.py`` in the checkout.

Those of explorer pages are screenshots: they need Chromium or Chrome, and are left as they are without one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

import equiform

if TYPE_CHECKING:
    from equiform.viewer import Page

HERE = Path(__file__).parent / "_static"
GALLERY = HERE / "gallery"


def one_card(cards: int = 100) -> None:
    solved = equiform.solve(f"one-card:cards={cards}", concept="une")
    tables = [s.table() for s in solved.strategies]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
    panels = (
        ("player 1", (("to open", "bet"), ("after check–bet", "call"))),
        ("player 2", (("after check", "bet"), ("after bet", "call"))),
    )
    for axis, table, (title, situations) in zip(axes, tables, panels, strict=True):
        for situation, action in situations:
            shares = [table[f"holding {card}, {situation}"][action] for card in range(1, cards + 1)]
            axis.plot(np.arange(1, cards + 1), shares, drawstyle="steps-mid", label=f"{action} {situation}")
        axis.set(title=title, xlabel="card")
        axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    axes[0].set_ylabel("probability")
    figure.savefig(HERE / "one_card.png", dpi=110)


def drawings() -> None:
    """Draw a tree and a best-response diagram."""
    equiform.draw("kuhn", history="check–bet").write(GALLERY / "tree.svg")
    equiform.draw(equiform.solve("rps"), diagram=True).write(GALLERY / "responses.svg")


def explorer_pages() -> dict[str, tuple[Page, str]]:
    """Return pages and the views of them to show."""
    from equiform.api.spots import solve_spot
    from equiform.comparison import compare
    from equiform.games.poker.holdem import BetSizes, Spot
    from equiform.games.tournament.structure import Tournament
    from equiform.solvers_iterative import Until
    from equiform.tournaments import solve_tournament

    oop, ip = "22+,A2s+,KTs+,QTs+,54s+,AJo+", "33+,A8s+,K9s+,QTs,J8s+,KQo"
    river = Spot.of("Td9d6hQc2s", pot=100, stack=200, oop=oop, ip=ip, sizes=BetSizes("60%", "a"))
    tournament = Tournament(2000, 100, 200, (1.0, 0.0), 100, players=2)
    return {
        "explorer_kuhn": (equiform.solve("kuhn", exact=True).view(), "#node=3"),
        "explorer_river": (solve_spot(river, until="0.1%").view(), ""),
        "explorer_tournament": (solve_tournament(tournament, Until(iterations=60)).view(), "#stacks=1200%2C800"),
        "convergence": (compare("leduc", ["cfr", "cfr+", "egt"], Until(iterations=500)).view(), ""),
    }


def screenshots() -> None:
    """Photograph explorer pages, if there is a browser."""
    from tests.helpers.browser import Browser, find_browser

    program = find_browser()
    if program is None:
        print("there is no Chromium or Chrome on the path: screenshots are left as they are")
        return
    with TemporaryDirectory() as folder, Browser(program) as browser:
        browser.look(1200, 800)
        for name, (page, view) in explorer_pages().items():
            browser.open(page.write(Path(folder) / f"{name}.html"), view)
            browser.screenshot(GALLERY / f"{name}.png")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    GALLERY.mkdir(exist_ok=True)
    one_card()
    drawings()
    screenshots()
