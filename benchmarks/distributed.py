"""Monte Carlo CFR on hold'em: against OpenSpiel's C++ and RLCard's Python, and on two workers against one."""

from __future__ import annotations

import importlib.util
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspiel

from benchmarks.registry import Row, entry, side_by_side
from equiform.abstraction.partition.blueprint import BlueprintSettings, prepare_blueprint
from equiform.solvers_iterative.partitioned.solver import PartitionedMCCFR

#: Limit hold'em as OpenSpiel has it: the blinds are half a small bet and a whole one.
PEER = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=1 2 2 2,numSuits=4,numRanks=13,"
    "numHoleCards=2,numBoardCards=0 3 1 1,raiseSize=2 2 4 4,maxRaises=3 4 4 4)"
)
#: One core, 169 starting hands and 50 buckets per later street.
ALONE = BlueprintSettings(1, (50, 50, 50), batch=250, sample=5_000)


def _more(solver: PartitionedMCCFR, count: int) -> None:
    solver.run(solver.iterations + count, checkpoint_every=10**6)


def _touched(solver: PartitionedMCCFR) -> float:
    """Return how many nodes an iteration has visited, by the solver's own counter."""
    return solver.run(solver.iterations).touched / solver.iterations


@entry("holdem-mccfr")
def against_openspiel() -> Iterator[Row]:
    """Measure external sampling on limit hold'em; an iteration is one traversal per player in both packages.

    OpenSpiel tells all hands apart and stores what it meets; ours has buckets. OpenSpiel does not count what it visits:
    its nodes per iteration are an estimate, from trees that are sampled in the same way with a uniform opponent. It
    plays about so here, since without buckets hardly any hand comes twice.
    """
    game = pyspiel.load_game(PEER)
    oracle = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    with tempfile.TemporaryDirectory() as folder:
        solver = prepare_blueprint(Path(folder) / "one", ALONE)

        def peer() -> None:
            for _ in range(30):
                oracle.run_iteration()

        seconds = side_by_side(lambda: _more(solver, 3_000), peer, repeat=3)
        touched = _touched(solver)
    mine, other = 3_000 / seconds[0], 30 / seconds[1]
    what, name = "external sampling on limit hold'em", "OpenSpiel C++"
    note = f"{ALONE.size.bytes_per_infoset:.0f} bytes per information set; the peer has no abstraction"
    yield Row(what, mine, "it/s", name, other, higher_is_better=True, note=note)
    sampled = _sampled(game, random.Random(1), 100)
    note = f"{touched:.0f} nodes per iteration by our counter, {sampled:.0f} by an estimate from 100 sampled trees"
    yield Row(what, mine * touched, "nodes/s", name, other * sampled, higher_is_better=True, note=note)


def _sampled(game: Any, rng: random.Random, count: int) -> float:
    """Return the mean number of states that external sampling visits in an iteration, with a uniform opponent."""

    def visit(state: Any, player: int) -> int:
        if state.is_terminal():
            return 1
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            return 1 + visit(state.child(rng.choices(outcomes, chances)[0]), player)
        actions = state.legal_actions()
        if state.current_player() != player:
            return 1 + visit(state.child(rng.choice(actions)), player)
        return 1 + sum(visit(state.child(action), player) for action in actions)

    return sum(visit(game.new_initial_state(), player) for _ in range(count) for player in (0, 1)) / count


@entry("holdem-rlcard", slow=True)
def against_rlcard() -> Iterator[Row]:
    """Count the nodes of limit hold'em that are visited per processor second, beside RLCard's CFR in Python.

    RLCard samples the cards and walks all moves of both players; an iteration visits some forty thousand nodes, so that
    only nodes can be compared. It has no abstraction of cards. It is not a dependency: ``pip install rlcard``.
    """
    with tempfile.TemporaryDirectory() as folder:
        solver = prepare_blueprint(Path(folder) / "one", ALONE)
        _more(solver, 3_000)
        before, started = solver.run(solver.iterations).touched, time.process_time()
        _more(solver, 10_000)
        took = time.process_time() - started
        mine = (solver.run(solver.iterations).touched - before) / took
    visited, other = _rlcard("limit-holdem")
    note = f"{visited:,} nodes of one traversal" if other else "RLCard is not installed"
    yield Row("CFR on limit hold'em", mine, "nodes/s", "RLCard", other, higher_is_better=True, note=note)


def _rlcard(name: str) -> tuple[int, float | None]:
    """Let RLCard traverse a game for one player; return the nodes it visits, and how many per processor second."""
    if importlib.util.find_spec("rlcard") is None:
        return 0, None
    import rlcard
    from rlcard.agents import CFRAgent

    environment = rlcard.make(name, config={"seed": 1, "allow_step_back": True})
    visited = 0

    class Counting(CFRAgent):  # type: ignore[misc, unused-ignore]
        def traverse_tree(self, probs: Any, player_id: int) -> Any:
            nonlocal visited
            visited += 1
            return super().traverse_tree(probs, player_id)

        def get_state(self, player_id: int) -> tuple[bytes, list[int]]:
            """Do what RLCard 1.2.0 does by a method that numpy 2 no longer has."""
            state = self.env.get_state(player_id)
            return state["obs"].tobytes(), list(state["legal_actions"])

    agent = Counting(environment)
    environment.reset()
    started = time.process_time()
    agent.traverse_tree([1.0, 1.0], 0)
    return visited, visited / (time.process_time() - started)


@entry("holdem-workers")
def two_workers() -> Iterator[Row]:
    """Measure two workers against one process on a no-limit game of eight members; the results are the same."""
    yield from _workers("processes:2", "hold'em on two processes")


@entry("holdem-ray")
def two_ray_workers() -> Iterator[Row]:
    """Measure two workers of Ray on this machine against one process, in the same way."""
    if importlib.util.find_spec("ray") is None:
        return
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield from _workers("ray", "hold'em on two workers of Ray")
    finally:
        ray.shutdown()


def _workers(on: str, what: str) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = BlueprintSettings(8, (50, 50, 50), batch=500, sample=2_000)
        alone = prepare_blueprint(Path(folder) / "one", settings)
        both = prepare_blueprint(Path(folder) / "two", settings, on=on)
        try:
            seconds = side_by_side(lambda: _more(both, 5_000), lambda: _more(alone, 5_000), repeat=3)
        finally:
            both.close()
    note = f"{50 * seconds[1] / seconds[0]:.0f}% of twice the speed"
    mine, other = 5_000 / seconds[0], 5_000 / seconds[1]
    yield Row(what, mine, "it/s", "one process", other, 1.5, higher_is_better=True, note=note)
