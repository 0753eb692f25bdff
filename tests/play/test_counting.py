"""What is counted, dealt and averaged in matches, each against a count made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equiform.formulations.opponents import gifts
from equiform.games import Kuhn, Leduc
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.compile import compile_rules
from equiform.models.sequence_form import SequenceForm
from equiform.play import Estimate
from equiform.play.agents.dbbr import DeviationAgent, DeviationModel
from equiform.play.agents.observations import observe
from equiform.play.agents.safe_agents import Round, Setting
from equiform.play.agents.within_hand import continue_hand
from equiform.play.common_random import match_key
from equiform.play.controls import adjust
from equiform.play.hands import play_hands
from equiform.play.match import MatchSpec, trace_match
from equiform.play.seat import Seat, take_seat
from tests.play.test_within_hand import node_at, staged_seat


def setting(seat: Seat, matches: int = 1, hands: int = 90) -> Setting:
    return Setting(seat, observe(seat), matches, hands)


def moves_on_the_way(seat: Seat, leaf: int) -> list[int]:
    """Return the opponent's sequences on the path to a leaf, one per move of his, from the tree alone."""
    game, node, found = seat.game, leaf, []
    while node > 0:
        above = int(game.parent[node])
        if game.turn[above] == 1 - seat.player:
            found.append(int(game.sequences[1 - seat.player, node]))
        node = above
    return found


def test_every_move_of_a_hand_is_counted() -> None:
    """In Leduc an opponent moves up to four times per hand; each move counts once where it is seen."""
    seat = take_seat(compile_rules(Leduc()))
    leaves = [leaf for leaf in seat.game.terminals.tolist() if len(moves_on_the_way(seat, leaf)) >= 3][:40]
    model = DeviationModel(setting(seat, len(leaves)), every=10**6)
    model.update(np.array(leaves))
    model.update(np.array(leaves))
    for row, leaf in enumerate(leaves):
        expected = np.zeros(model.view.num_slots)
        for sequence in moves_on_the_way(seat, leaf):
            expected[model.view.slot_of[sequence]] += 2.0
        np.testing.assert_array_equal(model.counts[row], expected)


def _bluffs(seat: Seat) -> IntArray:
    """Return a leaf of Kuhn poker, as an array, at which the opponent calls a bet."""
    game = seat.game
    last = seat.opponent_sequence[game.terminals]
    calls = [seat.opponent.sequence_label(int(s)).endswith("call") for s in last]
    return game.terminals[np.flatnonzero(calls)[:1]].astype(np.int64)


def test_a_model_is_refitted_after_every_k_hands() -> None:
    seat = take_seat(compile_rules(Kuhn()))
    model, leaf = DeviationModel(setting(seat), every=3), _bluffs(take_seat(compile_rules(Kuhn())))
    changed = []
    for _ in range(7):
        before = model.plans().copy()
        model.update(leaf)
        changed.append(bool(np.abs(model.plans() - before).max() > 1e-9))
    assert changed == [False, False, True, False, False, True, False]


def test_dbbr_responds_to_a_new_model_when_it_is_due() -> None:
    """Equilibrium before hand T = 4; a best response to the counts so far at T and at every multiple of k = 5."""
    seat = take_seat(compile_rules(Kuhn()))
    agent, leaf = DeviationAgent(setting(seat), wait=4, every=5, prior_plays=1.0), _bluffs(seat)
    equilibrium = seat.own.realization(seat.equilibrium[0])
    refits = []
    whole = agent.model.refit
    agent.model.refit = lambda: (refits.append(agent.model.counts.sum()), whole())[1]  # type: ignore[func-returns-value,method-assign]
    for number in range(12):
        plans = agent.choose(number)
        if number < 4:
            np.testing.assert_allclose(plans[0], equilibrium)
        elif number in (4, 5, 10):
            gradient = seat.gradients(agent.model.plans())[0]
            assert gradient @ plans[0] == pytest.approx(seat.own.best_value(gradient), abs=1e-9)
        agent.learn(Round(number, plans, leaf, np.zeros(1)))
    assert refits == [4.0, 5.0, 10.0]  # every hand shows one move of the opponent


