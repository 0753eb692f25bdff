"""Public games: the operator against the tree, boards up to suits against all boards, buckets against matrices."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from equiform.games.poker.betting import betting_tree
from equiform.games.poker.public import leduc_public, public_betting
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import GameError, ParameterError
from equiform.models.public.betting import BettingTree
from equiform.models.public.boards import BucketMatrices, bucket_boards
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.expansion import expand
from equiform.models.public.game import PublicGame
from equiform.models.rules import TERMINAL
from equiform.models.sequence_form import sequence_form
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.registry import create
from tests.helpers.public_games import on_tree, random_game, random_plans, two_bets


@pytest.mark.parametrize(
    ("private", "deals", "board"), [(1, (), 1), (1, (1,), 0), (1, (1, 1), 0), (2, (), 2), (2, (1,), 1), (2, (2,), 0)]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_operator_and_tree_agree(private: int, deals: tuple[int, ...], board: int, seed: int) -> None:
    game = random_game(seed, private=private, deals=deals, board=board)
    form, tree = game.sequence_form(), sequence_form(expand(game))
    assert [t.num_infosets for t in form.treeplexes] == list(game.num_infosets)
    assert [t.num_sequences for t in form.treeplexes] == list(game.num_sequences)
    # what no deal reaches (every opponent's hand is blocked) the tree does not have
    assert all(a.num_infosets <= b.num_infosets for a, b in zip(tree.treeplexes, form.treeplexes, strict=True))
    plans = random_plans(form, seed)
    there = on_tree(form, tree, plans)
    assert form.value(*plans) == pytest.approx(tree.value(*there), abs=1e-9)
    assert form.bracket(*plans) == pytest.approx(tree.bracket(*there), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_operator_is_one_matrix_and_its_magnitude_bounds_it(seed: int) -> None:
    game = random_game(seed, private=2, deals=(1,), board=2)
    payoff = game.payoff
    rng = np.random.default_rng(seed)
    x, y = (rng.random(n) for n in payoff.shape)
    assert x @ payoff.times(y) == pytest.approx(payoff.transpose_times(x) @ y, rel=1e-12)
    rows = rng.choice(payoff.shape[1], 25, replace=False)
    for column in rows:
        unit = np.zeros(payoff.shape[1])
        unit[column] = 1.0
        assert (payoff.magnitude().times(unit) >= np.abs(payoff.times(unit)) - 1e-15).all()


def lifted(merged: PublicGame, plain: PublicGame, player: int, plan: FloatArray) -> FloatArray:
    """A plan of the game with merged suits, on all boards: every concrete holding plays as the hand it belongs to."""
    assert merged.dealt is not None and plain.dealt is not None
    ours, theirs = merged.treeplexes[player], plain.treeplexes[player]
    rules, table = merged.dealt.rules, merged.boards.hands[player]
    private = np.flatnonzero(plain.dealt.weights[player])
    place = {key: h for h, key in enumerate(ours.infosets)}
    behavior, there = ours.behavior(plan), np.ones(theirs.num_sequences)
    for h in range(theirs.num_infosets):
        board, node, hand = cast("tuple[int, int, int]", theirs.infosets[h])
        at, renaming = merged.dealt.locate(plain.dealt.board_cards[board])
        one = plain.boards.hands[player]
        low, high = one.member_start[board : board + 2]
        member = one.member_private[low:high][one.member_hand[low:high] == hand][0]
        cards = renaming[rules.holdings[private[member]]]
        holding = rules.number(cards[None])[0]
        low, high = table.member_start[at : at + 2]
        own = private[table.member_private[low:high]] == holding
        found = place[at, node, int(table.member_hand[low:high][own][0])]
        there[theirs.start[h] : theirs.start[h + 1]] = behavior[ours.start[found] : ours.start[found + 1]]
    return theirs.realization(there)


@pytest.mark.parametrize("seed", [0, 2, 4, 6])
@pytest.mark.parametrize(("private", "deals", "board"), [(1, (1, 1), 0), (2, (1,), 1)])
def test_suits_may_be_merged(seed: int, private: int, deals: tuple[int, ...], board: int) -> None:
    merged, plain = (
        random_game(seed, private=private, deals=deals, board=board, isomorphism=flag) for flag in (True, False)
    )
    assert merged.num_sequences[0] < plain.num_sequences[0]
    form, whole = merged.sequence_form(), plain.sequence_form()
    plans = random_plans(form, seed)
    there = [lifted(merged, plain, player, plan) for player, plan in enumerate(plans)]
    assert form.value(*plans) == pytest.approx(whole.value(*there), abs=1e-12)
    assert form.bracket(*plans) == pytest.approx(whole.bracket(*there), abs=1e-12)


def test_leduc_has_its_published_value() -> None:
    game = leduc_public()
    assert game.num_sequences == (547, 547)  # by suits up to their names; 337 when suits are forgotten, 1,093 if not
    assert leduc_public(isomorphism=False).num_sequences == (1093, 1093)
    checkpoint = create("dcfr", game.sequence_form()).run(Until(gap=2e-4)).checkpoint
    assert checkpoint.lower <= -0.0856064 <= checkpoint.upper  # Southey et al. 2005


def test_buckets_are_matrices() -> None:
    rng = np.random.default_rng(3)
    joint = rng.random((4, 6))
    joint /= joint.sum()
    wins = joint * rng.uniform(-1, 1, joint.shape)
    names = [f"a{k}" for k in range(4)], [f"b{k}" for k in range(6)]
    betting = public_betting(betting_tree(ante=1, rounds=1, sizes=two_bets))
    game = PublicGame("buckets", betting, bucket_boards(BucketMatrices(joint, wins), names))
    x, y = random_plans(game.sequence_form(), 0)
    expected = 0.0
    for node in np.flatnonzero(betting.turn == TERMINAL).tolist():
        sides = []
        for player, n in ((0, 4), (1, 6)):
            moves = betting.seats[player]
            plan, column = (x, y)[player], int(moves.last_column[node])
            width = int(moves.width[0])
            sides.append(np.array([plan[1 + h * width + column] for h in range(n)]) if column >= 0 else np.ones(n))
        matrix = wins if betting.winner[node] < 0 else joint * (1 - 2 * betting.winner[node])
        expected += betting.stake[node] * (sides[0] @ matrix @ sides[1])
    assert game.sequence_form().value(x, y) == pytest.approx(expected, rel=1e-12)


def test_names_and_places() -> None:
    game = leduc_public()
    treeplex = game.treeplexes[1]
    label = "holding Qh, board Ks, after bet–call/check"
    h = treeplex.infoset(label)
    board, node, hand = cast("tuple[int, int, int]", treeplex.infosets[h])
    assert game.boards.names[board] == "Ks" and game.betting.history(node) == "bet–call/check"
    assert treeplex.actions[h] == ("check", "bet")
    bet = game.betting.children[node][1]
    assert game.sequence(1, board, hand, bet) == treeplex.sequence(label, "bet")
    assert game.betting.find("bet–call/check") == node
    assert game.dealt is not None
    at, renaming = game.dealt.locate([5])  # Kh stands for Ks, with the suits exchanged
    assert game.boards.names[at] == "Ks" and renaming[2] == 3


def test_bad_deals_are_refused() -> None:
    rules = CardRules(3, 2, 1, (0,), (), lambda hands, board: hands[:, 0])
    everything = np.ones(6)
    with pytest.raises(ParameterError, match="no hand is left"):
        deal_boards(rules, (np.eye(6)[0], everything))
    with pytest.raises(ParameterError, match="shares a card"):
        deal_boards(rules, (np.eye(6)[1], np.eye(6)[1]))
    with pytest.raises(ParameterError, match="entry -1"):
        deal_boards(rules, (-everything, everything))
    with pytest.raises(ParameterError, match="cards to deal"):
        CardRules(2, 1, 1, (0,), (), lambda hands, board: hands[:, 0])
    tree = leduc_public().betting
    with pytest.raises(GameError, match="there is no node"):
        tree.find("bluff")
    with pytest.raises(GameError, match="do not describe a tree"):
        BettingTree(tree.parent[::-1], tree.turn, tree.street, tree.move, tree.winner, tree.stake)
    with pytest.raises(GameError, match="neither a decision"):
        BettingTree(tree.parent, tree.turn, tree.street * 0, tree.move, tree.winner, tree.stake)
    with pytest.raises(GameError, match="streets"):
        PublicGame("odd", tree, deal_boards(rules, (everything, everything)).boards)
