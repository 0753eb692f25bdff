"""Pages of tournaments and of iterative runs: their data, their files, and what a browser shows of them."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.api.inputs import as_game
from equiform.api.pages import runs_page, tournament_page
from equiform.games.tournament.structure import Tournament
from equiform.models.common.errors import FormatError, ParameterError
from equiform.solvers_iterative import Until, create
from equiform.solvers_iterative.progress import IterativeResult
from equiform.tournaments import TournamentSolution, solve_tournament
from equiform.viewer import Page, TournamentExplorer
from tests.helpers.browser import Browser, find_browser
from tests.viewer.test_explorer import NASTY, Elements, unpack


@cache
def heads_up() -> TournamentSolution:
    game = Tournament(2000, 100, 200, (1.0, 0.0), 100, players=2)
    return solve_tournament(game, Until(iterations=20))


@cache
def run() -> IterativeResult:
    return create("cfr+", as_game("kuhn")).run(Until(iterations=200))


def test_the_data_are_the_answer() -> None:
    found, document = heads_up(), heads_up().view().document
    states = found.tournament.states()
    assert unpack(document["stacks"]).reshape(-1, 2).tolist() == (states * 100).tolist()
    assert np.array_equal(unpack(document["values"]).reshape(-1, 2), found.values)
    assert np.array_equal(unpack(document["icm"]).reshape(-1, 2), found.tournament.icm_values())
    charts = unpack(document["charts"]).reshape(len(states), 2, 169)
    for state in (0, 9, 18):
        named = found.charts((states[state] * 100).tolist())
        assert [d["name"] for d in document["decisions"]] == list(named)
        for k, table in enumerate(named.values()):
            assert charts[state, k] / 10_000 == pytest.approx(table, abs=5.1e-5)
    assert document["profiles"][0]["proof"]["epsilon"] == found.certificate.epsilon


def test_files_are_viewed(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps(heads_up().document()))
    page = equiform.view(file)
    assert page.document == heads_up().view().document
    with pytest.raises(ParameterError, match="alone"):
        equiform.view(file, game="kuhn")
    ran = tmp_path / "run.json"
    ran.write_text(json.dumps(run().to_dict()))
    assert equiform.view(ran).document == equiform.view(run()).document


def test_the_way_there_is_measured() -> None:
    found = solve_tournament(heads_up().tournament, Until(iterations=20), checkpoint_every=5)
    course = found.view().document["course"]
    assert [step for step, _, _ in course["points"]] == [5, 10, 15, 20]
    # the check is computed apart from the solver
    assert course["points"][-1][2] == pytest.approx(found.certificate.epsilon, rel=1e-3, abs=1e-9)
    old = {key: value for key, value in found.document().items() if key != "convergence"}
    assert tournament_page(old, "t.json").document["course"] is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("charts", {"type": "Int8", "data": "AAAA"}), ("charts", None), ("values", {}), ("tournament", {"chips": 5}),
     ("certificate", {"epsilon": "<script>"}), ("icm", []), ("convergence", [["<script>"]])],
)  # fmt: skip
def test_files_of_something_else_are_refused(key: str, value: Any) -> None:
    document = {**copy.deepcopy(heads_up().document()), key: value}
    with pytest.raises(FormatError, match=r"cannot be read|different sizes"):
        tournament_page(document, "t.json")


def test_hostile_words_in_files_stay_data() -> None:
    document = {**heads_up().document(), "algorithm": NASTY[0], "stopped_by": NASTY[1]}
    hostile: list[Page] = [tournament_page(document, "t.json")]
    hostile.append(runs_page({**run().to_dict(), "game": NASTY[0], "algorithm": NASTY[1]}, "run.json"))
    for page in hostile:
        tags = [tag for tag, _ in Elements(page.html).found]
        assert tags.count("script") == 2 and "img" not in tags


def test_a_run_shows_its_measurements() -> None:
    document = equiform.view(run()).document
    assert [c["iteration"] for c in document["runs"][0]["history"]] == [c.iteration for c in run().history]
    assert document["runs"][0]["exploitability"] == run().exploitability


def large() -> TournamentExplorer:
    """Return a page as large as that of the thesis's tournament, with charts of chance."""
    game = Tournament(13500, 300, 600, (0.5, 0.3, 0.2), 300, players=3)
    names, decisions = heads_up().view().hands, [(f"decision {k}", k % 3) for k in range(6)]
    states, icm = game.states(), game.icm_values()
    random = np.random.default_rng(0)
    charts = random.integers(0, 10_001, (len(states), len(decisions), len(names)))
    proof = heads_up().view().proof
    values = icm + 0.01 * random.random(icm.shape)
    return TournamentExplorer(
        "large", game.seats, decisions, names, game.unit, states * game.unit, values, icm, charts, proof
    )


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_three_players_answer_clicks(tmp_path: Path) -> None:
    file = large().write(tmp_path / "large.html")
    with Browser(str(find_browser())) as browser:
        browser.look(1300, 1000)
        browser.open(file)
        assert browser.js("document.querySelectorAll('.map .state').length") == 946
        selectors = (
            '[data-state="300,4500,8700"]',
            '[data-state="600,600,12300"]',
            '[data-seat="1"]',
            '[data-tab="4"]',
        )
        clicks = {name: browser.answer_time(name) for name in (*selectors, '[data-hand="AKo"]')}
        assert "stacks=600%2C600%2C12300" in browser.js("location.hash")
        assert browser.complaints == [] and browser.requests == []
    assert all(0 < worked < 100 for _, worked in clicks.values()), clicks
    print(
        f"{file.stat().st_size / 1e6:.1f} MB",
        {name: f"{spent:.0f} ms, {worked:.0f} ms of it work" for name, (spent, worked) in clicks.items()},
    )


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="there is no Chromium or Chrome on the path")
def test_in_a_browser(tmp_path: Path) -> None:
    found = heads_up()
    document = {**found.document(), "algorithm": NASTY[0]}
    file = tournament_page(document, "t.json").write(tmp_path / "t.html")
    stacks = [1500, 500]
    with Browser(str(find_browser())) as browser:
        browser.look(1300, 1000)
        browser.open(file)
        assert browser.text(".badge").startswith("Checked ex post")
        assert NASTY[0] in browser.text(".proof")
        browser.click('[data-state="1500,500"]')
        assert "stacks=1500%2C500" in browser.js("location.hash")
        state = found.tournament.state_index(stacks)
        values = browser.js("[...document.querySelectorAll('[data-name=value]')].map(d => Number(d.innerText))")
        assert values == pytest.approx(found.values[state].tolist(), abs=5.1e-5)
        browser.press("2")
        browser.click('[data-hand="K2o"]')
        shown = browser.js("[...document.querySelectorAll('[data-decision]')].map(d => parseFloat(d.innerText))")
        names = list(found.view().hands)
        expected = [100 * float(t[names.index("K2o")]) for t in found.charts(stacks).values()]
        assert shown == pytest.approx(expected, abs=0.0051)
        browser.look(390, 900)
        assert browser.js("document.documentElement.scrollWidth") <= 390
        browser.look(1300, 1000)
        runs = equiform.view(run()).write(tmp_path / "r.html")
        browser.open(runs)
        browser.click('[data-axis="seconds"]')
        assert "against seconds" in browser.js("document.querySelector('.chart').getAttribute('aria-label')")
        last = browser.js("[...document.querySelectorAll('[data-name=exploitability]')].at(-1).innerText")
        assert float(last.replace("−", "-")) == pytest.approx(run().exploitability, rel=0.1, abs=1e-9)
        assert browser.js("document.querySelectorAll('.chart circle').length") > 5
        assert browser.complaints == [] and browser.requests == []
