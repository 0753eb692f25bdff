"""The sequence-form program: known values, every backend, the blocks' extensibility, and files for other solvers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import highspy
import numpy as np
import pyomo.environ as pyo
import pytest

import equiform
from equiform.formulations.optimization.backends import available, solve_model
from equiform.formulations.zero_sum import best_response_lp, matrix_game_lp, sequence_form_lp
from equiform.games.registry import GAMES, load_game
from equiform.models import NormalForm, SequenceForm
from equiform.models.common.errors import CertificateError, InfeasibleError, ParameterError, UnsupportedGameError
from equiform.models.strategy import Strategy
from tests.helpers.games import form, tree

# (game, value to player 1, source)
KNOWN = [
    ("kuhn", Fraction(-1, 18), "Kuhn 1950"),
    ("rps", Fraction(0), "symmetry"),
    ("rpst", Fraction(0), "thesis 13.2: T is dominated, so rock-paper-scissors remains"),
    ("fig-13.5", Fraction(5, 2), "thesis 13.3"),
    ("fig-13.6", Fraction(0), "thesis 13.3"),
    ("fig-13.7", Fraction(4), "thesis 13.6.3: (U, L) is the unique equilibrium"),
    ("fig-13.8", Fraction(8), "thesis 13.6.3: (u, l) is the unique equilibrium"),
    ("fig-13.9", Fraction(12), "thesis 13.6.3: both stages' equilibria"),
    ("fig-8.2", Fraction(-1), "thesis Proposition 5: (D, R)"),
    ("leduc", Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930), "measured prototype"),
]


@pytest.mark.parametrize(("spec", "value", "source"), KNOWN, ids=[k[0] for k in KNOWN])
@pytest.mark.parametrize("player", [0, 1])
def test_known_values_from_either_players_program(spec: str, value: Fraction, source: str, player: int) -> None:
    solved = equiform.solve(spec, player=player)
    assert solved.value == pytest.approx(float(value), abs=1e-9), source
    assert solved.certificate.nash_conv < 1e-9
    assert solved.result.value == pytest.approx(float(value), abs=1e-9)


def small_zero_sum_games() -> list[str]:
    """Every built-in two-player zero-sum game under 20,000 sequences."""
    chosen = []
    for name in (n for n in GAMES if n != "rhode-island"):  # millions of sequences, and no tree
        game = load_game(name)
        if isinstance(game, SequenceForm):
            continue
        if len(game.players) == 2 and game.is_zero_sum and sum(t.num_sequences for t in game.treeplexes) < 20_000:
            chosen.append(name)
    return chosen


SMALL = small_zero_sum_games()


def test_the_built_in_games_are_many_and_small() -> None:
    assert {"kuhn", "one-card", "leduc", "clairvoyance", "kuhn-nl", "rps", "rpst"} <= set(SMALL)


@pytest.mark.parametrize("backend", available())
@pytest.mark.parametrize("spec", SMALL)
def test_every_backend_finds_the_same_value(spec: str, backend: str) -> None:
    reference = equiform.solve(spec).certificate.bracket
    assert reference is not None
    solved = equiform.solve(spec, backend=backend)
    assert solved.result.value == pytest.approx(sum(reference) / 2, abs=1e-7)
    assert solved.certificate.nash_conv < 1e-6


def test_the_four_backends_of_the_test_environment_are_there() -> None:
    assert {"highs", "scipy", "cbc", "scip"} <= set(available())


def test_primal_dual_and_complementarity() -> None:
    game = form("leduc")
    result = sequence_form_lp.solve(game)
    x, y = result.plans
    assert x is not None and y is not None
    solution = result.solution
    q = solution.x[game.treeplexes[0].num_sequences :] if solution.x is not None else np.empty(0)
    slack = game.payoff.transpose_times(x) - game.F.T @ q
    assert slack.min() > -1e-9  # response rows hold
    assert np.abs(slack * y).max() < 1e-9  # a sequence that is played is a best response
    assert game.treeplexes[0].flow_residual(x) < 1e-9
    assert game.treeplexes[1].flow_residual(y) < 1e-9
    assert result.value == pytest.approx(game.value(x, y), abs=1e-9)


def test_a_user_can_add_a_constraint() -> None:
    game = form("kuhn")
    model = sequence_form_lp.build(game)
    bet = game.treeplexes[0].sequence("holding K, to open", "bet")
    model.always_bet_kings = pyo.Constraint(expr=model.plan.x[bet] == 1)
    solution = solve_model(model).require_optimal()
    # alpha = 1 is in Kuhn's family, so the restriction costs nothing (thesis 13.7.1)
    assert solution.objective == pytest.approx(-1 / 18, abs=1e-9)
    bluff = game.treeplexes[0].sequence("holding J, to open", "bet")
    assert solution.values(model.plan.x)[bluff] == pytest.approx(1 / 3, abs=1e-9)


def test_an_impossible_constraint_is_an_infeasible_error() -> None:
    model = sequence_form_lp.build(form("kuhn"))
    model.impossible = pyo.Constraint(expr=model.plan.x[1] + model.plan.x[2] >= 3)
    with pytest.raises(InfeasibleError, match="no feasible point"):
        solve_model(model).require_optimal()


@pytest.mark.parametrize("suffix", ["lp", "mps"])
def test_written_files_hold_the_same_program(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"kuhn.{suffix}"
    sequence_form_lp.build(form("kuhn")).write(str(file))
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(file))
    solver.run()
    assert abs(solver.getObjectiveValue()) == pytest.approx(1 / 18, abs=1e-9)


def test_nl_files_are_written(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.nl"
    sequence_form_lp.build(form("kuhn")).write(str(file))
    assert file.read_text().startswith("g3")


def test_best_response_program_agrees_with_the_backward_pass() -> None:
    game = form("leduc")
    for player in (0, 1):
        other = game.treeplexes[1 - player]
        plan = other.realization(other.uniform())
        expected = game.best_response(player, plan).value
        result = best_response_lp.solve(game, plan, player=player)
        assert (result.value if player == 0 else -result.value) == pytest.approx(expected, abs=1e-9)
        assert result.strategies[1 - player] is None


def test_matrix_program_agrees_with_the_sequence_form() -> None:
    rng = np.random.default_rng(5)
    for size in ((2, 3), (7, 4), (20, 20)):
        names = [[str(k) for k in range(n)] for n in size]
        game = NormalForm.from_matrix("random", names[0], names[1], rng.integers(-9, 10, size))
        direct = matrix_game_lp.solve(game)
        assert direct.value == pytest.approx(sequence_form_lp.solve(game.sequence_form()).value, abs=1e-9)
        strategies = [s for s in direct.strategies if s is not None]
        assert equiform.certify(game, strategies).nash_conv < 1e-9


def test_games_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnsupportedGameError, match="3 players"):
        equiform.solve("kuhn-multiplayer")
    with pytest.raises(ParameterError, match="no player 2"):
        sequence_form_lp.build(form("kuhn"), player=2)
    with pytest.raises(ParameterError, match="concept"):
        equiform.solve("kuhn", concept="correlated")


def test_the_certificate_catches_a_wrong_answer() -> None:
    game = tree("kuhn")
    uniform = [Strategy(t, t.uniform()) for t in game.treeplexes]
    certificate = equiform.certify(game, uniform)
    assert certificate.nash_conv == pytest.approx(11 / 12)  # best responses earn 1/2 and 5/12, as in OpenSpiel's tests
    with pytest.raises(CertificateError, match="not an equilibrium"):
        certificate.require(1e-6)
