"""The parametric program of chapter 11: generated indifference, the river game with three models, many players."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from pyomo.core.expr.visitor import identify_variables

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.solution import TerminationCondition
from equiform.formulations.parametric import milfp
from equiform.formulations.parametric.thresholds import Consistency
from equiform.games.poker.signal_games import (
    bet_or_check,
    bet_or_check_model,
    kuhn_model,
    kuhn_signals,
    limit_river,
    limit_river_models,
    three_player,
    three_player_model,
)
from equiform.models.common.errors import GameError, InfeasibleError, UnsupportedGameError
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals, deck_without_replacement, uniform_signals
from equiform.models.signals.evaluation import plan_values
from equiform.models.signals.indifference import BOTTOM, TOP, CdfValue, cdf_reader, indifference, plan_polynomial
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.threshold_profile import ThresholdProfile, without_empty_regions


def section_11_3(rho: float) -> dict[str, float]:
    """The thesis's three linear equations, solved by hand: x2 = 2 x1, ρ b = (ρ + 1) x2, x1 = (ρ + 1)(1 - b)."""
    a = rho * (rho + 1) / ((2 * rho + 1) * (rho + 2))
    return {"a": a, "b": 2 * a * (rho + 1) / rho, "c": 2 * a}


@pytest.mark.parametrize("rho", [0.25, 1, 2, 4, 10])
def test_section_11_3_for_several_pots(rho: float) -> None:
    result = milfp.solve(bet_or_check(rho), bet_or_check_model())
    assert result.thresholds == pytest.approx(section_11_3(rho), abs=1e-9)
    assert result.epsb_epsilon < 1e-12


def test_section_11_3_equations_are_generated() -> None:
    game, model = bet_or_check(3), bet_or_check_model()
    a, b, c = (CdfValue(1, (0,)),), (CdfValue(1, (1,)),), (CdfValue(1, (2,)),)
    # at a: bet - check = F2(c) - 2 F2(a); at b: (ρ+1) F2(c) - ρ F2(b), with the sign of "lower minus upper plan"
    assert dict(indifference(game, model, 0).terms) == {c: 1, a: -2}
    assert dict(indifference(game, model, 1).terms) == {c: Fraction(4), b: Fraction(-3)}


@pytest.mark.parametrize("consistency", ["incremental", "indicator"])
def test_both_forms_of_consistency_agree(consistency: Consistency) -> None:
    rng = np.random.default_rng(5)
    signals = Signals.continuous(*(PiecewiseLinearCdf.random(rng, 4) for _ in range(2)))
    result = milfp.solve(bet_or_check(2, signals=signals), bet_or_check_model(), consistency=consistency)
    assert result.epsb_epsilon < 1e-9


def test_finite_signals_converge_to_the_continuous_game() -> None:
    exact = section_11_3(1)
    errors, gains = [], []
    for n in (10, 40, 160):
        game = bet_or_check(1, signals=uniform_signals().rounded(n))
        result = milfp.solve(game, bet_or_check_model(), consistency="indicator", polish=False)
        errors.append(max(abs(result.thresholds[k] / n - exact[k]) for k in exact))
        gains.append(result.epsilon)
    # the thesis's consistency lets a threshold move inside its signal: off by about a signal
    assert errors[-1] < 3 / 160
    assert gains[-1] < gains[0]
    assert gains[-1] < 1e-3


def river_pair(seed: int) -> Signals:
    rng = np.random.default_rng(seed)
    pieces = int(rng.integers(2, 8))
    first, second = np.exp(rng.uniform(-1.5, 1.5, 2))
    return Signals.continuous(
        PiecewiseLinearCdf.random(rng, pieces, concentration=first),
        PiecewiseLinearCdf.random(rng, pieces, concentration=second),
    )


def river_needs(seeds: range) -> dict[str, int]:
    """Solve each pair with the first of the three models that fits; count which it was. Everything must be solved."""
    models = limit_river_models()
    needed = dict.fromkeys((m.name for m in models), 0)
    for seed in seeds:
        game = limit_river(4, signals=river_pair(seed))
        for count in (1, 2, 3):
            # the third model is told from the first by what it omits, so it is tried with its refinement
            tried = models[count - 1 : count] if count < 3 else models
            try:
                result = milfp.solve(game, tried, preferences="all")
            except InfeasibleError:
                continue
            if result.epsb_epsilon < 1e-6:
                needed[result.model.name] += 1
                break
        else:
            pytest.fail(f"no model fits pair {seed}")
    return needed


def test_river_game_needs_all_three_models() -> None:
    needed = river_needs(range(12, 30))
    assert min(needed.values()) >= 1, needed


