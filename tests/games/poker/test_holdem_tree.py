"""The betting of hold'em from the blinds on."""

from __future__ import annotations

import pytest

from equiform.games.poker.holdem.tree import HoldemBetting, line_of, node_at
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import SHOWDOWN
from equiform.models.rules import TERMINAL


def test_limit_betting_follows_the_rules() -> None:
    tree = HoldemBetting(rounds=3).tree()
    root = node_at(tree, "")
    assert tree.turn[root] == 0 and tree.actions(root) == ("fold", "call", "raise")
    assert tree.turn[node_at(tree, "c")] == 1 and tree.actions(node_at(tree, "c")) == ("check", "raise")
    assert tree.turn[node_at(tree, "cc/")] == 1  # the big blind opens later streets
    assert tree.actions(node_at(tree, "rrr")) == ("fold", "call")  # one blind and three raises
    assert tree.actions(node_at(tree, "cc/rrrr")) == ("fold", "call")
    folded = node_at(tree, "f")
    assert (tree.turn[folded], tree.winner[folded], tree.stake[folded]) == (TERMINAL, 1, 1.0)
    shown = node_at(tree, "rc/rc/crc")
    assert (tree.winner[shown], tree.stake[shown]) == (SHOWDOWN, 4.0 + 2.0 + 4.0)


def test_no_limit_goes_all_in() -> None:
    betting = HoldemBetting(rounds=2, bets=(), raises=(2, 2, 2, 2), stack=20, sizes=(0.5, 1.0))
    tree = betting.tree()
    assert tree.actions(0) == ("fold", "call", "raise 4", "raise 6", "raise 20")
    called = node_at(tree, "r20c/")
    assert (tree.turn[called], tree.winner[called], tree.stake[called]) == (TERMINAL, SHOWDOWN, 20.0)
    assert all(node_at(tree, line_of(tree, n)) == n for n in range(len(tree)))


def test_bad_betting_and_lines_are_refused() -> None:
    for wrong in (
        {"blinds": (2, 1)},
        {"stack": 10},
        {"bets": (), "stack": 1},
        {"bets": (), "stack": 10, "sizes": (-1.0,)},
        {"rounds": 5},
    ):
        with pytest.raises(ParameterError):
            HoldemBetting(**wrong)
    tree = HoldemBetting().tree()
    for line in ("rrrrr", "x", "c/", "cc/f"):
        with pytest.raises(ParameterError, match="no line"):
            node_at(tree, line)
