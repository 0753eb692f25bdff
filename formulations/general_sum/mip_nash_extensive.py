r"""Equilibrium of a multiplayer game in extensive form by mixed-integer programming, one information set at a time.

Ganzfried (2015), §11.7.3, last part: expected-utility constraints are written out per player and information set. In
sequence form (perfect recall) with realization plans :math:`x_i`:

.. math::

    & E_i x_i = e_i, \; x_i \ge 0, \qquad
      g_{i,\sigma} = \sum_{\text{leaves under } \sigma} \Pr(\text{chance})\, u_i \prod_{j \ne i} x_{j,\sigma_j}, \\
    & v_h \ge g_{i,ha} + \sum_{h' \text{ after } ha} v_{h'} =: q_{ha}, \qquad
      v_h - q_{ha} \le U_i b_{ha} + \varepsilon, \qquad x_{i,ha} \le 1 - b_{ha}.

An action is played only if it is best given what follows, so the profile is a Nash equilibrium (exactly for two
players, general sum). With more players the products are interpolated
(:mod:`equiform.formulations.optimization.piecewise_product`); the last action's sequence at each information set is the
parent minus the others, which saves products. The regrets of the answer are computed on the tree.

Player i's payoff is :math:`g_{i,\varnothing} + \sum_{h \text{ first}} v_h`: where a plan arrives, some action is played
and :math:`v_h` is what it earns. ``welfare`` maximises the sum of these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyomo.core as pyo

from equiform.formulations.blocks import realization_plan
from equiform.formulations.general_sum.conditions import BestOrUnplayed, Objective
from equiform.formulations.general_sum.mip_nash import Terms, multiply
from equiform.formulations.general_sum.refinement import (
    REFINEMENTS,
    TOLERANCE,
    Bounds,
    Key,
    RefinedResult,
    solve_refined,
)
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.piecewise_product import Pieces, Products
from equiform.formulations.optimization.scaling import declare_unit
from equiform.formulations.optimization.solution import Solution
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.evaluation import Evaluation, evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class ExtensiveNashResult(RefinedResult):
    """Behavioural strategies of all players, and their evaluation on the tree."""

    game: ExtensiveGame = field(repr=False)
    strategies: tuple[Strategy, ...]
    evaluation: Evaluation

    def gains(self) -> tuple[FloatArray, FloatArray]:
        """Return each player's regret and range of payoffs, from the tree."""
        return self.regrets, np.ptp(self.game.payoff_floats, axis=0)

    @property
    def payoffs(self) -> FloatArray:
        """Every player's expected payoff."""
        return self.evaluation.payoffs

    @property
    def regrets(self) -> FloatArray:
        """What each player would gain from a best response."""
        return self.evaluation.regrets


def build(
    game: ExtensiveGame,
    *,
    objective: Objective = "any",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    bounds: Bounds | None = None,
) -> pyo.ConcreteModel:
    """Build the program; parameters as for :func:`equiform.formulations.general_sum.mip_nash.build`, but for a tree."""
    if not isinstance(game, ExtensiveGame):
        raise UnsupportedGameError(
            f"{getattr(game, 'name', game)} is not a game tree",
            where=type(game).__name__,
            fix="use mip_nash for a game in normal form",
        )
    model = pyo.ConcreteModel(name=f"MIP Nash of {game.name}")
    players = range(len(game.players))
    model.plan = pyo.Block(players)
    for i in players:
        model.plan[i].transfer_attributes_from(realization_plan(game.treeplexes[i]))
    for (i, s), (low, high) in (bounds or {}).items():
        model.plan[i].x[s].setlb(low)
        model.plan[i].x[s].setub(high)
    products = Products(lambda key: model.plan[key[0]].x[key[1]], pieces or Pieces(), bounds)
    gradients = _gradients(game)
    moves = [(i, s) for i in players for s in range(1, game.treeplexes[i].num_sequences)]
    model.v = pyo.Var([(i, h) for i in players for h in range(game.treeplexes[i].num_infosets)])
    model.unplayed = pyo.Var(moves, domain=pyo.Binary)
    conditions = BestOrUnplayed(model, game.name, game.payoff_floats.T, objective, epsilon)
    for i, s in moves:
        treeplex = game.treeplexes[i]
        value, error = products.linear(gradients[i].get(s, {}))
        for after in np.flatnonzero(treeplex.parent == s).tolist():
            value = value + model.v[i, after]
        conditions.add((i, s), model.v[i, int(treeplex.infoset_of[s])], value, error)
    for i, h in model.v:
        declare_unit(model, conditions.units[i], model.v[i, h])
    conditions.choose(lambda: [_payoff(model, products, gradients[i], i, game.treeplexes[i]) for i in players])
    model.product = products.block
    model.support = pyo.Constraint(moves, rule=lambda m, i, s: m.plan[i].x[s] <= 1 - m.unplayed[i, s])
    return model


