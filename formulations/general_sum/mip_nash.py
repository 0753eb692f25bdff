r"""Nash equilibrium of a general-sum game in normal form by mixed-integer programming.

T. Sandholm, A. Gilpin and V. Conitzer, *Mixed-integer programming methods for finding Nash equilibria*, AAAI 2005
(formulation 1), for two players exactly; for more players with products of probabilities replaced by interpolated ones
(Ganzfried 2015, §11.7.3, last part).

Sets
    players i, actions a of player i.
Variables
    :math:`p_{i,a} \in [0, 1]` probability; :math:`v_i` the player's best payoff; :math:`b_{i,a} \in \{0, 1\}` one if
    a is not played.

.. math::

    & \sum_a p_{i,a} = 1, \qquad v_i \ge u_{i,a}(p_{-i}), \\
    & v_i - u_{i,a}(p_{-i}) \le U_i b_{i,a} + \varepsilon, \qquad p_{i,a} \le 1 - b_{i,a},

where :math:`U_i` is the range of player i's payoffs. The last probability of each player is one minus the others,
which saves products. With n players :math:`u_{i,a}` is off by a known error; ε defaults to twice that error, which
keeps every true equilibrium feasible. ``objective`` chooses among equilibria.

With n players a single program may allow a large ε, so :func:`solve` refines it
(:mod:`equiform.formulations.general_sum.refinement`) until the regret, computed from the payoff tables, is within the
tolerance; otherwise the result says that it is approximate.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyomo.core as pyo

from equiform.formulations.general_sum.conditions import BestOrUnplayed, Objective
from equiform.formulations.general_sum.refinement import (
    REFINEMENTS,
    TOLERANCE,
    Bounds,
    Key,
    RefinedResult,
    solve_refined,
)
from equiform.formulations.general_sum.regret_play import play_by_regrets
from equiform.formulations.general_sum.support_newton import polish_profile
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.piecewise_product import Pieces, Products
from equiform.formulations.optimization.scaling import declare_unit
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError
from equiform.models.game import require_normal_form
from equiform.models.normal_form import NormalForm
from equiform.models.strategy import Strategy

Terms = dict[tuple[Any, ...], float]


@dataclass(frozen=True, eq=False)
class NashResult(RefinedResult):
    """A mixed profile, its payoffs, and each player's regret computed from the payoff tables."""

    game: NormalForm
    profile: tuple[FloatArray, ...]
    payoffs: FloatArray
    regrets: FloatArray
    guarantee: float
    """The ε that the program's slack and interpolation error allow at most (before polishing)."""

    def gains(self) -> tuple[FloatArray, FloatArray]:
        """Return each player's regret and range of payoffs, from the payoff tables."""
        return self.regrets, np.ptp(_payoffs(self.game), axis=1)

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """The profile with the names of its actions, in the form that certificates and files use."""
        return tuple(
            Strategy(treeplex, np.append(1.0, p))
            for treeplex, p in zip(self.game.treeplexes, self.profile, strict=True)
        )


def build(
    game: NormalForm,
    *,
    objective: Objective = "any",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    bounds: Bounds | None = None,
) -> pyo.ConcreteModel:
    """Build the program.

    Parameters
    ----------
    game
        A game in normal form, with any number of players.
    objective
        ``any`` equilibrium, the one with the largest sum of payoffs (``welfare``), or the least ε (``regret``).
    epsilon
        The slack of the equilibrium conditions; by default what the interpolation error requires.
    pieces
        How products of probabilities are interpolated, for three players or more.
    bounds
        Where to look: bounds of probabilities by player and action, which the pieces then cover.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with probabilities ``p``, values ``v``, binaries ``unplayed`` and the ``objective``.

    Raises
    ------
    UnsupportedGameError
        If the game is not in normal form.
    ParameterError
        If ``objective`` is unknown.
    """
    require_normal_form(game, "mip_nash_extensive")
    model = pyo.ConcreteModel(name=f"MIP Nash of {game.name}")
    players = range(len(game.players))
    keys = [(i, a) for i, actions in enumerate(game.actions) for a in range(len(actions))]
    near = bounds or {}
    model.p = pyo.Var(keys, bounds=lambda m, i, a: near.get((i, a), (0.0, 1.0)))
    model.unplayed = pyo.Var(keys, domain=pyo.Binary)
    model.v = pyo.Var(players)
    model.distribution = pyo.Constraint(
        players, rule=lambda m, i: sum(m.p[i, a] for a in range(len(game.actions[i]))) == 1
    )
    products = Products(lambda key: model.p[key], pieces or Pieces(), near)
    conditions = BestOrUnplayed(model, game.name, _payoffs(game), objective, epsilon)
    for i, a in keys:
        value, error = products.linear(action_value(game, i, a))
        conditions.add((i, a), model.v[i], value, error)
    model.allowed = conditions.allowed
    for i, unit in enumerate(conditions.units):
        declare_unit(model, unit, model.v[i])
    model.product = products.block
    model.support = pyo.Constraint(keys, rule=lambda m, i, a: m.p[i, a] <= 1 - m.unplayed[i, a])
    conditions.choose(model.v.values)
    return model


