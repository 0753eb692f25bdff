"""Explorer pages in a real browser: numbers on screen against the data, clicks, keys, and nothing from the network."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import equiform
from equiform.models.normal_form import NormalForm
from tests.helpers.browser import Browser, find_browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(str(find_browser())) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _quiet(browser: Browser) -> Iterator[None]:
    browser.look(1280, 1000)
    yield
    assert browser.complaints == [] and browser.requests == []


def number(text: str) -> float:
    return float(Fraction(text.replace("−", "-").replace("\u2009", "")))


def written(page: object, folder: Path) -> Path:
    file: Path = page.write(folder / "page.html")  # type: ignore[attr-defined]
    return file


def table(browser: Browser) -> dict[str, dict[str, float]]:
    """Read the strategy table off the screen."""
    rows = browser.js(
        "[...document.querySelectorAll('tbody tr')].map(r => [r.querySelector('.link').innerText,"
        " [...r.querySelectorAll('.figures li')].map(li => [li.querySelector('.name').innerText,"
        " li.querySelector('b').innerText])])"
    )
    return {label: {action: number(p) for action, p in actions} for label, actions in rows}


def test_kuhn_shows_what_the_json_says(browser: Browser, tmp_path: Path) -> None:
    solved = equiform.solve("kuhn", exact=True)
    browser.open(written(solved.view(), tmp_path))
    document = solved.to_dict()
    assert browser.text(".badge") == "Proved exactly"
    assert number(browser.text(".proof summary").split("value")[1]) == float(Fraction(document["exact"]["value"]))
    for k, player in enumerate(("player 1", "player 2")):
        browser.click(f".tab.who{k}")
        expected = {
            h: {a: float(Fraction(p)) for a, p in row.items()} for h, row in document["strategies"][player].items()
        }
        assert table(browser) == expected


def test_a_walk_by_mouse_and_by_keys(browser: Browser, tmp_path: Path) -> None:
    solved = equiform.solve("kuhn")
    browser.open(written(solved.view(), tmp_path))
    game = solved.game
    browser.click('[data-node="3"]')
    assert browser.text(".crumbs [aria-current]") == "QJ" and "node=3" in browser.js("location.hash")
    browser.press("1")
    browser.press("2")
    node = browser.js("Number(new URLSearchParams(location.hash.slice(1)).get('node'))")
    assert game.path(node) == "QJ > check > bet"  # type: ignore[union-attr]
    browser.press("2")
    assert browser.text(".turn") == "The game is over." and browser.text(".payoffs dd") == "2"
    browser.press("ArrowLeft")
    assert "holding Q, after check–bet" in browser.text(".turn")
    browser.press("Home")
    assert browser.text(".crumbs").strip() == "Start"
    # the page sums up the tree by itself, and the certificate was computed elsewhere
    worth = number(browser.text(".worth").split("player 1")[1].split()[0])
    assert worth == pytest.approx(solved.value, abs=5e-5)


def test_leduc_with_unreached_rows_and_a_filter(browser: Browser, tmp_path: Path) -> None:
    solved = equiform.solve("leduc")
    browser.open(written(solved.view(), tmp_path), "#player=1&filter=holding+K,+board+Q")
    strategy = solved.strategies[1]
    wanted = [label for label, _ in strategy.rows() if all(w in label for w in ("holding K", "board Q"))]
    shown = browser.js("[...document.querySelectorAll('tbody .link')].map(b => b.innerText)")
    assert shown == wanted
    grey = browser.js("[...document.querySelectorAll('tbody .unreached .link')].map(b => b.innerText)")
    assert grey == [label for label in wanted if label in strategy.unreached]
    elapsed, worked = browser.answer_time(".moves button")
    assert 0 < worked < 100
    print(f"a click in Leduc: {elapsed:.1f} ms, {worked:.1f} ms of work")


def test_two_profiles_side_by_side(browser: Browser, tmp_path: Path) -> None:
    solved = equiform.solve("kuhn", exact=True)
    uniform = [type(s)(s.treeplex, s.treeplex.uniform()) for s in solved.strategies]
    browser.open(written(equiform.view(solved, against=uniform), tmp_path), "#against=1&sort=difference")
    figures = [
        number(t) for t in browser.js("[...document.querySelectorAll('[data-name=difference]')].map(d => d.innerText)")
    ]
    own, other = solved.strategies[0], uniform[0]
    start = own.treeplex.start
    apart = [abs(own.floats[a:b] - other.floats[a:b]).sum() / 2 for a, b in pairwise(start.tolist())]
    assert figures == pytest.approx(sorted(apart, reverse=True), abs=5e-5)


def test_names_are_text(browser: Browser, tmp_path: Path) -> None:
    names = ("<script>document.title='run'</script>", "</script><img src=x onerror=\"document.title='run'\">")
    payoffs = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    game = NormalForm(names[0], (names[1], "日本 & 'q'"), (names, ("=1+1", '"')), payoffs)
    browser.open(written(equiform.solve(game).view(), tmp_path))
    assert browser.text("h1") == names[0]
    assert [
        label.strip() for label in browser.js("[...document.querySelectorAll('.moves .name')].map(n => n.textContent)")
    ] == list(names)
    assert browser.js("document.querySelectorAll('img').length") == 0
    assert browser.js("document.title") != "run"


@pytest.mark.parametrize(
    ("width", "dark"), [(320, False), (390, False), (390, True), (1161, False), (1280, False), (1600, False)]
)
def test_nothing_sticks_out(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    browser.look(width, 900, dark=dark)
    browser.open(written(equiform.solve("leduc").view(), tmp_path), "#node=20")
    assert browser.js("document.documentElement.scrollWidth") <= width
    parts = "[...document.querySelectorAll('section, .moves, .scroll, .controls, .figures')]"
    assert browser.js(f"{parts}.filter(e => e.scrollWidth > e.clientWidth).map(e => e.className)") == []
    background = browser.js("getComputedStyle(document.body).backgroundColor")
    assert (background != "rgb(255, 255, 255)") == dark


def test_pictures_and_tables_are_saved(browser: Browser, tmp_path: Path) -> None:
    browser.open(written(equiform.solve("kuhn", exact=True).view(), tmp_path))
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved"))
    for kind in ("csv", "svg", "png"):
        browser.click(f'[data-save="{kind}"]')
        file = tmp_path / "saved" / f"kuhn-player-1.{kind}"
        for _ in range(100):
            if file.exists() and file.stat().st_size:
                break
            browser.js("new Promise(done => setTimeout(done, 100))")
        assert file.stat().st_size > 200
    lines = (tmp_path / "saved" / "kuhn-player-1.csv").read_text(encoding="utf-8-sig").splitlines()
    assert '"holding Q, after check–bet",yes' in "\n".join(lines) and len(lines) == 13
    assert (tmp_path / "saved" / "kuhn-player-1.png").read_bytes()[:4] == b"\x89PNG"
