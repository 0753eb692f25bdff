r"""Bounds on where the thresholds of an equilibrium can lie, from a linear relaxation.

In the parametric program, replace every product by its convex hull on the current bounds of its factors (McCormick
1976) and relax the binaries. Every equilibrium that fits the models satisfies this linear program, so the least and the
largest value of each :math:`F_j(t_k)` in it are bounds. Narrower bounds make narrower hulls, and so on for several
rounds: optimality-based bound tightening (A. M. Gleixner, T. Berthold, B. Müller and S. Weltge, *Three enhancements for
optimization-based bound tightening*, 2017).

Pieces that cover only the remaining range are finer, and the interpolation error is the *square* of their length (Lemma
2). If the bounds shrink to a point, only one equilibrium fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from equiform.formulations.optimization.backends.reuse import ReusableProgram
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.piecewise_product import Interval
from equiform.models.signals.indifference import CdfValue

MARGIN = 1e-3
"""Bounds are widened by this: far more than the error of a linear program, and enough to keep pieces above it."""
ROOM = 0.1
"""They are also widened by this share of their width: the interpolated solution lies near the true one, not at it."""
GAIN = 0.9
"""Stop if a round leaves more than this share of the total width."""

Bounds = Mapping[CdfValue, Interval]


def tighten_bounds(
    relaxation: Callable[[Bounds], Any],
    variable: Callable[[Any, CdfValue], Any],
    values: Iterable[CdfValue],
    rounds: int,
) -> Bounds:
    """Bound CDF values in up to ``rounds`` rounds; ``relaxation`` builds the program for given bounds.

    The result is empty (no bounds) if the relaxation is infeasible: then no equilibrium fits, as the program itself
    will find within its own tolerance.
    """
    bounds: dict[CdfValue, Interval] = dict.fromkeys(sorted(values), (0.0, 1.0))
    for _ in range(rounds):
        model = relaxation(bounds)
        program = compile_model(model)
        solver = ReusableProgram(replace(program, integer=np.zeros_like(program.integer), c=np.zeros_like(program.c)))
        before = sum(high - low for low, high in bounds.values())
        for value in bounds:
            column = int(program.columns([variable(model, value)])[0])
            ends = [_end(solver, column, sense) for sense in (1.0, -1.0)]
            if None in ends:
                return {}
            bounds[value] = _narrowed(bounds[value], ends)
        if sum(high - low for low, high in bounds.values()) > GAIN * before:
            break
    return bounds


def _end(solver: ReusableProgram, column: int, sense: float) -> float | None:
    """Return the least (sense 1) or largest (-1) value of a column; ``None`` if there is no feasible point."""
    solver.set_cost([column], [sense])
    solution = solver.solve()
    solver.set_cost([column], [0.0])
    return None if solution.x is None else float(solution.x[column])


def _narrowed(old: Interval, ends: list[float | None]) -> Interval:
    low, high = (float(end) for end in ends if end is not None)
    room = MARGIN + ROOM * max(high - low, 0.0)
    return max(old[0], low - room), min(old[1], high + room)
