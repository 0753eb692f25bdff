"""Hold'em spots: CPU seconds to a share of the pot, beside figures quoted for postflop-solver; programs and streets.

The quoted figures were measured once, in 32 bits on one thread of an idle machine of this kind; that code is not run.
Ours are CPU seconds of one thread (``time.process_time``), iterations and measurements included, compilation apart: the
least of several runs, as other processes cost a run its caches. Accuracy is half of what both players together could
gain.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.registry import Row, entry, own_peak_memory
from equiform.api.spots.programs import GAP
from equiform.api.spots.solve import WEIGHTS, solve_spot
from equiform.games.poker.holdem import BetSizes, Spot
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
NEAR = BetSizes("60%,e,a", "2.5x", donk="50%", add_all_in=1.5, force_all_in=0.15, merge=0.1)
RIVER = "Td9d6hQc2s"
SPOTS = {
    "R1": Spot.of(RIVER, pot=200, stack=900),
    "R2": Spot.of(RIVER, pot=200, stack=900, oop=OOP, ip=IP, sizes=NEAR),
    "R3": Spot.of(RIVER, pot=200, stack=200, sizes=BetSizes("a", "a")),
    "T1": Spot.of(RIVER[:8], pot=200, stack=900, oop=OOP, ip=IP, sizes=NEAR),
}
#: Quoted: CPU seconds to 0.1% and 0.01% of the pot, and the first player's EV. 0.001 was printed as "below 0.001".
QUOTED = {"R1": (0.060, 0.308, 93.809), "R2": (0.004, 0.012, 92.773), "R3": (0.001, 0.008, 92.595),
          "T1": (1.85, 13.4, 91.961)}  # fmt: skip


def cpu_seconds(spot: Spot, percent: float, dtype: str, runs: int = 1) -> tuple[float, PublicCFR]:
    """Return the least CPU seconds of several runs, and the last of them."""
    game = spot.game()
    PublicCFR(game, dtype=dtype, **WEIGHTS).run(Until(iterations=2))
    least = math.inf
    for _ in range(runs):
        solver = PublicCFR(game, dtype=dtype, **WEIGHTS)
        solver.compile()
        started = time.process_time()
        solver.run(Until(gap=2 * percent / 100 * spot.betting.pot))
        least = min(least, time.process_time() - started)
    return least, solver


@entry("spots")
def spots() -> Iterator[Row]:
    """The four spots in 32 bits, to 0.1% and 0.01% of the pot; rivers in 64 bits, too."""
    for name, spot in SPOTS.items():
        river = len(spot.board) == 5
        for dtype in ("float32", "float64") if river else ("float32",):
            for percent, quoted in zip((0.1, 0.01), QUOTED[name][:2], strict=True):
                took, solver = cpu_seconds(spot, percent, dtype, runs=9 if river else 2)
                last = solver.history[-1]
                ev = (last.lower + last.upper) / 2 + spot.betting.pot / 2
                below = "; quoted as below 0.001 s" if quoted == 0.001 else ""
                note = f"{solver.iteration} iterations, EV {ev:.3f} (quoted {QUOTED[name][2]}){below}"
                yield Row(
                    f"{name} to {percent}% of the pot, {dtype}", took, "CPU s", "postflop-solver (quoted)", quoted,
                    goal=1, note=note,
                )  # fmt: skip


#: Streets with cards to come, in 32 bits: the spot, the accuracy, and the CPU seconds that we want to stay below.
STREETS = {
    "turn, all 1,128 hands, 50%, 100% and all-in": (
        Spot.of(RIVER[:8], pot=200, stack=900, sizes=BetSizes("50%,100%,a", "a", cap=2)), 0.5, 10.0,
    ),
    "flop Td9d6h, ranges of R2, 67% and all-in": (
        Spot.of(RIVER[:6], pot=200, stack=900, oop=OOP, ip=IP, sizes=BetSizes("67%", "a", cap=2)), 0.5, None,
    ),
}  # fmt: skip


@entry("streets", slow=True)
def streets() -> Iterator[Row]:
    """A turn with all hands and a flop, each in a fresh process; the note tells its peak memory."""
    for name, (_, percent, goal) in STREETS.items():
        code = f"from benchmarks.poker.spots import print_street; print_street({name!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        took, iterations, sequences, memory = json.loads(done.stdout)
        note = f"{iterations} iterations, {sequences:,} sequences, {memory:.2f} GB"
        what, peer = f"{name}, to {percent}% of the pot", "goal" if goal else ""
        yield Row(what, took, "CPU s", peer, goal, goal=1 if goal else None, note=note)


def print_street(name: str) -> None:
    """Solve a street and print CPU seconds, iterations, sequences of both players and peak memory."""
    spot, percent, _ = STREETS[name]
    took, solver = cpu_seconds(spot, percent, "float32")
    print(json.dumps([took, solver.iteration, sum(solver.game.num_sequences), own_peak_memory()]))


EXAMPLE = "Jc6s2cKdQc"
#: Ranges of 201 and 432, and of 325 and 589 hands on that board.
NARROW = (
    "22+,A2s+,K9s+,QTs+,JTs,T9s,98s,ATo+,KTo+,QJo",
    "22+,A2s+,K2s+,Q5s+,J7s+,T7s+,97s+,86s+,75s+,65s,54s,A2o+,K8o+,Q9o+,J9o+,T9o",
)
WIDE = (
    "22+,A2s+,K2s+,Q5s+,J7s+,T7s+,97s+,87s,76s,A7o+,K9o+,QTo+,JTo",
    "22+,A2s+,K2s+,Q2s+,J2s+,T3s+,95s+,85s+,74s+,64s+,53s+,A2o+,K4o+,Q7o+,J8o+,T8o+,98o,87o",
)


def _example(sizes: BetSizes, ranges: tuple[str, str]) -> Spot:
    return Spot.of(EXAMPLE, pot=2250, stack=18_875, sizes=sizes, oop=ranges[0], ip=ranges[1])


MANY = BetSizes("10%,33.3333%,66.6667%,100%,150%,200%,300%,a", "50%,100%")
#: Rivers by linear programs with HiGHS, and the CPU seconds that we want to stay below, to a gap of 1e-9 of the pot.
#: The sequences are those of one player's betting.
PROGRAMS = {
    "R3": (SPOTS["R3"], 60.0),
    "R1": (SPOTS["R1"], 60.0),
    "28 sequences, 201 and 432 hands": (_example(BetSizes("50%,100%,a", "100%,a", cap=3), NARROW), 30.0),
    "52 sequences, 201 and 432 hands": (_example(BetSizes("50%,100%,a", "50%,100%,a", cap=3), NARROW), 30.0),
    "91 sequences, 201 and 432 hands": (_example(BetSizes("33%,66%,100%,a", "50%,100%", cap=4), NARROW), 180.0),
    "91 sequences, 325 and 589 hands": (_example(BetSizes("33%,66%,100%,a", "50%,100%", cap=4), WIDE), 180.0),
}
#: The example of the thesis, §10.4, with ranges of ours.
LARGE = {"196 sequences, 325 and 589 hands": (_example(MANY, WIDE), 180.0)}


@entry("spot-programs", slow=True)
def programs() -> Iterator[Row]:
    """Rivers of many hands by linear programs, CFR start included; the proof is a full best response in 64 bits."""
    return by_programs(PROGRAMS)


@entry("spot-programs-large", slow=True)
def large_programs() -> Iterator[Row]:
    """The example of §10.4 by linear programs."""
    return by_programs(LARGE)


def by_programs(spots: dict[str, tuple[Spot, float]]) -> Iterator[Row]:
    """Solve spots to a gap of 1e-9 of the pot, each with a goal in CPU seconds."""
    for name, (spot, goal) in spots.items():
        solve_spot(SPOTS["R3"], method="lp", until="5%")  # compile
        started = time.process_time()
        found = solve_spot(spot, method="lp", until=f"gap=1e-9,seconds={10 * goal:g}")
        took = time.process_time() - started
        assert found.program is not None
        largest = max(p["nonzeros"] for p in found.program["programs"])
        ends = len(np.concatenate(spot.betting.tree.terminals))
        dense = ends * np.prod([float(t.num_hands(0)) for t in spot.game().boards.hands])
        gap = found.certificate.nash_conv / spot.betting.pot
        note = (
            f"gap {gap:.1e} of the pot, {found.program['rounds']} programs, {largest:,} nonzeros, "
            f"1/{dense / largest:.0f} of the written-out payoff; EV {found.ev:.5f}"
        )
        met = gap <= GAP
        what = f"{name} by programs" if met else f"{name} by programs, stopped before 1e-9"
        yield Row(what, took, "CPU s", "goal", goal, goal=1 if met else None, note=note)
