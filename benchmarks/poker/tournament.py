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
from equiform.validation.reproduce.tournaments.race import TARGET, TITLES, first_below, stored_race
from equiform.validation.reproduce.tournaments.solution import THESIS

MONTH = 30 * 24 * 3600.0 * 16  # the thesis's month on 16 processors, in processor seconds
#: Dollars, and the processor seconds within which nobody should gain more.
TARGETS = ((0.049, 240.0), (0.005, 480.0), (0.001, 1200.0))
#: §9.6: an outer loop of VI-FP or PI-FP took about two hours on 16 processors, one of FP-MDP 40 minutes; FP-MDP ran for
#: 20 hours in vain.
OUTER_LOOP, FP_MDP_LOOP, FP_MDP = 2 * 3600.0 * 16, 40 * 60.0 * 16, 20 * 3600.0 * 16
#: Iterations of the two algorithms; those of FP-MDP cost about ten times as much.
INTERLEAVED_ITERATIONS, FP_MDP_ITERATIONS = 320, 100


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
    """Processor seconds until nobody gains more than ε, by one fixed schedule from ICM, with FP-MDP beside."""
    holdem_deals(3)
    game, values = jam_fold_tournament(THESIS), THESIS.icm_values()
    reached = _reached(Interleaved(game, values=values), INTERLEAVED_ITERATIONS)
    yield Row("three-player tournament: peak memory", own_peak_memory(), "GB", "goal", 2.0, 1.0)
    peer = _reached(FpMdp(game, values=values), FP_MDP_ITERATIONS)
    for target, goal in TARGETS:
        took, other = _first(reached, target), _first(peer, target)
        if took is None:
            continue
        yield Row(f"interleaved: below ${target}", took, "s", "goal", goal, 1.0, note="measuring ε included")
        last = "" if other else f"; not there after {FP_MDP_ITERATIONS} iterations, ε {peer[-1][1]:.4f}"
        yield Row(f"interleaved: below ${target}", took, "s", "FP-MDP" + last, other or peer[-1][0])
    took = _first(reached, TARGETS[0][0])
    if took is not None:
        yield Row(
            "interleaved: below $0.049", took, "s", "thesis, one outer loop of PI-FP on 16 processors", OUTER_LOOP
        )
        yield Row("interleaved: below $0.049", took, "s", "thesis, FP-MDP in vain, 16 processors", FP_MDP)
    yield Row(f"interleaved: ε after {INTERLEAVED_ITERATIONS} iterations", reached[-1][1], "dollars")


@entry("tournament-race")
def race() -> Iterator[Row]:
    """The stored race of Figure 9.1, which ``python -m benchmarks.race`` runs; measuring ε is not counted."""
    found = stored_race()
    ours = first_below(found["interleaved"])
    assert ours is not None
    for name, points in found.items():
        other, last = first_below(points), points[-1]
        title = TITLES[name]
        if name != "interleaved":
            vain = "" if other else f"; not there after {last.iteration} iterations, ε {last.epsilon:.4f}"
            peer = (other or last).seconds
            yield Row(f"interleaved: below ${TARGET}", ours.seconds, "s", title + vain, peer, note="stored race")
            theirs = FP_MDP_LOOP if name == "fp-mdp" else OUTER_LOOP
            loop = last.seconds / last.iteration
            yield Row(f"{title}: an outer loop", loop, "s", "thesis, 16 processors", theirs, note="stored race")


def _first(reached: list[tuple[float, float]], target: float) -> float | None:
    return next((seconds for seconds, epsilon in reached if epsilon < target), None)


def _reached(solver: StochasticSolver, iterations: int) -> list[tuple[float, float]]:
    """Run, and return processor seconds and ε at every measurement."""
    found: list[tuple[float, float]] = []
    started = time.process_time()

    def listen(event: Progress) -> None:
        if event.metrics and solver.measured is not None:
            found.append((time.process_time() - started, solver.measured.epsilon))

    solver.run(Until(iterations=iterations), checkpoint_every=20, progress=listen)
    return found
