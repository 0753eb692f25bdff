"""The page of a response to an opponent: a profile per kink of the trade-off between payoff and risk."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import equiform
from equiform.api.responses import SafeResponseFound
from equiform.models.common.errors import ParameterError
from tests.helpers.browser import Browser, find_browser
from tests.helpers.command_line import run
from tests.viewer.test_browser import number


@cache
def response() -> SafeResponseFound:
    return equiform.respond("kuhn", curve=True)


def test_every_kink_is_a_profile() -> None:
    found, document = response(), response().view().document
    assert found.curve is not None and len(found.curve.epsilons) >= 3
    assert document["curve"]["across"] == found.curve.epsilons.tolist()
    assert document["curve"]["value"] == pytest.approx(-1 / 18)
    for payoff, risk, profile in zip(document["curve"]["up"], found.curve.epsilons, document["profiles"], strict=True):
        proof = profile["proof"]
        assert proof["payoffs"][0] == pytest.approx(payoff, abs=1e-9)  # evaluated on the tree, apart from the curve
        assert proof["bracket"][0] == pytest.approx(found.value - risk, abs=1e-9)


def test_player_2_and_a_response_without_a_curve() -> None:
    second = equiform.respond("kuhn", player=1, curve=True)
    profiles = second.view().document["profiles"]
    assert second.curve is not None
    earned = [p["proof"]["payoffs"][1] for p in profiles]
    assert earned == pytest.approx(second.curve.payoffs.tolist(), abs=1e-9)
    alone = equiform.respond("kuhn", epsilon=0.1).view().document
    assert alone["curve"] is None and [p["title"] for p in alone["profiles"]] == ["risk 0.1"]


def test_a_long_curve_keeps_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equiform.api.pages.MOST_PROFILES", 3)
    curve, page = response().curve, response().view().document
    assert curve is not None
    assert len(page["profiles"]) == 3
    assert [page["curve"]["across"][k] for k in (0, -1)] == [curve.epsilons[0], curve.epsilons[-1]]


def test_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "respond.html"
    answer = json.loads(run(capsys, "respond", "kuhn", "--page", str(page), "--json"))
    assert len(answer["curve"]) == len(response().view().titles) and "Payoff against risk" in page.read_text()
    assert "end in .html" in run(capsys, "respond", "kuhn", "--page", "page.pdf", "--json", code=2)


def test_a_response_without_its_game_has_no_page() -> None:
    with pytest.raises(ParameterError, match="not known"):
        dataclasses.replace(response(), origin=None).view()


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_points_lead_to_profiles(tmp_path: Path) -> None:
    file = response().view().write(tmp_path / "respond.html")
    curve = response().curve
    assert curve is not None
    with Browser(str(find_browser())) as browser:
        for width in (1300, 390):
            browser.look(width, 900)
            browser.open(file)
            last = len(curve.epsilons) - 1
            browser.click(f'[data-point="{last}"]')
            assert f"profile={last}" in browser.js("location.hash")
            worth = number(browser.text(".worth").split("player 1")[1].split()[0])
            assert worth == pytest.approx(float(np.max(curve.payoffs)), abs=5e-5)
            assert browser.js("document.documentElement.scrollWidth") <= width
        assert browser.complaints == [] and browser.requests == []
