"""The built-in poker games: payoffs, betting and words, against the rules and the literature."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.games import (
    Clairvoyance,
    Goofspiel,
    Kuhn,
    KuhnMultiplayer,
    KuhnNoLimit,
    Leduc,
    LeducNoLimit,
    LiarsDice,
)
from equiform.games.poker.betting import betting_tree, betting_words
from equiform.models import ExtensiveGame, Strategy, compile_rules, evaluate
from tests.helpers.games import payoff_after, tree


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
    assert payoff_after(tree("leduc"), *moves) == (first, -first)


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
    assert payoff_after(tree("kuhn-multiplayer"), *moves) == payoffs


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
