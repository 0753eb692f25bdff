"""Tournaments: exact all-in tables and the three-player endgame of the thesis, on one core."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.registry import Row, entry, own_peak_memory
from equiform.games.cards.all_in.boards import boards
from equiform.games.cards.all_in.tables import three_way_table, two_way_table
from equiform.games.tournament.deals import holdem_deals
from equiform.games.tournament.game import jam_fold_tournament
from equiform.games.tournament.push_fold import PushFold
from equiform.runs.progress import Progress
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import FpMdp, Interleaved, StochasticSolver
from equiform.tournaments import solve_push_fold
from equiform.validation.reproduce.tournaments.solution import THESIS

MONTH = 30 * 24 * 3600.0 * 16  # the thesis's month on 16 processors, in processor seconds
#: The thesis ran VI-FP and PI-FP for hours on 16 processors until ε fell below $0.05.
TARGETS = ((0.049, 240.0), (0.005, 480.0))


@entry("tournament-two-way")
def two_way() -> Iterator[Row]:
    """All-in results of two hands, and a heads-up chart."""
    boards()
    with TemporaryDirectory() as folder:
        started = time.process_time()
        two_way_table(folder=Path(folder))
        yield Row("two-way all-in table, 169 x 169 x 3", time.process_time() - started, "s", note="one core")
    solve_push_fold(PushFold(10))  # type: ignore[arg-type]
    for method in ("lp", "cfr+"):
        started = time.process_time()
        found = solve_push_fold(PushFold(10), method=method)  # type: ignore[arg-type]
        took = time.process_time() - started
        yield Row(f"heads-up chart, 10 big blinds, {method}", took, "s", note=f"gap {found.certificate.gap:.0e}")


@entry("tournament-three-way", slow=True)
def three_way() -> Iterator[Row]:
    """Orders of three hands, against the month on 16 processors of thesis §9.7.1."""
    boards()
    with TemporaryDirectory() as folder:
        started = time.process_time()
        three_way_table(threads=1, folder=Path(folder))
        took = time.process_time() - started
    yield Row("three-way all-in table, 818,805 x 13", took, "s", "thesis, 16 processors", MONTH, note="one core")


@entry("tournament-solve", slow=True)
def solve() -> Iterator[Row]:
    """Seconds of one core until nobody gains more than ε from any stacks, by one fixed schedule from ICM."""
    holdem_deals(3)
    game = jam_fold_tournament(THESIS)
    for solver, iterations in ((Interleaved(game, values=THESIS.icm_values()), 200), (FpMdp(game), 20)):
        reached = _reached(solver, iterations)
        for target, goal in TARGETS:
            took = next((s for s, epsilon in reached if epsilon < target), None)
            if took is not None:
                yield Row(f"{solver.algorithm}: below ${target}", took, "s", "goal", goal, 1.0)
        last = reached[-1]
        yield Row(f"{solver.algorithm}: ε after {iterations} iterations", last[1], "dollars", note=f"{last[0]:.0f} s")
    yield Row("three-player tournament: peak memory", own_peak_memory(), "GB", "goal", 2.0, 1.0)


def _reached(solver: StochasticSolver, iterations: int) -> list[tuple[float, float]]:
    """Run, and return processor seconds and ε at every measurement."""
    found: list[tuple[float, float]] = []
    started = time.process_time()

    def listen(event: Progress) -> None:
        if event.metrics and solver.measured is not None:
            found.append((time.process_time() - started, solver.measured.epsilon))

    solver.run(Until(iterations=iterations), checkpoint_every=20, progress=listen)
    return found
