"""The parts of a match: nemesis, observations, models, opponents, dice, and gifts within a hand."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.formulations.opponents import safe_response
from equiform.formulations.opponents.opponent_model import fit_opponent, public_frequencies
from equiform.models import compile_rules, sequence_form
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.normal_form import reduced_plans
from equiform.play.agents.dbbr import VARIANTS, DeviationAgent, DeviationModel
from equiform.play.agents.frequency_model import FrequencyModel
from equiform.play.agents.observations import observe
from equiform.play.agents.safe_agents import Exploiter, Round, Setting
from equiform.play.agents.ties import BONUS, tie_bonus
from equiform.play.batches import behaviors_of, best_behaviors, realizations
from equiform.play.common_random import draw, hand_key, match_key
from equiform.play.controls import adjust, opponent_controls
from equiform.play.hands import play_hands
from equiform.play.match import Estimate, MatchSpec
from equiform.play.opponents.classes import NAIVE, OPPONENTS, make_opponents, naive_behavior, nearby_behaviors
from equiform.play.opponents.nemesis import nemesis
from equiform.play.seat import Seat, take_seat
from equiform.validation.closed_forms.deriving.by_size import inspection_rules


def random_plan(seat: Seat, seed: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    return seat.own.realization(seat.own.behavior(rng.standard_exponential(seat.own.num_sequences)))


@pytest.mark.parametrize("name", ["kuhn", "rpst", "fig-13.9", "random:seed=4,depth=5"])
@pytest.mark.parametrize("player", [0, 1])
def test_the_forced_nemesis_is_the_worst_of_all_consistent_pure_strategies(name: str, player: int) -> None:
    seat = take_seat(name, player)
    plan = random_plan(seat, 3)
    found = nemesis(seat, plan[None, :])
    pure = reduced_plans(seat.opponent)
    payoffs = pure @ (seat.form.A.T @ plan)
    assert found.guarantees[0] == pytest.approx(payoffs.min(), abs=1e-12)
    for s in range(seat.opponent.num_sequences):
        worst = payoffs[pure[:, s] > 0].min()
        assert found.guarantees[0] + found.losses[0, s] == pytest.approx(worst, abs=1e-12)


def test_hidden_hands_have_all_candidates_and_shown_ones_one() -> None:
    seat = take_seat("kuhn")
    hidden, shown, partly = (observe(seat, showing) for showing in ("hidden", "shown", "showdown"))
    for leaf in seat.game.terminals.tolist():
        true = seat.opponent_sequence[leaf]
        assert shown.candidates(leaf).tolist() == [true]
        assert len(hidden.candidates(leaf)) == 2 and true in hidden.candidates(leaf)
        folded = seat.game.path(leaf).endswith("fold")
        assert len(partly.candidates(leaf)) == (2 if folded else 1)
    with pytest.raises(ParameterError, match="showing"):
        observe(seat, "sometimes")


def test_hidden_hands_never_reveal_more_gifts() -> None:
    seat = take_seat("leduc", 1)
    found = nemesis(seat, np.tile(random_plan(seat, 8), (len(seat.game.terminals), 1)))
    least = [
        observe(seat, showing).least(found.losses, seat.game.terminals) for showing in ("hidden", "showdown", "shown")
    ]
    assert (least[0] <= least[1] + 1e-15).all() and (least[1] <= least[2] + 1e-15).all()
    assert (least[0] < least[2] - 1e-3).any()


def test_only_a_gift_with_every_card_counts_when_cards_are_hidden() -> None:
    """A bet of player 2 in Kuhn poker may be a king's, so that a queen's bet, a gift if shown, is none if hidden."""
    seat = take_seat("kuhn")
    plan = seat.own.realization(seat.equilibrium[0])
    leaf = next(n for n in seat.game.terminals.tolist() if seat.game.path(n) == "JQ > check > bet > fold")
    losses = nemesis(seat, plan[None, :]).losses
    assert observe(seat, "hidden").least(losses, np.array([leaf]))[0] == pytest.approx(0, abs=1e-12)
    assert observe(seat, "shown").least(losses, np.array([leaf]))[0] > 0.01


def test_the_printed_test_of_algorithm_24_asks_for_less_than_safety_needs() -> None:
    """In Kuhn poker v < 0: between (T - t + 1)(e + v) and (T - t + 1) e only the printed test lets beffe exploit."""
    seat = take_seat("kuhn")
    setting = Setting(seat, observe(seat), matches=1, hands=10)
    risk = seat.value - nemesis(seat, Exploiter(setting, "best-response").choose(0)).guarantees[0]
    for gifts, exploits in ((10 * risk, (True, True)), (10 * (risk - 1 / 36), (False, True)), (0.0, (False, False))):
        for rule, wanted in zip(("beffe", "beffe-printed"), exploits, strict=True):
            agent = Exploiter(setting, rule)
            agent.gifts[:] = gifts + 1e-9
            assert (seat.exploitability(agent.choose(0)[0]) > 1e-6) == wanted


def test_the_model_counts_what_is_shown() -> None:
    seat = take_seat("kuhn")
    model = FrequencyModel(seat.opponent, seat.equilibrium[1], observe(seat), 1)
    np.testing.assert_allclose(model.plans()[0], seat.opponent.realization(seat.equilibrium[1]), atol=1e-12)
    leaf = next(n for n in seat.game.terminals.tolist() if seat.game.path(n) == "KJ > bet > call")
    for _ in range(5):
        model.update(np.array([leaf]))
    call = seat.opponent.sequence("holding J, after bet", "call")
    assert model.plans()[0, call] == pytest.approx(0.5)


def test_whole_fictitious_hands_are_rounded_down() -> None:
    seat = take_seat("kuhn")
    model = FrequencyModel(seat.opponent, seat.equilibrium[1], observe(seat), 1, whole=True)
    call = seat.opponent.sequence("holding Q, after bet", "call")
    assert model.plans()[0, call] == pytest.approx(1 / 4)  # of five hands a third is one, two thirds are three


def test_the_model_shares_credit_by_bayes_when_cards_are_hidden() -> None:
    seat = take_seat("kuhn")
    model = FrequencyModel(seat.opponent, seat.equilibrium[1], observe(seat, "hidden"), 1)
    # we hold Q and check; the opponent bets: J bluffs a third of the time, K always: odds one to three
    leaf = next(n for n in seat.game.terminals.tolist() if seat.game.path(n) == "QK > check > bet > fold")
    model.update(np.array([leaf]))
    jack = seat.opponent.sequence("holding J, after check", "bet")
    assert model.plans()[0, jack] == pytest.approx((5 / 3 + 1 / 4) / (5 + 1 / 4))


def test_draws_are_uniform_and_addressed() -> None:
    key = match_key(3, 14)
    hands = [np.uint64(hand_key(key, t)) for t in range(4000)]
    words = np.array([draw(hand, 0, 0) for hand in hands])
    assert abs(words.mean() - 0.5) < 4 / np.sqrt(12 * 4000) and len(np.unique(words)) == 4000
    assert draw(hands[5], 0, 0) == words[5]
    assert draw(hands[5], 1, 0) != words[5] != draw(hands[5], 0, 1)
    with pytest.raises(ParameterError, match="seed"):
        match_key(-1, 0)


def test_hands_follow_the_strategies() -> None:
    seat = take_seat("kuhn")
    n = 20_000
    keys = np.array([match_key(1, i) for i in range(n)], dtype=np.uint64)
    own, theirs = (np.tile(b, (n, 1)) for b in seat.equilibrium)
    payoffs = seat.tree.payoff[play_hands(seat, own, theirs, keys, 0)]
    assert abs(payoffs.mean() - seat.value) < 4 * payoffs.std() / np.sqrt(n)


def test_deals_do_not_depend_on_the_betting() -> None:
    """Common random numbers: the board of Leduc is the same after a short and after a long first round."""
    seat = take_seat("leduc")
    keys = np.array([match_key(9, i) for i in range(50)], dtype=np.uint64)
    ways = []
    for kind in ("always-call", "always-raise"):
        own, theirs = (np.tile(naive_behavior(t, NAIVE[kind]), (50, 1)) for t in (seat.own, seat.opponent))
        leaves = play_hands(seat, own, theirs, keys, 2)
        words = [seat.game.path(n).split(" > ") for n in leaves.tolist()]
        ways.append([[w for w in path if w not in ("check", "call", "raise", "bet")] for path in words])
    assert ways[0] == ways[1]


@pytest.mark.parametrize("kind", OPPONENTS)
def test_opponents_play_distributions(kind: str) -> None:
    seat = take_seat("kuhn")
    opponent = make_opponents(seat, kind, np.arange(3), 1)
    plans = np.tile(seat.own.realization(seat.equilibrium[0]), (3, 1))
    for number in (0, 100):
        for behavior in opponent.choose(number, plans):
            seat.opponent.check_behavior(behavior)


def test_opponents_are_the_same_in_any_company() -> None:
    seat = take_seat("kuhn")
    plans = np.tile(seat.own.realization(seat.equilibrium[0]), (2, 1))
    alone = make_opponents(seat, "sophisticated", np.array([7]), 1).choose(0, plans[:1])
    together = make_opponents(seat, "sophisticated", np.array([3, 7]), 1).choose(0, plans)
    np.testing.assert_array_equal(alone[0], together[1])


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_sophisticated_opponents_stay_within_a_fifth(name: str) -> None:
    seat = take_seat(name)
    rng = np.random.default_rng(1)
    drawn = nearby_behaviors(seat.opponent, seat.equilibrium[1], rng, 50)
    assert (np.abs(drawn - seat.equilibrium[1]) <= 0.2 + 1e-12).all()
    assert drawn.std(axis=0)[1:].min() > 0.02
    for behavior in drawn:
        seat.opponent.check_behavior(behavior)


def test_who_has_one_move_only_makes_it() -> None:
    treeplex = sequence_form(compile_rules(inspection_rules(2))).treeplexes[0]
    sizes = np.diff(treeplex.start)
    assert sorted(sizes.tolist()) == [1, 2, 2]
    even = np.append(1.0, np.repeat(1.0 / sizes, sizes))
    drawn = nearby_behaviors(treeplex, even, np.random.default_rng(0), 20)
    alone = treeplex.start[:-1][sizes == 1]
    assert (drawn[:, alone] == 1.0).all()
    for behavior in drawn:
        treeplex.check_behavior(behavior)


def test_a_dynamic_opponent_turns_into_the_nemesis() -> None:
    seat = take_seat("kuhn")
    opponent = make_opponents(seat, "dynamic", np.arange(4), 1)
    plans = np.array([random_plan(seat, k) for k in range(4)])
    worth = [
        np.einsum("ij,ij->i", plans, seat.gradients(realizations(seat.opponent, opponent.choose(t, plans))))
        for t in (99, 100)
    ]
    np.testing.assert_allclose(worth[1], nemesis(seat, plans).guarantees, atol=1e-7)
    assert (worth[0] > worth[1] + 1e-3).all()


def test_unknown_names_are_refused() -> None:
    seat = take_seat("rps")
    with pytest.raises(ParameterError, match="opponent"):
        make_opponents(seat, "martian", np.arange(1), 1)
    with pytest.raises(ParameterError, match="no action"):
        make_opponents(seat, "always-fold", np.arange(1), 1)
    with pytest.raises(ParameterError, match="rule"):
        Exploiter(Setting(seat, observe(seat), 1, 1), "hope")
    with pytest.raises(ParameterError, match="ties"):
        tie_bonus(seat.own, "middle")
    with pytest.raises(ParameterError, match="ties"):
        MatchSpec("rps", "rwywe", "dynamic", nemesis_ties="cautious")  # who guarantees nothing cannot be cautious


@pytest.mark.parametrize("rule", ["rwywe", "befewp", "best-response"])
def test_a_cautious_agent_starts_with_an_equilibrium_strategy(rule: str) -> None:
    """The model is one at first: all of Kuhn's equilibrium strategies respond best, and pure responses risk more."""
    seat = take_seat("kuhn")
    for ties, risk in (("cautious", False), ("last", rule == "best-response")):
        agent = Exploiter(Setting(seat, observe(seat), 3, 10, ties), rule)
        agent.gifts[:] = 0.05
        risks = seat.value - nemesis(seat, agent.choose(0)).guarantees
        assert (risks > 0.1).all() if risk else (risks < 0.05 + 1e-9).all()
        if ties == "cautious":
            np.testing.assert_allclose(risks, 0.0, atol=1e-8)


