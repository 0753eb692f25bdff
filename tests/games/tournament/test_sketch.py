"""Cheap stages near a profile: exact at the anchor, close around it, and no trace of them in a resumed run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiform.games.tournament.deals import one_card_deals
from equiform.games.tournament.game import forced_all_in, tournament_outcomes
from equiform.games.tournament.jam_fold import JamFoldStages
from equiform.games.tournament.sketch import AnchoredStages, Sketch
from equiform.games.tournament.structure import Tournament
from equiform.models.common.array_types import FloatArray
from equiform.models.stochastic import StochasticGame
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import Interleaved, best_responses

SMALL = Tournament(900, 100, 200, (50, 30, 20), 100)
STAGES = JamFoldStages(one_card_deals(8), forced_all_in(SMALL), directions=5)
NAMES = tuple(SMALL.state_name(s) for s in range(len(SMALL.states())))
GAME = StochasticGame("sketched", SMALL.seats, NAMES, STAGES, tournament_outcomes(SMALL))


def some_profile(seed: int) -> tuple[FloatArray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(np.where(s == 1, 1.0, rng.random(len(s))) for s in GAME.start())


def test_all_directions_lose_nothing() -> None:
    profile = some_profile(1)
    full = Sketch(STAGES.deals.orders, 8).reach(STAGES.split(profile))
    for ours, exact in zip(full, STAGES.reach(profile), strict=True):
        assert ours == pytest.approx(exact, abs=1e-12)


def test_exact_at_the_anchor_and_close_around_it() -> None:
    anchor, other = some_profile(2), some_profile(3)
    near = STAGES.near(anchor)
    assert isinstance(near, AnchoredStages)
    rough = Sketch(STAGES.deals.orders, 5)

    def error(step: float) -> float:
        profile = tuple(a + step * (b - a) for a, b in zip(anchor, other, strict=True))
        exact = STAGES.reach(profile)
        return max(float(np.abs(p.reach - e).max()) for p, e in zip(near.prospects(profile), exact, strict=True))

    plain = max(
        float(np.abs(r - e).max()) for r, e in zip(rough.reach(STAGES.split(anchor)), STAGES.reach(anchor), strict=True)
    )
    assert error(0.0) < 1e-14 and plain > 1e-4  # the projection alone is wrong
    assert error(0.01) < 0.2 * error(0.1) < 0.2 * plain


def test_cheap_stages_are_their_own_neighbours() -> None:
    small = JamFoldStages(one_card_deals(4), forced_all_in(SMALL))
    assert small.near(small_profile := tuple(small.start(k) for k in range(3))) is small
    assert len(small_profile) == 3


def test_the_solver_converges_to_the_exact_game(tmp_path: Path) -> None:
    """With an anchor every ten iterations ε falls as with exact sweeps, and a cut run goes on bit for bit."""
    exact, near = (Interleaved(GAME, values=SMALL.icm_values(), refresh=r) for r in (1, 10))
    for run in (exact, near):
        run.run(Until(iterations=205), checkpoint_every=205)
    assert exact.measured is not None and near.measured is not None
    assert near.measured.epsilon == pytest.approx(best_responses(GAME, near.profile).epsilon)
    assert near.measured.epsilon < 2 * exact.measured.epsilon < 0.4
    part = Interleaved(GAME, values=SMALL.icm_values(), refresh=10)
    part.run(Until(iterations=17), checkpoint_every=17, save_to=tmp_path / "run.npz")
    rest = Interleaved(GAME, values=SMALL.icm_values(), refresh=10).load(tmp_path / "run.npz")
    rest.run(Until(iterations=205), checkpoint_every=205)
    assert all((a == b).all() for a, b in zip(rest.profile, near.profile, strict=True))
    assert (rest.values == near.values).all()
