r"""Counterfactual regret minimization on the sequence form, and its descendants.

With realization plans x, y the gradient :math:`g = Ay` of player 1 holds everything that the opponent and chance do, so
the counterfactual value of an action and of an information set come from one backward pass over the treeplex,

.. math:: v_{ha} = g_{ha} + \sum_{h' : \sigma_{h'} = ha} V_{h'}, \qquad V_h = \sum_{a \in h} b_{ha} v_{ha},

and regret matching plays :math:`b_{ha} \propto [R_{ha}]^+` (uniform where all regrets are non-positive). One iteration
is two sparse products and two short passes, whatever the number of histories. The variants differ in how regrets and
averages are weighted at iteration t (:class:`~equiform.solvers_iterative.regret.rule.Rule`):

==============  ===========================================================================  =====================
``cfr``         :math:`R \mathrel{+}= r`, uniform average                                    Zinkevich et al. 2007
``cfr+``        :math:`R = [R + r]^+`, average weighted by t, alternating updates            Tammelin 2014
``linear-cfr``  :math:`R = (R + r)\,t/(t+1)`, average weighted by t                          Brown & Sandholm 2019
``dcfr``        positive R times :math:`t^\alpha/(t^\alpha+1)`, negative R times             Brown & Sandholm 2019
                :math:`t^\beta/(t^\beta+1)`, average weighted by :math:`t^\gamma`
``pcfr+``       cfr+ that plays against a prediction, the last gradient; average by t²       Farina et al. 2021
==============  ===========================================================================  =====================

In PCFR+ the next strategy is :math:`b_h \propto [R_h + m_h - \langle m_h, b_h\rangle]^+` where the predicted values
:math:`m_h` follow from the last gradient and the *new* strategies below h, so both recursions share one backward pass.

The average of realization plans is again one; it carries the guarantee. With alternating updates player 2 answers the
plan that player 1 has just chosen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.solvers_iterative.kernels.rows import Rows, Shape, multiply, numbered_arrays
from equiform.solvers_iterative.regret.rule import TINY, Weights, average_weight, discount, rule
from equiform.solvers_iterative.two_player import SequenceFormSolver


class Side(NamedTuple):
    """One player's arrays. ``plan`` follows from ``behavior``; the rest of the state is ``regret`` and ``total``."""

    behavior: FloatArray
    plan: FloatArray
    regret: FloatArray
    total: FloatArray  # weighted sum of plans
    value: FloatArray  # scratch: the gradient, then the values of the actions
    predicted: FloatArray  # scratch: the same under the next strategy; empty unless predictive


