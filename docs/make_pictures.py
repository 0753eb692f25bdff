"""Make the pictures of the README and the gallery: ``python docs/make_pictures.py`` in the checkout.

Those of explorer pages are screenshots: they need Chromium or Chrome, and are left as they are without one. With a
folder as argument only these are taken, in two sizes, and put there.
"""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import matplotlib.pyplot as plt
import numpy as np

import equiform

if TYPE_CHECKING:
    from equiform.viewer import Page

HERE = Path(__file__).parent / "_static"
GALLERY = HERE / "gallery"
WIDE, PHONE = (1280, 800), (390, 844)


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


def race() -> None:
    """Draw the race of Figure 9.1 from its stored points."""
    from equiform.validation.reproduce.tournaments.race import draw_race, stored_race

    draw_race(stored_race()).write(GALLERY / "race.png")


@dataclass(frozen=True)
class Shot:
    """A screenshot: the page, the view of it to show, and the part of the screen if not all of it."""

    name: str
    page: Page
    view: str = ""
    part: str = ""


def explorer_pages() -> list[Shot]:
    """Return one page of each kind; without run times, which differ from run to run, or with the part that has none."""
    from equiform.api.spots import solve_spot
    from equiform.comparison import compare
    from equiform.games.poker.holdem import BetSizes, Spot
    from equiform.games.tournament.structure import Tournament
    from equiform.models import Strategy
    from equiform.solvers_iterative import Until
    from equiform.tournaments import solve_tournament

    kuhn = equiform.solve("kuhn", exact=True)
    first, second = kuhn.strategies
    table = first.table()
    table["holding Q, after check–bet"] = {"fold": "0", "call": "1"}
    caller = [Strategy.from_table(first.treeplex, table), second]
    oop, ip = "22+,A2s+,KTs+,QTs+,54s+,AJo+", "33+,A8s+,K9s+,QTs,J8s+,KQo"
    river = Spot.of("Td9d6hQc2s", pot=100, stack=200, oop=oop, ip=ip, sizes=BetSizes("60%", "a"))
    tournament = Tournament(2000, 100, 200, (1.0, 0.0), 100, players=2)
    return [
        Shot("explorer_kuhn", timeless(kuhn.view()), "#node=3"),
        Shot("explorer_leduc", timeless(equiform.solve("leduc").view()), "#node=20"),
        Shot("explorer_river", timeless(solve_spot(river, until="0.1%").view()), "#hand=AQs"),
        Shot(
            "explorer_tournament",
            timeless(solve_tournament(tournament, Until(iterations=60), checkpoint_every=5).view()),
            "#stacks=1200%2C800",
        ),
        Shot("explorer_comparison", timeless(equiform.view(kuhn, against=caller)), "#against=1&sort=difference"),
        Shot("convergence", compare("leduc", ["cfr", "cfr+", "egt"], Until(iterations=500)).view(), part="#walk"),
    ]


def timeless(page: Any) -> Page:
    """Return a page without the seconds that its answer took."""

    def still(proof: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in proof.items() if name != "seconds"}

    if hasattr(page, "profiles"):
        profiles = tuple(dataclasses.replace(p, proof=still(p.proof)) for p in page.profiles)
        return cast("Page", dataclasses.replace(page, profiles=profiles))
    return cast("Page", dataclasses.replace(page, proof=still(page.proof)))


def screenshots(folder: Path, sizes: Mapping[str, tuple[int, int]], shown: str | None = None) -> list[Path]:
    """Photograph explorer pages, once per size of the screen; nothing without a browser.

    With the text of a page in ``shown``, only the pictures that it shows are taken.
    """
    from tests.helpers.browser import Browser, find_browser

    program = find_browser()
    if program is None:
        return []
    taken = []
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as work, Browser(program) as browser:
        for shot in explorer_pages():
            if shown is not None and f"{shot.name}.png" not in shown:
                continue
            page = shot.page.write(Path(work) / f"{shot.name}.html")
            for suffix, size in sizes.items():
                browser.look(*size)
                browser.open(page, shot.view)
                taken.append(folder / f"{shot.name}{suffix}.png")
                browser.screenshot(taken[-1], shot.part)
        if browser.complaints:
            raise RuntimeError(f"explorer pages complain: {browser.complaints}")
    return taken


def begin_screenshots(built: Path) -> subprocess.Popen[bytes]:
    """Begin to photograph every kind of explorer page, beside the build, which has a core to spare at first."""
    return subprocess.Popen([sys.executable, __file__, str(_screenshots_of(built))])


def show_screenshots(built: Path, begun: subprocess.Popen[bytes]) -> None:
    """Wait for the screenshots; the built pages show these from then on."""
    if begun.wait():
        raise RuntimeError("the explorer pages could not be photographed")
    shown = {p.name: p for p in (built / "_images").glob("*.png")}
    for picture in _screenshots_of(built).glob("*.png"):
        if picture.name in shown:
            shutil.copyfile(picture, shown[picture.name])


def _screenshots_of(built: Path) -> Path:
    return built / "screenshots"


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))
    if sys.argv[1:]:
        screenshots(Path(sys.argv[1]), {"": WIDE, "_phone": PHONE})
        sys.exit()
    GALLERY.mkdir(exist_ok=True)
    one_card()
    drawings()
    race()
    if not screenshots(GALLERY, {"": WIDE}, (HERE.parent / "index.md").read_text(encoding="utf-8")):
        print("there is no Chromium or Chrome: screenshots are left as they are")
