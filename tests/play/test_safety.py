"""Safety is a property: against an adversary that sees our mixed strategy, safe agents never fall below the value."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.models.common.array_types import FloatArray
from equiform.models.normal_form import NormalForm
from equiform.play.agents.observations import observe
from equiform.play.agents.registry import make_agent
from equiform.play.agents.safe_agents import SAFE_RULES, Agent, Exploiter, Round, Setting
from equiform.play.batches import best_behaviors, realizations
from equiform.play.common_random import match_key
from equiform.play.match import play_rounds
from equiform.play.opponents.nemesis import nemesis
from equiform.play.seat import Seat, take_seat

EXACT = 1e-9


class Adversary:
    """Makes gifts in some hands and responds to what the agent is about to play in the others, always purely."""

    def __init__(self, seat: Seat, seed: int) -> None:
        self.seat, self.rng = seat, np.random.default_rng(seed)
        self.generous = self.rng.random()

    def choose(self, number: int, plans: FloatArray) -> FloatArray:
        hostile = best_behaviors(self.seat.opponent, self.seat.opponent_gradients(plans))
        lavish = best_behaviors(self.seat.opponent, -self.seat.opponent_gradients(plans))
        careless = best_behaviors(self.seat.opponent, self.rng.random(hostile.shape))
        kind = self.rng.choice(3, size=(len(plans), 1), p=[1 - self.generous, self.generous / 2, self.generous / 2])
        return np.where(kind == 0, hostile, np.where(kind == 1, lavish, careless))


def attack(seat: Seat, rule: str, *, hands: int, matches: int, seed: int, showing: str = "shown") -> None:
    """Check every hand: k pays for what is risked, is never overestimated, and the total stays above the value."""
    setting = Setting(seat, observe(seat, showing), matches, hands)
    agent: Agent = make_agent(rule, setting)
    keys = np.array([match_key(seed, i) for i in range(matches)], dtype=np.uint64)
    total = np.zeros(matches)
    matrix_game = seat.opponent.num_infosets == 1 and seat.own.num_infosets == 1
    for number, before, played, worth in play_rounds(seat, agent, Adversary(seat, seed), keys, hands):
        found = nemesis(seat, played.plans)
        # the plan is in SAFE(k), and k is not negative (Lemmas 4 and 6)
        assert (seat.value - found.guarantees <= before + EXACT).all()
        assert (before >= -EXACT).all()
        total += worth - seat.value
        if matrix_game:  # Lemma 3: k is what was won in expectation
            np.testing.assert_allclose(agent.gifts, total, atol=EXACT * (number + 1))
        else:  # Lemma 5: k never exceeds it
            assert (agent.gifts <= total + EXACT * (number + 1)).all()
        assert (total >= -EXACT * (number + 1)).all()


@pytest.mark.parametrize("block", range(4))
def test_safe_agents_in_random_matrix_games(block: int) -> None:
    """200 games over the blocks, each attacked under all four rules."""
    rng = np.random.default_rng([13, block])
    for k in range(50):
        m, n = rng.integers(2, 6, size=2)
        matrix = rng.integers(-9, 10, size=(m, n))
        game = NormalForm.from_matrix("random", "abcdefgh"[:m], "ABCDEFGH"[:n], matrix.tolist())
        seat = take_seat(game)
        for rule in SAFE_RULES:
            attack(seat, rule, hands=15, matches=6, seed=50 * block + k)


@pytest.mark.parametrize("rule", SAFE_RULES)
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("showing", ["shown", "showdown", "hidden"])
def test_safe_agents_in_kuhn(rule: str, player: int, showing: str) -> None:
    attack(take_seat("kuhn", player), rule, hands=60, matches=12, seed=5, showing=showing)


@pytest.mark.parametrize("rule", SAFE_RULES)
def test_safe_agents_in_leduc(rule: str) -> None:
    attack(take_seat("leduc", 0), rule, hands=4, matches=4, seed=3)


@pytest.mark.parametrize("name", ["fig-13.9", "random:seed=4,depth=5,merge=0", "random:seed=11,depth=4,chance=0"])
@pytest.mark.parametrize("player", [0, 1])
def test_safe_agents_in_other_trees(name: str, player: int) -> None:
    for rule in SAFE_RULES:
        attack(take_seat(name, player), rule, hands=25, matches=8, seed=2)


def test_any_model_is_made_safe() -> None:
    attack(take_seat("kuhn", 0), "rwywe-dbbr", hands=40, matches=6, seed=8, showing="hidden")


def test_risking_what_was_won_loses_a_third_in_rock_paper_scissors() -> None:
    """Proposition 24: a lucky first win is not a gift. Nine first rounds are equally likely; then comes the nemesis."""
    seat = take_seat("rps")
    setting = Setting(seat, observe(seat), 9, 2)
    agent = Exploiter(setting, "rwyw")
    first = agent.choose(0)
    np.testing.assert_allclose(first[:, 1:], 1 / 3, atol=1e-12)
    leaves = seat.game.terminals
    agent.learn(Round(0, first, leaves, seat.tree.payoff[leaves]))
    second = agent.choose(1)
    assert nemesis(seat, second).guarantees.mean() == pytest.approx(-1 / 3, abs=1e-12)


def test_risking_what_was_won_in_expectation_loses_nothing_there() -> None:
    seat = take_seat("rps")
    agent = Exploiter(Setting(seat, observe(seat), 9, 2), "rwywe")
    first = agent.choose(0)
    leaves = seat.game.terminals
    agent.learn(Round(0, first, leaves, seat.tree.payoff[leaves]))
    assert np.abs(agent.gifts).max() < 1e-12
    assert nemesis(seat, agent.choose(1)).guarantees.min() > -1e-12


def test_the_property_can_fail() -> None:
    with pytest.raises(AssertionError):
        attack(take_seat("kuhn"), "best-response", hands=20, matches=4, seed=1)
    with pytest.raises(AssertionError):
        attack(take_seat("rps"), "rwyw", hands=40, matches=8, seed=1)


def test_safe_policy_selection_risks_its_allowance_and_no_more() -> None:
    seat = take_seat("rps")
    setting = Setting(seat, observe(seat), 5, 50)
    agent = Exploiter(setting, "sps", beta=0.2)
    keys = np.array([match_key(1, i) for i in range(5)], dtype=np.uint64)
    total = np.zeros(5)
    allowance = 0.0
    for number, before, _, worth in play_rounds(seat, agent, Adversary(seat, 1), keys, 50):
        allowance += 0.2 / (number + 1)
        total += worth
        assert (before >= -EXACT).all() and (total >= -allowance - EXACT).all()
    np.testing.assert_allclose(agent.gifts, total + allowance + 0.2 / 51, atol=1e-9)


def test_gifts_buy_a_full_best_response_in_rpst() -> None:
    """§13.2.2: whoever plays T gives at least 3, and rock, the best response to T, risks 1."""
    seat = take_seat("rpst")
    agent = Exploiter(Setting(seat, observe(seat), 1, 10), "rwywe")
    plans = agent.choose(0)
    np.testing.assert_allclose(plans[0, 1:], 1 / 3, atol=1e-12)
    dumb = next(n for n in seat.game.terminals if seat.game.path(n) == "P > T")
    agent.learn(Round(0, plans, np.array([dumb]), np.array([3.0])))
    assert agent.gifts[0] == pytest.approx(10 / 3, abs=1e-9)
    for number in range(1, 6):
        plans = agent.choose(number)
        agent.learn(Round(number, plans, np.array([dumb]), np.array([4.0])))
    np.testing.assert_allclose(agent.choose(6)[0], [1, 1, 0, 0], atol=1e-9)


def test_pure_adversaries_are_pure() -> None:
    seat = take_seat("kuhn")
    plans = realizations(seat.own, np.tile(seat.equilibrium[0], (3, 1)))
    behaviors = Adversary(seat, 1).choose(0, plans)
    assert set(np.unique(behaviors)) <= {0.0, 1.0}
