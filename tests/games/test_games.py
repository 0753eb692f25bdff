"""The built-in games: sizes, payoffs and words, against hand counts and the literature."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import equiform
from equiform.games import (
    GAMES,
    ExplicitTree,
    Goofspiel,
    LiarsDice,
    StagedGame,
    TreeNode,
    load_game,
    matrix,
    with_perfect_recall,
)
from equiform.games.registry import GameEntry, Parameter, register
from equiform.models import ExtensiveGame, NormalForm, SequenceForm, compile_rules, expected_payoffs
from equiform.models.common.errors import ImperfectRecallError, ParameterError
from tests.helpers.games import payoff_after, tree

# (spec, nodes or None, sequences of each player, where the count comes from)
SIZES: list[tuple[str, int | None, tuple[int, ...], str]] = [
    ("kuhn", 1 + 6 * 9, (13, 13), "each of 6 deals: 4 decisions and 5 ends"),
    ("one-card", 1 + 156 * 9, (53, 53), "thirteen cards, 4 sequences per card"),
    ("leduc", None, (337, 337), "1 + 3 · (7 + 3 · 35)"),
    ("leduc:ranks=13", None, (6007, 6007), "1 + 13 · (7 + 13 · 35)"),
    ("leduc-nl:stack=1", None, (1, 1), "everybody is all-in with the ante"),
    ("leduc-nl", None, (121_225, 121_225), "no_limit_sequences(12), below"),
    ("clairvoyance:stack=1", 1 + 2 * (2 + 10 * 3), (1 + 2 * 11, 1 + 10 * 2), "10 bets of 0.1 … 1"),
    ("kuhn-nl:stack=1", 1 + 6 * (2 + 10 * 3), (1 + 3 * 11, 1 + 3 * 10 * 2), "10 bets, 3 cards"),
    ("kuhn-multiplayer", None, (33, 33, 33), "Abou Risk and Szafron 2010: 16 information sets per player"),
    ("liars-dice", 294_883, (24_571, 24_571), "36 · (2^13 − 1) + 7 nodes"),
    ("goofspiel:cards=4", 1077, (175, 175), "hand count of rounds"),
    ("rps-sequential", 13, (4, 4), "3 + 9 moves"),
    ("fig-13.9", 31, (1 + 2 + 4 * 2, 1 + 2 + 4 * 2), "Figure 13.9: ℓ1 … ℓ4, r1 … r4"),
]


def no_limit_sequences(stack: int) -> int:
    """Count a player's sequences of no-limit Leduc by a recursion over contributions, without a tree."""
    moves = {0: 0, 1: 0}  # of player 0 in the first and the second round, summed over betting histories

    def play(who: int, highest: int, least: int, facing: bool, closing: bool, at: int, ends: list[int]) -> None:
        if who == 0:
            moves[at] += 2 if facing else 1
        if closing:
            ends.append(highest)
        else:
            play(1, highest, least, False, True, at, ends)
        for to in range(highest + 1, stack + 1):
            if to - highest >= least or to == stack:
                moves[at] += who == 0
                play(1 - who, to, to - highest, True, True, at, ends)

    ends: list[int] = []
    play(0, 1, 1, False, False, 0, ends)
    for paid in ends:
        if paid < stack:
            play(0, paid, 1, False, False, 1, [])
    return 1 + 3 * (moves[0] + 3 * moves[1])


@pytest.mark.parametrize("stack", [2, 5, 8])
def test_no_limit_leduc_has_as_many_sequences_as_a_count_says(stack: int) -> None:
    assert tree(f"leduc-nl:stack={stack}").num_sequences(0) == no_limit_sequences(stack)


@pytest.mark.parametrize(("spec", "nodes", "sequences", "source"), SIZES, ids=[s[0] for s in SIZES])
def test_sizes(spec: str, nodes: int | None, sequences: tuple[int, ...], source: str) -> None:
    game = tree(spec)
    assert nodes is None or game.num_nodes == nodes, source
    assert tuple(game.num_sequences(p) for p in range(len(game.players))) == sequences, source


QUICK = [name for name in GAMES if name not in ("leduc-nl", "rhode-island")]  # whose trees compile in a moment


