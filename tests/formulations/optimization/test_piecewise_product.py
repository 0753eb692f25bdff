"""Products of bounded variables: interpolation, envelopes and encodings."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo
import pytest
from scipy.optimize import linprog

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import (
    ENCODINGS,
    Encoding,
    Pieces,
    encoding_for,
    envelope,
    guaranteed_epsilon,
    product,
    required_segments,
    square,
)
from equiform.games.poker.signal_games import (
    three_player,
    three_player_model,
)
from equiform.models.common.errors import ParameterError
from equiform.models.signals.conditional import conditional


def backends_for(encoding: Encoding) -> str:
    return {"sos2": "scip", "unary": "highs", "log": "highs"}[encoding]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("breakpoints", [2, 3, 6, 9])
def test_products_are_the_interpolated_ones(encoding: Encoding, breakpoints: int) -> None:
    rng = np.random.default_rng(breakpoints)
    x, y = rng.random(2)
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 1)), pyo.Var(bounds=(0, 1))
    model.product = product(model.x, model.y, Pieces(breakpoints, encoding), x_bounds=(0, 1), y_bounds=(0, 1))
    model.fix_x = pyo.Constraint(expr=model.x == float(x))
    model.fix_y = pyo.Constraint(expr=model.y == float(y))

    def square(beta: float) -> float:
        grid = np.arange(-breakpoints, breakpoints + 1) / (breakpoints - 1)
        return float(np.interp(beta, grid, grid**2))

    expected = square((x + y) / 2) - square((x - y) / 2)
    for sense in (pyo.minimize, pyo.maximize):
        model.del_component("gain")
        model.gain = pyo.Objective(expr=model.product.value, sense=sense)
        objective = solve_model(model, SolverOptions(backends_for(encoding))).require_optimal().objective
        assert objective == pytest.approx(expected, abs=1e-7)
    assert abs(expected - x * y) <= model.product.error + 1e-12


@pytest.mark.parametrize(("x", "y", "exact"), [(0.37, 0, 0), (0, 0.61, 0), (0.37, 1, 0.37), (1, 0.61, 0.61)])
@pytest.mark.parametrize("breakpoints", [4, 5])
def test_products_are_exact_on_the_border(x: float, y: float, exact: float, breakpoints: int) -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 1)), pyo.Var(bounds=(0, 1))
    model.product = product(model.x, model.y, Pieces(breakpoints, "unary"), x_bounds=(0, 1), y_bounds=(0, 1))
    model.place = pyo.Constraint(expr=model.x == x)
    model.other = pyo.Constraint(expr=model.y == y)
    model.gain = pyo.Objective(expr=model.product.value)
    assert solve_model(model).require_optimal().objective == pytest.approx(exact, abs=1e-7)


def test_breakpoints_from_equation_11_3() -> None:
    # "an ε of almost 25 is guaranteed using 5 breakpoints", "0.24" using 50 (T = 3, n = 3, M = 12)
    game, model = three_player(), three_player_model()
    terms = {"players": 3, "payoff_range": game.payoff_range}
    assert guaranteed_epsilon(5, thresholds=model.most_thresholds, **terms) == 24  # type: ignore[arg-type]
    assert guaranteed_epsilon(50, thresholds=model.most_thresholds, **terms) == pytest.approx(0.24)  # type: ignore[arg-type]
    assert required_segments(0.24, thresholds=3, players=3, payoff_range=12) == 50
    # the conditional model has one threshold per column
    assert guaranteed_epsilon(5, thresholds=conditional(game, model).most_thresholds, players=3, payoff_range=12) < 9
    with pytest.raises(ParameterError, match="not positive"):
        required_segments(0, thresholds=3, players=3, payoff_range=12)


@pytest.mark.parametrize("seed", range(5))
def test_envelope_is_the_hull_of_a_product(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (a, b), (c, d) = np.sort(rng.uniform(-1, 1, (2, 2)))
    x, y = rng.uniform(a, b), rng.uniform(c, d)
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(a, b)), pyo.Var(bounds=(c, d))
    model.product = envelope(model.x, model.y, x_bounds=(a, b), y_bounds=(c, d))
    model.place = pyo.Constraint(expr=model.x == x)
    model.other = pyo.Constraint(expr=model.y == y)
    # the hull at a point: the extreme mixtures of the four corners with that mean
    corners = np.array([(p, q, p * q) for p in (a, b) for q in (c, d)])
    for sense, sign in ((pyo.minimize, 1), (pyo.maximize, -1)):
        model.del_component("gain")
        model.gain = pyo.Objective(expr=model.product.value, sense=sense)
        found = solve_model(model).require_optimal().objective
        mix = linprog(sign * corners[:, 2], A_eq=[*corners[:, :2].T, np.ones(4)], b_eq=[x, y, 1])
        assert found == pytest.approx(sign * mix.fun, abs=1e-7)


def test_encoding_follows_the_backend() -> None:
    assert (encoding_for("highs"), encoding_for("scip")) == ("unary", "sos2")
    with pytest.raises(ParameterError, match="no encoding"):
        Pieces(5, "binary")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="breakpoints is 1"):
        Pieces(1)


@pytest.mark.parametrize(("segments", "binaries"), [(1, 0), (2, 1), (4, 2), (5, 3), (8, 3)])
def test_a_logarithmic_number_of_binaries_is_enough(segments: int, binaries: int) -> None:
    """J. P. Vielma and G. L. Nemhauser 2011: as many binaries as the segments' numbers have digits."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 1))
    model.square = square(model.x, np.linspace(0, 1, segments + 1), "log")
    assert sum(v.is_binary() for v in model.component_data_objects(pyo.Var)) == binaries
