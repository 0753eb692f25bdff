"""Small tables in notebooks: every game, answer and run displays itself, and names in it are text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import equiform
from equiform.api.inputs import as_game
from equiform.api.spots import solve_spot
from equiform.comparison import compare
from equiform.games.poker.holdem import BetSizes, Spot
from equiform.games.tournament.structure import Tournament
from equiform.models import as_sequence_form
from equiform.models.common.html import html_facts, html_rows
from equiform.solvers_iterative import Until
from equiform.tournaments import solve_tournament
from equiform.validation.reproduce.cell import Cell, Evidence, Rule
from equiform.validation.reproduce.experiment import Outcome
from tests.viewer.test_explorer import Elements, nasty_game


def spot() -> Any:
    return solve_spot(Spot.of("Td9d6hQc2s", pot=100, stack=50, oop="AA", ip="KK", sizes=BetSizes("a", "a")), until="1%")


def tournament() -> Any:
    return solve_tournament(Tournament(400, 100, 200, (1.0, 0.0), 100, players=2), Until(iterations=2))


def outcome() -> Outcome:
    cells = (
        Cell("a row", "printed", "1", 1.0, Evidence(Rule.DIGITS)),
        Cell("a row", "claim", "yes", 0.0, Evidence(Rule.CLAIM, holds=False)),
    )
    return Outcome("table", True, cells, 0.0)


ANSWERS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "a tree": (lambda: as_game("kuhn"), ("55", "6, 6", "zero-sum", "equiform.view(_)")),
    "a table": (lambda: as_game("rps"), ("3 actions", "equiform.view(_)")),
    "a sequence form": (lambda: as_sequence_form(as_game("kuhn")), ("13, 13",)),
    "a result": (lambda: equiform.solve("kuhn").result, ("highs", "-0.0555555556")),
    "an answer": (lambda: equiform.solve("kuhn", exact=True), ("-1/18", "equiform.view(_)")),
    "a profile that is verified": (
        lambda: equiform.verify(equiform.solve("kuhn", exact=True).strategies, "kuhn"),
        ("yes", "-1/18, 1/18"),
    ),
    "an answer by integer programming": (lambda: equiform.mip_nash("rps"), ("equilibrium", "highs")),
    "a run": (
        lambda: compare("kuhn", ["cfr+"], Until(iterations=20)).results["cfr+"],
        ("20, stopped by iterations", "equiform.view(_)"),
    ),
    "a comparison": (
        lambda: compare("kuhn", ["lp", "cfr+"], Until(iterations=20)),
        ("linear program", "20 iterations"),
    ),
    "a spot": (spot, ("share of the pot", "Td9d6hQc2s")),
    "a public game": (lambda: spot().game, ("streets",)),
    "a tournament": (tournament, ("ex post", "400")),
    "a table of a paper": (outcome, ("match (numbers)", "mismatch (yes or no)", "quick")),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_small_tables(name: str) -> None:
    make, words = ANSWERS[name]
    shown = make()._repr_html_()
    assert shown.startswith("<table>") and len(shown) < 4000
    assert not [word for word in words if word not in shown]
    tags = {tag for tag, _ in Elements(shown).found}
    assert tags <= {"table", "caption", "tr", "th", "td"}


def test_names_are_text() -> None:
    nasty = nasty_game()
    verified = equiform.verify(equiform.solve(nasty).strategies, nasty)
    for answer in (nasty, as_sequence_form(nasty), equiform.solve(nasty).result, verified):
        assert {tag for tag, _ in Elements(answer._repr_html_()).found} <= {"table", "caption", "tr", "th", "td"}
    run = dataclasses.replace(compare("kuhn", ["cfr"], Until(iterations=1)).results["cfr"], game="<script>")
    assert "<script" not in run._repr_html_()


def test_the_last_line_is_as_wide_as_the_table() -> None:
    assert 'colspan="2">more' in html_facts("facts", {"a": "b"}, "more")
    assert 'colspan="3">more' in html_rows("rows", [(("a", "b", "c"), True), (("d",), False)], "more")
