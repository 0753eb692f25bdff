r"""Abstractions against each other: each abstract game is solved, and its strategies meet in the real game.

Let :math:`x_M, y_M` be the two players' strategies of method M's game. What M wins from N per hand, seats changing, is

.. math:: \tfrac12 \bigl(u(x_M, y_N) - u(x_N, y_M)\bigr) ,

with u the real game's payoff to player 1. Exploitabilities are those of :math:`(x_M, y_M)` in the real game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from equiform.abstraction.cards.rhode_island.buckets import HandBuckets
from equiform.abstraction.cards.rhode_island.games import RealGame, abstract_game
from equiform.models.bucketed import BucketStrategy
from equiform.models.common.array_types import FloatArray
from equiform.runs.progress import Listener, Progress, silent
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.registry import create


@dataclass(frozen=True, eq=False)
class AbstractSolution:
    """A solved abstract game and its strategies in the real one."""

    buckets: HandBuckets
    strategies: tuple[BucketStrategy, BucketStrategy] = field(repr=False)
    plans: tuple[FloatArray, FloatArray] = field(repr=False)
    bracket: tuple[float, float]
    """Of the abstract game's value."""
    iterations: int
    exploitability: float
    """In the real game, in chips."""

    @property
    def gap(self) -> float:
        """How far the strategies are from an equilibrium of the abstract game: both players' gains."""
        return self.bracket[1] - self.bracket[0]


def solve_abstract(real: RealGame, buckets: HandBuckets, until: Until) -> AbstractSolution:
    """Solve the game of an abstraction with perfect recall by discounted CFR, and judge it in the real game."""
    game, histories = abstract_game(real, buckets)
    solver = create("dcfr", game.sequence_form())
    last = solver.run(until).checkpoint
    found = [BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(solver.average)]
    first, second = (real.plan(p, histories, s) for p, s in enumerate(found))
    return AbstractSolution(
        buckets, (found[0], found[1]), (first, second), (last.lower, last.upper), last.iteration,
        real.exploitability((first, second)),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Contest:
    """Solved abstractions, and what each wins from each in chips per hand."""

    solutions: tuple[AbstractSolution, ...]
    winnings: FloatArray


def _same(one: HandBuckets, two: HandBuckets) -> bool:
    """Whether two abstractions put the same hands together: their games are then one."""
    return all(np.array_equal(a, b) for a, b in zip(one.labels, two.labels, strict=True))


def contest(
    real: RealGame, abstractions: Sequence[HandBuckets], until: Until, *, progress: Listener = silent
) -> Contest:
    """Solve abstract games and let their strategies meet.

    Parameters
    ----------
    real
        The game that is played.
    abstractions
        Buckets with perfect recall.
    until
        How far each abstract game is solved.
    progress
        Called after each of them.
    """
    solved: list[AbstractSolution] = []
    for buckets in abstractions:
        twin = next((s for s in solved if _same(s.buckets, buckets)), None)
        solved.append(solve_abstract(real, buckets, until) if twin is None else replace(twin, buckets=buckets))
        progress(Progress("abstract games", len(solved), len(abstractions), 0.0))
    payoffs = np.zeros((len(solved), len(solved)))
    for j, theirs in enumerate(solved):
        gradient = real.form.gradient(0, theirs.plans[1])
        payoffs[:, j] = [float(s.plans[0] @ gradient) for s in solved]
    return Contest(tuple(solved), (payoffs - payoffs.T) / 2)
