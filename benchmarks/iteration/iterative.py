"""Iterative solvers against OpenSpiel's C++ (and LiteEFG where it is installed): the same game, iteration by iteration.

Everything runs on one thread. Compilation is not timed with the iterations and has its own row.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pyspiel

from benchmarks.registry import Row, entry, side_by_side
from equiform.games.registry import load_game
from equiform.models import ExtensiveGame, SequenceForm, sequence_form
from equiform.solvers_iterative import CFR, MCCFR, IterativeSolver, Until

PEERS = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}
#: Iterations a round, ours and OpenSpiel's: about half a second each.
ROUNDS = {"leduc_poker": (20_000, 60), "liars_dice": (600, 3)}


def _tree(name: str) -> ExtensiveGame:
    game = load_game(f"openspiel:{name}")
    assert isinstance(game, ExtensiveGame)
    return game


def _advance(solver: IterativeSolver, count: int) -> None:
    solver.step(count)


def _speeds(solver: IterativeSolver, step: Callable[[], Any], ours: int, theirs: int) -> tuple[float, float]:
    """Return the iterations per second of a solver and of a peer's step, measured in turns."""

    def peer() -> None:
        for _ in range(theirs):
            step()

    seconds = side_by_side(lambda: _advance(solver, ours), peer, repeat=3)
    return ours / seconds[0], theirs / seconds[1]


@entry("iterative-cfr")
def cfr() -> Iterator[Row]:
    """Measure iterations per second of vanilla CFR and CFR+; the iterates are the same (see the tests)."""
    for name, (ours, theirs) in ROUNDS.items():
        form = sequence_form(_tree(name))
        for variant, peer in PEERS.items():
            oracle = peer(pyspiel.load_game(name))
            mine, other = _speeds(CFR(form, variant), oracle.evaluate_and_update_policy, ours, theirs)
            note = f"{form.matrix_payoff.nnz:,} nonzeros"
            yield Row(
                f"{variant} on {name}", mine, "it/s", "OpenSpiel C++", other, 50, higher_is_better=True, note=note
            )
            lite = _lite(name, variant)
            if lite is not None:
                mine, other = _speeds(CFR(form, variant), lite[0], ours, theirs)
                yield Row(f"{variant} on {name}", mine, "it/s", "LiteEFG", other, 20, higher_is_better=True)


@entry("iterative-gap")
def time_to_gap() -> Iterator[Row]:
    """Time CFR+ on Leduc to a nash_conv of 1e-3; OpenSpiel's iterates are the same, so it runs as many."""
    form = sequence_form(_tree("leduc_poker"))
    runs = []
    for _ in range(3):
        solver = CFR(form, "cfr+")
        solver.compile()
        runs.append(solver.run(Until(gap=1e-3)).checkpoint)
    oracle = pyspiel.CFRPlusSolver(pyspiel.load_game("leduc_poker"))
    started = time.perf_counter()
    for _ in range(runs[0].iteration):
        oracle.evaluate_and_update_policy()
    peer = time.perf_counter() - started
    note = f"{runs[0].iteration} iterations, nash_conv {runs[0].nash_conv:.1e}"
    mine = median(c.seconds for c in runs)
    yield Row("cfr+ to 1e-3", mine, "s", "OpenSpiel C++", peer, 50, note=note)
    lite = _lite("leduc_poker", "cfr+")
    if lite is not None:
        step, gap = lite
        started = time.perf_counter()
        while True:  # it has no strategy to measure before the first step
            for _ in range(50):
                step()
            if gap() <= 1e-3:
                break
        yield Row("cfr+ to 1e-3", mine, "s", "LiteEFG", time.perf_counter() - started, 20)


@entry("iterative-mccfr")
def external_sampling() -> Iterator[Row]:
    """Measure external sampling; in both packages an iteration is one traversal per player."""
    oracle = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game("leduc_poker"), 1)
    solver = MCCFR(_tree("leduc_poker"), "external", seed=1)
    mine, other = _speeds(solver, oracle.run_iteration, 200_000, 15_000)
    yield Row("external sampling on leduc_poker", mine, "it/s", "OpenSpiel C++", other, 15, higher_is_better=True)


@entry("iterative-nash-conv")
def nash_conv() -> Iterator[Row]:
    """Compute the gap of a Leduc profile, starting from behavioural strategies."""
    game = _tree("leduc_poker")
    form = sequence_form(game)
    solver = CFR(form, "cfr+")
    _advance(solver, 50)
    profile = solver.average
    oracle = pyspiel.CFRPlusSolver(pyspiel.load_game("leduc_poker"))
    for _ in range(5):
        oracle.evaluate_and_update_policy()
    policy, spiel = oracle.average_policy(), pyspiel.load_game("leduc_poker")

    def hundred() -> None:
        for _ in range(100):
            _gap(form, profile)

    ours, peer = side_by_side(hundred, lambda: pyspiel.nash_conv(spiel, policy))
    note = "below 0.3 ms" if ours / 100 < 3e-4 else "above 0.3 ms"
    yield Row("nash_conv of leduc_poker", 1e3 * ours / 100, "ms", "OpenSpiel C++", 1e3 * peer, 100, note=note)


def _gap(form: SequenceForm, profile: Any) -> float:
    return form.nash_conv(profile[0].plan, profile[1].plan)


@entry("iterative-compile")
def compile_time() -> Iterator[Row]:
    """Time until CFR's loops are ready: compiled for the first time, and read from numba's cache on disk."""
    code = (
        "from equiform.games.registry import load_game; from equiform.solvers_iterative import create\n"
        "s = create('cfr+', load_game('kuhn')); s.compile(); print(s.compile_seconds)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        cold, warm = (
            float(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        )
    yield Row("loops of cfr+ from the cache", warm, "s", "first compilation", cold)


def _lite(name: str, variant: str) -> tuple[Callable[[], None], Callable[[], float]] | None:
    """Return LiteEFG's step and nash_conv. LiteEFG is not a dependency; build it from source if you want it."""
    if importlib.util.find_spec("LiteEFG") is None:
        return None
    import LiteEFG
    from LiteEFG import baselines

    env = LiteEFG.OpenSpielEnv(pyspiel.load_game(name), traverse_type="Enumerate", regenerate=False)
    graph = (baselines.CFR if variant == "cfr" else baselines.CFRplus).graph()
    env.set_graph(graph)

    def step() -> None:
        graph.update_graph(env)
        env.update_strategy(graph.current_strategy())

    average = "avg-iterate" if variant == "cfr" else "linear-avg-iterate"
    return step, lambda: float(sum(env.exploitability(graph.current_strategy(), average)))
