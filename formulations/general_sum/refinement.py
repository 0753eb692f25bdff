"""Refining a program with interpolated products until its answer is an equilibrium.

Pieces that cover only the neighbourhood of an answer are finer, and the interpolation error falls with the square of
their length. Where nothing is feasible in the neighbourhood, the whole range is cut into more pieces.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import Interval, Pieces, encoding_for
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.optimization.tolerances import tight
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import Record

Key = tuple[int, int]
Bounds = Mapping[Key, Interval]

TOLERANCE = 1e-8
"""The share of a player's payoff range up to which a regret is rounding."""
REFINEMENTS = 12
"""Programs after the first one."""
SHRINK = 4.0
"""How much smaller each neighbourhood is than the one before."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RefinedResult(Record):
    """What every program with interpolated products returns, whatever form the game and the profile have."""

    solution: Solution = field(repr=False)
    build_seconds: float = 0.0
    tolerance: float = TOLERANCE
    """The share of a player's payoff range that the player may gain in what is called an equilibrium."""
    programs: int = 1
    """How many programs were solved: one, and one more per refinement."""

    def gains(self) -> tuple[FloatArray, FloatArray]:
        """Return what each player gains from a best response, computed on the game, and each player's payoff range."""
        raise NotImplementedError

    @property
    def approximate(self) -> bool:
        """Whether a player gains more than the tolerance allows."""
        regrets, ranges = self.gains()
        return bool((regrets > self.tolerance * ranges).any())

    @property
    def epsilon(self) -> float:
        """The largest gain of any player from a best response."""
        return float(self.gains()[0].max())


Result = TypeVar("Result", bound=RefinedResult)
Attempt = Callable[[Pieces, Bounds, float | None], tuple[Result, Mapping[Key, float]] | None]
"""Solve with pieces that cover these bounds, within so many seconds: the result and the point found, if any."""

Reader = Callable[[Any, Solution, float], tuple[Result, Mapping[Key, float]]]
"""From a solved model, its solution and the seconds of building it: the result and the point found."""


def solve_refined(
    build: Callable[..., Any],
    read: Reader[Result],
    pieces: Pieces | None,
    *,
    num_players: int,
    refinements: int,
    solver: SolverOptions,
) -> Result:
    """Build, solve and read programs until the answer is an equilibrium; return the best one.

    ``build`` takes ``pieces`` and ``bounds``. Two players need no products, so the first program is exact and there is
    nothing to refine. An error is raised if the first program has no answer.
    """
    chosen = pieces or Pieces(encoding=encoding_for(solver.backend))

    def attempt(pieces: Pieces, near: Bounds, seconds: float | None) -> tuple[Result, Mapping[Key, float]] | None:
        model, built = timed(build, pieces=pieces, bounds=near)
        solution = solve_model(model, tight(replace(solver, time_limit=seconds)))
        if solution.x is not None:
            return read(model, solution, built)
        if not near and pieces is chosen:  # the first program
            solution.require_optimal()
        return None

    more = refinements if num_players > 2 else 0
    best, programs = refined(attempt, chosen, refinements=more, time_limit=solver.time_limit)
    assert best is not None  # otherwise the first attempt raised an error
    return replace(best, programs=programs)


def refined(
    attempt: Attempt[Result], pieces: Pieces, *, refinements: int, time_limit: float | None
) -> tuple[Result | None, int]:
    """Solve refined programs until the answer is an equilibrium; return the best one and the number of programs.

    There is no answer if the first program has none. The time limit is for all programs together.
    """
    started = time.perf_counter()
    best: Result | None = None
    near: Bounds = {}
    radius, number = 1.0, 0
    for number in range(1, refinements + 2):
        left = None if time_limit is None else time_limit - (time.perf_counter() - started)
        if best is not None and left is not None and left <= 0:
            return best, number - 1
        found = attempt(pieces, near, left)
        if found is None and best is None:
            break
        if found is None:
            pieces, near, radius = replace(pieces, breakpoints=2 * pieces.breakpoints - 1), {}, 1.0
            continue
        result, point = found
        if best is None or result.epsilon < best.epsilon:
            best = result
        if not best.approximate:
            break
        radius /= SHRINK
        near = {key: (max(p - radius, 0.0), min(p + radius, 1.0)) for key, p in point.items()}
    return best, number
