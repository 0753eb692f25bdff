"""Monte Carlo CFR in parts: it converges, whatever the partition, and does not depend on what carries it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from equiform.abstraction.partition.small_decks import SmallDeckDealer, leduc_dealer, three_street_dealer
from equiform.games.poker.public import leduc_public
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.public.game import PublicGame
from equiform.runs.crew import Recipe, Request, make_crew
from equiform.runs.lasting import LastingCrew
from equiform.runs.progress import Progress
from equiform.solvers_iterative.partitioned.dealers import root_members
from equiform.solvers_iterative.partitioned.solver import PartitionedMCCFR
from tests.helpers.partitions import gap, plans

LEDUC = "equiform.abstraction.partition.small_decks:leduc_dealer"
THREE = "equiform.abstraction.partition.small_decks:three_street_dealer"


@pytest.fixture(scope="module")
def leduc() -> PublicGame:
    return leduc_public(isomorphism=False)


@pytest.mark.parametrize("clusters", [1, 4])
def test_leduc_converges(clusters: int, leduc: PublicGame) -> None:
    solver = PartitionedMCCFR(LEDUC, {"clusters": clusters}, batch=50)
    gaps = []
    for iterations in (500, 20_000):
        solver.run(iterations)
        gaps.append(gap(leduc, plans(leduc, leduc_dealer(clusters=clusters), solver.averages())))
    assert gaps[1] < gaps[0] / 3  # Monte Carlo: by about the root of 40


def test_cards_are_weighed_by_what_they_leave() -> None:
    """A jack in hand leaves one jack to come: a cluster with both sees it half as often."""
    dealer = leduc_dealer(clusters=3)
    rows = np.array([[0, 1], [0, 5], [4, 5]], dtype=np.uint8)
    outcomes = [dealer.deal((c,), rows, np.random.default_rng(0)).outcomes for c in range(3)]
    boards = [[card for card in range(6) if card % 3 == c] for c in range(3)]
    expected = [[sum(card not in row for card in board) for row in rows.tolist()] for board in boards]
    assert np.array(outcomes).tolist() == expected
    assert np.sum(outcomes, axis=0).tolist() == [4, 4, 4]


@pytest.mark.parametrize("levels", [[[0], [1], [2]], [[0], [1, 2]], [[0, 1, 2]]])
def test_any_number_of_levels_converges(levels: list[list[int]]) -> None:
    dealer = three_street_dealer(levels, 2)
    assert len(root_members(dealer)) == {3: 7, 2: 3, 1: 1}[len(levels)]
    game, gaps = three_street_game(dealer), []
    solver = PartitionedMCCFR(THREE, {"levels": levels, "clusters": 2}, batch=50)
    for iterations in (200, 5_000):
        solver.run(iterations)
        gaps.append(gap(game, plans(game, dealer, solver.averages())))
    assert gaps[1] < gaps[0] / 2.5


def three_street_game(dealer: SmallDeckDealer) -> PublicGame:
    from equiform.models.public.dealing import deal_boards

    everything = np.ones(len(dealer.rules.holdings))
    dealt = deal_boards(dealer.rules, (everything, everything), isomorphism=False)
    return PublicGame(dealer.name, dealer.tree, dealt.boards, dealt=dealt)


def tables(solver: PartitionedMCCFR) -> list[bytes]:
    return [array.tobytes() for array in solver.averages().values()]


def test_the_executor_makes_no_difference() -> None:
    local = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=20, seed=5)
    local.run(200)
    several = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=20, seed=5, on="processes:2")
    try:
        several.run(200)
        assert tables(several) == tables(local)
    finally:
        several.close()
    other = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=20, seed=6)
    other.run(200)
    assert tables(other) != tables(local)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("checkpoints", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_killed_worker_comes_back_as_it_was(checkpoints: bool, tmp_path: Path) -> None:
    whole = PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=10)
    whole.run(120)
    solver = PartitionedMCCFR(
        LEDUC, {"clusters": 3}, batch=10, on="processes:2", folder=tmp_path if checkpoints else None
    )

    def kill(event: Progress) -> None:
        if event.done == 70:
            os.kill(solver.crew._crew.process_ids[1], signal.SIGKILL)  # type: ignore[attr-defined]

    try:
        reached = solver.run(120, checkpoint_every=3, progress=kill)
        assert reached.losses == 1 and reached.iterations == 120
        assert tables(solver) == tables(whole)
    finally:
        solver.close()


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    whole = PartitionedMCCFR(LEDUC, {"clusters": 2}, batch=10)
    whole.run(100)
    PartitionedMCCFR(LEDUC, {"clusters": 2}, batch=10, folder=tmp_path).run(60)
    resumed = PartitionedMCCFR(LEDUC, {"clusters": 2}, batch=10, folder=tmp_path)
    assert resumed.iterations == 60
    resumed.run(100)
    assert tables(resumed) == tables(whole)
    with pytest.raises(FormatError, match="another"):
        PartitionedMCCFR(LEDUC, {"clusters": 3}, batch=10, folder=tmp_path)
    (tmp_path / "member-1-10.npz").write_bytes(b"nothing")
    with pytest.raises(FormatError):
        PartitionedMCCFR(LEDUC, {"clusters": 2}, batch=10, folder=tmp_path)


def test_levels_that_leave_out_a_street_are_refused() -> None:
    with pytest.raises(ParameterError, match="streets"):
        PartitionedMCCFR(THREE, {"levels": [[0], [2]], "clusters": 2})


def test_what_members_refuse_reaches_the_caller() -> None:
    for on in ("local", "processes:1"):
        crew = LastingCrew(make_crew([Recipe("equiform.runs.fingerprint:fingerprint", {"arrays": []})], on), 1)
        crew.close()
    with pytest.raises(ParameterError, match="no function"):
        make_crew([Recipe("equiform.runs:nothing")], "processes:1")
    assert make_crew([Recipe("builtins:list")]).ask([Request(0, "append", {}) for _ in ()]) == []
