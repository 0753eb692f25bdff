"""Rhode Island hold'em at its full size: CPU seconds to 1e-3 chips by CFR on the public tree, and the proof.

CPU seconds of one thread (``time.process_time``), measurements included, compilation apart. The slides' figure is eight
days and 25 GB for CPLEX's barrier method after GameShrink, on a machine of its time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.registry import Row, entry
from equiform.api.rhode_island.solution import RhodeIslandSolution
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR


@entry("rhode-island", slow=True)
def rhode_island() -> Iterator[Row]:
    """Solve the whole game and prove it over every deal."""
    rules = RhodeIsland()
    solver = PublicCFR(rules.public())
    solver.compile()
    started = time.process_time()
    stopped = solver.run(Until(gap=2e-3)).stopped_by
    took = time.process_time() - started
    found = RhodeIslandSolution(rules, "cfr", solver.strategies, stopped, solver.iteration, took)
    started = time.process_time()
    low, high = found.bracket
    proved = time.process_time() - started
    note = f"{solver.iteration:,} iterations, value in [{low:.5f}, {high:.5f}] chips"
    yield Row("Rhode Island hold'em to 1e-3 chips", took, "CPU s", "CPLEX (slides)", 8 * 86_400.0, note=note)
    yield Row("its proof over every deal", proved, "CPU s", note="no symmetries")
