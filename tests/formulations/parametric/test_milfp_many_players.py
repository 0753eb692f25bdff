"""The parametric program for three players: interpolated products and tightened bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import (
    Encoding,
    Pieces,
)
from equiform.formulations.parametric import milfp
from equiform.formulations.parametric.bounds import tighten_bounds
from equiform.formulations.parametric.conditions import conditions
from equiform.formulations.parametric.polynomials import cdf_variable
from equiform.formulations.parametric.result import ParametricResult
from equiform.games.poker.signal_games import (
    three_player,
    three_player_model,
)
from equiform.models.common.errors import InfeasibleError
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals
from equiform.models.signals.indifference import cdf_reader
from equiform.models.signals.parametric_model import ParametricModel


def five_breakpoints(encoding: Encoding, backend: str, **options: Any) -> ParametricResult:
    pieces, solver = Pieces(5, encoding), SolverOptions(backend)
    return milfp.solve(
        three_player(), three_player_model(), pieces=pieces, epsilon=0, polish=False, solver=solver, **options
    )


@pytest.mark.parametrize(("encoding", "backend"), [("unary", "highs"), ("log", "highs"), ("sos2", "scip")])
def test_three_player_game_with_five_breakpoints(encoding: Encoding, backend: str) -> None:
    result = five_breakpoints(encoding, backend, tighten=0)
    # thesis: 0.01 with five breakpoints
    assert result.epsilon == pytest.approx(0.01, abs=0.005)
    assert result.model.precedes.any()


@pytest.mark.parametrize(("encoding", "backend"), [("unary", "highs"), ("log", "highs"), ("sos2", "scip")])
def test_tightened_bounds_make_five_breakpoints_worth_more_than_fifty(encoding: Encoding, backend: str) -> None:
    result = five_breakpoints(encoding, backend)
    assert result.epsilon < 1e-6  # thesis: about 1e-5 with fifty


def three_random_cdfs(seed: int) -> Signals:
    rng = np.random.default_rng(seed)
    return Signals.continuous(*(PiecewiseLinearCdf.random(rng, 4, concentration=8) for _ in range(3)))


@pytest.mark.parametrize("seed", [0, 4])
def test_tightened_bounds_hold_the_equilibrium(seed: int) -> None:
    game, model = three_player(signals=three_random_cdfs(seed)), three_player_model()
    exact = milfp.solve(game, model, pieces=Pieces(5), epsilon=0, tighten=0)
    assert exact.epsb_epsilon < 1e-9
    own = conditions(game, model, model)
    values = {v for c in own.conditions for monomial in c.polynomial.terms for v in monomial}
    bounds = tighten_bounds(
        lambda known: milfp.build(game, model, relaxed=True, bounds=known),
        lambda program, value: cdf_variable(program.thresholds, program.polynomials, value),
        values,
        rounds=3,
    )
    read = cdf_reader(game, exact.profile.positions)
    assert set(bounds) == values
    assert all(low <= read(value) <= high for value, (low, high) in bounds.items())
    assert sum(high - low for low, high in bounds.values()) < 0.5 * len(values)


def test_bounds_are_given_up_where_nothing_fits() -> None:
    # player 3 cannot be indifferent between calling a lone raise and folding with the very best hands only
    backwards = ParametricModel.parse(
        "backwards",
        ["FOLD a RAISE", "FOLD/FOLD c FOLD/RAISE b CALL/RAISE", "FOLD/FOLD/FOLD f FOLD/FOLD/CALL"],
    )
    with pytest.raises(InfeasibleError, match="backwards"):
        milfp.solve(three_player(), backwards, preferences="all", epsilon=0, pieces=Pieces(5))


def test_three_player_game_polished() -> None:
    result = milfp.solve(three_player(), three_player_model(), pieces=Pieces(5, "unary"), epsilon=0)
    assert result.epsb_epsilon < 1e-9
    # two thresholds are simple: player 3 calls a lone raise by player 2 with the better half, player 2 raises 2 of 3
    assert result.thresholds["f"] == pytest.approx(1 / 2)
    assert result.thresholds["c"] == pytest.approx(2 / 3)


def four_pieces_each(seed: int) -> Signals:
    """Return what ``--cdf random:SEED:4`` reads for three players."""
    return Signals.continuous(*(PiecewiseLinearCdf.random(np.random.default_rng([seed, p]), 4) for p in range(3)))


@pytest.mark.parametrize(
    "seed", [1, 4, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 13) if s not in (1, 4))]
)
def test_an_equilibrium_is_found_for_any_distribution(seed: int) -> None:
    # with seed 4 player 2 raises everything, a region being empty; with seed 5 thresholds are ordered otherwise
    game = three_player(signals=four_pieces_each(seed))
    result = milfp.solve(game, three_player_model(), epsilon=0, regions="any")
    assert result.epsb_epsilon < 1e-9
    if seed == 4:
        assert result.thresholds["c"] == 1
