"""Bucketed hold'em: counting pairs of hands, solving, proving, reading back."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.abstraction.cards.card_abstraction import CardAbstraction
from equiform.abstraction.holdem.blueprint import HoldemBlueprint, read_blueprint
from equiform.abstraction.holdem.boards import Sweep, hands_on
from equiform.abstraction.holdem.counting import add_pairs, space
from equiform.abstraction.holdem.deals import HoldemDeals
from equiform.abstraction.holdem.estimate import estimate_deals
from equiform.abstraction.holdem.game import holdem_game, leaf_payoffs
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.abstraction.holdem.planning import plan_holdem
from equiform.api.holdem import holdem
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed import BucketStrategy, continued, expand_buckets
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import (
    CertificateError,
    FormatError,
    GameError,
    ImperfectRecallError,
    ParameterError,
    StrategyError,
)
from equiform.models.evaluation import evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy
from equiform.solvers_iterative import Until
from equiform.validation.certificates.bucketed import certify_buckets
from tests.helpers.holdem_buckets import tiny_abstraction

FEW = Sweep(4, 2, 1)
TWO = HoldemBetting(rounds=2, raises=(1, 1, 1, 1))


def test_pairs_are_those_of_looking_at_each() -> None:
    on = hands_on((0, 5, 10, 15, 33), ranked=True)
    rng = np.random.default_rng(0)
    n = 9
    buckets = rng.integers(0, n, len(on.which))
    x, y = rng.random((2, len(buckets)))
    joint, margin, wanted, signs = np.zeros((4, n, n))
    add_pairs(on.hands, buckets, on.ranks, x, y, (2.0, 3.0), space(n), joint, margin)
    for h, hand in enumerate(on.hands):
        apart = ~(on.hands[:, :, None] == hand).any(axis=(1, 2))
        np.add.at(wanted[buckets[h]], buckets[apart], 2 * x[h] * y[apart])
        np.add.at(signs[buckets[h]], buckets[apart], 3 * (x[h] * y * np.sign(on.ranks[h] - on.ranks))[apart])
    assert np.abs(joint - wanted).max() < 1e-9 and np.abs(margin - signs).max() < 1e-9


def test_counts_are_whole_and_carry_their_error() -> None:
    buckets = HandBuckets(tiny_abstraction(), 2)
    found = estimate_deals(buckets, FEW)
    deals = found.deals
    assert buckets.perfect_recall and buckets.up(1).tolist() == [0, 0, 1, 1, 2, 2] and not found.histories.codes
    # four flops, 1,176 hands on each, 1,081 hands apart from a hand: all counted, and nothing else
    assert deals.total == deals.counts.sum() == 4 * 1176 * 1081
    assert (deals.counts == deals.counts.T).all() and np.abs(found.margin + found.margin.T).max() < 1e-6
    assert (np.abs(found.margin) <= deals.counts + 1e-9).all()
    assert deals.error is not None and found.margin_error is not None
    assert 0 < deals.error.sum() < 2 and (found.margin_error >= 0).all()
    assert np.abs(deals.transition(0, 1).sum(axis=1) - 1).max() < 1e-15


def test_a_game_is_solved_proved_stored_and_resumed(tmp_path: Path) -> None:
    abstraction = tiny_abstraction()
    short = holdem(abstraction, betting=TWO, sweep=FEW, until=Until(iterations=20), folder=tmp_path)
    solved = holdem(abstraction, betting=TWO, sweep=FEW, until=Until(gap=1e-3), folder=tmp_path)
    straight = holdem(abstraction, betting=TWO, sweep=FEW, until=Until(iterations=solved.iterations))
    assert short.iterations == 20 < solved.iterations
    for mine, theirs in zip(solved.blueprint.tables, straight.blueprint.tables, strict=True):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))
    assert solved.small_bets["nash_conv"] < 1.01e-3 < short.small_bets["nash_conv"]
    with pytest.raises(CertificateError, match="could gain"):
        short.certificate.require(1e-3)
    # the proof again, on the tree written out
    tree = expand_buckets(solved.game)
    strategies = solved.blueprint.strategies
    behaviors = [
        _on_tree(tree, Strategy(t, s.behavior(solved.game)), p)
        for p, (t, s) in enumerate(zip(solved.game.treeplexes, strategies, strict=True))
    ]
    judged = evaluate(tree, behaviors)
    assert judged.best_responses[0] == pytest.approx(solved.certificate.upper, abs=1e-9)
    assert -judged.best_responses[1] == pytest.approx(solved.certificate.lower, abs=1e-9)
    read = read_blueprint(tmp_path)
    found = read.probabilities("AhAs", "Kd7c2s", "rc/")
    assert set(found) == {"check", "bet"} and sum(found.values()) == pytest.approx(1)
    bucket = read.buckets.on(read_cards("Kd7c2s"))[51 * 50 // 2 + 49]
    node = next(n for n in range(len(read.tree)) if read.tree.history(n) == "raise–call/")
    assert found["bet"] == pytest.approx(float(read.strategies[1].at(node)[bucket, 1]))


def read_cards(text: str) -> list[int]:
    from equiform.games.cards.card import STANDARD

    return list(STANDARD.parse(text))


def _on_tree(tree: ExtensiveGame, strategy: Strategy, player: int) -> FloatArray:
    """Move a strategy over histories to the tree's order of information sets, by their keys."""
    treeplex, out = strategy.treeplex, np.ones(tree.num_sequences(player))
    rows: dict[Any, FloatArray] = {}
    for h in range(treeplex.num_infosets):
        key: Any = treeplex.infosets[h]
        rows[key] = strategy.probabilities[treeplex.start[h] : treeplex.start[h + 1]]
    for h, key in enumerate(tree.infoset_keys):
        if tree.infoset_player[h] == player:
            low = int(tree.first_sequence[h])
            out[low : low + len(rows[key])] = rows[key]
    return out