@pytest.mark.slow
def test_river_game_over_two_hundred_pairs_of_cdfs() -> None:
    needed = river_needs(range(200))
    assert sum(needed.values()) == 200
    assert min(needed.values()) >= 5, needed


def test_first_model_is_a_us_refinement_of_the_others() -> None:
    first, second, third = limit_river_models()
    assert first.us_refines(second) and first.us_refines(third)  # "It is easy to see", §11.8.2


def test_several_models_in_one_program_pick_the_right_one() -> None:
    game = limit_river(4, signals=river_pair(23))
    with pytest.raises(InfeasibleError, match=r"figure 11\.3"):
        milfp.solve(game, limit_river_models()[0])
    result = milfp.solve(game, limit_river_models())
    assert result.model.name == "figure 11.5"
    assert result.tried == ("figure 11.3", "figure 11.4", "figure 11.5")
    # player 1 is just kept from betting: a binding preference, met up to the program's rounding
    assert result.epsb_epsilon < 1.01 * milfp.ROUNDING * game.payoff_range


def test_a_model_that_does_not_hold_does_not_cut_off_another() -> None:
    # Under a wrong order a polynomial is not a payoff difference and may exceed the payoffs' range; one cell of player
    # 1 has a probability below the usual tolerances of mixed-integer solvers.
    masses = [
        [0.11631434132331377, 0.0005444637726848139, 0.040048764395274744, 7.540789238313916e-07, 0.5957371901482607],
        [0.021214369562545906, 0.10027423107309184, 0.13073447336182825, 0.6702955264278568, 0.07537817817577708],
    ]
    cdfs = [PiecewiseLinearCdf.from_masses(np.linspace(0, 1, 7), [*m, 1 - sum(m)]) for m in masses]
    game = limit_river(4, signals=Signals.continuous(*cdfs))
    alone = milfp.solve(game, limit_river_models()[0])
    together = milfp.solve(game, limit_river_models())
    assert together.model.name == alone.model.name == "figure 11.3"
    assert together.thresholds == pytest.approx(alone.thresholds, abs=1e-6)
    assert max(alone.epsb_epsilon, together.epsb_epsilon) < 1e-9


def test_what_all_models_say_is_said_once_and_without_a_big_constant() -> None:
    first, second, _ = limit_river_models()

    def mentions(models: list[ParametricModel]) -> list[bool]:
        program = milfp.build(limit_river(4), models)
        return [
            any(v.parent_component() is program.zeta for v in identify_variables(row.body))
            for row in program.at_most.values()
        ]

    again = ParametricModel(f"{first.name} again", first.regions, first.thresholds, first.order)
    assert mentions([first, again]) == [False] * len(first.names)
    # i lies on the other side of d in the second model: only what depends on that is said apart, once a model
    apart = sum(mentions([first, second]))
    assert 0 < apart < 2 * len(first.names) and apart % 2 == 0
    assert len(mentions([first, second])) == len(first.names) + apart // 2


def test_infeasible_offers_the_closest_profile() -> None:
    wrong = ParametricModel.parse("bluffs with good hands", ["CHECK a BET", "CALL c FOLD"], order="a <= c")
    with pytest.raises(InfeasibleError, match="closest=True"):
        milfp.solve(bet_or_check(1), wrong, preferences="all")
    closest = milfp.solve(bet_or_check(1), wrong, closest=True, polish=False)
    assert set(closest.violations) == {"a", "c"}
    gaps = closest.profile.indifference_gaps()
    assert sum(closest.violations.values()) == pytest.approx(abs(gaps).sum(), abs=1e-6)
    assert closest.epsb_epsilon > 0.01


def test_models_without_common_refinement_are_refused() -> None:
    other = ParametricModel.parse("other", ["CHECK x BET", "CALL y FOLD"])
    strange = ParametricModel.parse("strange", ["BET u CHECK", "FOLD v CALL"])
    with pytest.raises(GameError, match="no common US-refinement"):
        milfp.solve(bet_or_check(1), [other, strange])


def test_a_refinement_may_be_given_apart() -> None:
    first, _, third = limit_river_models()
    game = limit_river(4, signals=river_pair(23))
    result = milfp.solve(game, third, refinement=first, preferences="all")
    assert result.epsb_epsilon < 1.01 * milfp.ROUNDING * game.payoff_range
    with pytest.raises(GameError, match="not a common US-refinement"):
        milfp.solve(game, first, refinement=third)


