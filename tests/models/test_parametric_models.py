"""Signal games, parametric models and their exact evaluation, checked against the extensive form and by sampling."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.games.poker.signal_games import bet_or_check, kuhn_signals, limit_river, three_player
from equiform.models import compile_rules, evaluate
from equiform.models.common.errors import ChanceError, GameError, ParameterError, PayoffError, StrategyError
from equiform.models.signals.cdf import PiecewiseLinearCdf, approximate_cdf, payoff_error
from equiform.models.signals.conditional import conditional
from equiform.models.signals.deals import Signals, bucketed, deck_without_replacement, uniform_signals
from equiform.models.signals.evaluation import evaluate_signals
from equiform.models.signals.extensive import SignalRules
from equiform.models.signals.parametric_model import ParametricModel, common_us_refinement, count_embeddings
from equiform.models.signals.signal_game import Decision, Showdown, SignalGame
from equiform.models.signals.threshold_profile import ThresholdProfile, profile_from_cdf

EXAMPLE = ParametricModel.parse("example", ["BET a CHECK b BET", "CALL c FOLD"], order="a <= c <= b")


def tied_game() -> SignalGame:
    """A contest whose tie is worth less than the split, so that ties must be counted apart."""
    contest = Showdown.contest((0, 1), (3, 3), (-1, -1), (-2, 0))
    root = Decision(
        0, {"PLAY": Decision(1, {"PLAY": contest, "PASS": Showdown.settled(1, 0)}), "PASS": Showdown.settled(0, 1)}
    )
    return SignalGame.from_betting("tied", ("one", "two"), root, Signals.finite([0.25, 0.75], [0.5, 0.5]))


FINITE = [
    bet_or_check(3, signals=Signals.finite([0.1, 0.2, 0.3, 0.4], [0.25] * 4)),
    limit_river(signals=Signals.finite([0.4, 0.3, 0.2, 0.1], [0.25] * 4)),
    kuhn_signals(5),
    three_player(signals=Signals.finite([0.1, 0.2, 0.7], [0.25, 0.25, 0.5], [0.3, 0.3, 0.4])),
    tied_game(),
]


@pytest.mark.parametrize("game", FINITE, ids=lambda g: g.name)
def test_finite_evaluation_agrees_with_the_extensive_form(game: SignalGame) -> None:
    rng = np.random.default_rng(7)
    strategies = [rng.dirichlet(np.ones(len(p)), size=game.signals.num_cells) for p in game.plans]
    ours = evaluate_signals(game, strategies)
    rules = SignalRules(game)
    tree = compile_rules(rules)
    behaviors = []
    for treeplex, own in zip(tree.treeplexes, strategies, strict=True):
        behavior = np.ones(treeplex.num_sequences)
        for h, cell in enumerate(treeplex.infosets):
            assert isinstance(cell, int)
            behavior[treeplex.start[h] : treeplex.start[h + 1]] = own[cell]
        behaviors.append(behavior)
    theirs = evaluate(tree, behaviors)
    assert ours.payoffs - float(rules.share) == pytest.approx(theirs.payoffs, abs=1e-12)
    assert ours.regrets == pytest.approx(theirs.regrets, abs=1e-12)
    # the gain at the worst signal is at least the average gain
    assert (ours.epsb >= ours.regrets - 1e-12).all()


def sample(game: SignalGame, profile: ThresholdProfile, deals: int, seed: int) -> np.ndarray:
    """Play the profile on random deals."""
    rng = np.random.default_rng(seed)
    signals = game.signals
    if signals.joint is None:
        cells = [rng.choice(signals.num_cells, size=deals, p=m) for m in signals.masses]
    else:
        flat = rng.choice(signals.joint.size, size=deals, p=signals.joint.ravel())
        cells = list(np.unravel_index(flat, signals.joint.shape))
    positions = np.array([c + rng.random(deals) for c in cells])
    plans = []
    for player, texts in enumerate(profile.model.regions):
        own = profile._own(player, profile.positions)
        numbers = np.array([game.plan_index(player, t) for t in texts])
        plans.append(numbers[np.searchsorted(own, positions[player])])
    ends = game.outcome[tuple(plans)]
    total = np.zeros((deals, len(game.players)))
    for k, end in enumerate(game.showdowns):
        rows = np.flatnonzero(ends == k)
        pay = np.tile([float(v) for v in end.lose], (len(rows), 1))
        if end.contenders:
            who = sorted(end.contenders)
            held = positions[who][:, rows]
            best = np.array(who)[(held.argmin(axis=0) if game.lower_wins else held.argmax(axis=0))]
            for p in who:
                pay[best == p, p] = float(end.win[p])
        total[rows] = pay
    return total


def continuous_cases() -> list[ThresholdProfile]:
    rng = np.random.default_rng(3)
    cdfs = [PiecewiseLinearCdf.random(rng, 4) for _ in range(3)]
    river = limit_river(signals=Signals.continuous(*cdfs[:2]))
    model = ParametricModel.parse(
        "river", ["BET-CALL a BET-FOLD b CHECK-CALL c CHECK-FOLD d BET-FOLD", "RAISE/BET e CALL/CHECK f FOLD/BET"]
    )
    dependent = Signals.dependent(rng.dirichlet(np.ones(9)).reshape(3, 3), edges=[0, 0.3, 0.6, 1])
    three = three_player(signals=Signals.continuous(*cdfs))
    shape = ParametricModel.parse(
        "three",
        ["RAISE a FOLD", "CALL/RAISE b FOLD/RAISE c FOLD/FOLD", "CALL/CALL/CALL d FOLD/CALL/CALL e FOLD/FOLD/FOLD"],
    )
    return [
        ThresholdProfile(river, model, np.array([0.3, 1.2, 2.2, 3.5, 0.6, 2.4])),
        ThresholdProfile(river.with_signals(dependent), model, np.array([0.3, 1.2, 2.2, 2.5, 0.6, 2.4])),
        ThresholdProfile(three, shape, np.array([1.4, 0.7, 2.1, 1.1, 3.3])),
    ]


@pytest.mark.parametrize("profile", continuous_cases(), ids=["independent", "dependent", "three players"])
def test_continuous_payoffs_agree_with_sampling(profile: ThresholdProfile) -> None:
    deals = sample(profile.game, profile, 200_000, seed=1)
    error = 5 * deals.std(axis=0) / np.sqrt(len(deals)) + 1e-12
    assert (abs(profile.evaluate().payoffs - deals.mean(axis=0)) < error).all()


@pytest.mark.parametrize("profile", continuous_cases(), ids=["independent", "dependent", "three players"])
def test_best_responses_agree_with_a_fine_grid(profile: ThresholdProfile) -> None:
    game, strategies = profile.refined
    ours = evaluate_signals(game, strategies)
    # cut every cell into 60: the midpoints give the integral of the maximum up to the square of the step
    fine, edges = game.signals.refined(np.linspace(0, game.signals.num_cells, 60 * game.signals.num_cells + 1))
    owner = np.minimum(edges[:-1].astype(int), game.signals.num_cells - 1)
    from equiform.models.signals.evaluation import plan_values

    for player in range(len(game.players)):
        values = plan_values(game.with_signals(fine), [s[owner] for s in strategies], player)
        middle = values @ (0.5 ** np.arange(values.shape[-1]))
        best = float(fine.masses[player] @ middle.max(axis=0))
        assert best == pytest.approx(ours.best_responses[player], abs=2e-4)
        played = np.einsum("cq,qc->c", strategies[player][owner], middle)
        gap = float((middle - played[None]).max())
        assert gap <= ours.epsb[player] + 1e-12
        assert gap == pytest.approx(ours.epsb[player], abs=5e-2)


def test_section_11_3_by_hand() -> None:
    # With pot 1 the thesis's equations x2 = 2 x1, x1' = x2 (ρ+1)/ρ, x1 = (ρ+1)(1 - x1') give 2/9, 8/9, 4/9.
    profile = ThresholdProfile.at_signals(bet_or_check(1), EXAMPLE, {"a": 2 / 9, "b": 8 / 9, "c": 4 / 9})
    found = profile.evaluate()
    assert found.epsb_epsilon < 1e-14
    assert found.payoffs.sum() == pytest.approx(1)
    worse = ThresholdProfile.at_signals(bet_or_check(1), EXAMPLE, {"a": 2 / 9, "b": 8 / 9, "c": 0.5}).evaluate()
    assert worse.epsb_epsilon > 0.01
    assert worse.epsilon < worse.epsb_epsilon


def test_overlap_gives_mixed_strategies() -> None:
    game = bet_or_check(1, signals=Signals.finite([0.25] * 4, [0.25] * 4))
    first, second = ThresholdProfile(game, EXAMPLE, np.array([0.5, 3.25, 2.0])).strategies
    assert first.tolist() == [[0.5, 0.5], [0, 1], [0, 1], [0.75, 0.25]]
    assert second.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_profiles_by_cdf_and_by_signal_agree() -> None:
    cdfs = [PiecewiseLinearCdf.from_masses([0, 0.5, 1], [0.2, 0.8]), PiecewiseLinearCdf.uniform()]
    game = bet_or_check(2, signals=Signals.continuous(*cdfs))
    profile = profile_from_cdf(game, EXAMPLE, [0.1, 0.6, 0.4])
    assert profile.signals == pytest.approx({"a": 0.25, "b": 0.75, "c": 0.4})
    assert profile.probabilities == pytest.approx({"a": 0.1, "b": 0.6, "c": 0.4})


def test_refinements() -> None:
    assert count_embeddings("12", "1232") == 2
    few = ParametricModel.parse("few", ["CHECK c CHECK2"])
    many = ParametricModel.parse("many", ["BET a CHECK b CHECK2 d BET"])
    assert many.us_refines(few)
    assert not few.refines(many)
    assert common_us_refinement([few, many]) is many
    with pytest.raises(GameError, match="no common US-refinement"):
        common_us_refinement([few, ParametricModel.parse("other", ["FOLD x CALL"])])


def test_order_is_closed_under_transitivity() -> None:
    model = ParametricModel.parse("m", ["A a B b A", "C c D d C"], order="b <= c")
    names = model.names
    assert model.precedes[names.index("a"), names.index("d")]
    assert not model.precedes[names.index("d"), names.index("a")]
    assert model.is_total
    assert not ParametricModel.parse("m", ["A a B", "C c D"]).is_total


def test_conditional_representation_and_back() -> None:
    game = three_player()
    model = ParametricModel.parse(
        "figure 11.6",
        [
            "RAISE a FOLD",
            "CALL/RAISE b FOLD/RAISE c FOLD/FOLD",
            "CALL/CALL/CALL d FOLD/CALL/CALL e FOLD/FOLD/CALL f FOLD/FOLD/FOLD",
        ],
        order="b <= a; a <= c",
    )
    columns = conditional(game, model)
    # six columns with one threshold each, as in Figure 11.9
    assert [len(c.thresholds) for c in columns.columns] == [1] * 6
    assert (model.most_thresholds, columns.most_thresholds) == (3, 1)
    again = columns.joint(game)
    assert again.regions == model.regions
    assert again.thresholds == model.thresholds
    assert (again.precedes == model.precedes).all()


def test_conditional_marks_situations_that_own_moves_avoid() -> None:
    model = ParametricModel.parse(
        "river", ["BET-CALL a BET-FOLD b CHECK-CALL c CHECK-FOLD d BET-FOLD", "CALL/CHECK e FOLD/CHECK"]
    )
    columns = conditional(limit_river(), model)
    by_history = {c.history: c for c in columns.columns if c.player == 0}
    assert by_history[("BET", "RAISE")].actions == ("CALL", "FOLD", "–", "FOLD")
    assert by_history[("BET", "RAISE")].thresholds == ("a", "b", "d")
    assert columns.joint(limit_river()).regions == model.regions


def test_conditional_needs_an_order_of_a_players_own_thresholds() -> None:
    game = three_player()
    model = ParametricModel.parse("m", ["RAISE a FOLD", "CALL/RAISE b FOLD/RAISE c FOLD/FOLD", "CALL/CALL/CALL"])
    columns = conditional(game, model)
    loose = type(columns)(columns.name, columns.columns, frozenset())
    with pytest.raises(GameError, match="whether b or c"):
        loose.joint(game)


def test_cdf_approximation_keeps_its_promise() -> None:
    cdf = lambda x: x**3  # noqa: E731
    for error in (0.1, 0.01):
        found = approximate_cdf(cdf, low=0, high=1, error=error)
        grid = np.linspace(0, 1, 2001)
        assert np.abs(found.cdf.at(grid) - grid**3).max() <= found.error <= error
        # |F''| is at most 6
        smooth = approximate_cdf(cdf, low=0, high=1, error=error, curvature=6)
        assert np.abs(smooth.cdf.at(grid) - grid**3).max() <= smooth.error <= error
        assert len(smooth.cdf.points) < len(found.cdf.points)
    with pytest.raises(ParameterError, match="rises by"):
        approximate_cdf(lambda x: float(x > 0.5), low=0, high=1, error=0.1)


def test_payoff_error_bounds_the_effect_of_an_approximation() -> None:
    exact_game = bet_or_check(1)
    rough = approximate_cdf(lambda x: x**2, low=0, high=1, error=0.1)
    fine = approximate_cdf(lambda x: x**2, low=0, high=1, error=0.001)
    values = {"a": 0.4, "b": 0.8, "c": 0.6}
    eps = []
    for approximation in (rough, fine):
        game = exact_game.with_signals(Signals.continuous(approximation.cdf, approximation.cdf))
        eps.append(ThresholdProfile.at_signals(game, EXAMPLE, values).evaluate().epsb)
    bounds = [
        payoff_error(rough.error + fine.error, payoff_range=exact_game.payoff_range, thresholds=[t]) for t in (1, 2)
    ]
    assert (np.abs(eps[0] - eps[1]) <= bounds).all()
    assert np.abs(eps[0] - eps[1]).max() > 1e-4  # the approximation does matter


def test_signal_structures() -> None:
    deck = deck_without_replacement(4)
    assert deck.beliefs(1, 0)[2].tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    halves = bucketed(deck, [2, 2])
    assert halves.joint is not None and halves.joint.sum() == pytest.approx(1)
    assert halves.joint[0, 0] == pytest.approx(2 / 12)
    rounded = uniform_signals().rounded(5)
    assert rounded.is_finite and rounded.masses[0].tolist() == pytest.approx([0.2] * 5)
    joint = Signals.dependent([[0.1, 0.2], [0.3, 0.4]], edges=[0, 0.5, 1])
    cut, _ = joint.refined([0.5, 1.5])
    assert cut.joint is not None and cut.joint.sum() == pytest.approx(1)
    assert cut.beliefs(0, 1)[0].tolist() == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])


def test_plans_are_named_as_in_the_thesis() -> None:
    game = limit_river()
    assert set(game.plans[0]) == {"BET-CALL", "BET-FOLD", "CHECK-CALL", "CHECK-FOLD"}
    assert "RAISE/BET" in game.plans[1] and len(game.plans[1]) == 6
    assert [len(p) for p in three_player().plans] == [2, 4, 8]
    assert three_player().payoff_range == 12  # "the difference … is only 12", §11.8.3
    assert [g.constant_sum for g in (game, three_player(), tied_game())] == [4, 0, None]


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ChanceError, match="different numbers of signals"):
        Signals.finite([0.5, 0.5], [1.0])
    with pytest.raises(ChanceError, match="distribution"):
        Signals.finite([0.5, 0.6], [0.5, 0.5])
    with pytest.raises(ChanceError, match="probability zero"):
        Signals.dependent([[0.0, 0.0], [0.5, 0.5]])
    with pytest.raises(ChanceError, match="rise from 0 to 1"):
        PiecewiseLinearCdf(np.array([0, 1.0]), np.array([0, 0.9]))
    with pytest.raises(GameError, match="begin and end with a plan"):
        ParametricModel.parse("m", ["BET a"])
    with pytest.raises(GameError, match="the order mentions"):
        ParametricModel.parse("m", ["BET a CHECK"], order="a <= z")
    with pytest.raises(ParameterError, match="no plan 'JAM'"):
        ParametricModel.parse("m", ["JAM a BET", "CALL"]).check(bet_or_check())
    with pytest.raises(StrategyError, match="not in order"):
        ThresholdProfile(bet_or_check(), EXAMPLE, np.array([0.9, 0.1, 0.5]))
    with pytest.raises(StrategyError, match="not a distribution"):
        evaluate_signals(bet_or_check(), [np.array([[0.5, 0.4]]), np.array([[1.0, 0.0]])])
    root = Decision(0, {"GO": Showdown.contest((0, 1), (1, 1, 1), (0, 0, 0))})
    with pytest.raises(PayoffError, match="outside the showdown"):
        SignalGame.from_betting("odd", ("a", "b", "c"), root, uniform_signals(3))
    with pytest.raises(ParameterError, match="not positive"):
        bet_or_check(0)
