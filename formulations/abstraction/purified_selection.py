r"""The best and the worst that purification can make of an equilibrium: a mixed-integer program.

Purification plays the most probable action at every information set (S. Ganzfried, PhD thesis, CMU 2015, §8.1.1). It is
not continuous, so what the purified strategy of *one* equilibrium earns says little about the others. Over all
equilibrium plans x of a player, with z the purified choice at every information set and p the pure plan that follows:

.. math::

    \max \text{ and } \min\; g^\top p \quad \text{s.t.} \quad
    & Ex = e,\; x \ge 0, \quad A^\top x - F^\top q \ge 0, \quad q_0 \ge v && \text{(x is an equilibrium strategy)} \\
    & \textstyle\sum_{a \in h} z_{ha} = 1, \quad x_{ha} \ge x_{ha'} - (1 - z_{ha}) \quad \forall a' \in h,
      \quad z \in \{0, 1\} && \text{(z is most probable)} \\
    & Ep = e, \quad 0 \le p \le z && \text{(p plays z)} .

With ``gain`` the objective is :math:`g^\top (p - x)`, what purification adds. At one information set the plan orders
the actions as the behavioural strategy does. Where two actions tie, the program may take either; the thesis then plays
both alike, which lies between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import plan_values, realization_plan
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, dot, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.records import Record
from equiform.models.game import Game, as_sequence_form
from equiform.models.treeplex import Treeplex

_SLACK = 1e-9  # the value is known only up to a solver's rounding


@dataclass(frozen=True, eq=False)
class PurifiedSelection(Record):
    """The equilibrium strategy whose purification earns, or gains, most or least."""

    value: float
    pure: FloatArray = field(repr=False)
    """The plan of the purified strategy."""
    equilibrium: FloatArray = field(repr=False)
    """The plan of the equilibrium strategy."""


def build(
    game: Game,
    functional: FloatArray,
    *,
    value: float,
    player: int = 0,
    gain: bool = False,
    sense: Any = pyo.maximize,
) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    functional
        One coefficient per sequence of ``player``.
    value
        The game's value for the first player.
    player
        The player whose strategy is purified, 0 or 1.
    gain
        Whether to optimise what purification adds instead of what the purified strategy earns.
    sense
        ``pyomo.environ.maximize`` or ``minimize``.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan``, ``guarantee`` and ``pure``, the choices ``z`` and the ``objective``.
    """
    game = as_sequence_form(game)
    treeplex = game.treeplexes[require_player(player, 2, game.name)]
    floor = (value if player == 0 else -value) - _SLACK
    model = safe_response.build(game, functional, floor=floor, player=player, sense=sense)
    model.name = f"purified equilibria of {game.name} for {treeplex.player}"
    model.del_component(model.objective)
    n = treeplex.num_sequences
    model.z = vector_var(n, lower=0.0, upper=1.0, domain=pyo.Binary)
    model.pure = realization_plan(treeplex)
    below = sp.hstack([sp.eye_array(n), -sp.eye_array(n)], format="csr")
    model.plays = MatrixConstraint(below, [*model.pure.x.values(), *model.z.values()], upper=0.0)
    owner = sp.csr_array((np.ones(n - 1), (treeplex.infoset_of[1:], np.arange(1, n))), shape=(treeplex.num_infosets, n))
    model.chooses = MatrixConstraint(owner, model.z, lower=1.0, upper=1.0)
    model.z[0].fix(1)
    first, second = _rivals(treeplex)
    rows = np.arange(len(first))
    ones = np.ones(len(first))
    order = sp.csr_array(
        (
            np.concatenate([ones, -ones, -ones]),
            (np.concatenate([rows] * 3), np.concatenate([first, second, n + first])),
        ),
        shape=(len(first), 2 * n),
    )
    model.most_probable = MatrixConstraint(order, [*model.plan.x.values(), *model.z.values()], lower=-1.0)
    earned = dot(functional, model.pure.x)
    model.objective = pyo.Objective(expr=earned - dot(functional, model.plan.x) if gain else earned, sense=sense)
    return model


def _rivals(treeplex: Treeplex) -> tuple[Any, Any]:
    """List all ordered pairs of actions of an information set."""
    pairs = [
        pair
        for low, high in zip(treeplex.start[:-1].tolist(), treeplex.start[1:].tolist(), strict=True)
        for pair in permutations(range(low, high), 2)
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def solve(
    game: Game,
    functional: FloatArray,
    *,
    value: float,
    player: int = 0,
    worst: bool = False,
    gain: bool = False,
    solver: SolverOptions = DEFAULT,
) -> PurifiedSelection:
    """Find the equilibrium strategy whose purification earns the most, or the least.

    Parameters
    ----------
    game, functional, value, player, gain
        As for :func:`build`.
    worst
        Whether to look for the least.
    solver
        The backend and how to run it.

    Returns
    -------
    PurifiedSelection
        The value, the pure plan and the equilibrium plan.

    Raises
    ------
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    sense = pyo.minimize if worst else pyo.maximize
    model = build(game, functional, value=value, player=player, gain=gain, sense=sense)
    solution = solve_model(model, solver).require_optimal()
    pure = game.treeplexes[player].realization(np.round(solution.values(model.z)))
    equilibrium = plan_values(solution, model.plan)
    return PurifiedSelection(float(functional @ (pure - equilibrium if gain else pure)), pure, equilibrium)
