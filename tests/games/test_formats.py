"""Gambit's file formats: every construct is read, exactly, and what is written reads back as the same game."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from equiform.games import (
    ExplicitTree,
    TreeNode,
    format_efg,
    format_nfg,
    load_game,
    parse_efg,
    parse_nfg,
    read_efg,
    read_nfg,
    write_efg,
    write_nfg,
)
from equiform.games.formats.gambit_text import distinct_labels, quote
from equiform.models import ExtensiveGame, NormalForm, expected_payoffs
from equiform.models.rules import CHANCE
from tests.helpers.games import tree

ARRAYS = (
    "layers",
    "turn",
    "parent",
    "branch",
    "first_child",
    "num_children",
    "infoset",
    "edge",
    "outcome",
    "move_set",
    "infoset_player",
    "infoset_moves",
)


def assert_same(a: ExtensiveGame, b: ExtensiveGame) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert (a.name, a.players, a.move_sets) == (b.name, b.players, b.move_sets)
    assert (a.chance_values, a.payoff_table) == (b.chance_values, b.payoff_table)
    assert [a.describe(k) for k in a.infoset_keys] == [b.describe(k) for k in b.infoset_keys]


TREES = [
    "kuhn",
    "one-card:cards=20",
    "leduc",
    "leduc-nl:stack=4",
    "clairvoyance:stack=2",
    "kuhn-nl:stack=1",
    "kuhn-multiplayer",
]
TREES += ["liars-dice:sides=3", "goofspiel:cards=3,order=random", "rps-sequential", "fig-13.9", "random:players=3"]


@pytest.mark.parametrize("spec", TREES)
def test_trees_round_trip(spec: str, tmp_path: Path) -> None:
    game = tree(spec)
    write_efg(game, tmp_path / "game.efg", comment='with a "comment"')
    again = tree(str(tmp_path / "game.efg"))
    assert_same(game, again)
    assert format_efg(again) == format_efg(game)
    assert list(tmp_path.iterdir()) == [tmp_path / "game.efg"]  # no temporary file stays behind


@pytest.mark.parametrize("spec", ["rps", "rpst", "fig-8.2:k=1/3", "fig-13.6"])
def test_matrices_round_trip(spec: str, tmp_path: Path) -> None:
    game = load_game(spec)
    assert isinstance(game, NormalForm)
    write_nfg(game, tmp_path / "game.nfg")
    again = load_game(str(tmp_path / "game.nfg"))
    assert isinstance(again, NormalForm)
    assert (again.name, again.players, again.actions) == (game.name, game.players, game.actions)
    assert (again.payoffs == game.payoffs).all()
    assert all(isinstance(v, Fraction) for v in again.payoffs.ravel())


# -- .efg --------------------------------------------------------------------------------------------------------------

EVERYTHING = """EFG 2 R "Everything \\"in\\" one" { "Alice" "Bob" }
"A comment over
two lines"

c "root" 1 "deal" { "low" 1/3 "high" 2/3 } 0
p "" 1 1 "first" { "stop" "go" } 4 "toll" { -1, 1/2 }
t "" 1 "lost" { -1.5 1.5 }
p "" 2 7 "blind" { "l" "r" } 0
t "" 2 "won" { 2e1, -20 }
t "" 0
p "" 1
  2 "second"
  { "stop" "go" } 0
