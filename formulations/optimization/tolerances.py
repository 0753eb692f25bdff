"""Tighter feasibility tolerances for programs whose answer is a strategy.

A mixed-integer solver accepts rows that are violated by 1e-6. In a game this can be a gain of 1e-6 times a big constant
for some player, and where a signal is improbable, such a row may decide whether the program is feasible at all.
"""

from __future__ import annotations

from typing import Any

from equiform.formulations.optimization.options import SolverOptions

_TIGHT: dict[str, dict[str, Any]] = {
    "highs": {"mip_feasibility_tolerance": 1e-9},
    "scip": {"numerics/feastol": 1e-9},
}


def tight(solver: SolverOptions) -> SolverOptions:
    """Add a backend's tight tolerances to the user's options, which take precedence.

    >>> tight(SolverOptions("highs", options={"mip_feasibility_tolerance": 1e-7})).options
    {'mip_feasibility_tolerance': 1e-07}
    """
    return solver.with_options(**_TIGHT.get(solver.backend, {}))
