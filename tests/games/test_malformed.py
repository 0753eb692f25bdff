"""Malformed files, rules and game specs: each is refused with the right type of error and says what and where."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from equiform.games import (
    Clairvoyance,
    ExplicitTree,
    Goofspiel,
    Kuhn,
    KuhnMultiplayer,
    KuhnNoLimit,
    Leduc,
    LeducNoLimit,
    LiarsDice,
    TreeNode,
    load_game,
    parse_efg,
    parse_nfg,
    read_efg,
    write_efg,
)
from equiform.models import (
    NormalForm,
    compile_rules,
)
from equiform.models.common.errors import (
    ActionMismatchError,
    ChanceError,
    EmptyNodeError,
    EquiformError,
    FormatError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    PayoffError,
)
from equiform.models.rules import CHANCE
from tests.helpers.refusals import below, leaf, refusal

# -- .efg --------------------------------------------------------------------------------------------------------------

HEAD = 'EFG 2 R "t" { "A" "B" }\n'
LEAF = 't "" 1 "" { 1, -1 }\n'

EFG: dict[str, tuple[str, type[EquiformError], str, str]] = {
    "empty": ("", FormatError, "not an .efg file", "f.efg:1:1"),
    "another format": ('NFG 1 R "t" { "A" } { 1 } 1', FormatError, "not an .efg file", "f.efg:1:1"),
    "old version": ('EFG 1 R "t" { "A" } ' + LEAF, FormatError, "version 1 of the format", "f.efg:1:5"),
    "wrong letter": ('EFG 2 X "t" { "A" } ' + LEAF, FormatError, "lacks the letter R", "f.efg:1:7"),
    "no title": ('EFG 2 R { "A" } ' + LEAF, FormatError, "expected the title and found '{'", "f.efg:1:9"),
    "no players": ('EFG 2 R "t" { } ' + LEAF, FormatError, "has no players", "f.efg:1:15"),
    "players not closed": (
        'EFG 2 R "t" { "A" ',
        FormatError,
        "expected a player's name and found the end",
        "f.efg:1:19",
    ),
    "no tree": (HEAD, FormatError, "ends in the middle of the tree", "f.efg:2:1"),
    "string not closed": (HEAD + 't "no end 1 { 1 2 }', FormatError, "a quoted string is not closed", "f.efg:2:3"),
    "strange sign": (HEAD + 't "" 1 "" { 1; 2 }', FormatError, "cannot read '; 2 }'", "f.efg:2:14"),
    "unknown node": (HEAD + 'x "" 1', FormatError, "expected a node and found 'x'", "f.efg:2:1"),
    "number for a node": (HEAD + "7", FormatError, "expected a node and found '7'", "f.efg:2:1"),
    "no node name": (HEAD + 't 1 "" { 1 2 }', FormatError, "expected the node's name and found '1'", "f.efg:2:3"),
    "player 3": (HEAD + 'p "" 3 1 "" { "x" } 0\n' + LEAF, FormatError, "there is no player 3", "f.efg:2:6"),
    "player 0": (HEAD + 'p "" 0 1 "" { "x" } 0\n' + LEAF, FormatError, "the player is 0", "f.efg:2:6"),
    "half a set": (HEAD + 'p "" 1 1/2 "" { "x" } 0', FormatError, "the information set is 1/2", "f.efg:2:8"),
    "moves missing": (HEAD + 'p "" 1 1 0\n' + LEAF, FormatError, "information set 1 has no moves yet", "f.efg:2:8"),
    "no moves": (HEAD + 'p "" 1 1 "" { } 0\n', FormatError, "the node has no moves", "f.efg:2:13"),
    "other moves": (
        HEAD + 'p "" 1 1 "" { "x" "y" } 0\n' + LEAF + 'p "" 1 1 "" { "x" "z" } 0\n' + LEAF + LEAF,
        FormatError,
        "has the moves ('x', 'y') elsewhere and ('x', 'z') here",
        "f.efg:4:13",
    ),
    "chance sums to 3/4": (
        HEAD + 'c "" 1 "" { "x" 1/2 "y" 1/4 } 0\n' + LEAF + LEAF,
        ChanceError,
        "chance probabilities 1/2, 1/4 sum to 3/4",
        "f.efg:2:11",
    ),
    "negative chance": (
        HEAD + 'c "" 1 "" { "x" 3/2 "y" -1/2 } 0\n' + LEAF + LEAF,
        ChanceError,
        "include a negative one",
        "f.efg:2:11",
    ),
    "chance without odds": (
        HEAD + 'c "" 1 "" { "x" "y" } 0\n',
        FormatError,
        "expected the probability of a move and found the string",
        "f.efg:2:17",
    ),
    "outcome unknown": (HEAD + 't "" 5', FormatError, "outcome 5 has no payoffs", "f.efg:2:6"),
    "outcome 0 with payoffs": (HEAD + 't "" 0 "" { 1 2 }', FormatError, "outcome 0 means none", "f.efg:2:6"),
    "outcome twice": (
        HEAD + 'p "" 1 1 "" { "x" "y" } 0\n' + LEAF + 't "" 1 "" { 2, -2 }',
        FormatError,
        "outcome 1 is defined twice",
        "f.efg:4:6",
    ),
    "three payoffs": (HEAD + 't "" 1 "" { 1 2 3 }', FormatError, "3 payoffs for 2 players", "f.efg:2:6"),
    "words for payoffs": (HEAD + 't "" 1 "" { one 2 }', FormatError, "expected a payoff and found 'one'", "f.efg:2:13"),
    "division by zero": (HEAD + 't "" 1 "" { 1/0 2 }', FormatError, "1/0 divides by zero", "f.efg:2:13"),
    "huge exponent": (HEAD + 't "" 1 "" { 1e999999999 2 }', FormatError, "is too long", "f.efg:2:13"),
    "endless digits": (HEAD + 't "" 1 "" { ' + "9" * 5000 + " 2 }", FormatError, "is too long", "f.efg:2:13"),
    "code is not run": (HEAD + 't "" 1 "" { __import__ 2 }', FormatError, "cannot read '__import__ 2 }'", "f.efg:2:13"),
    "tree unfinished": (HEAD + 'p "" 1 1 "" { "x" "y" } 0\n' + LEAF, FormatError, "middle of the tree", "f.efg:4:1"),
    "too many nodes": (HEAD + LEAF + LEAF, FormatError, "the tree is complete and the file goes on", "f.efg:3:1"),
}


@pytest.mark.parametrize("case", EFG)
def test_efg(case: str) -> None:
    text, error, message, place = EFG[case]
    refusal(error, lambda: parse_efg(text, source="f.efg"), message, place)


# -- .nfg --------------------------------------------------------------------------------------------------------------

TWO = 'NFG 1 R "t" { "A" "B" } '

NFG: dict[str, tuple[str, str, str]] = {
    "another format": (HEAD + LEAF, "not an .nfg file", "f.nfg:1:1"),
    "version 2": ('NFG 2 R "t" { "A" } { 1 } 1', "version 2 of the format", "f.nfg:1:5"),
    "wrong letter": ('NFG 1 Q "t" { "A" } { 1 } 1', "lacks the letter R", "f.nfg:1:7"),
    "no players": ('NFG 1 R "t" { } { } 1', "has no players", "f.nfg:1:15"),
    "one list for two": (TWO + "{ 2 } 1 2 3 4", "strategies of 1 players for 2", "f.nfg:1:25"),
    "no strategies": (TWO + '{ { "x" } { } } 1 2', "a player has no strategies", "f.nfg:1:37"),
    "zero strategies": (TWO + "{ 2 0 }", "a number of strategies is 0", "f.nfg:1:29"),
    "too large": (TWO + "{ 9999 9999 }", "99,980,001 profiles", "f.nfg:1:32"),
    "payoffs missing": (TWO + "{ 1 2 }\n1 2 3", "expected a payoff and found the end", "f.nfg:2:6"),
    "payoffs left over": (TWO + "{ 1 1 }\n1 2 3", "more entries than profiles", "f.nfg:2:5"),
    "outcome too short": (TWO + '{ 1 1 }\n{ { "x" 1 } } 1', "1 payoffs for 2 players", "f.nfg:2:3"),
    "outcome unknown": (TWO + '{ 1 1 }\n{ { "x" 1 2 } } 2', "there is no outcome 2", "f.nfg:2:17"),
    "outcomes missing": (TWO + '{ 1 2 }\n{ { "x" 1 2 } } 1', "fewer entries than profiles", "f.nfg:2:18"),
}


@pytest.mark.parametrize("case", NFG)
def test_nfg(case: str) -> None:
    text, message, place = NFG[case]
    refusal(FormatError, lambda: parse_nfg(text, source="f.nfg"), message, place)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["missing.efg", "missing.nfg"])
def test_missing_files(name: str, tmp_path: Path) -> None:
    refusal(ParameterError, lambda: load_game(str(tmp_path / name)), "cannot read the game file: No such file", name)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.efg").mkdir()
    refusal(ParameterError, lambda: read_efg(tmp_path / "folder.efg"), "Is a directory")


def test_a_path_that_is_none() -> None:
    refusal(ParameterError, lambda: load_game("\0.efg"), "cannot read the game file: embedded null")


def test_binary_files(tmp_path: Path) -> None:
    (tmp_path / "g.efg").write_bytes(b"EFG 2 R \xff\xfe")
    refusal(FormatError, lambda: read_efg(tmp_path / "g.efg"), "not UTF-8 text", "byte 8")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    game = compile_rules(Kuhn())
    refusal(FormatError, lambda: write_efg(game, tmp_path / "no" / "g.efg"), "cannot write", "No such file")


# -- rules -------------------------------------------------------------------------------------------------------------


def chance(*odds: float | Fraction, moves: int = 2) -> TreeNode:
    return TreeNode(CHANCE, probabilities=odds, children={f"c{k}": leaf() for k in range(moves)})


def two_sets(first: str, second: str) -> TreeNode:
    """Two nodes of player 2 in one information set with different moves."""
    nodes = [TreeNode(1, "same", children={m: leaf() for m in moves}) for moves in (first, second)]
    return TreeNode(0, "root", children={"left": nodes[0], "right": nodes[1]})


RULES: dict[str, tuple[Callable[[], TreeNode], type[GameError], str, str]] = {
    "chance sums to 9/10": (lambda: below(chance(0.5, 0.4)), ChanceError, "1/2, 2/5 sum to 9/10", "'right'"),
    "chance is negative": (lambda: below(chance(1.5, -0.5)), ChanceError, "probability is negative: -1/2", "'right'"),
    "chance is short": (lambda: below(chance(1)), ChanceError, "chance has 2 moves and 1 probabilities", "'right'"),
    "chance is nan": (lambda: chance(float("nan"), 1), ChanceError, "not a finite number", "'the root'"),
    "no moves": (lambda: below(TreeNode(1, "x")), EmptyNodeError, "not terminal has no moves", "'right'"),
    "chance without moves": (lambda: below(chance(moves=0)), EmptyNodeError, "has no moves", "'right'"),
    "other moves": (lambda: two_sets("xy", "xz"), ActionMismatchError, "('x', 'y') and ('x', 'z')", "'right'"),
    "other order": (lambda: two_sets("xy", "yx"), ActionMismatchError, "offer different moves", "'right'"),
    "fewer moves": (lambda: two_sets("xy", "x"), ActionMismatchError, "('x', 'y') and ('x',)", "'same'"),
    "payoff missing": (lambda: below(leaf(1)), PayoffError, "1 payoffs for 2 players", "'right'"),
    "payoffs missing": (lambda: below(TreeNode()), PayoffError, "0 payoffs for 2 players", "'right'"),
    "payoff is nan": (lambda: below(leaf(float("nan"), 0)), PayoffError, "are not finite numbers", "'right'"),
    "payoff is infinite": (lambda: leaf(float("inf"), 0), PayoffError, "are not finite numbers", "'the root'"),
    "payoff is a word": (lambda: leaf("one", 0), PayoffError, "are not finite", "'the root'"),  # type: ignore[arg-type]
    "no such player": (
        lambda: below(TreeNode(2, "x", children={"m": leaf()})),
        GameError,
        "turn() returned 2",
        "'right'",
    ),
    "no such turn": (lambda: TreeNode(-7, "x", children={"m": leaf()}), GameError, "turn() returned -7", "'the root'"),
}


@pytest.mark.parametrize("case", RULES)
def test_rules(case: str) -> None:
    make, error, message, place = RULES[case]
    refusal(error, lambda: ExplicitTree("bad", ("A", "B"), make()).compile(), message, place)


def test_rules_without_players() -> None:
    refusal(GameError, lambda: ExplicitTree("empty", (), leaf()).compile(), "has no players", "'empty'")


def test_rules_with_a_move_twice() -> None:
    class Twice(Kuhn):
        def actions(self, state: object) -> tuple[str, ...]:
            return ("same", "same")

    refusal(GameError, lambda: compile_rules(Twice()), "the moves ('same', 'same') are not distinct", "'the root'")


def test_a_tree_that_is_too_large() -> None:
    refusal(
        GameError, lambda: compile_rules(Kuhn(20), max_nodes=1000), "more than 1,000 nodes", "whole tree is estimated"
    )


def test_imperfect_recall_is_named_when_it_matters() -> None:
    again = [TreeNode(0, "again", children={"x": leaf()}) for _ in range(2)]
    root = TreeNode(0, "first", children={"left": again[0], "right": again[1]})
    game = ExplicitTree("forgetful", ("A", "B"), root).compile()
    refusal(ImperfectRecallError, lambda: game.treeplexes, "A has imperfect recall", "'again'", "'right'")


def test_a_matrix_with_a_hole() -> None:
    refusal(
        GameError, lambda: NormalForm.from_matrix("hole", "ab", "cd", [[1, 2], [3]]), "one entry per pair of actions"
    )


def test_a_matrix_without_actions() -> None:
    empty = np.zeros((2, 0, 2), dtype=object)
    refusal(GameError, lambda: NormalForm("empty", ("A", "B"), ((), ("c", "d")), empty), "do not fit (2, 0, 2)")


# -- parameters of built-in games --------------------------------------------------------------------------------------

CLASSES: dict[str, tuple[Callable[[], object], str]] = {
    "kuhn of one card": (lambda: Kuhn(1), "at least two cards"),
    "kuhn of too many": (lambda: Kuhn(10_000), "nodes"),
    "leduc of two cards": (lambda: Leduc(ranks=2, suits=1), "at least three cards"),
    "leduc without chips": (lambda: LeducNoLimit(stack=0), "must cover the ante"),
    "clairvoyance without step": (lambda: Clairvoyance(10, 0), "a positive step"),
    "clairvoyance in debt": (lambda: Clairvoyance(-1), "stack of at least 0"),
    "clairvoyance by the cent": (lambda: Clairvoyance(10**9, Fraction(1, 100)), "nodes"),
    "no-limit kuhn of one card": (lambda: KuhnNoLimit(cards=1), "at least two cards"),
    "kuhn alone": (lambda: KuhnMultiplayer(1), "at least two players"),
    "one-sided dice": (lambda: LiarsDice(sides=1), "at least two sides"),
    "too many dice": (lambda: LiarsDice(dice=5), "nodes"),
    "goofspiel of one card": (lambda: Goofspiel(1), "at least two cards"),
    "goofspiel in no order": (lambda: Goofspiel(3, order="sideways"), "sideways"),
    "goofspiel of ten": (lambda: Goofspiel(10), "nodes"),
}


@pytest.mark.parametrize("case", CLASSES)
def test_built_in_parameters(case: str) -> None:
    make, message = CLASSES[case]
    refusal(ParameterError, make, message)


# -- specs -------------------------------------------------------------------------------------------------------------

SPECS: dict[str, tuple[str, ...]] = {
    "": ("there is no game called ''",),
    "kuhnn": ("there is no game called 'kuhnn'", "did you mean 'kuhn'"),
    "leduk": ("did you mean 'leduc'",),
    "KUHN": ("there is no game called 'KUHN'",),
    "quantum": ("there is no game called 'quantum'", "`equiform games` lists the names"),
    "kuhn:card=4": ("kuhn has no parameter 'card'", "did you mean 'cards'"),
    "rps:k=1": ("rps has no parameter 'k'", "rps takes no parameters"),
    "kuhn:4": ("'4' is not of the form name=value", "its parameters are cards=3"),
    "kuhn:cards=": ("'cards=' is not of the form name=value",),
    "kuhn:cards=four": ("cards=four is not a whole number", "game 'kuhn:cards=four'"),
    "kuhn:cards=3.5": ("cards=3.5 is not a whole number",),
    "kuhn:cards=1": ("cards=1 is out of range", "at least 2"),
    "kuhn:cards=99999": ("cards=99999 is out of range", "at most"),
    "kuhn:cards=3,cards=4": ("cards is given twice",),
    "clairvoyance:stack=1/0": ("stack=1/0 is not a number",),
    "clairvoyance:stack=nan": ("stack=nan is not a number",),
    "clairvoyance:step=0": ("step=0 is out of range",),
    "fig-8.2:k=-1": ("k=-1 is out of range",),
    "goofspiel:imp_info=maybe": ("imp_info=maybe is not a true | false",),
    "goofspiel:order=up": ("order=up is not a descending | ascending | random",),
    "liars-dice:sides=8,dice=4": ("nodes",),
    "random:depth=14,branching=26,seed=1": ("nodes",),
    "fig-13.10": ("did you mean",),
}


@pytest.mark.parametrize("spec", SPECS)
def test_specs(spec: str) -> None:
    refusal(ParameterError, lambda: load_game(spec), *SPECS[spec])


def test_there_are_enough_of_them() -> None:
    assert len(EFG) + len(NFG) + len(RULES) + len(CLASSES) + len(SPECS) >= 80
