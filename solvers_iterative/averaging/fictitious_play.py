r"""Fictitious play in realization plans (Brown 1951; Ganzfried's thesis, equation 9.1).

At time t every player answers the others' profile of time t − 1 and moves a step of 1/t towards that answer,

.. math:: s_i^t = \Bigl(1 - \frac1t\Bigr) s_i^{t-1} + \frac1t \, {s'}_i^t,
   \qquad {s'}_i^t \in \operatorname{BR}(s_{-i}^{t-1}),

starting from uniform strategies. Mixing realization plans is mixing the normal-form strategies behind them, so this is
fictitious play of the exponentially large normal form at the cost of one backward pass over each treeplex. It converges
in two-player zero-sum games (Robinson 1951). With more players or other payoffs it may not, but if the profile
converges, its limit is a Nash equilibrium (Fudenberg and Levine 1998).

:class:`FictitiousPlay` plays two-player zero-sum sequence forms with any payoff operator,
:class:`MultiplayerFictitiousPlay` extensive games with perfect recall.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.evaluation import evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.kernels.leaves import leaf_gradient, merged_leaves
from equiform.solvers_iterative.kernels.rows import Index, Rows, Shape, multiply, numbered_arrays, treeplex_shape
from equiform.solvers_iterative.two_player import SequenceFormSolver


class Learner(NamedTuple):
    """One player's arrays."""

    plan: FloatArray  # the mixed history of answers
    answer: FloatArray  # the last best response
    value: FloatArray  # scratch: the gradient, then the values of the actions
    choice: Index  # scratch: the best move of each information set


def _learner(shape: Shape, plan: FloatArray) -> Learner:
    return Learner(plan, plan.copy(), np.empty(len(plan)), np.zeros(len(shape.parent), dtype=np.uint32))


class FictitiousPlay(SequenceFormSolver):
    """Fictitious play of a two-player zero-sum sequence form.

    Parameters
    ----------
    game
        The game, with any payoff operator.
    threads
        How many threads multiply by the payoff matrix.
    """

    def __init__(self, game: SequenceForm, *, threads: int = 1) -> None:
        super().__init__("fp", game, threads=threads)
        plans = [t.realization(t.uniform()) for t in game.treeplexes]
        self._sides = (_learner(self._shapes[0], plans[0]), _learner(self._shapes[1], plans[1]))

    @property
    def options(self) -> dict[str, Any]:
        """The number of threads."""
        return {"threads": self.threads}

    def _advance(self, count: int) -> None:
        compiled = count if self.compiled else 0
        _run(self._shapes, self._rows, self._sides, self._iteration, compiled)
        for t in range(self._iteration + 1 + compiled, self._iteration + count + 1):
            first, second = self._sides
            first.value[:] = self._gradient(0, second.plan)
            second.value[:] = self._gradient(1, first.plan)
            _answer(self._shapes[0], first, t)
            _answer(self._shapes[1], second, t)

    def _state(self) -> dict[str, NDArray[Any]]:
        return numbered_arrays({name: [getattr(s, name) for s in self._sides] for name in ("plan", "answer")})

    @property
    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """The profile s of (9.1): the mixed history."""
        return self._sides[0].plan.copy(), self._sides[1].plan.copy()

    @property
    def current_plans(self) -> tuple[FloatArray, FloatArray]:
        """The last best responses."""
        return self._sides[0].answer.copy(), self._sides[1].answer.copy()


class MultiplayerFictitiousPlay(IterativeSolver):
    """Fictitious play of an extensive game with perfect recall, any number of players and any payoffs.

    Parameters
    ----------
    game
        The game tree.
    """

    def __init__(self, game: ExtensiveGame) -> None:
        super().__init__("fp", game.name)
        self.game = game
        self._leaves = merged_leaves(game)
        self._counts = np.cumsum([0, *(t.num_sequences for t in game.treeplexes)])
        self._plans = np.concatenate([t.realization(t.uniform()) for t in game.treeplexes])
        self._answers = self._plans.copy()
        self._values = np.empty(len(self._plans))
        self._shapes = [treeplex_shape(t) for t in game.treeplexes]
        self._sides = [self._view(p) for p in range(len(game.players))]

    def _view(self, player: int) -> Learner:
        own = slice(self._counts[player], self._counts[player + 1])
        choice = np.zeros(self.game.treeplexes[player].num_infosets, dtype=np.uint32)
        return Learner(self._plans[own], self._answers[own], self._values[own], choice)

    @property
    def options(self) -> dict[str, Any]:
        """There are none."""
        return {}

    def _advance(self, count: int) -> None:
        for t in range(self._iteration + 1, self._iteration + count + 1):
            self._values[:] = 0.0
            for p in range(len(self._sides)):
                leaf_gradient(self._leaves, self._plans, p, self._values)
            for shape, side in zip(self._shapes, self._sides, strict=True):
                _answer(shape, side, t)
        if count == 0:  # compile on copies
            leaf_gradient(self._leaves, self._plans, 0, self._values)
            side = self._sides[0]
            copies = (side.plan.copy(), side.answer.copy(), side.value.copy(), side.choice.copy())
            _answer(self._shapes[0], Learner(*copies), 1)

    def _state(self) -> dict[str, NDArray[Any]]:
        return {"plans": self._plans, "answers": self._answers}

    def _measure(self) -> Measurement:
        found = evaluate(self.game, [s.floats for s in self.average])
        regrets = tuple(found.regrets.tolist())
        if len(regrets) == 2 and self.game.is_zero_sum:
            return Measurement(-float(found.best_responses[1]), float(found.best_responses[0]), regrets)
        return Measurement(math.nan, math.nan, regrets)

    def _fingerprint(self) -> str:
        return fingerprint([self._leaves.slot, self._leaves.payoff, *(s.parent for s in self._shapes)])

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The profile s of (9.1): the mixed history."""
        return self._strategies(self._plans)

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last best responses."""
        return self._strategies(self._answers)

    def _strategies(self, plans: FloatArray) -> tuple[Strategy, ...]:
        parts = np.split(plans, self._counts[1:-1])
        return tuple(Strategy.from_plan(t, plan) for t, plan in zip(self.game.treeplexes, parts, strict=True))


@jit
def _run(
    shapes: tuple[Shape, Shape], rows: tuple[Rows, Rows], sides: tuple[Learner, Learner], done: int, count: int
) -> None:
    for t in range(done + 1, done + count + 1):
        multiply(rows[0], sides[1].plan, sides[0].value)
        multiply(rows[1], sides[0].plan, sides[1].value)
        _answer(shapes[0], sides[0], t)
        _answer(shapes[1], sides[1], t)


@jit
def _answer(shape: Shape, side: Learner, t: int) -> None:
    """Find the best response to the gradient in ``side.value`` and mix it in with weight 1/t."""
    plan, answer, value, choice = side.plan, side.answer, side.value, side.choice
    for h in range(len(shape.parent) - 1, -1, -1):
        best = shape.start[h]
        for s in range(shape.start[h] + 1, shape.start[h + 1]):
            if value[s] > value[best]:
                best = s
        choice[h] = best
        value[shape.parent[h]] += value[best]
    answer[:] = 0.0
    answer[0] = 1.0
    for h in range(len(shape.parent)):
        answer[choice[h]] = answer[shape.parent[h]]
    step = 1.0 / t
    for s in range(len(plan)):
        plan[s] = (1.0 - step) * plan[s] + step * answer[s]