def action_value(game: NormalForm, player: int, action: int) -> Terms:
    """Return an action's payoff as a polynomial in the others' probabilities, without each player's last one."""
    others = [j for j in range(len(game.players)) if j != player]
    table = np.moveaxis(game.payoff_floats[player], player, 0)[action]
    terms: Terms = {}
    for cell in itertools.product(*(range(len(game.actions[j])) for j in others)):
        product: Terms = {(): float(table[cell])}
        for j, a in zip(others, cell, strict=True):
            product = multiply(product, _probability(game, j, a))
        for monomial, coefficient in product.items():
            terms[monomial] = terms.get(monomial, 0.0) + coefficient
    rounding = 1e-15 * float(np.abs(table).max())
    return {m: c for m, c in terms.items() if abs(c) > rounding}


def _payoffs(game: NormalForm) -> FloatArray:
    """Return each player's payoffs, as a row."""
    return game.payoff_floats.reshape(len(game.players), -1)


def _probability(game: NormalForm, player: int, action: int) -> Terms:
    last = len(game.actions[player]) - 1
    if action < last:
        return {((player, action),): 1.0}
    return {(): 1.0} | {((player, a),): -1.0 for a in range(last)}


def multiply(left: Terms, right: Terms) -> Terms:
    """Multiply two polynomials."""
    product: Terms = {}
    for a, c in left.items():
        for b, d in right.items():
            product[a + b] = product.get(a + b, 0.0) + c * d
    return product


def solve(
    game: NormalForm,
    *,
    objective: Objective = "any",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    polish: bool = True,
    tolerance: float = TOLERANCE,
    refinements: int = REFINEMENTS,
    solver: SolverOptions = DEFAULT,
) -> NashResult:
    """Find an equilibrium; with three players or more, refine the program until its answer is one, or say it is not.

    Parameters
    ----------
    game, objective, epsilon, pieces
        As for :func:`build`.
    polish
        Whether to solve the indifference equations on the supports found, which makes the answer exact up to rounding
        whenever they belong to an equilibrium.
    tolerance
        What a player may gain, as a share of the player's payoff range, before the answer counts as approximate.
    refinements
        How many further programs may be solved for three players or more.
    solver
        The backend and how to run it; its time limit is for all programs together.

    Returns
    -------
    NashResult
        The profile with its payoffs and regrets, computed from the payoff tables; ``approximate`` if they are too
        large. If the first program reaches its limit without a point, the best profile that regret matching meets.

    Raises
    ------
    UnsupportedGameError, ParameterError
        As for :func:`build`.
    SolveError
        If the solver finds no point.
    """

    def read(model: Any, solution: Solution, built: float) -> tuple[NashResult, dict[Key, float]]:
        raw = _read(game, model)
        profile = polish_profile(game, raw) if polish else raw
        guarantee = model.allowed + float(pyo.value(model.epsilon))
        result = _evaluated(game, profile, guarantee, solution=solution, build_seconds=built, tolerance=tolerance)
        return result, {(i, a): float(p) for i, own in enumerate(raw) for a, p in enumerate(own)}

    program = partial(build, game, objective=objective, epsilon=epsilon)
    try:
        return solve_refined(
            program, read, pieces, num_players=len(game.players), refinements=refinements, solver=solver
        )
    except LimitError as error:
        if objective == "welfare" or not isinstance(error.solution, Solution):
            raise
        return _evaluated(game, play_by_regrets(game), math.inf, solution=error.solution, tolerance=tolerance)


def _evaluated(game: NormalForm, profile: tuple[FloatArray, ...], guarantee: float, **rest: Any) -> NashResult:
    """Return a result with the profile's payoffs and regrets, computed from the payoff tables."""
    return NashResult(game, profile, game.expected_payoffs(profile), game.regrets(profile), guarantee, **rest)


def _read(game: NormalForm, model: Any) -> tuple[FloatArray, ...]:
    """Read the profile off a solved program."""
    profile: list[FloatArray] = [
        np.clip([float(pyo.value(model.p[i, a])) for a in range(len(actions))], 0.0, 1.0)
        for i, actions in enumerate(game.actions)
    ]
    return tuple(p / p.sum() for p in profile)
