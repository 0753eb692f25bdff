"""Malformed files, rules and game specs: each is refused with the right type of error and says what and where."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import equiform
from equiform.formulations import (
    best_response_lp,
    dominance,
    gifts,
    least_exploitable,
    optimal_translation,
    purified_selection,
    quasi_perfect,
    safe_responder,
    safe_response,
    selection,
    sequence_form_lp,
    tradeoff,
    undominated,
)
from equiform.formulations.piecewise_product import guaranteed_epsilon
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
    random_game,
    read_efg,
    write_efg,
)
from equiform.games.cards.equity import river_distribution
from equiform.models import (
    ExtensiveGame,
    NormalForm,
    Strategy,
    as_sequence_form,
    compile_rules,
    evaluate,
    sequence_gradient,
)
from equiform.models.errors import (
    ActionMismatchError,
    ChanceError,
    EmptyNodeError,
    EquiformError,
    FormatError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    PayoffError,
    StrategyError,
    UnsupportedGameError,
)
from equiform.models.extensive import CHANCE
from equiform.models.rational import show
from equiform.play import MatchSpec, play_match, take_seat
from equiform.solvers_iterative import Until, create


def refusal(error: type[EquiformError], action: Callable[[], object], *parts: str) -> None:
    """Check the type of an error and that its message holds all parts; every error proposes a fix."""
    with pytest.raises(error) as caught:
        action()
    assert caught.type is error
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.fix


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


def leaf(*payoffs: float | Fraction) -> TreeNode:
    return TreeNode(payoffs=payoffs or (1, -1))


def chance(*odds: float | Fraction, moves: int = 2) -> TreeNode:
    return TreeNode(CHANCE, probabilities=odds, children={f"c{k}": leaf() for k in range(moves)})


def below(node: TreeNode) -> TreeNode:
    """Hang a node under a first move, so that errors have a path to name."""
    return TreeNode(0, "root", children={"left": leaf(), "right": node})


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
    refusal(GameError, lambda: compile_rules(Kuhn(20), max_nodes=1000), "more than 1,000 nodes", "depth 3")


def test_imperfect_recall_is_named_when_it_matters() -> None:
    again = [TreeNode(0, "again", children={"x": leaf()}) for _ in range(2)]
    root = TreeNode(0, "first", children={"left": again[0], "right": again[1]})
    game = ExplicitTree("forgetful", ("A", "B"), root).compile()
    refusal(ImperfectRecallError, lambda: game.treeplexes, "A has imperfect recall", "'again'", "'right'")


def test_a_matrix_with_a_hole() -> None:
    refusal(GameError, lambda: NormalForm.from_matrix("hole", "ab", "cd", [[1, 2], [3]]), "one entry a pair of actions")


def test_a_matrix_without_actions() -> None:
    empty = np.zeros((2, 0, 2), dtype=object)
    refusal(GameError, lambda: NormalForm("empty", ("A", "B"), ((), ("c", "d")), empty), "do not fit (2, 0, 2)")


# -- numbers beyond floats ---------------------------------------------------------------------------------------------

HUGE = 10**400


def huge_tree(payoff: Fraction | int) -> ExtensiveGame:
    return ExplicitTree("huge", ("A", "B"), below(leaf(payoff, -payoff))).compile()


def huge_matrix(payoff: Fraction | int) -> NormalForm:
    return NormalForm.from_matrix("huge", "ab", "cd", [[0, 1], [payoff, 0]])


FLOAT_USES: dict[str, Callable[[ExtensiveGame], object]] = {
    "solve": lambda game: equiform.solve(game),
    "evaluate": lambda game: evaluate(game, [t.uniform() for t in game.treeplexes]),
    "the tree of CFR": lambda game: create("tree-cfr", game),
    "sampling": lambda game: create("mccfr-outcome", game),
}


@pytest.mark.parametrize("use", FLOAT_USES)
def test_payoffs_beyond_floats_are_named_by_their_node(use: str) -> None:
    refusal(UnsupportedGameError, lambda: FLOAT_USES[use](huge_tree(HUGE)), "1e+400", "A at 'right'", "exact=True")


def test_payoffs_beyond_floats_are_named_by_their_moves() -> None:
    refusal(UnsupportedGameError, lambda: equiform.solve(huge_matrix(-HUGE)), "-1e+400", "row at (b, c)")
    refusal(UnsupportedGameError, lambda: create("cfr", huge_matrix(HUGE)), "the only choice: b", "the only choice: c")
    refusal(UnsupportedGameError, lambda: huge_matrix(HUGE).sequence_form().flipped().A, "choice: c' and", "choice: b'")


def test_payoffs_that_round_to_zero_are_no_trouble() -> None:
    assert equiform.solve(huge_tree(Fraction(1, HUGE))).value == 1  # the other leaf pays one


@pytest.mark.parametrize("concept", ["nash", "une", "qpe"])
@pytest.mark.parametrize("scale", [Fraction(HUGE), Fraction(1, HUGE)], ids=["huge", "tiny"])
def test_exact_answers_scale_with_the_payoffs(concept: str, scale: Fraction) -> None:
    table = [[3, -1], [-2, 1]]
    epsilon = Fraction(1, 100) if concept == "qpe" else None
    plain, scaled = (
        equiform.solve(
            NormalForm.from_matrix("g", "ab", "cd", [[k * v for v in row] for row in table]),
            concept=concept,
            epsilon=epsilon,
            exact=True,
        ).exact
        for k in (Fraction(1), scale)
    )
    assert plain is not None and scaled is not None
    assert scaled.value == scale * plain.value != 0
    assert [s.table() for s in scaled.strategies] == [s.table() for s in plain.strategies]


TOO_SMALL: dict[str, float | Fraction] = {"a fraction": Fraction(1, HUGE), "its square": 1e-200, "denormal": 1e-310}


@pytest.mark.parametrize("epsilon", TOO_SMALL.values(), ids=TOO_SMALL)
def test_an_epsilon_too_small_for_floats(epsilon: float | Fraction) -> None:
    def ask() -> object:
        return equiform.solve("kuhn", concept="qpe", epsilon=epsilon)

    refusal(ParameterError, ask, "too small for floats", f"epsilon {show(epsilon)}", "exact=True")


@pytest.mark.parametrize("epsilon", [Fraction(HUGE), 10**5000, Fraction(0), -1], ids=["huge", "long", "zero", "less"])
def test_an_epsilon_out_of_range(epsilon: Fraction) -> None:
    for exact in (False, True):
        refusal(
            ParameterError,
            lambda exact=exact: equiform.solve("kuhn", concept="qpe", epsilon=epsilon, exact=exact),  # type: ignore[misc]
            f"epsilon is {show(epsilon)}",
            "up to 1/2",
        )


def test_exponents_that_would_fill_the_memory() -> None:
    refusal(
        ParameterError,
        lambda: equiform.solve("kuhn", concept="qpe", epsilon="1e-999999999"),  # type: ignore[arg-type]
        "is not a number",
    )


# -- players -----------------------------------------------------------------------------------------------------------

NOBODY: list[Any] = [2, 5, -1, True, "0", 0.0, None]
FORM = as_sequence_form(load_game("kuhn"))
PLAN = FORM.treeplexes[0].realization(FORM.treeplexes[0].uniform())  # both players of kuhn have as many sequences
NOTHING = np.zeros(len(PLAN))
IMAGE = sp.eye_array(len(PLAN), format="csr")

PLAYERS: dict[str, Callable[[Any], object]] = {
    "api nash": lambda p: equiform.solve("kuhn", player=p),
    "api une": lambda p: equiform.solve("kuhn", concept="une", player=p),
    "api qpe": lambda p: equiform.solve("kuhn", concept="qpe", epsilon=0.01, player=p),
    "api exact": lambda p: equiform.solve("kuhn", concept="une", exact=True, player=p),
    "nash": lambda p: sequence_form_lp.solve(FORM, player=p),
    "une build": lambda p: undominated.build(FORM, value=0.0, player=p),
    "complete": lambda p: undominated.complete(FORM, PLAN, PLAN, player=p),
    "qpe": lambda p: quasi_perfect.solve(FORM, 0.01, player=p),
    "qpe scaled": lambda p: quasi_perfect.build_scaled(FORM, 0.01, player=p),
    "safe response": lambda p: safe_response.solve(FORM, PLAN, epsilon=0.1, value=0.0, player=p),
    "safe responder": lambda p: safe_responder.SafeResponder(FORM, player=p),
    "selection": lambda p: selection.solve(FORM, PLAN, player=p),
    "functional": lambda p: selection.solve_functional(FORM, NOTHING, value=0.0, player=p),
    "purified": lambda p: purified_selection.build(FORM, NOTHING, value=0.0, player=p),
    "dominance": lambda p: dominance.solve(FORM, PLAN, player=p),
    "tradeoff": lambda p: tradeoff.solve(FORM, PLAN, player=p),
    "gifts": lambda p: gifts.solve(FORM, player=p),
    "gifts exist": lambda p: gifts.exist(FORM, player=p),
    "best response program": lambda p: best_response_lp.solve(FORM, PLAN, player=p),
    "translation": lambda p: optimal_translation.solve(FORM, IMAGE, FORM.treeplexes[0], player=p),
    "least exploitable": lambda p: least_exploitable.solve(FORM, FORM, IMAGE, abstract_value=None, player=p),
    "gradient": lambda p: FORM.gradient(p, PLAN),
    "best response": lambda p: FORM.best_response(p, PLAN),
    "matrix": lambda p: huge_matrix(1).action_values(p, [np.array([0.5, 0.5])] * 2),
    "tree": lambda p: sequence_gradient(compile_rules(Kuhn()), [PLAN, PLAN], p),
    "seat": lambda p: take_seat("kuhn", p),
    "match": lambda p: MatchSpec("kuhn", "rwywe", "random", player=p),
}


@pytest.mark.parametrize("nobody", NOBODY, ids=repr)
@pytest.mark.parametrize("use", PLAYERS)
def test_there_is_no_such_player(use: str, nobody: object) -> None:
    refusal(ParameterError, lambda: PLAYERS[use](nobody), f"there is no player {nobody!r}", "0 to 1")


@pytest.mark.parametrize("nobody", [n for n in NOBODY if n is not None], ids=repr)
def test_undominated_play_of_no_such_player(nobody: Any) -> None:
    refusal(ParameterError, lambda: undominated.solve(FORM, player=nobody), f"there is no player {nobody!r}")


def test_plans_of_another_game() -> None:
    refusal(StrategyError, lambda: FORM.gradient(0, PLAN[1:]), "does not fit 13 sequences", "player 2")


def test_plans_that_are_no_numbers() -> None:
    nan = np.where(np.arange(len(PLAN)) == 3, np.nan, PLAN)
    label = FORM.treeplexes[1].sequence_label(3)
    refusal(StrategyError, lambda: FORM.gradient(0, nan), "has the entry nan", f"player 2, {label}")
    refusal(StrategyError, lambda: safe_responder.SafeResponder(FORM).respond(nan), "has the entry nan")
    refusal(StrategyError, lambda: Strategy.from_plan(FORM.treeplexes[0], nan), "has the entry nan")
    refusal(StrategyError, lambda: evaluate(compile_rules(Kuhn()), [nan, nan]), "no finite number", "player 1")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_profiles_of_another_number_of_players(count: int) -> None:
    first, _ = equiform.solve("kuhn").strategies
    for game in (compile_rules(Kuhn()), FORM):
        refusal(
            StrategyError,
            lambda game=game: equiform.certify(game, [first] * count),  # type: ignore[misc]
            f"{count} strategies do not make",
        )


# -- arguments that are not what they should be ------------------------------------------------------------------------

MATCH = MatchSpec("rps", "rwywe", "random", hands=2, opponents=2)
RIVER = river_distribution("KcQc", "7dQh4h2c3d")

ARGUMENTS: dict[str, tuple[Callable[[], object], type[EquiformError], str]] = {
    "rules for a game": (lambda: equiform.solve(Kuhn()), ParameterError, "not a game"),  # type: ignore[arg-type]
    "a name for a game": (lambda: as_sequence_form("kuhn"), ParameterError, "not a game"),  # type: ignore[arg-type]
    "nothing to iterate": (lambda: create("cfr", None), ParameterError, "not a game"),  # type: ignore[arg-type]
    "a number for a name": (lambda: load_game(3), ParameterError, "by its name"),  # type: ignore[arg-type]
    "a seat at a form": (lambda: take_seat(FORM), ParameterError, "from a game tree"),  # type: ignore[arg-type]
    "no backend": (lambda: equiform.solve("rps", backend=None), ParameterError, "its name"),  # type: ignore[arg-type]
    "words for options": (
        lambda: equiform.solve("rps", options="presolve"),  # type: ignore[arg-type]
        ParameterError,
        "not a mapping",
    ),
    "words for seconds": (
        lambda: equiform.solve("rps", time_limit="1"),  # type: ignore[arg-type]
        ParameterError,
        "not a positive number",
    ),
    "true seconds": (lambda: equiform.solve("rps", time_limit=True), ParameterError, "not a positive number"),
    "words for risk": (
        lambda: safe_response.solve(FORM, PLAN, epsilon="x"),  # type: ignore[arg-type]
        ParameterError,
        "epsilon is 'x'",
    ),
    "infinite risk": (
        lambda: safe_responder.SafeResponder(FORM).respond(PLAN, float("inf")),
        ParameterError,
        "epsilon is inf",
    ),
    "true trembles": (lambda: quasi_perfect.solve(FORM, True), ParameterError, "epsilon is True"),
    "an image of another size": (
        lambda: least_exploitable.solve(FORM, FORM, IMAGE[1:], abstract_value=None),
        ParameterError,
        "(12, 13), not (13, 13)",
    ),
    "a payoff that is nan": (
        lambda: NormalForm.from_matrix("m", "a", "b", [[float("nan")]]),
        PayoffError,
        "nan is not a finite number",
    ),
    "a stack that is nan": (lambda: Clairvoyance(float("nan")), ParameterError, "nan is not a finite number"),
    "kuhn of nan": (lambda: Kuhn(float("nan")), ParameterError, "cards is nan"),  # type: ignore[arg-type]
    "leduc without end": (lambda: Leduc(ranks=10**24), ParameterError, "ranks is 1e+24"),
    "dice without end": (lambda: LiarsDice(sides=10**24), ParameterError, "sides is 1e+24"),
    "players without end": (lambda: KuhnMultiplayer(10**24), ParameterError, "players is 1e+24"),
    "a stack without end": (lambda: LeducNoLimit(stack=10**24), ParameterError, "stack is 1e+24"),
    "goofspiel without end": (lambda: Goofspiel(10**24), ParameterError, "cards is 1e+24"),
    "depth without end": (lambda: random_game(seed=1, depth=10**24), ParameterError, "depth is 1e+24"),
    "an infinite payoff": (
        lambda: random_game(seed=1, payoff=float("inf")),  # type: ignore[arg-type]
        ParameterError,
        "payoff is inf",
    ),
    "a stage without end": (lambda: create("iterated-smoothing", FORM, gamma=1e29), ParameterError, "improve the gap"),
    "a norm of zero": (lambda: create("iterated-smoothing", FORM, norm=0.0), ParameterError, "positive number"),
    "threads without end": (lambda: create("cfr", FORM, threads=10**24), ParameterError, "threads is 1e+24"),
    "true iterations": (lambda: Until(iterations=True), ParameterError, "iterations is True"),
    "words for a gap": (lambda: Until(gap="small"), ParameterError, "gap='small'"),  # type: ignore[arg-type]
    "a limit twice": (lambda: Until.parse("gap=1,gap=2"), ParameterError, "gap is given twice"),
    "matches in no process": (lambda: play_match(MATCH, jobs=0), ParameterError, "jobs is 0"),
    "matches by no opponent": (lambda: play_match(MATCH, chunk=0), ParameterError, "chunk is 0"),
    "a nemesis without a rule": (
        lambda: MatchSpec("rps", "rwywe", "random", nemesis_ties="both"),
        ParameterError,
        "unknown 'both'",
    ),
    "a word for a seed": (
        lambda: MatchSpec("rps", "rwywe", "random", seed="x"),  # type: ignore[arg-type]
        ParameterError,
        "seed is 'x'",
    ),
    "no segments": (
        lambda: guaranteed_epsilon(0, thresholds=3, players=3, payoff_range=12.0),
        ParameterError,
        "segments is 0",
    ),
    "endless bins": (
        lambda: RIVER.histogram(10**24),
        ParameterError,
        "bins is 1e+24",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments(case: str) -> None:
    action, error, message = ARGUMENTS[case]
    refusal(error, action, message)


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