def test_a_solved_rest_keeps_the_value_and_the_first_round() -> None:
    """Of two rounds, solved by the linear program, the second becomes leaves of the first."""
    abstraction, one = tiny_abstraction(), HoldemBetting(rounds=1, raises=(1, 1, 1, 1))
    dealt = estimate_deals(HandBuckets(abstraction, 2), FEW)
    whole = holdem_game(abstraction, TWO, dealt)
    solved = sequence_form_lp.solve(whole.sequence_form())
    rest = [BucketStrategy.from_behavior(whole, p, s.floats) for p, s in enumerate(solved.strategies) if s]
    river = HoldemBlueprint(abstraction, TWO, (rest[0].tables, rest[1].tables))
    found = dealt.truncated(1)
    assert (found.deals.counts == dealt.deals.joint(0)).all() and found.margin.shape == found.deals.counts.shape
    assert found.deals.error is not None and found.deals.error.sum() == pytest.approx(_total_error(dealt))
    cut = holdem_game(abstraction, one, found, leaf_payoffs("strategy", one, dealt, river))
    first = sequence_form_lp.solve(cut.sequence_form())
    assert first.value == pytest.approx(solved.value, abs=1e-8)
    trunk = [BucketStrategy.from_behavior(cut, p, s.floats) for p, s in enumerate(first.strategies) if s]
    same = [BucketStrategy(cut.betting, p, s.tables[:1]) for p, s in enumerate(rest)]
    for mine in (trunk, same):
        profile = (continued(mine[0], rest[0]), continued(mine[1], rest[1]))
        proof = certify_buckets(whole, profile)
        assert proof.value == pytest.approx(solved.value, abs=1e-8)
        assert proof.nash_conv == pytest.approx(0, abs=1e-8) or mine is trunk
    with pytest.raises(GameError, match="number their moves differently"):
        continued(same[0], rest[1])
    with pytest.raises(ParameterError, match="solved game of four rounds"):
        leaf_payoffs("strategy", one, dealt)


def _total_error(dealt: HoldemDeals) -> float:
    return 0.0 if dealt.deals.error is None else float(dealt.deals.error.sum())


def test_players_who_forget_have_histories() -> None:
    found = estimate_deals(HandBuckets(tiny_abstraction(remember=False), 2), FEW)
    assert not found.deals.perfect_recall
    assert found.deals.sizes(0) == (3, 6) and len(np.unique(found.deals.buckets(0, 1))) == 2
    with pytest.raises(ImperfectRecallError):
        holdem(tiny_abstraction(remember=False), betting=TWO, sweep=FEW)


def test_bad_input_is_refused(tmp_path: Path) -> None:
    abstraction = tiny_abstraction()
    with pytest.raises(ParameterError, match="3 rounds, and the abstraction has 2"):
        holdem(abstraction, betting=HoldemBetting(rounds=3))
    with pytest.raises(ParameterError, match="abstraction is of 'leduc'"):
        holdem(dataclasses.replace(abstraction, game="leduc"), betting=TWO)
    first = dataclasses.replace(abstraction.rounds[0], labels=abstraction.rounds[0].labels[:100])
    with pytest.raises(FormatError, match="100 of 169"):
        holdem(CardAbstraction("texas", "part", (first, abstraction.rounds[1])), betting=TWO)
    with pytest.raises(ParameterError, match="leave none out"):
        holdem(CardAbstraction("texas", "late", abstraction.rounds[1:]), betting=HoldemBetting(rounds=1))
    with pytest.raises(ParameterError, match="says nothing"):
        holdem(abstraction, betting=TWO, sweep=Sweep(1, 2))
    with pytest.raises(ParameterError, match="four rounds"):
        holdem(abstraction, betting=HoldemBetting(rounds=3), leaves="simulated")
    with pytest.raises(ParameterError, match="stand for the river"):
        holdem(abstraction, betting=TWO, leaves="strategy")
    holdem(abstraction, betting=TWO, sweep=FEW, until=Until(iterations=2), folder=tmp_path)
    with pytest.raises(FormatError, match="another sweep"):
        holdem(abstraction, betting=TWO, sweep=Sweep(2, 2), folder=tmp_path)
    with pytest.raises(StrategyError, match="public cards"):
        read_blueprint(tmp_path).on_board((), read_blueprint(tmp_path).tree.find("raise–call/"))


def test_sizes_are_told_before_work() -> None:
    plan = plan_holdem((20, 800, 4800, 28800), HoldemBetting())
    assert plan.nodes == len(HoldemBetting().tree())
    assert plan.matrix_bytes == 2 * 8 * 28800**2
    with pytest.raises(ParameterError, match="one per round"):
        plan_holdem((15, 225), HoldemBetting(rounds=3))