@pytest.mark.parametrize("name", QUICK)
def test_words_tell_information_sets_apart_and_nobody_forgets(name: str) -> None:
    game = load_game(name)
    assert game.name == name and not isinstance(game, SequenceForm)
    for plex in game.treeplexes:
        labels = {plex.infoset_label(h) for h in range(plex.num_infosets)}
        assert len(labels) == plex.num_infosets
        assert not any(label.strip() != label or not label for label in labels)
    assert game.is_zero_sum


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_entry_explains_itself(name: str) -> None:
    entry = GAMES[name]
    assert entry.summary and entry.name == name
    assert all(str(p.default) or p.default == "" for p in entry.parameters)
    assert not entry.example or entry.example.split(":")[0] == name


# -- matrices and stages -----------------------------------------------------------------------------------------------


def mixed(game: NormalForm, *profile: tuple[float, ...]) -> tuple[float, float]:
    """Return player 1's payoff and the sum of regrets."""
    vectors = [np.array(p) for p in profile]
    return float(game.expected_payoffs(vectors)[0]), float(game.regrets(vectors).sum())


def test_the_matrix_games_of_the_thesis() -> None:
    third, half = (1 / 3, 1 / 3, 1 / 3), (0.5, 0.5)
    assert mixed(matrix.rock_paper_scissors(), third, third) == (0, 0)
    assert mixed(matrix.rpst(), third, (*third, 0)) == pytest.approx((0, 0))
    assert mixed(matrix.figure_13_5(), half, (0.5, 0.5, 0)) == (2.5, 0)
    assert mixed(matrix.figure_13_5(), half, (0, 0, 1))[0] == 5  # the gift
    assert mixed(matrix.figure_13_6(), (1, 0), half)[0] == 0
    assert mixed(matrix.figure_13_7(), (1, 0), (1, 0)) == (4, 0)
    assert (matrix.figure_13_8().payoffs == 2 * matrix.figure_13_7().payoffs).all()


@pytest.mark.parametrize("k", [1, Fraction(7, 2), 100])
def test_purification_gains_k_in_figure_8_2(k: Fraction) -> None:
    """Proposition 5: in the abstraction without R player 1 mixes U 1/3; R is the equilibrium of the full game."""
    game = matrix.figure_8_2(k)
    first = game.payoffs[0]
    small = NormalForm.from_matrix("abstraction", "UD", "LM", first[:, :2])
    assert mixed(small, (1 / 3, 2 / 3), (1 / 3, 2 / 3))[1] == pytest.approx(0)
    assert mixed(game, (0, 1), (0, 0, 1)) == (-1, 0)
    assert first[1, 2] - (first[0, 2] + 2 * first[1, 2]) / 3 == k


def test_the_two_stage_game_adds_up_and_reveals() -> None:
    game = tree("fig-13.9")
    assert payoff_after(game, "U", "L", "u", "l") == (12, -12)
    assert payoff_after(game, "D", "R", "d", "r") == (0, 0)
    assert payoff_after(game, "D", "L", "u", "r") == (11, -11)
    second = [game.describe(k) for k, p in zip(game.infoset_keys, game.infoset_player, strict=True) if p == 1]
    assert second == ["to open", "after UL", "after UR", "after DL", "after DR"]


def test_stages_need_the_same_players() -> None:
    three = NormalForm("3", ("a", "b", "c"), (("x",),) * 3, np.full((3, 1, 1, 1), Fraction(0)))
    with pytest.raises(equiform.EquiformError, match="same players"):
        StagedGame("odd", [matrix.rock_paper_scissors(), three])


# -- dice and bids -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "first"),
    [
        (("3", "3", "2×3", "liar"), 1),  # true: the bidder wins
        (("3", "6", "2×3", "liar"), 1),  # a six is wild
        (("3", "2", "2×3", "liar"), -1),
        (("1", "2", "1×1", "1×3", "liar"), 1),  # player 2 bid and no three is there
        (("1", "2", "1×1", "1×2", "2×6", "liar"), -1),
    ],
)
def test_liars_dice_pays_by_the_rules(moves: tuple[str, ...], first: int) -> None:
    assert payoff_after(tree("liars-dice"), *moves) == (first, -first)


