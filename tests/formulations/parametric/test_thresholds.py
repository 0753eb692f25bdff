"""The block of thresholds: positions go in and come out again, and regions of size zero."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo
import pytest

from equiform.formulations.parametric.empty_regions import empty_regions_block
from equiform.formulations.parametric.thresholds import Consistency, read_positions, restrict, thresholds_block
from equiform.games.poker.signal_games import bet_or_check_model, limit_river_models
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals
from equiform.models.signals.indifference import CdfValue
from equiform.models.signals.parametric_model import ParametricModel

MASSES = np.array([[0.1, 0.4, 0.3, 0.2], [0.3, 0.2, 0.2, 0.3]])
FINITE = Signals.finite(*MASSES)
CONTINUOUS = Signals.continuous(*(PiecewiseLinearCdf.from_masses(np.linspace(0, 1, 5), m) for m in MASSES))


@pytest.mark.parametrize("consistency", ["incremental", "indicator"])
@pytest.mark.parametrize("signals", [FINITE, CONTINUOUS], ids=["finite", "continuous"])
def test_positions_are_read_off_the_values_that_they_give(consistency: Consistency, signals: Signals) -> None:
    model = limit_river_models()[0]
    block = thresholds_block(signals, model, consistency=consistency)
    rng = np.random.default_rng(3)
    wanted = np.concatenate([np.sort(rng.uniform(0, 4, len(own))) for own in model.thresholds])
    for k, position in enumerate(wanted.tolist()):
        for c in range(1, 5):
            share = min(max(position - (c - 1), 0.0), 1.0)
            if consistency == "incremental":
                block.filled[k, c].set_value(share)
                if c < 4:
                    block.full[k, c].set_value(int(position >= c))
            else:
                block.z[k, c].set_value(int(c - 1 <= position < c))
        if hasattr(block, "place"):
            block.place[k].set_value(position)
        for player in (0, 1):
            cumulative = np.append(0.0, np.cumsum(MASSES[player]))
            block.F[player, k].set_value(float(np.interp(position, np.arange(5), cumulative)))
    assert read_positions(block, signals, model) == pytest.approx(wanted)
    violated = [c.name for c in block.component_data_objects(pyo.Constraint) if c.slack() < -1e-9]
    assert violated == []


@pytest.mark.parametrize("consistency", ["incremental", "indicator"])
def test_bounds_on_a_cdf_keep_its_threshold_out_of_the_cells_beyond(consistency: Consistency) -> None:
    """Player 1's CDF is .1, .5, .8, 1 at the cells' ends: between .2 and .4 the first is full, the last two empty."""
    block = thresholds_block(FINITE, bet_or_check_model(), consistency=consistency)
    restrict(block, FINITE, {CdfValue(0, (1,)): (0.2, 0.4), CdfValue(0, (0, 1)): (0.0, 0.0)})
    assert (block.F[0, 1].lb, block.F[0, 1].ub) == (0.2, 0.4)
    assert (block.F[0, 0].lb, block.F[1, 1].ub) == (0, 1)
    if consistency == "incremental":
        assert [(block.filled[1, c].lb, block.filled[1, c].ub) for c in range(1, 5)] == [(1, 1), (0, 1), (0, 0), (0, 0)]


def test_any_region_may_be_empty_except_for_a_player_s_only_one() -> None:
    model = bet_or_check_model()
    thresholds = thresholds_block(FINITE, model)
    found = empty_regions_block(thresholds, model, (2.0, 2.0), allowed=True)
    assert set(found.empty) == {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)}
    alone = ParametricModel.parse("one plan", ["BET", "CALL c FOLD"])
    found = empty_regions_block(thresholds_block(FINITE, alone), alone, (2.0, 2.0), allowed=True)
    assert set(found.empty) == {(1, 0), (1, 1)}
    assert not empty_regions_block(thresholds, model, (2.0, 2.0), allowed=False).empty