def test_batched_passes_agree_with_the_treeplex() -> None:
    seat = take_seat("leduc")
    rng = np.random.default_rng(2)
    weights = rng.random((3, seat.own.num_sequences))
    behaviors = behaviors_of(seat.own, weights)
    best = best_behaviors(seat.own, weights)
    for k in range(3):
        np.testing.assert_allclose(behaviors[k], seat.own.behavior(weights[k]), atol=1e-14)
        np.testing.assert_array_equal(best[k], seat.own.best_behavior(weights[k]))
        np.testing.assert_allclose(realizations(seat.own, behaviors)[k], seat.own.realization(behaviors[k]), atol=1e-14)


def test_the_tie_bonus_is_lexicographic() -> None:
    own = take_seat("kuhn").own
    bonus = tie_bonus(own, "last")
    assert bonus[own.sequence("holding K, to open", "bet")] == BONUS
    assert 0 < bonus[own.sequence("holding K, after check–bet", "call")] < BONUS / 5


# -- DBBR (Algorithms 19 and 21) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_dbbr_counts_public_moves_and_beats_a_station(variant: str) -> None:
    seat = take_seat("kuhn")
    hands = 60
    agent = DeviationAgent(Setting(seat, observe(seat, "hidden"), 4, hands), variant, wait=30, every=15)
    opponent = make_opponents(seat, "always-call", np.arange(4), 1)
    keys = np.array([match_key(1, i) for i in range(4)], dtype=np.uint64)
    worth = np.zeros(hands)
    for number in range(hands):
        plans = agent.choose(number)
        behaviors = opponent.choose(number, plans)
        leaves = play_hands(seat, behaviors_of(seat.own, plans), behaviors, keys, number)
        agent.learn(Round(number, plans, leaves, seat.tree.payoff[leaves]))
        worth[number] = (plans * seat.gradients(realizations(seat.opponent, behaviors))).sum(axis=1).mean()
    assert agent.model.counts.sum() == 4 * hands  # player 2 moves once per hand
    assert worth[:30].max() - worth[:30].min() < 1e-12
    assert worth[30:].mean() > worth[:30].mean() + 0.05


