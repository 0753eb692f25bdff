"""Phase 2: Bayes' rule against enumeration, and turns re-solved at the table."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from equiform.abstraction.holdem.blueprint import HoldemBlueprint
from equiform.endgames.turn.bayes import hand_weights, line_weights
from equiform.endgames.turn.board_buckets import board_buckets, river_values
from equiform.endgames.turn.resolve import resolve_river, resolve_turn, turn_weights
from equiform.games.cards.card import STANDARD
from equiform.games.cards.equity import equity
from equiform.games.poker.betting import betting_tree
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.games.poker.leduc import Leduc, limit_bets
from equiform.games.poker.public import public_betting
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.errors import ParameterError, StrategyError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import reach_probabilities
from equiform.models.extensive import ExtensiveGame
from equiform.solvers_iterative import Until
from equiform.validation.certificates.bucketed import certify_buckets
from tests.helpers.holdem_buckets import tiny_abstraction

BOARD = tuple(STANDARD.parse("Kd7c2s9h"))


def test_bayes_agrees_with_enumeration_on_leduc() -> None:
    rng = np.random.default_rng(5)
    game = compile_rules(Leduc())
    tree = public_betting(betting_tree(ante=1, rounds=2, sizes=limit_bets))
    # a random strategy: by own rank, then by own rank and public rank
    tables = [[rng.random((n, int(w))) for n, w in zip((3, 9), seat.width, strict=True)] for seat in tree.seats]
    for table, seat in zip(tables, tree.seats, strict=True):
        for street in range(2):
            for low, size in zip(seat.first[street].tolist(), seat.size[street].tolist(), strict=True):
                table[street][:, low : low + size] /= table[street][:, low : low + size].sum(axis=1, keepdims=True)
    strategies = [BucketStrategy(tree, p, tuple(tables[p])) for p in range(2)]
    behaviors = [np.ones(game.num_sequences(p)) for p in range(2)]
    keys: list[Any] = list(game.infoset_keys)
    for h, (card, board, history) in enumerate(keys):
        who, low = int(game.infoset_player[h]), int(game.first_sequence[h])
        rows = strategies[who].at(tree.find(history))
        behaviors[who][low : low + rows.shape[1]] = rows[card if board < 0 else 3 * card + board]
    reach = reach_probabilities(game, behaviors).prod(axis=0)
    line, board = "bet–call/check–bet", 1
    node, found, wanted = tree.find(line), np.zeros((3, 3)), np.zeros((3, 3))
    ranks = np.arange(3)
    weights = [line_weights(s, node, [ranks, 3 * ranks + board]) for s in strategies]
    for a, b in itertools.product(range(3), repeat=2):
        cards = 2 * (2 - (a == b)) * max(0, 2 - (a == board) - (b == board))
        found[a, b] = cards * weights[0][a] * weights[1][b]
    for h, key in enumerate(keys):
        if key[1:] == (board, line):  # player 1 to act: the nodes differ in what player 2 holds
            for place in np.flatnonzero(game.infoset == h):
                wanted[key[0], _other(game, int(place))] += reach[place]
    assert np.abs(found / found.sum() - wanted / wanted.sum()).max() < 1e-12


def _other(game: ExtensiveGame, node: int) -> int:
    """Return player 2's rank above a node, from the label of the deal."""
    while game.parent[node] != 0:
        node = int(game.parent[node])
    return "JQK".index(list(Leduc().actions(None))[node - 1][1])


def test_values_are_wins_minus_losses() -> None:
    values = river_values(BOARD)
    low, high = sorted(STANDARD.parse("KsQc"))
    river = STANDARD.parse("3d")[0]
    one = equity("KsQc", "Kd7c2s9h3d")
    wanted = one.wins - (one.total - one.wins - one.ties) + one.ties / 2
    assert values[river, high * (high - 1) // 2 + low] == wanted
    found = board_buckets(BOARD, (4, 12), np.ones(1326))
    assert found.turn.max() == 3 and found.river.max() == 11 and len(found.up) == 12
    river_row = found.river[river]
    assert (found.up[river_row[river_row >= 0]] == found.turn[river_row >= 0]).all()
    with pytest.raises(ParameterError, match="four cards"):
        board_buckets(BOARD[:3], (4, 12), np.ones(1326))


def _blueprint() -> HoldemBlueprint:
    """Return a three-round blueprint with random strategies on two rounds of buckets and none on the turn."""
    betting = HoldemBetting(rounds=2, raises=(1, 1, 1, 1))
    tree, rng = betting.tree(), np.random.default_rng(0)
    tables = tuple(
        tuple(rng.random((n, int(w))) for n, w in zip((3, 6), seat.width, strict=True)) for seat in tree.seats
    )
    return HoldemBlueprint(tiny_abstraction(), betting, (tables[0], tables[1]))


def test_a_turn_and_its_river_are_resolved() -> None:
    blueprint = _blueprint()
    first, second = hand_weights(blueprint, BOARD[:3], blueprint.tree.find("raise–call/bet–call"))
    assert first.max() == second.max() == 1.0 and (first > 0).sum() == 49 * 48 // 2
    solved = resolve_turn(blueprint, BOARD, "rc/rc/", buckets=(4, 12), until=Until(gap=0.02))
    proof = certify_buckets(solved.game, solved.strategies)
    assert proof.nash_conv == pytest.approx(solved.nash_conv, abs=1e-9) and proof.nash_conv <= 0.02
    rows = solved.on_board(BOARD, "rc/rc/")
    assert ((rows.sum(axis=1) > 0) == (solved.buckets.turn >= 0)).all()
    board = (*BOARD, STANDARD.parse("3d")[0])
    weights = turn_weights(blueprint, solved, board, "rc/rc/rc/")
    river = resolve_river(blueprint.betting, board, "rc/rc/rc/", weights, until=Until(gap=0.05))
    held = river.probabilities("").sum(axis=1)
    assert river.nash_conv <= 0.05 and np.allclose(held[held > 0], 1) and (held > 0).sum() > 900
    with pytest.raises(StrategyError, match="slash"):
        resolve_turn(blueprint, BOARD, "rc/rc")
    with pytest.raises(StrategyError, match="not in this endgame"):
        solved.on_board(BOARD, "cc/cc/")