class CFR(SequenceFormSolver):
    """CFR on a sequence form: a named variant, or custom weights.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    variant
        ``cfr``, ``cfr+``, ``linear-cfr``, ``dcfr`` or ``pcfr+``.
    threads
        How many threads multiply by the payoff matrix.
    **weights
        Fields of :class:`~equiform.solvers_iterative.regret.rule.Rule` to change: ``alpha``, ``beta``, ``gamma``,
        ``delay``, ``alternating``.

    Raises
    ------
    ParameterError
        If the variant or a weight is not known, or if a weight is out of range.

    Examples
    --------
    >>> from equiform.models.normal_form import NormalForm
    >>> from equiform.solvers_iterative.progress import Until
    >>> pennies = NormalForm.from_matrix("pennies", "HT", "HT", [[2, -1], [-1, 1]]).sequence_form()
    >>> round(CFR(pennies, "cfr+").run(Until(gap=1e-6)).checkpoint.upper, 5)
    0.2
    """

    def __init__(self, game: SequenceForm, variant: str = "cfr", *, threads: int = 1, **weights: Any) -> None:
        super().__init__(variant, game, threads=threads)
        self.rule = rule(variant, **weights)
        self._weights = weights
        self._sides: tuple[Side, Side] = (self._side(0), self._side(1))

    def _side(self, player: int) -> Side:
        treeplex = self.game.treeplexes[player]
        behavior = treeplex.uniform()
        n = treeplex.num_sequences
        scratch = np.empty(n if self.rule.predictive else 0)
        return Side(behavior, treeplex.realization(behavior), np.zeros(n), np.zeros(n), np.empty(n), scratch)

    @property
    def options(self) -> dict[str, Any]:
        """The changed weights and the number of threads."""
        return {**self._weights, "threads": self.threads}

    def _advance(self, count: int) -> None:
        weights = self.rule.weights
        if self.compiled:
            _run(self._shapes, self._rows, self._sides, weights, self._iteration, count)
            return
        _run(self._shapes, self._rows, self._sides, weights, self._iteration, 0)
        for t in range(self._iteration + 1, self._iteration + count + 1):
            self._operator_iteration(weights, t)

    def _operator_iteration(self, weights: Weights, t: int) -> None:
        first, second = self._sides
        first.value[:] = self._gradient(0, second.plan)
        if weights.alternating:
            _update(self._shapes[0], first, weights, t)
            second.value[:] = self._gradient(1, first.plan)
        else:
            second.value[:] = self._gradient(1, first.plan)
            _update(self._shapes[0], first, weights, t)
        _update(self._shapes[1], second, weights, t)

    def _state(self) -> dict[str, NDArray[Any]]:
        names = ("behavior", "plan", "regret", "total")
        return numbered_arrays({name: [getattr(side, name) for side in self._sides] for name in names})

    @property
    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """The averaged realization plans; before the first weighted iteration the current ones."""
        first, second = ((s.total / s.total[0] if s.total[0] > 0 else s.plan.copy()) for s in self._sides)
        return first, second

    @property
    def current_plans(self) -> tuple[FloatArray, FloatArray]:
        """The last realization plans."""
        return self._sides[0].plan.copy(), self._sides[1].plan.copy()

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last iterate, by regret matching at every information set, reached or not."""
        pairs = zip(self.game.treeplexes, self._sides, strict=True)
        return tuple(Strategy(treeplex, side.behavior.copy()) for treeplex, side in pairs)


@jit
def _run(
    shapes: tuple[Shape, Shape],
    rows: tuple[Rows, Rows],
    sides: tuple[Side, Side],
    weights: Weights,
    done: int,
    count: int,
) -> None:
    """Run whole iterations: gradient, backward pass, regret matching, forward pass for each player."""
    for t in range(done + 1, done + count + 1):
        multiply(rows[0], sides[1].plan, sides[0].value)
        if not weights.alternating:
            multiply(rows[1], sides[0].plan, sides[1].value)
        _update(shapes[0], sides[0], weights, t)
        if weights.alternating:
            multiply(rows[1], sides[0].plan, sides[1].value)
        _update(shapes[1], sides[1], weights, t)


@jit
def _update(shape: Shape, side: Side, weights: Weights, t: int) -> None:
    """Take a gradient (in ``side.value``) into regrets, strategy, average and plan."""
    if weights.predictive:
        _backward_predictive(shape, side)
    else:
        _backward(shape, side, discount(t, weights.alpha), discount(t, weights.beta))
    _forward(shape, side, average_weight(t, weights))


@jit
def _backward(shape: Shape, side: Side, positive: float, negative: float) -> None:
    behavior, regret, value = side.behavior, side.regret, side.value
    for h in range(len(shape.parent) - 1, -1, -1):
        low, high = shape.start[h], shape.start[h + 1]
        expected = 0.0
        for s in range(low, high):
            expected += behavior[s] * value[s]
        mass = 0.0
        for s in range(low, high):
            r = regret[s] + (value[s] - expected)
            r *= positive if r > 0.0 else negative
            regret[s] = r
            mass += max(r, 0.0)
        if mass > TINY:
            for s in range(low, high):
                behavior[s] = max(regret[s], 0.0) / mass
        else:
            for s in range(low, high):
                behavior[s] = 1.0 / (high - low)
        value[shape.parent[h]] += expected


@jit
def _backward_predictive(shape: Shape, side: Side) -> None:
    behavior, regret, value, predicted = side.behavior, side.regret, side.value, side.predicted
    predicted[:] = value
    for h in range(len(shape.parent) - 1, -1, -1):
        low, high = shape.start[h], shape.start[h + 1]
        expected, foreseen = 0.0, 0.0
        for s in range(low, high):
            expected += behavior[s] * value[s]
            foreseen += behavior[s] * predicted[s]
        mass = 0.0
        for s in range(low, high):
            regret[s] = max(regret[s] + (value[s] - expected), 0.0)
            behavior[s] = max(regret[s] + (predicted[s] - foreseen), 0.0)
            mass += behavior[s]
        foreseen = 0.0
        for s in range(low, high):
            behavior[s] = behavior[s] / mass if mass > TINY else 1.0 / (high - low)
            foreseen += behavior[s] * predicted[s]
        value[shape.parent[h]] += expected
        predicted[shape.parent[h]] += foreseen


@jit
def _forward(shape: Shape, side: Side, weight: float) -> None:
    """Add the plan that was played to the average, then rebuild it from the new strategy."""
    behavior, plan, total = side.behavior, side.plan, side.total
    for s in range(len(plan)):
        total[s] += weight * plan[s]
    for h in range(len(shape.parent)):
        reach = plan[shape.parent[h]]
        for s in range(shape.start[h], shape.start[h + 1]):
            plan[s] = reach * behavior[s]
