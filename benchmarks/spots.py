"""Hold'em spots: CPU seconds to a share of the pot, beside figures quoted for postflop-solver.

The quoted figures were measured once, in 32 bits on one thread of an idle machine of this kind; that code is not run.
Ours are CPU seconds of one thread (``time.process_time``), iterations and measurements included, compilation apart.
Accuracy is half of what both players together could gain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.registry import Row, entry
from equiform.api.spots.solve import WEIGHTS
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
#: Quoted: CPU seconds to 0.1% and 0.01% of the pot, and the first player's EV.
QUOTED = {"R1": (0.060, 0.308, 93.809), "R2": (0.004, 0.012, 92.773), "R3": (0.001, 0.008, 92.595),
          "T1": (1.85, 13.4, 91.961)}  # fmt: skip


def cpu_seconds(spot: Spot, percent: float, dtype: str) -> tuple[float, PublicCFR]:
    game = spot.game()
    PublicCFR(game, dtype=dtype, **WEIGHTS).run(Until(iterations=2))
    solver = PublicCFR(game, dtype=dtype, **WEIGHTS)
    solver.compile()
    started = time.process_time()
    solver.run(Until(gap=2 * percent / 100 * spot.betting.pot))
    return time.process_time() - started, solver


@entry("spots", slow=True)
def spots() -> Iterator[Row]:
    """The four spots in 32 bits, to 0.1% and 0.01% of the pot; rivers in 64 bits, too."""
    for name, spot in SPOTS.items():
        for dtype in ("float32", "float64") if len(spot.board) == 5 else ("float32",):
            for percent, quoted in zip((0.1, 0.01), QUOTED[name][:2], strict=True):
                took, solver = cpu_seconds(spot, percent, dtype)
                last = solver.history[-1]
                ev = (last.lower + last.upper) / 2 + spot.betting.pot / 2
                note = f"{solver.iteration} iterations, EV {ev:.3f} (quoted {QUOTED[name][2]})"
                yield Row(
                    f"{name} to {percent}% of the pot, {dtype}", took, "CPU s", "postflop-solver (quoted)", quoted,
                    goal=1, note=note,
                )  # fmt: skip
