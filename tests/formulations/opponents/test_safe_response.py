"""Safe best responses: the program, the responder that re-solves it, the tableau below it, the trade-off curve."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.formulations.opponents import safe_response, tradeoff
from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.formulations.opponents.tradeoff_plot import plot
from equiform.formulations.optimization.tableau import Tableau
from equiform.formulations.zero_sum import selection, sequence_form_lp
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, SolveError
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm
from equiform.validation.exact.strategies import exact_strategy, uniform_plan
from equiform.validation.exact.tradeoff import exact_tradeoff
from tests.helpers.games import form, random_plan


def guaranteed(game: SequenceForm, player: int, plan: FloatArray) -> float:
    return -game.treeplexes[1 - player].best_value(game.gradient(1 - player, plan))


@pytest.mark.parametrize("name", ["rpst", "kuhn", "one-card", "leduc"])
@pytest.mark.parametrize("player", [0, 1])
def test_program(name: str, player: int) -> None:
    """Safe for every ε; equal to the best equilibrium at 0 and to the best response at a large one; rising between."""
    game = form(name)
    rng = np.random.default_rng(7)
    sign = 1.0 if player == 0 else -1.0
    plan = random_plan(game.treeplexes[1 - player], rng)
    choice = selection.solve(game, plan, player=player)
    best = game.best_response(player, plan).value
    earned = []
    for epsilon in (0.0, 0.05, 0.2, 100.0):
        result = safe_response.solve(game, plan, epsilon=epsilon, player=player, value=choice.game_value)
        own = result.plans[player]
        assert own is not None
        assert guaranteed(game, player, own) >= sign * choice.game_value - epsilon - 1e-7
        assert game.gradient(player, plan) @ own == pytest.approx(sign * result.value, abs=1e-8)
        earned.append(sign * result.value)
    assert earned == sorted(earned)
    assert earned[0] == pytest.approx(choice.interval[1], abs=1e-8)
    assert earned[-1] == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize(("epsilon", "payoff"), [(0.0, 0.0), (1 / 3, 2 / 3), (0.5, 0.75), (1.0, 1.0), (2.0, 1.0)])
def test_rock_paper_scissors_against_rock(epsilon: float, payoff: float) -> None:
    """Risking ε, paper and rock with (1 ± ε)/2 … : up to 1/3 the best is 2ε, from there (1 + ε)/2, at most 1."""
    rps = form("rps")
    result = safe_response.solve(rps, np.array([1.0, 1.0, 0.0, 0.0]), epsilon=epsilon)
    assert result.value == pytest.approx(payoff, abs=1e-9)


class TestResponder:
    """Re-solved answers are those of a program built anew."""

    @pytest.mark.parametrize(("name", "rounds"), [("rpst", 40), ("kuhn", 40), ("one-card", 15), ("leduc", 4)])
    @pytest.mark.parametrize("engine", ["auto", "highs"])
    @pytest.mark.parametrize("player", [0, 1])
    def test_agrees_with_building_anew(self, name: str, rounds: int, engine: str, player: int) -> None:
        game = form(name)
        responder = SafeResponder(game, player=player, engine=engine)
        assert responder.engine == ("tableau" if engine == "auto" and name != "leduc" else "highs")
        rng = np.random.default_rng(3)
        sign = 1.0 if player == 0 else -1.0
        for k in range(rounds):
            plan = random_plan(game.treeplexes[1 - player], rng)
            epsilon = 0.0 if k % 3 == 0 else float(rng.random()) / 3
            found = responder.respond(plan, epsilon)
            anew = safe_response.solve(game, plan, epsilon=epsilon, player=player, value=sign * responder.value)
            assert found.payoff == pytest.approx(sign * anew.value, abs=1e-8)
            assert game.treeplexes[player].flow_residual(found.plan) < 1e-8
            assert guaranteed(game, player, found.plan) >= responder.value - epsilon - 1e-8

    def test_many_at_once_on_kuhn(self) -> None:
        """Thousands of changes do not wear the tableau out."""
        game = form("kuhn")
        rng = np.random.default_rng(11)
        gradients = np.array([game.gradient(0, random_plan(game.treeplexes[1], rng)) for _ in range(5000)])
        epsilons = np.where(rng.random(5000) < 0.2, 0.0, rng.random(5000))
        responder = SafeResponder(game)
        found = responder.maximize_many(gradients, epsilons)
        assert responder.engine == "tableau"
        opponent = game.treeplexes[1]
        for plan, epsilon in zip(found.plans, epsilons, strict=True):
            assert -opponent.best_value(game.gradient(1, plan)) >= -1 / 18 - epsilon - 1e-9
        check = SafeResponder(game, engine="highs").maximize_many(gradients[:300], epsilons[:300])
        assert np.abs(found.payoffs[:300] - check.payoffs).max() < 1e-9

    @pytest.mark.parametrize("name", ["rpst", "kuhn", "one-card"])
    @pytest.mark.parametrize("engine", ["tableau", "highs"])
    def test_the_cautious_risk_no_more_than_they_must(self, name: str, engine: str) -> None:
        """Opponents with many pure moves leave many responses equally good."""
        game = form(name)
        cautious = SafeResponder(game, engine=engine, caution=1e-6)
        rng = np.random.default_rng(5)
        opponent, equilibrium = game.treeplexes[1], sequence_form_lp.solve(game).plans[1]
        assert equilibrium is not None
        for k in range(8):
            pure = opponent.best_behavior(rng.integers(0, 3, opponent.num_sequences).astype(float))
            plan = equilibrium if k == 0 else opponent.realization(pure)
            found = cautious.respond(plan, 100.0)
            best = game.best_response(0, plan).value
            assert found.payoff == pytest.approx(best, abs=1e-8)
            risk = cautious.value - guaranteed(game, 0, found.plan)
            if k == 0:  # an equilibrium strategy responds best to another, at no risk
                assert risk == pytest.approx(0.0, abs=1e-8)
            if risk > 1e-3:
                assert safe_response.solve(game, plan, epsilon=risk - 1e-3, value=cautious.value).value < best - 1e-7

    def test_bad_arguments(self) -> None:
        responder = SafeResponder(form("rps"))
        with pytest.raises(ParameterError, match="caution"):
            SafeResponder(form("rps"), caution=-1.0)
        with pytest.raises(ParameterError, match="epsilon"):
            responder.respond(np.array([1.0, 1.0, 0.0, 0.0]), -0.1)
        with pytest.raises(ParameterError, match="gradients"):
            responder.maximize_many(np.zeros((2, 3)), np.zeros(2))
        with pytest.raises(ParameterError, match="engine"):
            SafeResponder(form("rps"), engine="abacus")
        with pytest.raises(ParameterError, match="epsilon"):
            safe_response.solve(form("rps"), np.array([1.0, 1.0, 0.0, 0.0]), epsilon=-1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=4),
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=4, max_size=4),
    st.lists(st.sampled_from([0.0, 0.1, 0.5, 2.0]), min_size=4, max_size=4),
)
def test_degenerate_matrix_games(rows: list[list[int]], mixes: list[list[int]], epsilons: list[float]) -> None:
    """Small integers make ties everywhere: the tableau must neither cycle nor lose feasibility."""
    game = NormalForm.from_matrix("random", [f"r{i}" for i in range(len(rows))], "LMR", rows).sequence_form()
    plans = [np.append(1.0, (np.array(m) + 1e-9) / (sum(m) + 3e-9)) for m in mixes]
    gradients = np.array([game.gradient(0, y) for y in plans])
    one, two = (SafeResponder(game, engine=e).maximize_many(gradients, np.array(epsilons)) for e in ("auto", "highs"))
    assert np.abs(one.payoffs - two.payoffs).max() < 1e-8


class TestTableau:
    def test_no_feasible_point(self) -> None:
        tableau = Tableau(np.array([[1.0, 1.0]]), np.array([1.0]), np.array([1.0]), np.zeros(2, bool), np.array([0]))
        with pytest.raises(SolveError, match="infeasible"):
            tableau.solve(np.ones((1, 2)), np.array([-3.0]))

    def test_no_bound(self) -> None:
        tableau = Tableau(np.array([[1.0, -1.0]]), np.array([1.0]), np.array([0.0]), np.zeros(2, bool), np.array([0]))
        with pytest.raises(SolveError, match="unbounded"):
            tableau.solve(np.array([[1.0, 1.0]]), np.array([0.0]))

    def test_slope_is_the_price_of_the_parameter(self) -> None:
        tableau = Tableau(np.array([[1.0, 2.0]]), np.array([4.0]), np.array([1.0]), np.zeros(2, bool), np.array([0]))
        answers = tableau.solve(np.array([[3.0, 0.0], [0.0, 3.0]]), np.array([0.0, 1.0]))
        assert answers.objectives.tolist() == pytest.approx([12.0, 7.5])
        assert answers.slopes.tolist() == pytest.approx([3.0, 1.5])


class TestTradeOff:
    def test_rock_paper_scissors(self) -> None:
        curve = tradeoff.solve(form("rps"), np.array([1.0, 1.0, 0.0, 0.0]))
        assert curve.epsilons == pytest.approx([0.0, 1 / 3, 1.0], abs=1e-9)
        assert curve.payoffs == pytest.approx([0.0, 2 / 3, 1.0], abs=1e-9)
        assert curve.payoff(5.0) == pytest.approx(1.0)

    @pytest.mark.parametrize("name", ["kuhn", "one-card"])
    @pytest.mark.parametrize("player", [0, 1])
    def test_floats_find_the_exact_kinks(self, name: str, player: int) -> None:
        game = form(name)
        opponent = game.treeplexes[1 - player]
        exact = exact_tradeoff(game, exact_strategy(opponent, uniform_plan(opponent)), player=player)
        curve = tradeoff.solve(game, opponent.realization(opponent.uniform()), player=player)
        assert curve.epsilons == pytest.approx([float(e) for e in exact.epsilons], abs=1e-9)
        assert curve.payoffs == pytest.approx([float(p) for p in exact.payoffs], abs=1e-9)
        slopes = [
            (exact.payoffs[k + 1] - exact.payoffs[k]) / (exact.epsilons[k + 1] - exact.epsilons[k])
            for k in range(len(exact.epsilons) - 1)
        ]
        assert all(a > b > 0 for a, b in pairwise(slopes))
        assert exact.epsilons[0] == Fraction(0)

    @pytest.mark.parametrize(("name", "player"), [("kuhn", 0), ("kuhn", 1), ("leduc", 0)])
    def test_between_the_kinks(self, name: str, player: int) -> None:
        """Interpolated plans are safe, and as good as solving there."""
        game = form(name)
        plan = random_plan(game.treeplexes[1 - player], np.random.default_rng(5))
        responder = SafeResponder(game, player=player)
        curve = tradeoff.solve(game, plan, player=player, responder=responder)
        gradient = game.gradient(player, plan)
        for epsilon in np.linspace(0, curve.epsilons[-1] * 1.2, 9):
            mixed = curve.plan(float(epsilon))
            assert guaranteed(game, player, mixed) >= responder.value - epsilon - 1e-8
            assert gradient @ mixed == pytest.approx(responder.maximize(gradient, float(epsilon)).payoff, abs=1e-8)
            assert curve.payoff(float(epsilon)) == pytest.approx(float(gradient @ mixed), abs=1e-8)

    def test_an_equilibrium_opponent_leaves_nothing_to_trade(self) -> None:
        rps = form("rps")
        curve = tradeoff.solve(rps, np.array([1.0, 1 / 3, 1 / 3, 1 / 3]))
        assert len(curve.epsilons) == 1 and curve.payoff(0.3) == pytest.approx(0.0, abs=1e-9)
        assert guaranteed(rps, 0, curve.plan(0.0)) >= -1e-9

    def test_plot(self, tmp_path: Path) -> None:
        curve = tradeoff.solve(
            form("kuhn"), form("kuhn").treeplexes[1].realization(form("kuhn").treeplexes[1].uniform())
        )
        target = tmp_path / "curve.png"
        plot({"uniform": curve}, title="Kuhn poker").write(target)
        assert target.stat().st_size > 5000

    def test_somebody_elses_responder_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="another game"):
            tradeoff.solve(form("rps"), np.array([1.0, 1.0, 0.0, 0.0]), responder=SafeResponder(form("rps")))