def test_dbbr_models_have_the_posterior_frequencies() -> None:
    seat = take_seat("leduc")
    view = DeviationModel(Setting(seat, observe(seat, "hidden"), 1, 10)).view
    counts = np.random.default_rng(1).integers(0, 30, size=view.num_slots).astype(float)
    for fit in VARIANTS.values():
        model = fit_opponent(view, seat.equilibrium[1], counts, fit)
        seen = public_frequencies(view, model.buckets, model.strategy.floats)
        reached = np.bincount(view.history_of, weights=model.buckets) > 0
        slots = np.repeat(reached, np.diff(view.start))
        np.testing.assert_allclose(seen[slots], model.actions[slots], atol=1e-7)


def test_deviation_models_count_like_the_public_view() -> None:
    seat = take_seat("leduc", 1)
    model = DeviationModel(Setting(seat, observe(seat, "hidden"), 3, 10))
    leaves = np.array([seat.game.terminals[k] for k in (5, 200, 700)])
    model.update(leaves)
    np.testing.assert_array_equal(model.counts.sum(axis=0), model.view.counts(leaves))
    for wrong in ({"variant": "l3"}, {"every": 0}):
        with pytest.raises(ParameterError, match="dbbr"):
            DeviationModel(Setting(seat, observe(seat), 1, 1), **wrong)


