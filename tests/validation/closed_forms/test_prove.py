"""Verdicts: proved, on a region, refuted with a better response, open; and files, good and bad."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import equiform
from equiform.models.common.errors import CertificateError, FormatError, GameError, ParameterError
from equiform.validation.closed_forms import closed_form
from equiform.validation.closed_forms.families import (
    Actions,
    BidFunction,
    ContinuousPlayer,
    Equilibrium,
    Thresholds,
    auction,
    bimatrix_game,
    continuous_game,
    matrix_game,
    signal_game,
    table_game,
    tree_game,
)
from equiform.validation.closed_forms.proving.document import parse_statement, read_statement
from equiform.validation.closed_forms.proving.prove import prove
from equiform.validation.closed_forms.proving.verdict import Status
from tests.helpers.refusals import leaf, refusal

PENNIES = matrix_game("pennies", "HT", "HT", [["t", -1], [-1, 1]], {"t": "t > 0"})
MIXED = [["2/(t + 3)", "(t + 1)/(t + 3)"]] * 2


def test_a_true_claim_is_proved() -> None:
    verdict = equiform.prove(PENNIES, Equilibrium(MIXED, values=["(t - 1)/(t + 3)"]))
    assert verdict.status is Status.PROVED and verdict.require() is verdict
    assert len(verdict.checks) == 20 and all(c.agrees for c in verdict.checks)
    assert verdict.to_dict()["status"] == "proved" and verdict.to_dict()["obligations"]


def test_a_wrong_sign_is_refuted_with_the_simplest_point() -> None:
    verdict = prove(PENNIES, Equilibrium(MIXED, values=["(1 - t)/(t + 3)"]))
    assert verdict.status is Status.REFUTED and verdict.counterexample is not None
    assert verdict.counterexample.place == "t = 1/2"  # at t = 1 both signs agree
    with pytest.raises(CertificateError, match="refuted"):
        verdict.require()


def test_a_wrong_strategy_is_refuted_with_a_better_response() -> None:
    verdict = prove(PENNIES, Equilibrium([["1/2", "1/2"]] * 2))
    assert verdict.counterexample is not None
    (first, second) = verdict.counterexample.deviations
    assert (first.player, second.player) == ("row", "column") and first.gain > 0


def test_a_claim_may_hold_on_a_region() -> None:
    family = matrix_game("cheat", ["H", "T", "cheat"], "HT", [[1, -1], [-1, 1], ["1 - c"] * 2], {"c": "c >= 0"})
    verdict = prove(family, Equilibrium([["1/2", "1/2", 0], ["1/2", "1/2"]], values=[0]))
    assert verdict.status is Status.ON_A_REGION and verdict.region == ("1 <= c",)
    assert verdict.counterexample is not None and verdict.counterexample.place == "c = 0"
    assert "cheat" in str(verdict.counterexample)
    two = matrix_game("two", "ab", "cd", [["x", "x"], ["y", "y"]], {"x": "x > 0", "y": "y > 0"})
    verdict = prove(two, Equilibrium([[1, 0], ["1/2", "1/2"]], values=["x"]))
    assert verdict.status is Status.ON_A_REGION and verdict.region == ("x - y >= 0",)


def test_a_claim_may_stay_open() -> None:
    """Where an information set is never reached Nash asks nothing: the relation fails, and no point refutes it."""
    from equiform.games.tree import ExplicitTree, TreeNode

    silly = TreeNode(0, "later", children={"good": leaf(1, -1), "bad": leaf(0, 0)})
    root = TreeNode(0, "first", children={"out": leaf(2, -2), "in": silly})
    family = tree_game(ExplicitTree("silly", ("A", "B"), root))
    claim = Equilibrium([{"first": [1, 0], "later": [0, 1]}, {}], values=[2])
    verdict = prove(family, claim)
    assert verdict.status is Status.OPEN and [o.text for o in verdict.resisting] == [
        "A, later: good is no better than bad"
    ]


def test_games_of_several_players() -> None:
    dilemma = bimatrix_game(
        "dilemma", "CD", "CD", [["r", 0], ["t", 1]], [["r", "t"], [0, 1]], {"r": "r > 1", "t": "t > r"}
    )
    assert prove(dilemma, Equilibrium([[0, 1], [0, 1]], values=[1, 1])).proved
    assert prove(dilemma, Equilibrium([[1, 0], [1, 0]])).status is Status.REFUTED
    names = [f"{a}{b}{c}" for a in "LR" for b in "LR" for c in "LR"]
    odd = table_game(
        "odd one out",
        ["A", "B", "C"],
        [["L", "R"]] * 3,
        {tuple(n): ["w" if n.count(m) == 1 else 0 for m in n] for n in names},
        {"w": "w > 0"},
    )
    assert prove(odd, Equilibrium([["1/2", "1/2"]] * 3, values=["w/4"] * 3)).proved
    assert prove(odd, Equilibrium([["1/3", "2/3"]] * 3)).status is Status.REFUTED


def test_chance_must_be_a_probability() -> None:
    from equiform.games.tree import ExplicitTree, TreeNode
    from equiform.models.rules import CHANCE

    def game(odds: list[str], where: str) -> Any:
        root = TreeNode(CHANCE, probabilities=odds, children={"a": leaf(1, -1), "b": leaf(-1, 1)})
        return tree_game(ExplicitTree("coin", ("A", "B"), root), {"p": where})

    assert prove(game(["p", "1 - p"], "0 <= p <= 1"), Equilibrium([{}, {}], values=["2*p - 1"])).proved
    assert prove(game(["p", "1 - p"], "0 <= p <= 2"), Equilibrium([{}, {}])).status is not Status.PROVED
    refusal(GameError, lambda: game(["p", "p"], "0 <= p <= 1"), "sum to 2*p")


def test_claims_about_trees_must_fit_and_add_up() -> None:
    from equiform.games.tree import ExplicitTree, TreeNode

    root = TreeNode(0, "first", children={"a": leaf(1, -1), "b": leaf(-1, 1)})
    game = tree_game(ExplicitTree("choice", ("A", "B"), root), {})
    where = game.rules.describe(next(iter(game.infosets.values())).key)
    assert prove(game, Equilibrium([{where: [1, 0]}, {}], values=[1])).proved
    assert prove(game, Equilibrium([{where: [0, 0]}, {}])).status is Status.REFUTED
    many: dict[str, list[int]] = {where: [1, 0], "elsewhere": [1]}
    for wrong, named in (({}, where), (many, "elsewhere"), ({"elsewhere": [1, 0]}, "elsewhere"), ([1, 0], where)):
        claim = Equilibrium([wrong, {}])
        parts = ("does not fit", f"Where: choice: {named!r}")
        refusal(ParameterError, lambda claim=claim: prove(game, claim), *parts)  # type: ignore[misc]


def test_closed_forms_are_instances() -> None:
    verdict = prove(closed_form("rpst"), points=5)
    assert verdict.proved and len(verdict.checks) == 5 and len(verdict.obligations) >= 8


WRONG_CLAIMS: list[tuple[Any, Any, str]] = [
    (PENNIES, BidFunction("v"), "class Equilibrium"),
    (PENNIES, Equilibrium([["1", "0"]]), "pass 2 strategies"),
    (PENNIES, Equilibrium([["1"], ["1", "0"]]), "one for each of H, T"),
    (PENNIES, Equilibrium([{"X": 1}, ["1", "0"]]), "use H, T"),
    (auction("a", "first price"), Equilibrium([]), "class BidFunction"),
    (signal_game("s", ["A", "B"], {("A", "B"): [0, 0]}), Thresholds({}, ["A x", "B"], []), "thresholds between plans"),
    (signal_game("s", ["A", "B"], {("A", "B"): [0, 0]}), Thresholds({"x": 0}, ["A", "B"], []), "order x"),
    (continuous_game("c", [ContinuousPlayer("A", "x", "-x")]), Actions({"y": 0}), "pass x"),
]


@pytest.mark.parametrize(("family", "claim", "part"), WRONG_CLAIMS, ids=[p for *_, p in WRONG_CLAIMS])
def test_claims_must_fit_their_family(family: Any, claim: Any, part: str) -> None:
    refusal(ParameterError, lambda: prove(family, claim), part)


def test_families_must_be_whole() -> None:
    refusal(ParameterError, lambda: matrix_game("m", "ab", "cd", [[1, 2]]), "one row per action")
    refusal(ParameterError, lambda: table_game("t", "AB", ["a", "b"], {}), "are missing")
    refusal(ParameterError, lambda: signal_game("s", ["A", "B"], {}), "is missing")
    refusal(ParameterError, lambda: auction("a", "dutch"), "first price")
    refusal(ParameterError, lambda: continuous_game("c", [ContinuousPlayer("A", "x")]), "payoff")
    refusal(ParameterError, lambda: prove(PENNIES, Equilibrium(MIXED), points=0), "points is 0")


# -- files -------------------------------------------------------------------------------------------------------------

TEXT = """
name = "rent"
kind = "matrix"
[parameters]
x = "x > 0"
[game]
rows = ["a", "b"]
columns = ["c", "d"]
payoffs = [["x", -1], [-1, "1/x"]]
[claim]
row = ["1/(1 + x)", "x/(1 + x)"]
column = ["1/(1 + x)", "x/(1 + x)"]
value = 0
"""


def test_a_file_is_proved_and_a_wrong_sign_in_it_refuted(tmp_path: Path) -> None:
    file = tmp_path / "rent.toml"
    file.write_text(TEXT)
    statement = read_statement(file)
    assert prove(statement.family, statement.claim).proved
    file.write_text(TEXT.replace('"1/x"', '"-1/x"'))
    statement = read_statement(file)
    assert prove(statement.family, statement.claim).status is Status.REFUTED


BAD_FILES = {
    "not TOML": "kind = ",
    "no kind": "name = 'x'",
    "unknown kind": "kind = 'chess'",
    "unknown key": TEXT + "\nbonus = 1",
    "game is a number": "kind = 'matrix'\ngame = 3",
    "missing rows": "kind = 'matrix'\n[game]\ncolumns = ['a']",
    "rows are a number": TEXT.replace('rows = ["a", "b"]', "rows = 3"),
    "payoffs are a number": TEXT.replace('payoffs = [["x", -1], [-1, "1/x"]]', "payoffs = 3"),
    "unknown name": TEXT.replace('"1/x"', '"1/y"'),
    "import": TEXT.replace('"1/x"', "\"__import__('os').system('true')\""),
    "tower": TEXT.replace('"1/x"', '"9^9^9^9"'),
    "a million digits": TEXT.replace('"1/x"', "1" * 10**6),
    "many digits in a text": TEXT.replace('"1/x"', '"' + "1" * 10**5 + '"'),
    "deep arrays": "kind = " + "[" * 20_000,
    "unbalanced": TEXT.replace('"1/x"', '"(1/x"'),
    "a float": TEXT.replace('"1/x"', "0.5"),
    "no parameter": TEXT.replace('x = "x > 0"', 'x = "y > 0"'),
    "a loop of nodes": (
        "kind = 'tree'\n[game]\nplayers = ['A']\n[game.nodes.root]\nplayer = 'A'\nmoves = { a = 'root' }\n"
        "[claim.strategies]\nA = {}"
    ),
    "no node": "kind = 'tree'\n[game]\nplayers = ['A']\n[game.nodes.top]\npayoffs = [1]\n[claim.strategies]\nA = {}",
}


@pytest.mark.parametrize("text", BAD_FILES.values(), ids=BAD_FILES)
@pytest.mark.timeout(5)
def test_bad_files_are_refused(text: str) -> None:
    with pytest.raises((FormatError, ParameterError)) as caught:
        parse_statement(text, "a file")
    assert caught.value.fix


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    refusal(FormatError, lambda: read_statement(tmp_path / "nothing.toml"), "cannot be read")
    large = tmp_path / "large.toml"
    large.write_text("#" * 300_000)
    refusal(FormatError, lambda: read_statement(large), "200000 bytes")