def test_regions_may_be_empty() -> None:
    # Bluffing with the very worst hand is strictly better than checking it: the last region must be empty.
    shape = ParametricModel.parse("one too many", ["BET a CHECK b BET d CHECK", "CALL c FOLD"], order="a <= c <= b")
    with pytest.raises(InfeasibleError):
        milfp.solve(bet_or_check(1), shape, preferences="all")
    result = milfp.solve(bet_or_check(1), shape, regions="any", preferences="all")
    assert result.thresholds == pytest.approx(section_11_3(1) | {"d": 1}, abs=1e-9)
    assert result.epsb_epsilon < 1e-12


def test_a_region_between_two_used_ones_may_be_empty() -> None:
    # Nobody calls a raise with a bluff: among the bluffs, the region of BET-CALL has to be empty.
    first = limit_river_models()[0]
    bluffs = ("CHECK-FOLD", "BET-FOLD", "BET-CALL", "BET-FOLD")
    shape = ParametricModel(
        "calls with bluffs",
        ((*first.regions[0][:3], *bluffs), first.regions[1]),
        ((*first.thresholds[0], "j", "k"), first.thresholds[1]),
        first.order,
    )
    strict = solve_model(milfp.build(limit_river(4), shape))
    assert strict.termination is TerminationCondition.INFEASIBLE
    known = milfp.solve(limit_river(4), first).thresholds
    found = milfp.solve(limit_river(4), shape, regions="any")
    assert {name: found.thresholds[name] for name in known} == pytest.approx(known, abs=1e-6)
    assert found.thresholds["j"] == pytest.approx(found.thresholds["k"], abs=1e-9)
    assert found.epsilon < 1e-6


def test_kuhn_on_the_unit_interval() -> None:
    result = milfp.solve(kuhn_signals(), kuhn_model())
    found = {k: Fraction(v).limit_denominator(100) for k, v in result.thresholds.items()}
    assert found == {
        "a": Fraction(1, 9),
        "b": Fraction(1, 3),
        "c": Fraction(2, 3),
        "d": Fraction(1, 6),
        "e": Fraction(1, 3),
        "f": Fraction(1, 2),
    }
    assert result.evaluation.payoffs[0] == pytest.approx(-1 / 18)  # the limit of the values of G_n, as for three cards
    assert result.epsb_epsilon < 1e-12


# -- polynomials ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [limit_river(3), three_player(), kuhn_signals()], ids=lambda g: g.name)
def test_polynomials_agree_with_the_evaluation(game: object) -> None:
    from equiform.models.signals.signal_game import SignalGame

    assert isinstance(game, SignalGame)
    models = {2: [limit_river_models()[0], kuhn_model()], 3: [three_player_model()]}[len(game.players)]
    model = next(m for m in models if all(set(r) <= set(p) for r, p in zip(m.regions, game.plans, strict=True)))
    rng = np.random.default_rng(2)
    cdfs = [PiecewiseLinearCdf.random(rng, 3) for _ in game.players]
    game = game.with_signals(Signals.continuous(*cdfs))
    positions = rng.uniform(0.2, 2.8, len(model.names))
    for player, own in enumerate(model.thresholds):
        start = model.number(player, 0)
        positions[start : start + len(own)] = np.sort(positions[start : start + len(own)])
    # without the model's order, minima stay open and are read off the positions
    loose = ParametricModel(model.name, model.regions, model.thresholds)
    profile = ThresholdProfile(game, loose, positions)
    gaps = [indifference(game, loose, k).value(cdf_reader(game, positions)) for k in range(len(model.names))]
    assert gaps == pytest.approx(profile.indifference_gaps().tolist(), abs=1e-10)
    for k, gap in enumerate(gaps):
        low, high = indifference(game, loose, k).bounds
        assert low <= gap <= high
    fine, strategies = profile.refined
    for player in range(len(game.players)):
        values = plan_values(fine, strategies, player)
        for k, plan in enumerate(game.plans[player]):
            read = cdf_reader(game, positions)
            assert plan_polynomial(game, loose, player, plan, BOTTOM).value(read) == pytest.approx(values[k, 0, 0])
            assert plan_polynomial(game, loose, player, plan, TOP).value(read) == pytest.approx(values[k, -1].sum())


def test_empty_regions_are_left_out() -> None:
    model = ParametricModel.parse("m", ["BET a CHECK b BET", "CALL c FOLD"], order="a <= c <= b")
    profile = ThresholdProfile(bet_or_check(), model, np.array([0.4, 0.4, 1.0]))
    reduced = without_empty_regions(profile)
    assert reduced.model.regions == (("BET",), ("CALL",))
    assert reduced.evaluate().payoffs == pytest.approx(profile.evaluate().payoffs)


def test_dependent_signals_are_sent_elsewhere() -> None:
    with pytest.raises(UnsupportedGameError, match="dependent signals"):
        milfp.solve(kuhn_signals(signals=deck_without_replacement(4)), kuhn_model())