def test_two_dice_are_rolled_as_multisets() -> None:
    rules = LiarsDice(sides=2, dice=2)
    assert rules.actions(rules.initial()) == ("11", "12", "22")
    assert rules.probabilities(rules.initial()) == (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))


def test_goofspiel_awards_prizes() -> None:
    game = compile_rules(Goofspiel(3, returns="total_points"))
    assert payoff_after(game, "bid 3", "bid 1", "bid 1", "bid 3") == (3, 2)  # 3 and 2 taken, the last is a tie
    assert payoff_after(game, "bid 2", "bid 2", "bid 1", "bid 3") == (1, 2)  # the last round is forced: 3 against 1
    rising = compile_rules(Goofspiel(3, order="ascending", returns="point_difference"))
    assert payoff_after(rising, "bid 3", "bid 1", "bid 1", "bid 3") == (Fraction(1 - 2, 2), Fraction(2 - 1, 2))


def test_hidden_bids_are_hidden_and_open_bids_seen() -> None:
    hidden, shown = (compile_rules(Goofspiel(3, imp_info=flag)) for flag in (True, False))
    assert hidden.num_sequences(0) == 18
    assert shown.num_sequences(0) == 1 + 3 + 9 * 2
    words = {shown.describe(k) for k in shown.infoset_keys}
    assert "prize 3: bids 1–2; prize 2 to bid for" in words
    assert "prize 3: own bid 1, player 2 takes it; prize 2 to bid for" in {
        hidden.describe(k) for k in hidden.infoset_keys
    }


def test_random_prizes_are_dealt_uniformly() -> None:
    game = compile_rules(Goofspiel(3, order="random"))
    assert set(game.chance_values) == {Fraction(1, 3), Fraction(1, 2)}
    uniform = [plex.uniform() for plex in game.treeplexes]
    assert expected_payoffs(game, uniform) == pytest.approx([0, 0], abs=1e-12)


# -- memory ------------------------------------------------------------------------------------------------------------


def forgetful() -> ExtensiveGame:
    """Player 1 chooses twice and has forgotten the first choice."""

    def second(first: int) -> TreeNode:
        return TreeNode(0, "again", children={m: TreeNode(payoffs=(first + k, -first - k)) for k, m in enumerate("ab")})

    root = TreeNode(0, "first", children={"a": second(0), "b": second(2)})
    return ExplicitTree("forgetful", ("us", "them"), root).compile()


def test_memory_can_be_restored() -> None:
    game = forgetful()
    with pytest.raises(ImperfectRecallError, match="imperfect recall"):
        game.treeplexes  # noqa: B018
    split = with_perfect_recall(game)
    assert split.num_infosets == 3 and split.has_perfect_recall
    assert [split.describe(k) for k in split.infoset_keys] == ["first", "again", "again, own past 2"]
    assert split.treeplexes[0].parent.tolist() == [0, 1, 2]
    assert with_perfect_recall(split) is split


# -- registry ----------------------------------------------------------------------------------------------------------


def test_specs_are_normalised_to_what_differs_from_the_defaults() -> None:
    assert load_game("leduc:suits=2, ranks=4").name == "leduc:ranks=4"
    assert load_game(" kuhn:cards=3 ").name == "kuhn"
    assert load_game("clairvoyance:stack=2.5,step=1/2").name == "clairvoyance:stack=5/2,step=1/2"
    assert load_game("goofspiel:cards=3,imp_info=false").name == "goofspiel:cards=3,imp_info=false"


def test_a_user_can_register_a_game() -> None:
    entry = GameEntry("test-pennies", "a test", lambda prize: _pennies(prize), (Parameter("prize", 1, "prize", 1, 9),))
    register(entry)
    try:
        game = load_game("test-pennies:prize=3")
        assert isinstance(game, NormalForm) and game.payoffs[0, 0, 0] == 3
        with pytest.raises(ParameterError, match="already a game called 'test-pennies'"):
            register(entry)
    finally:
        del GAMES["test-pennies"]


def _pennies(prize: int) -> NormalForm:
    return NormalForm.from_matrix("pennies", "HT", "HT", [[prize, -prize], [-prize, prize]])


def test_a_game_answers_to_its_earlier_name() -> None:
    assert load_game("kuhn3:players=4").name == "kuhn-multiplayer:players=4"
