"""Bucketed games against trees that deal every card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.bucketed import (
    BucketDeals,
    BucketedGame,
    BucketStrategy,
    LeafPayoffs,
    expand_buckets,
    strategy_leaves,
    truncated_deals,
)
from equiform.models.common.errors import GameError, ImperfectRecallError, StrategyError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import expected_payoffs
from equiform.models.extensive import ExtensiveGame
from equiform.models.payoffs.factored import FactoredPayoff
from equiform.models.public.betting import BettingTree
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.sequence_form import sequence_form
from tests.helpers.bucketed_cards import CardByCard, bucketed, random_small_game

DOZEN = [pytest.param(seed, marks=[pytest.mark.slow] if seed >= 6 else []) for seed in range(100)]


def _tied(game: BucketedGame, player: int, rng: np.random.Generator) -> dict[Any, np.ndarray]:
    """Draw a behaviour by (street, node, bucket): what a player who may forget can do."""
    found = {}
    for street, nodes in enumerate(game.betting.seats[player].decisions):
        for node in nodes.tolist():
            for bucket in np.unique(game.deals.buckets(player, street)).tolist():
                found[street, node, bucket] = rng.dirichlet(np.ones(len(game.betting.children[node])))
    return found


def _on_histories(game: BucketedGame, player: int, table: dict[Any, np.ndarray]) -> np.ndarray:
    """Write a behaviour by bucket on the treeplex of histories."""
    treeplex, out = game.treeplexes[player], np.ones(game.num_sequences[player])
    for h in range(treeplex.num_infosets):
        key: Any = treeplex.infosets[h]
        street, node, history = key
        bucket = int(game.deals.buckets(player, street)[history])
        out[treeplex.start[h] : treeplex.start[h + 1]] = table[street, node, bucket]
    return out


def _on_tree(tree: ExtensiveGame, tables: list[dict[Any, np.ndarray]]) -> list[np.ndarray]:
    found = [np.ones(tree.num_sequences(p)) for p in range(2)]
    for h, key in enumerate(tree.infoset_keys):
        who, low = int(tree.infoset_player[h]), int(tree.first_sequence[h])
        row = tables[who][key]
        found[who][low : low + len(row)] = row
    return found


def _agree(seed: int, *, recall: bool) -> None:
    small = random_small_game(seed, recall=recall)
    game, cards = bucketed(small), compile_rules(CardByCard(small))
    histories, rng = expand_buckets(game), np.random.default_rng(seed)
    tables = [_tied(game, p, rng) for p in range(2)]
    x, y = (t.realization(_on_histories(game, p, tables[p])) for p, t in enumerate(game.treeplexes))
    value = float(x @ game.payoff.times(y))
    assert value == pytest.approx(float(y @ game.payoff.transpose_times(x)), abs=1e-9)
    for tree in (histories, cards):
        assert value == pytest.approx(expected_payoffs(tree, _on_tree(tree, tables))[0], abs=1e-9)
    assert game.deals.joint(0).sum() == game.deals.total == game.deals.counts.sum()
    for player in range(2):
        for round_ in range(game.deals.rounds):
            assert np.abs(game.deals.transition(player, round_).sum(axis=1) - 1.0).max() < 1e-12
    if not game.deals.perfect_recall:
        with pytest.raises(ImperfectRecallError):
            game.sequence_form()
        return
    form, exact = game.sequence_form(), sequence_form(cards)
    values = [sequence_form_lp.solve(f) for f in (form, exact, sequence_form(histories))]
    assert max(v.value for v in values) - min(v.value for v in values) < 1e-9
    plans = [s.plan for s in values[0].strategies if s is not None]
    lower, upper = form.bracket(plans[0], plans[1])
    assert upper - lower < 1e-8 and lower - 1e-9 <= values[1].value <= upper + 1e-9
    for player in range(2):  # the factors of linear programs multiply as the operator does
        other = form.treeplexes[1 - player]
        plan = other.realization(np.append(1.0, rng.random(other.num_sequences - 1)))
        assert isinstance(form.payoff, FactoredPayoff)
        factored = form.payoff.factor(1 - player).transpose_times(plan)
        assert np.abs(factored + form.gradient(player, plan)).max() < 1e-9


@pytest.mark.parametrize("seed", DOZEN)
def test_buckets_agree_with_cards(seed: int) -> None:
    _agree(seed, recall=True)


@pytest.mark.parametrize("seed", DOZEN)
def test_players_may_forget(seed: int) -> None:
    _agree(1000 + seed, recall=False)


def test_a_strategy_is_read_by_node() -> None:
    game = bucketed(random_small_game(1))
    treeplex = game.treeplexes[0]
    plan = treeplex.realization(treeplex.uniform())
    strategy = BucketStrategy.from_plan(game, 0, plan)
    assert np.allclose(strategy.at(0).sum(axis=1), 1.0)
    assert np.allclose(strategy.behavior(game), treeplex.uniform())
    with pytest.raises(StrategyError, match="does not decide"):
        BucketStrategy.from_plan(game, 1, game.treeplexes[1].realization(game.treeplexes[1].uniform())).at(0)


def test_a_solved_rest_keeps_the_value() -> None:
    """Cut before the last round, with leaves that play on as in equilibrium: the value stays, by two programs."""
    small = next(g for g in map(random_small_game, range(50)) if g.rounds == 2)
    game = bucketed(small)
    whole = sequence_form_lp.solve(game.sequence_form())
    first, second = (BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(whole.strategies) if s)
    trunk = _first_round(small.betting)
    leaves = strategy_leaves(trunk, game, (first, second))
    cut = BucketedGame("cut", trunk, truncated_deals(game.deals, 1), leaves)
    assert sequence_form_lp.solve(cut.sequence_form()).value == pytest.approx(whole.value, abs=1e-8)
    with pytest.raises(GameError, match="leave nothing"):
        strategy_leaves(small.betting, game, (first, second))


def test_programs_see_counts_of_any_size() -> None:
    """Billions of deals make payoffs per deal that solvers would drop as zeros."""
    game = next(g for g in (bucketed(random_small_game(s)) for s in range(20)) if g.deals.rounds == 2)
    many = 2.0**31
    deals = BucketDeals(many * game.deals.counts, game.deals.up, game.deals.shown)
    leaves = LeafPayoffs(tuple(many * m for m in game.leaves.matrices), game.leaves.weights)
    larger = BucketedGame("many deals", game.betting, deals, leaves)
    values = [sequence_form_lp.solve(g.sequence_form()).value for g in (game, larger)]
    assert values[1] == pytest.approx(values[0], abs=1e-9)


def _first_round(tree: BettingTree) -> BettingTree:
    """Return the first round of betting; where the next card would come, hands are compared for what is in the pot."""
    nodes = np.flatnonzero(tree.street == 0)
    turn = np.where(tree.turn[nodes] == CHANCE, TERMINAL, tree.turn[nodes])
    place = np.searchsorted(nodes, tree.parent[nodes])
    parent = np.where(tree.parent[nodes] < 0, -1, place)
    move = tuple(tree.move[n] for n in nodes.tolist())
    return BettingTree(parent, turn, tree.street[nodes], move, tree.winner[nodes], tree.stake[nodes])


def test_bad_input_is_refused() -> None:
    game = next(g for g in (bucketed(random_small_game(s)) for s in range(20)) if g.deals.rounds == 2)
    counts, up = game.deals.counts, game.deals.up
    with pytest.raises(GameError, match="do not cover"):
        BucketDeals(counts, ((up[0][0] + 1,), up[1]))
    with pytest.raises(GameError, match="finite counts"):
        BucketDeals(-counts, up)
    with pytest.raises(GameError, match="add up to 0"):
        BucketDeals(0 * counts, up)
    single = random_small_game(next(s for s in range(20) if random_small_game(s).rounds == 1)).betting
    with pytest.raises(GameError, match="has 1 rounds and the buckets have 2"):
        BucketedGame("wrong", single, game.deals, game.leaves)
    with pytest.raises(GameError, match="leaves"):
        BucketedGame("wrong", game.betting, game.deals, LeafPayoffs(game.leaves.matrices, np.ones((1, 1))))
