r"""The (ε, δ)-endgame property: how exploitable can good endgame play be?

S. Ganzfried, PhD thesis (CMU 2015), §10.1, Proposition 11. For a fixed trunk, :math:`\varepsilon^*(\delta)` is the
least ε such that every strategy which is exploitable by more than ε in the whole game is exploitable by more than δ
within an endgame. Put the other way round: the largest exploitability in the whole game of a strategy that is, in every
endgame, within δ of that endgame's value.

The opponent's path through the trunk decides which classes enter which endgame; what they can collect there at most,
:math:`F_k(S)` for the classes S of endgame k, is :mod:`equiform.formulations.endgames.worst_play`. What is left is the
choice of the path:

Sets
    the opponent's sequences t in the trunk; endgames k and the subsets S of the opponent's classes there.
Data
    :math:`g_t`, what t earns the opponent at the ends of the trunk itself; :math:`F_k(S)`.
Variables
    :math:`y_t` binary realization plan in the trunk; :math:`s_{kS}` binary, S enters endgame k.

.. math::

    \max\; \sum_t g_t y_t + \sum_{k, S} F_k(S)\, s_{kS} \quad \text{s.t.} \quad
    y \text{ is a plan} \;(\text{flow}), \qquad \sum_S s_{kS} = 1 \;(\text{one}), \qquad
    y_{\sigma(c)} = \sum_{S \ni c} s_{kS} \;(\text{enter}),

:math:`\sigma(c)` the sequence by which class c is entered. The game's value to the player plus the optimum is
:math:`\varepsilon^*(\delta)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyomo.core as pyo

from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.treeplex import Treeplex

#: A set of classes, as a tuple of their numbers.
Subset = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class EnteredEndgame:
    """An endgame as the opponent's path through the trunk sees it."""

    entered_by: IntArray = field(repr=False)
    """The opponent's sequence by which each class is entered."""
    collected: Mapping[Subset, float] = field(repr=False)
    """The most that each set of classes can collect; the empty set is not listed."""


@dataclass(frozen=True, eq=False)
class WorstPath:
    """The opponent's most profitable path through the trunk."""

    collected: float
    """What it earns at most, against good endgame play of the worst kind."""
    plan: FloatArray = field(repr=False)
    subsets: tuple[Subset, ...]
    """The classes that enter each endgame."""
    solution: Solution = field(repr=False)


def build(
    treeplex: Treeplex, trunk: BoolArray, earned: FloatArray, endgames: Sequence[EnteredEndgame]
) -> pyo.ConcreteModel:
    """Build the choice of the opponent's path: ``y``, ``flow``, ``s``, ``one``, ``enter`` and the ``objective``.

    Parameters
    ----------
    treeplex
        The opponent's, of the whole game.
    trunk
        Which of the opponent's sequences belong to the trunk.
    earned
        What each sequence earns the opponent at ends of the game within the trunk.
    endgames
        What can be collected in each endgame.
    """
    model = pyo.ConcreteModel(name=f"worst path through the trunk for {treeplex.player}")
    inside = np.flatnonzero(trunk)
    model.y = vector_var(inside.tolist(), domain=pyo.Binary)
    rows = np.append(0, 1 + np.flatnonzero(trunk[treeplex.start[:-1]]))
    model.flow = MatrixConstraint(treeplex.E[rows][:, inside], model.y, lower=treeplex.e[rows], upper=treeplex.e[rows])
    choices = [(k, subset) for k, endgame in enumerate(endgames) for subset in ((), *endgame.collected)]
    model.s = pyo.Var(range(len(choices)), domain=pyo.Binary)
    of_endgame = [[n for n, (k, _) in enumerate(choices) if k == endgame] for endgame in range(len(endgames))]
    model.one = pyo.Constraint(range(len(endgames)), rule=lambda m, k: pyo.quicksum(m.s[n] for n in of_endgame[k]) == 1)
    classes = [(k, c) for k, endgame in enumerate(endgames) for c in range(len(endgame.entered_by))]
    model.enter = pyo.Constraint(
        range(len(classes)),
        rule=lambda m, n: (
            pyo.quicksum(m.s[i] for i in of_endgame[classes[n][0]] if classes[n][1] in choices[i][1])
            == m.y[int(endgames[classes[n][0]].entered_by[classes[n][1]])]
        ),
    )
    worth = np.array([endgames[k].collected.get(subset, 0.0) for k, subset in choices])
    model.objective = pyo.Objective(expr=dot(earned[inside], model.y) + dot(worth, model.s), sense=pyo.maximize)
    return model


def solve(
    treeplex: Treeplex,
    trunk: BoolArray,
    earned: FloatArray,
    endgames: Sequence[EnteredEndgame],
    *,
    solver: SolverOptions = DEFAULT,
) -> WorstPath:
    """Find the path through the trunk on which the opponent collects the most."""
    model = build(treeplex, trunk, earned, endgames)
    solution = solve_model(model, solver).require_optimal()
    plan = np.zeros(treeplex.num_sequences)
    plan[np.flatnonzero(trunk)] = np.rint(solution.values(model.y))
    subsets = tuple(tuple(np.flatnonzero(plan[e.entered_by] > 0.5).tolist()) for e in endgames)
    collected = float(plan @ earned) + sum(e.collected.get(s, 0.0) for e, s in zip(endgames, subsets, strict=True))
    return WorstPath(collected, plan, subsets, solution)