t "" 1
p "" 2 7 0 t "" 2 t "" 3 "" { .25 -0.25 }
"""


def test_every_construct_is_read() -> None:
    game = parse_efg(EVERYTHING)
    assert game.name == 'Everything "in" one'
    assert game.players == ("Alice", "Bob")
    assert game.chance_values == (Fraction(1, 3), Fraction(2, 3))
    leaves = {game.path(int(n)): game.payoff_table[game.outcome[n]] for n in game.terminals}
    half = Fraction(1, 2)
    assert leaves == {
        "low > stop": (Fraction(-5, 2), Fraction(2)),  # the toll of the node above is added
        "low > go > l": (19, -20 + half),
        "low > go > r": (-1, half),  # no outcome but the toll
        "high > stop": (Fraction(-3, 2), Fraction(3, 2)),  # outcome 1 again, defined elsewhere
        "high > go > l": (20, -20),
        "high > go > r": (Fraction(1, 4), Fraction(-1, 4)),
    }
    assert [game.describe(k) for k in game.infoset_keys] == ["first", "second", "blind"]
    blind = np.flatnonzero(game.turn == 1)
    assert len(blind) == 2 and len(set(game.infoset[blind])) == 1  # information sets are numbered per player


def test_statements_may_share_lines_and_break_anywhere() -> None:
    together = " ".join(EVERYTHING.replace("over\ntwo", "over two").split("\n"))
    spread = EVERYTHING.replace("{ ", "{\n").replace(" }", "\n}")
    assert format_efg(parse_efg(together)) == format_efg(parse_efg(EVERYTHING)) == format_efg(parse_efg(spread))


def test_a_line_that_begins_like_an_earlier_one_is_read_afresh() -> None:
    """Whole lines are remembered; a statement that goes on in the next line must not be."""
    text = 'EFG 2 R "" { "A" } p "" 1 1 "" { "a" "b" } 0\np "" 1 2\n"x" { "c" } 0\nt "" 1 "" { 1 }\np "" 1 2\n0\nt "" 1'
    assert parse_efg(text).num_nodes == 5


def test_labels_that_do_not_tell_moves_apart_are_completed() -> None:
    game = parse_efg('EFG 2 R "" { "A" } p "" 1 1 "" { "x" "" "x" } 0 t "" 1 "" { 1 } t "" 1 t "" 1', source="d/no.efg")
    assert game.move_sets == (("x", "2", "x (2)"),)
    assert game.name == "no"
    assert game.describe(game.infoset_keys[0]) == "information set 1"
    assert distinct_labels(["a (2)", "a", "a"]) == ("a (2)", "a", "a (3)")


def test_information_sets_with_one_name_are_told_apart() -> None:
    text = 'EFG 2 R "" { "A" } p "" 1 1 "s" { "x" "y" } 0 p "" 1 2 "s" { "z" } 0 t "" 1 "" { 1 } t "" 1'
    game = parse_efg(text)
    assert [game.describe(k) for k in game.infoset_keys] == ["s", "s (2)"]


def test_strings_survive_quotes_backslashes_and_letters_of_all_kinds() -> None:
    for text in ['say "hi"', "back\\slash", 'both \\" of them\\', "Großer Preis × 3 –", ""]:
        leaf = TreeNode(payoffs=(1,))
        tree = ExplicitTree("t", ("solo",), TreeNode(0, text, children={text or "move": leaf, "other": leaf}))
        game = parse_efg(format_efg(tree.compile()))
        assert game.move_sets[0][0] == (text or "move")
        assert game.describe(game.infoset_keys[0]) == (text or "information set 1")
    assert quote('a"b\\') == '"a\\"b\\\\"'


def test_a_tree_deeper_than_pythons_stack() -> None:
    root = node = TreeNode()
    for k in range(5000):
        node.turn, node.key = 0, k
        node.children = {"on": TreeNode(), "off": TreeNode(payoffs=(k,))}
        node = node.children["on"]
    node.payoffs = (Fraction(1, 3),)
    game = ExplicitTree("deep", ("solo",), root).compile()
    again = parse_efg(format_efg(game))
    assert again.num_nodes == 10_001
    assert_same(game, again)


def test_fractions_stay_fractions(tmp_path: Path) -> None:
    third = Fraction(1, 3)
    root = TreeNode(CHANCE, probabilities=(third, third, third), children={})
    root.children = {str(k): TreeNode(payoffs=(Fraction(k, 7), Fraction(-k, 7))) for k in range(3)}
    write_efg(ExplicitTree("thirds", ("a", "b"), root).compile(), tmp_path / "g.efg")
    assert "1/3" in (tmp_path / "g.efg").read_text() and "2/7" in (tmp_path / "g.efg").read_text()
    game = read_efg(tmp_path / "g.efg")
    assert game.chance_values == (third,)
    assert expected_payoffs(game, [plex.uniform() for plex in game.treeplexes])[0] == pytest.approx(1 / 7)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "g.efg").write_text('EFG 2 D "x" { "A" } t "" 1 "" { 7 }', encoding="utf-8-sig")
    assert read_efg(tmp_path / "g.efg").payoff_table == ((Fraction(7),),)


# -- .nfg --------------------------------------------------------------------------------------------------------------


def test_the_first_players_strategy_changes_fastest() -> None:
    game = parse_nfg('NFG 1 R "t" { "A" "B" } { 3 2 }\n\n1 1 0 2 0 2 1 1 0 3 2 0')
    assert game.payoffs[0].tolist() == [[1, 1], [0, 0], [0, 2]]
    assert game.payoffs[1].tolist() == [[1, 1], [2, 3], [2, 0]]
    assert game.actions == (("1", "2", "3"), ("1", "2"))


def test_the_outcome_version_is_read() -> None:
    text = """NFG 1 R "o" { "A" "B" } { { "U" "D" } { "L" "R" } }
    "a comment" { { "good" 3/2, 1 } { "bad" -1 0.5 } } 1 2 0 1"""
    game = parse_nfg(text)
    assert game.payoffs[0].tolist() == [[Fraction(3, 2), 0], [-1, Fraction(3, 2)]]
    assert game.payoffs[1].tolist() == [[1, 0], [Fraction(1, 2), 1]]


def test_three_players_and_uneven_strategies_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = np.array([Fraction(int(k), 7) for k in rng.integers(-9, 9, 3 * 2 * 3 * 4)], dtype=object)
    actions = (("a", "b"), ("c", "d", "e"), ("f", "g", "h", "i"))
    game = NormalForm("three", ("A", "B", "C"), actions, table.reshape(3, 2, 3, 4))
    write_nfg(game, tmp_path / "g.nfg", comment="random")
    again = read_nfg(tmp_path / "g.nfg")
    assert (again.payoffs == game.payoffs).all() and again.actions == actions
    assert format_nfg(again) == format_nfg(game)
