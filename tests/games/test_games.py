"""The built-in games: sizes, payoffs and words, against hand counts and the literature."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.games import (
    GAMES,
    Clairvoyance,
    ExplicitTree,
    Goofspiel,
    Kuhn,
    KuhnMultiplayer,
    KuhnNoLimit,
    Leduc,
    LeducNoLimit,
    LiarsDice,
    StagedGame,
    TreeNode,
    load_game,
    matrix,
    with_perfect_recall,
)
from equiform.games.poker.betting import betting_tree, betting_words
from equiform.games.registry import GameEntry, Parameter, register
from equiform.models import ExtensiveGame, NormalForm, Strategy, compile_rules, evaluate, expected_payoffs
from equiform.models.common.errors import ImperfectRecallError, ParameterError


def extensive(spec: str) -> ExtensiveGame:
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame)
    return game


# (spec, nodes or None, sequences of each player, where the count comes from)
SIZES: list[tuple[str, int | None, tuple[int, ...], str]] = [
    ("kuhn", 1 + 6 * 9, (13, 13), "each of 6 deals: 4 decisions and 5 ends"),
    ("one-card", 1 + 156 * 9, (53, 53), "thirteen cards, 4 sequences a card"),
    ("leduc", None, (337, 337), "1 + 3 · (7 + 3 · 35)"),
    ("leduc:ranks=13", None, (6007, 6007), "1 + 13 · (7 + 13 · 35)"),
    ("leduc-nl:stack=1", None, (1, 1), "everybody is all-in with the ante"),
    ("leduc-nl", None, (121_225, 121_225), "no_limit_sequences(12), below"),
    ("clairvoyance:stack=1", 1 + 2 * (2 + 10 * 3), (1 + 2 * 11, 1 + 10 * 2), "10 bets of 0.1 … 1"),
    ("kuhn-nl:stack=1", 1 + 6 * (2 + 10 * 3), (1 + 3 * 11, 1 + 3 * 10 * 2), "10 bets, 3 cards"),
    ("kuhn-multiplayer", None, (33, 33, 33), "Abou Risk and Szafron 2010: 16 information sets a player"),
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
    assert extensive(f"leduc-nl:stack={stack}").num_sequences(0) == no_limit_sequences(stack)


@pytest.mark.parametrize(("spec", "nodes", "sequences", "source"), SIZES, ids=[s[0] for s in SIZES])
def test_sizes(spec: str, nodes: int | None, sequences: tuple[int, ...], source: str) -> None:
    game = extensive(spec)
    assert nodes is None or game.num_nodes == nodes, source
    assert tuple(game.num_sequences(p) for p in range(len(game.players))) == sequences, source


SMALL = [name for name in GAMES if name not in ("leduc-nl",)]


@pytest.mark.parametrize("name", SMALL)
def test_words_tell_information_sets_apart_and_nobody_forgets(name: str) -> None:
    game = load_game(name)
    assert game.name == name
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


# -- poker -------------------------------------------------------------------------------------------------------------


def payoff_after(game: ExtensiveGame, *moves: str) -> tuple[Any, ...]:
    """Walk from the root and return the payoffs of the leaf."""
    node = 0
    for move in moves:
        labels = game.move_sets[game.move_set[node]]
        node = int(game.first_child[node]) + labels.index(move)
    return game.payoff_table[game.outcome[node]]


@pytest.mark.parametrize(
    ("moves", "first"),
    [
        (("QK", "check", "check", "Q", "check", "check"), 1),  # the pair beats the king
        (("QK", "check", "check", "J", "check", "check"), -1),
        (("QK", "check", "check", "K", "check", "check"), -1),
        (("QQ", "bet", "call", "J", "bet", "call"), 0),  # equal ranks share
        (("QK", "bet", "raise", "fold"), -3),  # ante 1 and bet 2
        (("QK", "bet", "raise", "call", "Q", "bet", "raise", "call"), 1 + 2 + 2 + 4 + 4),
        (("QK", "check", "bet", "call", "J", "check", "bet", "fold"), -3),
    ],
)
def test_leduc_pays_by_the_rules(moves: tuple[str, ...], first: int) -> None:
    assert payoff_after(extensive("leduc"), *moves) == (first, -first)


def test_leduc_deals_ranks_with_the_odds_of_cards() -> None:
    game = compile_rules(Leduc())
    index, values = game.chance_reach
    deals = {game.move_sets[0][b]: values[index[1 + b]] for b in range(9)}
    assert deals["QQ"] == Fraction(2, 30) and deals["QK"] == Fraction(4, 30)
    pair = game.first_child[0] + game.move_sets[0].index("QQ")
    board = game.first_child[game.first_child[pair]]  # check–check
    assert game.path(int(board)) == "QQ > check > check"
    assert game.move_sets[game.move_set[board]] == ("J", "K")  # no third queen


def test_leduc_with_one_suit_never_pairs() -> None:
    game = compile_rules(Leduc(ranks=3, suits=1))
    assert game.move_sets[0] == ("JQ", "JK", "QJ", "QK", "KJ", "KQ")
    assert all(sum(row) == 0 and row[0] != 0 for row in game.payoff_table)


def test_the_minimum_raise_of_no_limit_leduc() -> None:
    game = compile_rules(LeducNoLimit(stack=12))
    keys: tuple[Any, ...] = game.infoset_keys
    moves = {
        betting: game.move_sets[game.infoset_moves[h]]
        for h, (card, board, betting) in enumerate(keys)
        if card == 0 and board == -1
    }
    assert moves[""] == ("check", *(f"bet {k}" for k in range(1, 12)))
    assert moves["bet 3"] == ("fold", "call", *(f"raise to {k}" for k in range(6, 12)))
    assert moves["bet 7"] == ("fold", "call", "raise to 11")  # all-in for less than a full raise
    assert moves["bet 1–raise to 4"] == ("fold", "call", *(f"raise to {k}" for k in range(7, 12)))
    assert moves["bet 11"] == ("fold", "call")


def test_no_betting_is_left_once_both_are_all_in() -> None:
    game = compile_rules(LeducNoLimit(stack=3))
    assert payoff_after(game, "QK", "bet 2", "call", "Q") == (3, -3)


def test_a_betting_tree_of_one_round_is_kuhns() -> None:
    tree = betting_tree(ante=1, rounds=1, sizes=lambda now: [] if now.raises else [("bet", now.highest + 1)])
    assert tree.moves == ("check", "bet")
    assert tree.after["bet"].after["call"].pay == ((0, 0), (2, -2), (-2, 2))
    assert tree.after["check"].after["bet"].after["fold"].pay[0] == (-1, 1)
    assert betting_words(tree.after["check"].after["bet"].history) == "after check–bet"


def test_describing_as_a_table_would() -> None:
    assert Kuhn().describe((1, "cb")) == "holding Q, after check–bet"
    assert Leduc().describe((1, 2, "bet–call/check")) == "holding Q, board K, after bet–call, then check"
    assert LiarsDice(sides=3, dice=2).describe((1, 0)) == "holding 12, to open"
    assert Goofspiel(3).describe(Goofspiel(3).initial()[6]) == "prize 3 to bid for"


def same_tree(a: ExtensiveGame, b: ExtensiveGame) -> bool:
    arrays = ("layers", "turn", "parent", "first_child", "infoset", "edge", "outcome")
    return all(np.array_equal(getattr(a, f), getattr(b, f)) for f in arrays) and (
        a.payoff_table == b.payoff_table and a.chance_values == b.chance_values and a.move_sets == b.move_sets
    )


def test_two_player_kuhn_is_kuhn() -> None:
    assert same_tree(compile_rules(KuhnMultiplayer(2)), compile_rules(Kuhn(3)))


@pytest.mark.parametrize(
    ("moves", "payoffs"),
    [
        (("JQK", "check", "check", "check"), (-1, -1, 2)),
        (("KJQ", "check", "bet", "fold", "fold"), (-1, 2, -1)),
        (("KJQ", "check", "bet", "call", "fold"), (-1, -2, 3)),
        (("JQA", "bet", "call", "call"), (-2, -2, 4)),
    ],
)
def test_three_player_kuhn_pays_by_the_rules(moves: tuple[str, ...], payoffs: tuple[int, ...]) -> None:
    assert payoff_after(extensive("kuhn-multiplayer"), *moves) == payoffs


# -- one bet, one answer -----------------------------------------------------------------------------------------------


def behavior(game: ExtensiveGame, player: int, table: dict[str, dict[str, Fraction]]) -> Any:
    """Fill a behavioural strategy from the probabilities that are not zero."""
    plex = game.treeplexes[player]
    full = {
        plex.infoset_label(h): {a: table[plex.infoset_label(h)].get(a, Fraction(0)) for a in plex.actions[h]}
        for h in range(plex.num_infosets)
    }
    return Strategy.from_table(plex, full).floats


@pytest.mark.parametrize("stack", [1, 3, 10, 50])
def test_the_known_equilibrium_of_the_clairvoyance_game(stack: int) -> None:
    """Ankenman and Chen 2006; thesis §7.5, Proposition 1."""
    rules = Clairvoyance(stack)
    game = compile_rules(rules)
    bluff = Fraction(stack, 1 + stack)
    first = {
        "holding a winning hand, to open": {f"bet {stack}": Fraction(1)},
        "holding a losing hand, to open": {f"bet {stack}": bluff, "check": 1 - bluff},
    }
    second = {f"after {b}": {"call": 1 / (1 + x), "fold": x / (1 + x)} for b, x in rules.bets.items()}
    result = evaluate(game, [behavior(game, 0, first), behavior(game, 1, second)])
    assert result.payoffs[0] == pytest.approx(stack / (2 * (1 + stack)), abs=1e-12)
    assert result.nash_conv == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("stack", ["1", "5", "20"])
def test_no_limit_kuhn_is_opened_with_four_tenths_of_the_pot(stack: str) -> None:
    """Thesis §7.8.2: for each stack size player 1's unique equilibrium strategy bets 0.4."""
    solved = equiform.solve(f"kuhn-nl:stack={stack}")
    used = {a for _, row in solved.strategies[0].rows() for a, p in row.items() if p > 1e-9}
    assert used == {"check", "bet 0.4"}


def test_bets_are_exact_multiples_of_the_step() -> None:
    assert list(Clairvoyance(1, Fraction(3, 10)).bets.values()) == [Fraction(k * 3, 10) for k in (1, 2, 3)]
    assert list(KuhnNoLimit(1, Fraction(1, 3)).bets) == ["bet 1/3", "bet 2/3", "bet 1"]


# -- matrices and stages -----------------------------------------------------------------------------------------------


def mixed(game: NormalForm, *profile: tuple[float, ...]) -> tuple[float, float]:
    """Give player 1's payoff and the sum of regrets."""
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
    game = extensive("fig-13.9")
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
    assert payoff_after(extensive("liars-dice"), *moves) == (first, -first)


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