def test_the_adjusted_interval_covers_and_is_narrow() -> None:
    """Outcomes that only in part follow the controls, and a population that is itself a sample."""
    rng = np.random.default_rng(4)
    hits, widths = [], []
    for _ in range(1000):
        controls, population = rng.random((60, 2)), rng.random((600, 2))
        outcomes = controls @ [2.0, -1.0] + controls[:, 0] ** 2 + 0.1 * rng.standard_normal(60)
        found = adjust(outcomes, controls, population)
        hits.append(abs(found.mean - (0.5 + 1 / 3)) <= found.half_width)  # E[2x - y + x²]
        widths.append(found.half_width / Estimate.of(outcomes).half_width)
    assert 0.92 < np.mean(hits) < 0.97
    assert np.mean(widths) < 0.5
    assert adjust(np.zeros(3), np.zeros((3, 2)), np.zeros((9, 2))).half_width == float("inf")


def test_controls_are_what_the_best_answers_earn() -> None:
    seat = take_seat("kuhn")
    behaviors = np.array([seat.equilibrium[1], seat.opponent.uniform()])
    found = opponent_controls("kuhn", 0, behaviors)
    # against the only equilibrium strategy nothing beats the value
    np.testing.assert_allclose(found[0], -1 / 18, atol=1e-9)
    uniform = seat.form.gradient(0, seat.opponent.realization(behaviors[1]))
    assert found[1, 0] == pytest.approx(seat.own.best_value(uniform), abs=1e-12)
    safe = safe_response.solve(seat.form, seat.opponent.realization(behaviors[1]), epsilon=0.0)
    assert found[1, 1] == pytest.approx(safe.value, abs=1e-9)
    assert found[1, 0] > found[1, 1] > -1 / 18
