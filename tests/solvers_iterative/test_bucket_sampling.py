"""Monte Carlo CFR on bucketed games: it converges, resumes bit for bit, and plays games with imperfect recall."""

from __future__ import annotations

from pathlib import Path

import pytest

from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.bucketed import BucketStrategy
from equiform.models.common.errors import UnsupportedGameError
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.regret.bucket_sampling import BucketSampling
from equiform.validation.certificates.bucketed import certify_buckets
from tests.helpers.bucketed_cards import bucketed, random_small_game


def test_sampling_converges_to_the_value_of_the_program(tmp_path: Path) -> None:
    game = next(bucketed(g) for g in map(random_small_game, range(50)) if g.rounds == 2)
    value = sequence_form_lp.solve(game.sequence_form()).value
    solver = BucketSampling(game, seed=3, block=200)
    found = solver.run(Until(iterations=300), save_to=tmp_path / "state.npz").checkpoint
    assert found.lower - 1e-9 <= value <= found.upper + 1e-9 and found.nash_conv < 0.1
    profile = [BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(solver.average)]
    proof = certify_buckets(game, (profile[0], profile[1]))
    assert proof.nash_conv == pytest.approx(found.nash_conv, abs=1e-9)
    again = BucketSampling(game, seed=3, block=200).load(tmp_path / "state.npz")
    solver.step(5)
    again.step(5)
    assert all((again._state()[name] == array).all() for name, array in solver._state().items())


def test_players_may_forget() -> None:
    games = (bucketed(random_small_game(seed, recall=False)) for seed in range(1000, 1050))
    game = next(g for g in games if not g.deals.perfect_recall)
    solver = BucketSampling(game)
    solver.step(2)
    shown, player = game.infosets(0), game.treeplexes[0]
    rows: dict[int, list[float]] = {}
    for h in range(player.num_infosets):  # confused information sets are played alike
        row = solver.average[0].probabilities[player.start[h] : player.start[h + 1]].tolist()
        assert rows.setdefault(int(shown[h]), row) == row
    assert len(rows) < player.num_infosets
    with pytest.raises(UnsupportedGameError, match="forgets"):
        BucketSampling(game).run(Until(gap=0.1))
