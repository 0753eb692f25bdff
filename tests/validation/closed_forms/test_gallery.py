"""Every entry of the gallery is proved, and a wrong variant of each is refuted with a counterexample."""

from __future__ import annotations

import math

import pytest

from equiform.models.common.errors import ParameterError
from equiform.validation.closed_forms import CLOSED_FORMS
from equiform.validation.closed_forms.families import Equilibrium
from equiform.validation.closed_forms.gallery import gallery, gallery_entry
from equiform.validation.closed_forms.gallery.poker import three_player_kuhn
from equiform.validation.closed_forms.proving.document import parse_statement
from equiform.validation.closed_forms.proving.prove import prove
from equiform.validation.closed_forms.proving.verdict import Status
from tests.helpers.refusals import refusal

ENTRIES = {n: e for n, e in gallery().items() if n not in CLOSED_FORMS}  # closed forms have tests of their own
LONG = {"kuhn-three"}

#: For each text file: what to write instead of what.
WRONG = {
    "pennies-cheat": ('value = "k/(1', 'value = "f/(1'),
    "morra": ('s = "4/7 <= s <= 3/5"', 's = "3/5 < s <= 4/5"'),
    "inspection-one": ('value = "-(n - 1)/(n + 1)"', 'value = "-(n - 1)/n"'),
    "inspection-two": ('row = ["2*n/(n^2 + n + 2)", "(n^2 - n + 2)', 'row = ["n/(n^2 + n + 2)", "(n^2 + 2)'),
    "inspection": ('value = "-c/(2*A + c)"', 'value = "-c/(A + c)"'),
    "blotto": ('"(2 - r)/(6*(1 + 2*r))", "(2 - r)', '"(3 - r)/(6*(1 + 2*r))", "(1 - r)'),
    "hawk-dove": ('row = ["v/c", "1 - v/c"]', 'row = ["v/(2*c)", "1 - v/(2*c)"]'),
    "volunteers": ('A = ["1 - s", "s"]', 'A = ["s", "1 - s"]'),
    "first-price": ('bid = "(n - 1)*v/n"', 'bid = "n*v/(n + 1)"'),
    "second-price": ('bid = "v"', 'bid = "(n - 1)*v/n"'),
    "all-pay": ('bid = "(n - 1)*v^n/n"', 'bid = "v^n/n"'),
    "war-of-attrition": ('bid = "-v - log(1 - v)"', 'bid = "-v - 2*log(1 - v)"'),
    "power-auction": ('bid = "a*v/(a + 1)"', 'bid = "v/(a + 1)"'),
    "cournot": ('q1 = "(a - 2*c1 + c2)/(3*b)"', 'q1 = "(a - c1)/(3*b)"'),
    "stackelberg": ('q1 = "(a - c)/2"', 'q1 = "(a - c)/3"'),
    "bertrand": ('p1 = "c", p2 = "c"', 'p1 = "(a + c)/2", p2 = "(a + c)/2"'),
    "differentiated-bertrand": ('p1 = "1/(2 - d)"', 'p1 = "1/2"'),
    "von-neumann": ('c = "B*(B + 3)', 'c = "B*(B + 2)'),
    "borel": ('c = "B/(B + 2)"', 'c = "B/(B + 1)"'),
    "half-street": ("P^2/(2*", "P/(2*"),
    "clairvoyance-tree": ('{ check = "1/(1 + n)", bet = "n/(1 + n)" }', '{ check = "n/(1 + n)", bet = "1/(1 + n)" }'),
}


@pytest.mark.parametrize("name", sorted(set(ENTRIES) - LONG))
def test_every_entry_is_proved(name: str) -> None:
    entry = ENTRIES[name]
    verdict = entry.prove(points=3)
    assert verdict.status is Status.PROVED, str(verdict)
    assert entry.source and entry.title and verdict.checks


@pytest.mark.parametrize("name", sorted(n for n, e in ENTRIES.items() if e.text))
def test_a_wrong_variant_is_refuted(name: str) -> None:
    right, wrong = WRONG[name]
    text = ENTRIES[name].text
    assert text.count(right) >= 1
    statement = parse_statement(text.replace(right, wrong, 1), name)
    verdict = prove(statement.family, statement.claim, points=3)
    assert verdict.status in (Status.REFUTED, Status.ON_A_REGION), str(verdict)
    assert verdict.counterexample is not None and not verdict.counterexample.agrees


@pytest.mark.parametrize("name", ["akq", "kuhn-small-bet", "kuhn-large-bet"])
def test_a_wrong_variant_of_a_tree_is_refuted(name: str) -> None:
    statement = ENTRIES[name].statement
    assert statement is not None
    first, second = (dict(s) for s in statement.claim.strategies)
    key = next(k for k in second if "facing" in k and k[0] in "QK" and second[k] not in ({"call": 1}, ["1 - (1)", "1"]))
    second[key] = ["1/2", "1/2"]
    verdict = prove(statement.family, Equilibrium([first, second]), points=3)
    assert verdict.status in (Status.REFUTED, Status.ON_A_REGION) and verdict.counterexample is not None
    assert verdict.counterexample.deviations


@pytest.mark.slow
def test_three_player_kuhn_is_proved_in_four_parameters() -> None:
    assert gallery_entry("kuhn-three").prove(points=4).proved


def test_three_player_kuhn_in_one_parameter() -> None:
    """The same proof on a line of the family, and a bluff too many refuted."""
    line = {"b21": "0 <= b21 <= 1/4"}
    bets = [
        {
            h: [str(p).replace("b11", "0").replace("b32", "1/2").replace("c33", "b21/2") for p in ps]
            for h, ps in own.items()
        }
        for own in three_player_kuhn.BETS
    ]
    right = three_player_kuhn.statement(line, bets)
    assert prove(right.family, right.claim, points=3).proved
    bets[2]["cc"][1] = "1"  # player 3 bluffs every Queen
    wrong = three_player_kuhn.statement(line, bets)
    verdict = prove(wrong.family, wrong.claim, points=2)
    assert verdict.status is Status.REFUTED and verdict.counterexample is not None


def test_the_bound_that_the_inspection_game_assumes() -> None:
    """Binomial sums satisfy the condition on c in the general inspection game."""
    for n in range(3, 60):
        for k in range(1, (n - 1) // 2 + 1):
            total = sum(math.comb(n - 1, i) for i in range(k))
            assert math.comb(n - 1, k) * k >= total * (n - 2 * k)


def test_unknown_entries() -> None:
    refusal(ParameterError, lambda: gallery_entry("chess"), "cournot")
