"""The page of a solved hold'em spot: its data are the solution's own tables."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.api.spots import SpotSolution, solve_spot
from equiform.cli.app import main
from equiform.games.poker.holdem import BetSizes, Spot
from equiform.models.common.errors import EquiformError, ParameterError
from tests.helpers.browser import Browser, find_browser
from tests.viewer.test_explorer import unpack


@cache
def river() -> SpotSolution:
    spot = Spot.of(
        "Td9d6hQc2s", pot=100, stack=200, oop="AA,QJs,87s,54s", ip="KK,QTs,J8s,33", sizes=BetSizes("60%", "a")
    )
    return solve_spot(spot, until="0.1%")


def test_the_data_are_the_tables() -> None:
    solution, document = river(), river().view().document
    assert document["tables"][0]["history"] == "" and document["profiles"][0]["proof"]["value"] == solution.ev
    assert len(document["hands"]) == 2  # one list per player
    for packed in document["tables"]:
        table = solution.table(packed["history"])
        names = document["hands"][packed["hands"]]
        assert [names[k : k + 4] for k in range(0, len(names), 4)] == [row.hand for row in table.rows]
        shares = np.array([row.probabilities for row in table.rows])
        assert unpack(packed["probabilities"]) == pytest.approx(shares.ravel(), abs=1e-6)
        ev = np.array([row.ev for row in table.rows])
        assert unpack(packed["handEv"]) == pytest.approx(ev, rel=1e-5, abs=1e-5, nan_ok=True)


def test_a_file_of_a_spot_is_viewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "river.json", tmp_path / "river.html"
    river().write(file)
    with pytest.raises(SystemExit):
        main(["view", str(file), "--out", str(page), "--json"])
    assert json.loads(capsys.readouterr().out)["bytes"] == page.stat().st_size
    with pytest.raises(ParameterError, match="alone"):
        equiform.view(file, against=file)


def test_the_way_there_is_the_history() -> None:
    solution = river()
    course = solution.view().document["course"]
    assert len(course["points"]) >= 2 and course["points"] == [list(point) for point in solution.history]
    found = solution.certificate
    assert course["points"][-1][2] == pytest.approx(found.percent, rel=1e-3)  # computed apart from the solver
    assert dataclasses.replace(solution, history=()).view().document["course"] is None


@cache
def turn() -> SpotSolution:
    spot = Spot.of("Td9d6hQc", pot=100, stack=100, oop="AA,87s", ip="KK,QTs", sizes=BetSizes("a", "a"))
    return solve_spot(spot, until="iterations=5")


def test_run_outs_are_in_the_page() -> None:
    solution, document = turn(), turn().view().document
    boards = {t["board"] for t in document["tables"]}
    assert len(boards) == 49 and document["note"] == ""
    packed = next(t for t in document["tables"] if t["board"] == "Td9d6hQc2s" and t["history"] == "check–check/")
    expected = solution.table("check–check/", "2s")
    assert packed["ev"] == expected.ev and packed["moves"] == list(expected.moves)
    names = document["hands"][packed["hands"]]
    assert [names[k : k + 4] for k in range(0, len(names), 4)] == [row.hand for row in expected.rows]
    assert unpack(packed["handEv"]) == pytest.approx(np.array([row.ev for row in expected.rows]), rel=1e-5, nan_ok=True)


def test_run_outs_are_chosen_and_the_rest_is_said_to_be_missing() -> None:
    every, page = turn().view().document["tables"], equiform.view(turn(), cards=["2s", "Kh"]).document
    assert {t["board"] for t in page["tables"]} == {"Td9d6hQc", "Td9d6hQc2s", "Td9d6hQcKh"}
    assert page["note"].startswith(f"{len(every) - len(page['tables']):,} decisions after further cards are left out")
    for wrong in ("Td", "2s2s", "2s3s", ""):
        with pytest.raises(EquiformError):
            turn().view([wrong])
    with pytest.raises(ParameterError, match="not a spot"):
        equiform.view("kuhn", cards=["2s"])


def test_run_outs_that_are_too_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(turn().view().html) - len(turn().view([]).html)
    monkeypatch.setattr("equiform.api.spots.page.MOST_BYTES", size // 4)
    page = turn().view().document
    assert {t["board"] for t in page["tables"]} == {"Td9d6hQc"} and "left out" in page["note"]


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_the_grid_in_a_browser(tmp_path: Path) -> None:
    solution = river()
    file = solution.view().write(tmp_path / "river.html")
    first: Any = solution.table()
    with Browser(str(find_browser())) as browser:
        browser.look(1300, 1000)
        browser.open(file)
        assert browser.js("document.querySelectorAll('.hand').length") == 169
        held = {row.hand for row in first.rows}
        assert browser.js("document.querySelectorAll('.hand:not(.empty)').length") == 4 and len(held) > 4
        browser.click('[data-hand="AA"]')
        shown = browser.js(
            "[...document.querySelectorAll('[data-combination]')].map(r => [r.dataset.combination,"
            " [...r.querySelectorAll('.figures b')].map(b => parseFloat(b.innerText.replace('<', '')) / 100)])"
        )
        expected = {row.hand: row.probabilities for row in first.rows}
        assert len(shown) == 6
        for hand, figures in shown:
            assert figures == pytest.approx(expected[hand], abs=5.1e-5)
        move = first.moves[0]
        browser.press("1")
        assert browser.js("new URLSearchParams(location.hash.slice(1)).get('history')") == move
        assert "player 2" in browser.text(".turn")
        points = [p for p in solution.history if p[0] > 0 and p[2] > 0]
        assert browser.js("document.querySelectorAll('#course circle').length") == len(points)
        browser.click('#course [data-axis="seconds"]')
        assert "against seconds" in browser.js("document.querySelector('#course .chart').getAttribute('aria-label')")
        assert browser.complaints == [] and browser.requests == []


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_a_card_comes_in_a_browser(tmp_path: Path) -> None:
    file = turn().view().write(tmp_path / "turn.html")
    with Browser(str(find_browser())) as browser:
        browser.open(file)
        for _ in range(2):
            browser.click('[data-move="check"]')
        browser.js("c = document.querySelector('#card'); c.value = [...c.options].find(o => o.text === 'Kh').value")
        browser.js("document.querySelector('#card').dispatchEvent(new Event('change'))")
        expected = turn().table("check–check/", "Kh")
        assert "on Td9d6hQcKh" in browser.text(".turn")
        assert f"{expected.ev:.3f}".rstrip("0").replace("-", "−") in browser.text(".worth")
        assert "check, Kh" in browser.text(".crumbs")
        address = browser.js("location.hash")
        browser.open(file, address)
        assert "on Td9d6hQcKh" in browser.text(".turn")
        assert browser.complaints == [] and browser.requests == []


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_a_river_with_all_hands_is_small_and_answers(tmp_path: Path) -> None:
    every = ",".join(["22+", *(f"{rank}2+" for rank in "AKQJT98765432"[:-1])])
    spot = Spot.of(
        "Td9d6hQc2s", pot=100, stack=400, oop=every, ip=every, sizes=BetSizes("33%,75%,150%,a", "50%,a")
    )  # fmt: skip
    page = solve_spot(spot, until="iterations=5").view()
    file = page.write(tmp_path / "river.html")
    assert all(len(names) == 4 * 1081 for names in page.document["hands"]) and len(page.document["tables"]) > 30
    assert file.stat().st_size < 5_000_000
    with Browser(str(find_browser())) as browser:
        browser.look(1300, 1000)
        browser.open(file)
        clicks = {name: browser.answer_time(name) for name in ('[data-hand="AKo"]', ".moves button:enabled")}
        assert "history" in browser.js("location.hash") and browser.complaints == [] and browser.requests == []
    assert all(0 < worked < 100 for _, worked in clicks.values()), clicks
    print(
        f"{file.stat().st_size / 1e6:.1f} MB",
        {name: f"{spent:.0f} ms, {worked:.0f} ms of it work" for name, (spent, worked) in clicks.items()},
    )