def _payoff(model: Any, products: Products, gradient: dict[int, Terms], player: int, treeplex: Treeplex) -> Any:
    """Return a player's payoff: what comes before any move of theirs, plus the value of their first infosets."""
    without, _ = products.linear(gradient.get(0, {}))
    return without + sum(model.v[player, h] for h in np.flatnonzero(treeplex.parent == 0).tolist())


def _gradients(game: ExtensiveGame) -> list[dict[int, Terms]]:
    """Return what each sequence of each player earns, as a polynomial in the others' plans."""
    forms = [_independent_sequences(t, i) for i, t in enumerate(game.treeplexes)]
    leaves = game.terminals
    index, chance = game.chance_reach
    gradients: list[dict[int, Terms]] = [{} for _ in game.players]
    for node in leaves.tolist():
        reach = float(chance[index[node]])
        pay = game.payoff_floats[game.outcome[node]]
        at = game.sequences[:, node].tolist()
        for i in range(len(game.players)):
            terms: Terms = {(): reach * float(pay[i])}
            for j in range(len(game.players)):
                if j != i:
                    terms = multiply(terms, forms[j][at[j]])
            own = gradients[i].setdefault(at[i], {})
            for monomial, coefficient in terms.items():
                own[monomial] = own.get(monomial, 0.0) + coefficient
    rounding = (1e-15 * np.abs(game.payoff_floats).max(axis=0)).tolist()
    return [
        {s: {m: c for m, c in t.items() if abs(c) > least} for s, t in own.items()}
        for own, least in zip(gradients, rounding, strict=True)
    ]


def _independent_sequences(treeplex: Treeplex, player: int) -> list[Terms]:
    """Express each sequence's weight in terms of sequences that are not last at their information set."""
    forms: list[Terms] = [{(): 1.0}] + [{} for _ in range(treeplex.num_sequences - 1)]
    for h in range(treeplex.num_infosets):
        first, last = int(treeplex.start[h]), int(treeplex.start[h + 1]) - 1
        rest = dict(forms[int(treeplex.parent[h])])
        for s in range(first, last):
            forms[s] = {((player, s),): 1.0}
            rest[((player, s),)] = rest.get(((player, s),), 0.0) - 1.0
        forms[last] = rest
    return forms


def solve(
    game: ExtensiveGame,
    *,
    objective: Objective = "any",
    epsilon: float | None = None,
    pieces: Pieces | None = None,
    tolerance: float = TOLERANCE,
    refinements: int = REFINEMENTS,
    solver: SolverOptions = DEFAULT,
) -> ExtensiveNashResult:
    """Find an (ε-)equilibrium of a game with any number of players and perfect recall.

    Parameters
    ----------
    game, objective, epsilon, pieces
        As for :func:`build`.
    tolerance
        What a player may gain, as a share of the player's payoff range, before the answer counts as approximate.
    refinements
        How many further programs may be solved for three players or more.
    solver
        The backend and how to run it; its time limit is for all programs together.

    Returns
    -------
    ExtensiveNashResult
        Behavioural strategies and their evaluation on the tree; ``approximate`` if somebody gains too much.

    Raises
    ------
    UnsupportedGameError
        If the game is not a tree.
    SolveError
        If the solver finds no point.
    """

    def read(model: Any, solution: Solution, built: float) -> tuple[ExtensiveNashResult, dict[Key, float]]:
        plans = [np.array([float(pyo.value(x)) for x in block.x.values()]) for block in model.plan.values()]
        strategies = tuple(Strategy.from_plan(t, plan) for t, plan in zip(game.treeplexes, plans, strict=True))
        evaluation = evaluate(game, [s.floats for s in strategies])
        result = ExtensiveNashResult(
            game, strategies, evaluation, solution=solution, build_seconds=built, tolerance=tolerance
        )
        return result, {(i, s): float(w) for i, plan in enumerate(plans) for s, w in enumerate(plan) if s}

    program = partial(build, game, objective=objective, epsilon=epsilon)
    return solve_refined(program, read, pieces, num_players=len(game.players), refinements=refinements, solver=solver)
