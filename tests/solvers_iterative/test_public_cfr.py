"""CFR on public games: the same course as on treeplexes, threads, 32 bits, saved states and fixed moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from equiform.games.poker.public import leduc_public
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.public.boards import BucketMatrices, bucket_boards
from equiform.models.public.game import PublicGame
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR
from equiform.solvers_iterative.regret.cfr import CFR
from tests.helpers.public_games import random_game


@pytest.mark.parametrize("variant", ["dcfr", "cfr+", "linear-cfr"])
def test_it_runs_the_course_of_cfr_on_the_treeplexes(variant: str) -> None:
    game = leduc_public()
    ours, theirs = PublicCFR(game, variant), CFR(game.sequence_form(), variant)
    for solver in (ours, theirs):
        solver.run(Until(iterations=25))
    a, b = ours.history[-1], theirs.history[-1]
    assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-9)
    plans = [s.plan for s in ours.average]
    assert game.sequence_form().bracket(plans[0], plans[1]) == pytest.approx((a.lower, a.upper), abs=1e-9)


@pytest.mark.parametrize(("private", "deals", "board"), [(2, (1,), 1), (1, (1, 1), 0), (2, (), 2)])
def test_threads_do_the_same(private: int, deals: tuple[int, ...], board: int) -> None:
    game = random_game(2, private=private, deals=deals, board=board)
    solvers = [PublicCFR(game, threads=threads) for threads in (1, 2)]
    for solver in solvers:
        solver.run(Until(iterations=1))  # later rounding decides between moves that are worth the same
    for name, array in solvers[0]._state().items():
        assert np.allclose(array, solvers[1]._state()[name], atol=1e-12)
    ends = [solver.run(Until(gap=1e-2)).checkpoint for solver in solvers]
    assert max(c.lower for c in ends) <= min(c.upper for c in ends) + 1e-12


def test_32_bits_come_close() -> None:
    game = leduc_public()
    checkpoint = PublicCFR(game, dtype="float32").run(Until(gap=2e-3)).checkpoint
    assert checkpoint.lower <= -0.0856064 + 1e-5 and checkpoint.upper >= -0.0856064 - 1e-5


def test_a_resumed_run_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    game = leduc_public()
    whole = PublicCFR(game)
    whole.run(Until(iterations=30))
    first = PublicCFR(game)
    first.run(Until(iterations=13), save_to=tmp_path / "state.npz")
    second = PublicCFR(game).load(tmp_path / "state.npz")
    second.run(Until(iterations=30))
    for name, array in whole._state().items():
        assert np.array_equal(array, second._state()[name])
    with pytest.raises(FormatError):
        PublicCFR(leduc_public(ranks=4)).load(tmp_path / "state.npz")


def test_fixed_moves_stay_and_the_rest_answers() -> None:
    game = leduc_public()
    fixed = tuple(np.full(int(seat.offset[-1]), -1.0) for seat in game.seats)
    n = game.boards.hands[0].num_hands(0)
    fixed[0][: 2 * n] = np.repeat([1.0, 0.0], n)  # player 1 never opens with a bet
    solver = PublicCFR(game, fixed=(fixed[0], fixed[1]))
    checkpoint = solver.run(Until(gap=1e-3, iterations=5000)).checkpoint
    assert checkpoint.nash_conv <= 1e-3
    assert (solver.strategies[0].behavior(0, 0) == [1.0, 0.0]).all()
    assert checkpoint.upper < -0.0856064 + 1e-3  # whoever is bound does no better


def test_buckets() -> None:
    rng = np.random.default_rng(1)
    joint = rng.random((5, 5))
    joint /= joint.sum()
    wins = joint * np.sign(np.arange(5)[:, None] - np.arange(5)[None, :])
    names = tuple("abcde"), tuple("abcde")
    game = PublicGame(
        "buckets", random_game(0, deals=(), board=2).betting, bucket_boards(BucketMatrices(joint, wins), names)
    )
    ours = PublicCFR(game).run(Until(gap=1e-4)).checkpoint
    theirs = CFR(game.sequence_form(), "dcfr").run(Until(gap=1e-4)).checkpoint
    assert max(ours.lower, theirs.lower) <= min(ours.upper, theirs.upper) + 1e-12


def test_bad_options_are_refused() -> None:
    with pytest.raises(ParameterError, match="type of numbers"):
        PublicCFR(leduc_public(), dtype="float16")
    with pytest.raises(ParameterError, match="not made for public games"):
        PublicCFR(leduc_public(), "pcfr+")
    with pytest.raises(ParameterError, match="do not fit"):
        PublicCFR(leduc_public(), fixed=(np.zeros(3), np.zeros(3)))
