"""Monte Carlo CFR on hold'em: against OpenSpiel's C++, and on two processes against one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyspiel

from benchmarks.registry import Row, entry, side_by_side
from equiform.abstraction.partition.blueprint import BlueprintSettings, prepare_blueprint
from equiform.solvers_iterative.partitioned.solver import PartitionedMCCFR

#: Limit hold'em as OpenSpiel has it: the blinds are half a small bet and a whole one.
PEER = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=1 2 2 2,numSuits=4,numRanks=13,"
    "numHoleCards=2,numBoardCards=0 3 1 1,raiseSize=2 2 4 4,maxRaises=3 4 4 4)"
)


def _more(solver: PartitionedMCCFR, count: int) -> None:
    solver.run(solver.iterations + count, checkpoint_every=10**6)


@entry("holdem-mccfr")
def against_openspiel() -> Iterator[Row]:
    """Measure iterations of external sampling on limit hold'em; one is a traversal per player in both packages.

    OpenSpiel tells all hands apart and stores what it meets; ours has 169 starting hands and 50 buckets per street.
    """
    oracle = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game(PEER), 1)
    with tempfile.TemporaryDirectory() as folder:
        settings = BlueprintSettings(1, (50, 50, 50), batch=250, sample=5_000)
        solver = prepare_blueprint(Path(folder) / "one", settings)

        def peer() -> None:
            for _ in range(30):
                oracle.run_iteration()

        seconds = side_by_side(lambda: _more(solver, 3_000), peer, repeat=3)
        touched = solver.run(solver.iterations).touched / solver.iterations
        mine, other = 3_000 / seconds[0], 30 / seconds[1]
        note = (
            f"{mine * touched:,.0f} nodes touched per second; {settings.size.bytes_per_infoset:.0f} bytes per "
            f"information set; the peer has no abstraction"
        )
        yield Row(
            "external sampling on limit hold'em", mine, "it/s", "OpenSpiel C++", other, higher_is_better=True, note=note
        )


@entry("holdem-workers")
def two_workers() -> Iterator[Row]:
    """Measure two processes against one on a no-limit game of eight members; the results are the same."""
    with tempfile.TemporaryDirectory() as folder:
        settings = BlueprintSettings(8, (50, 50, 50), batch=500, sample=2_000)
        alone = prepare_blueprint(Path(folder) / "one", settings)
        both = prepare_blueprint(Path(folder) / "two", settings, on="processes:2")
        try:
            seconds = side_by_side(lambda: _more(both, 5_000), lambda: _more(alone, 5_000), repeat=3)
        finally:
            both.close()
        note = f"{50 * seconds[1] / seconds[0]:.0f}% of twice the speed"
        yield Row(
            "hold'em on two processes",
            5_000 / seconds[0],
            "it/s",
            "one process",
            5_000 / seconds[1],
            1.5,
            higher_is_better=True,
            note=note,
        )