def test_the_seed_deals_the_cards() -> None:
    """Both players are always the same: only the cards and their own draws can depend on the seed."""
    seat = take_seat(compile_rules(Kuhn()))
    own, opponent = (np.tile(b, (200, 1)) for b in seat.equilibrium)

    def leaves(seed: int, hand: int) -> IntArray:
        keys = np.array([match_key(seed, i) for i in range(200)], dtype=np.uint64)
        return play_hands(seat, own, opponent, keys, hand)

    first = leaves(1, 0)
    np.testing.assert_array_equal(first, leaves(1, 0))
    for other in (leaves(2, 0), leaves(1, 1)):
        assert (other != first).mean() > 0.5  # 200 hands of Kuhn poker that have nothing in common
    assert len(set(first.tolist())) > 6  # and not one deal for all matches
    spec = MatchSpec("kuhn", "equilibrium", "equilibrium", hands=100, opponents=2)
    profits = [trace_match(spec, 0).profit, trace_match(MatchSpec(**{**vars(spec), "seed": 2}), 0).profit]
    assert (np.diff(profits[0]) != np.diff(profits[1])).any()
    assert (np.diff(profits[0]) != np.diff(trace_match(spec, 1).profit)).any()


def forced_loss(game: SequenceForm, plan: FloatArray, sequence: int) -> float:
    """Return what an opponent who plays a move forgoes against a plan, by two backward passes."""
    opponent, gradient = game.treeplexes[1], game.gradient(1, plan)
    free = opponent.best_value(gradient)
    gradient[gifts.excluded(opponent, sequence)] = -1e6
    return free - opponent.best_value(gradient)


def test_a_gift_within_a_hand_is_the_least_that_the_opponent_forwent() -> None:
    """In Kuhn poker a check comes with any card; only what all of them lost is surely a gift."""
    seat = take_seat(compile_rules(Kuhn()), 1)
    rng = np.random.default_rng(3)
    for _ in range(5):
        plan = seat.own.realization(seat.own.behavior(rng.random(seat.own.num_sequences)))
        for move in ("check", "bet"):
            entered = [s for s in range(1, seat.opponent.num_sequences)
                       if seat.opponent.sequence_label(s).endswith(f"to open: {move}")
                       or (seat.opponent.depth[s] == 1 and seat.opponent.sequence_label(s).endswith(move))]  # fmt: skip
            node = next(n for n in range(seat.game.num_nodes) if seat.game.path(n).endswith(f"> {move}"))
            least = min(forced_loss(seat.form, plan, s) for s in entered)
            assert len(entered) == 3
            assert continue_hand(seat, plan, node, seat.equilibrium[1]).gift == pytest.approx(least, abs=1e-8)
    staged, plan, model = staged_seat()
    node = node_at(staged, "D > L")
    wrong = staged.opponent.sequence("to open", "D")
    assert continue_hand(staged, plan, node, model).gift == pytest.approx(forced_loss(staged.form, plan, wrong))


def test_the_width_of_an_estimate() -> None:
    """1, 2, 3, 6: the sum of squares about the mean is 14, divided by n − 1 = 3 and by n = 4."""
    found = Estimate.of(np.array([1.0, 2.0, 3.0, 6.0]))
    assert found.mean == 3.0
    assert found.half_width == pytest.approx(1.96 * math.sqrt(14 / 3 / 4), rel=1e-12)


def test_the_width_of_an_adjusted_estimate() -> None:
    """One control, by the formulas of simple regression: n − 2 degrees of freedom, and the population's own noise."""
    x, y = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 2.5, 4.5, 5.0])
    population = np.array([[1.0], [3.0], [5.0]])
    slope = ((x - 2) * (y - 3)).sum() / 10
    residual = ((y - 3 - slope * (x - 2)) ** 2).sum()
    noise = slope**2 * (8 / 3) / 3  # the population's variance, of its mean
    found = adjust(y, x[:, None], population)
    assert found.mean == pytest.approx(3 - slope * (2 - 3))
    assert found.half_width == pytest.approx(1.96 * math.sqrt(residual / (5 - 2) / 5 + noise))
