"""The same game in other units has the same equilibria, on every backend."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

import equiform
from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.formulations.optimization.backends import available, solve_model
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.scaling import declare_unit, unit_of
from equiform.formulations.zero_sum import matrix_game_lp, quasi_perfect, sequence_form_lp, undominated
from equiform.games.registry import GAMES, load_game
from equiform.models import NormalForm, Strategy
from equiform.models.common.errors import CertificateError, EquiformError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game, as_sequence_form
from equiform.validation.certificates.certificate import certify

FACTORS = (-300, -30, -9, -6, 6, 9, 30)


def times(game: Game, exponent: int) -> ExtensiveGame | NormalForm:
    factor = Fraction(10) ** exponent
    if isinstance(game, NormalForm):
        table = [[entry * factor for entry in row] for row in np.array(game.payoffs[0], dtype=object).tolist()]
        return NormalForm.from_matrix(game.name, game.actions[0], game.actions[1], table)
    assert isinstance(game, ExtensiveGame)
    return dataclasses.replace(game, payoff_table=tuple(tuple(p * factor for p in row) for row in game.payoff_table))


def relative_regret(game: ExtensiveGame | NormalForm, strategies: object) -> float:
    certificate = certify(game, [s for s in strategies if s is not None])  # type: ignore[attr-defined]
    return max(certificate.regrets) / float(np.abs(game.payoff_floats).max())


@pytest.mark.parametrize("exponent", FACTORS)
@pytest.mark.parametrize("backend", available())
@pytest.mark.parametrize("name", ["rps", "kuhn"])
def test_any_unit_on_every_backend(name: str, backend: str, exponent: int) -> None:
    game = times(load_game(name), exponent)
    result = sequence_form_lp.solve(game, solver=SolverOptions(backend=backend))
    assert relative_regret(game, result.strategies) < 1e-7


@pytest.mark.parametrize("exponent", FACTORS)
def test_leduc_in_any_unit_by_three_programs(exponent: int) -> None:
    """The value is the published one of limit Leduc, about -0.0856 antes, times the factor."""
    game = times(load_game("leduc"), exponent)
    expected = pytest.approx(-0.0856 * 10.0**exponent, rel=1e-3)
    for result in (sequence_form_lp.solve(game), sequence_form_lp.solve(game, player=1), undominated.solve(game)):
        assert relative_regret(game, result.strategies) < 1e-7
        assert result.value == expected
    trembling = quasi_perfect.solve(game, Fraction(1, 20))
    assert trembling.residuals.worst < quasi_perfect.TOLERANCE


@pytest.mark.parametrize("exponent", FACTORS)
def test_matrix_program_and_safe_responses_in_any_unit(exponent: int) -> None:
    plain = load_game("rps")
    game = times(plain, exponent)
    assert isinstance(game, NormalForm)
    assert relative_regret(game, matrix_game_lp.solve(game).strategies) < 1e-7
    factor = 10.0**exponent
    rock = np.array([1.0, 1.0, 0.0, 0.0])
    for engine in ("tableau", "highs"):
        responder = SafeResponder(as_sequence_form(game), engine=engine)
        payoffs = [responder.respond(rock, risk * factor).payoff for risk in (0.0, 0.5, 1.0)]
        assert payoffs == pytest.approx([0.0, 0.75 * factor, factor], abs=1e-7 * factor)


@pytest.mark.parametrize("exponent", [-8, 10])
@pytest.mark.parametrize("exact", [False, True])
def test_the_front_door_judges_regret_on_the_scale_of_the_payoffs(exponent: int, exact: bool) -> None:
    game = times(load_game("leduc"), exponent)
    solved = equiform.solve(game, exact=exact)
    assert solved.value == pytest.approx(-0.0856 * 10.0**exponent, rel=1e-3)
    assert equiform.verify(solved.strategies, game, tolerance=1e-9).equilibrium
    wrong = [Strategy(t, t.uniform()) for t in game.treeplexes]
    assert not equiform.verify(wrong, game).equilibrium
    small = exponent < 0  # in absolute terms a game about 1e-8 chips is nobody's concern
    assert equiform.verify(wrong, game, tolerance=1e-6, absolute=True).equilibrium == small


def test_an_answer_that_is_wrong_in_tiny_units_is_refused() -> None:
    game = times(load_game("rps"), -9)
    certificate = certify(game, [Strategy(t, np.array([1.0, 1.0, 0.0, 0.0])) for t in game.treeplexes])
    assert max(certificate.regrets) < 2e-9
    with pytest.raises(CertificateError, match="not an equilibrium"):
        certificate.require()
    certificate.require(absolute=True)


def test_payoffs_beyond_floats_name_the_exact_route() -> None:
    with pytest.raises(UnsupportedGameError, match="exact"):
        sequence_form_lp.solve(times(load_game("kuhn"), 300))


@pytest.mark.parametrize("size", [1e-308, 1e-20, 0.01, 0.07, 1.0, 1000.0, 1025.0, 1e200])
def test_units_are_powers_of_two_near_the_size(size: float) -> None:
    unit = unit_of(size)
    assert unit == 2.0 ** round(np.log2(unit))
    assert 2.0**-4 <= size / unit <= 2.0**10
    assert unit_of(0.0) == unit_of(float("inf")) == 1.0


def test_points_duals_and_reduced_costs_come_back_in_the_users_units() -> None:
    """max v with v <= 3e-9 a, v <= 2e-9 (1 - a): both bind at a = 2/5, and their prices are known by hand."""
    model = pyo.ConcreteModel()
    model.a = pyo.Var(bounds=(0, 1))
    model.v = pyo.Var()
    model.first = pyo.Constraint(expr=model.v - 3e-9 * model.a <= 0)
    model.second = pyo.Constraint(expr=model.v + 2e-9 * model.a <= 2e-9)
    model.goal = pyo.Objective(expr=model.v, sense=pyo.maximize)
    declare_unit(model, 2.0**-29, model.v, model.first, model.second)
    program = compile_model(model)
    assert program.scaled is not None
    assert np.abs(program.scaled.program.A.data).min() > 0.5
    for backend in available():
        solution = solve_model(model, SolverOptions(backend=backend))
        assert solution.optimal
        assert pyo.value(model.a) == pytest.approx(0.4, abs=1e-6)
        assert solution.objective == pytest.approx(1.2e-9, rel=1e-6)
        if solution.duals is not None:
            assert solution.dual_values(model.first) == pytest.approx([0.4], abs=1e-6)
            assert solution.dual_values(model.second) == pytest.approx([0.6], abs=1e-6)


EVERY_FACTOR = (-300, -30, -9, -6, 6, 9, 30, 300)
MOST_SEQUENCES = 20_000


def builtin_games() -> list[str]:
    """The games of this package, with their own parameters, that are two-player zero-sum and not too large."""
    names = []
    for name in GAMES:
        game = load_game(name)
        small = sum(t.num_sequences for t in game.treeplexes) < MOST_SEQUENCES
        if isinstance(game, ExtensiveGame | NormalForm) and small and game.is_zero_sum and len(game.players) == 2:
            names.append(name)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("backend", [*available(), "exact"])
def test_every_game_in_every_unit_is_solved_or_refused(backend: str) -> None:
    """Relative regret below 1e-7, or a typed error that names the exact route; the exact route is always right."""
    wrong: list[tuple[str, int, str]] = []
    chosen: dict[str, Any] = {"exact": True} if backend == "exact" else {"backend": backend}
    for name in builtin_games():
        base = load_game(name)
        for exponent in EVERY_FACTOR:
            game = times(base, exponent)
            try:
                solved = equiform.solve(game, **chosen)
            except EquiformError as error:
                if backend == "exact" or "exact" not in error.fix:
                    wrong.append((name, exponent, f"{type(error).__name__}: {error.what}"))
                continue
            if backend == "exact":
                assert solved.exact is not None
                if solved.exact.exploitability:
                    wrong.append((name, exponent, "not exact"))
            elif max(solved.certificate.regrets) > 1e-7 * solved.certificate.spread:
                share = max(solved.certificate.regrets) / solved.certificate.spread
                wrong.append((name, exponent, f"relative regret {share:.2g}"))
    assert wrong == []
