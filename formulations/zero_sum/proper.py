r"""Proper equilibrium of the normal form: exploit the opponent's mistakes, the least costly ones first.

R. Myerson, *Refinements of the Nash equilibrium concept* (1978); M. Dresher, *Games of Strategy* (1961); E. van Damme,
*Stability and Perfection of Nash Equilibria* (1987), Theorem 3.5.5: in a zero-sum game the proper equilibria are the
pairs of strategies that Dresher's procedure leaves. P. B. Miltersen and T. B. Sørensen, *Fast algorithms for finding
proper strategies in game trees* (2008), carry it over to realization plans; S. Ganzfried, PhD thesis (CMU 2015),
chapter 16, question 2.

Let x be the player's realization plan and Y the opponent's (reduced) pure strategies. Round k asks for the plans that
earn most against a mistake, if the opponent makes one:

.. math::

    t_k = \max_{x, t}\; t \quad \text{s.t.} \quad Ex = e,\; x \ge 0, \qquad
    a_y^\top x = t_j \;(y \in Y_j \setminus Y_{j+1},\; j < k), \qquad a_y^\top x \ge t \;(y \in Y_k),

where :math:`Y_1` holds all pure strategies and :math:`Y_{k+1}` those of :math:`Y_k` that are mistakes against some
optimal plan. These are found by a second program, in which :math:`\lambda \ge 1` scales the plan so that every mistake
that can be one counts for 1:

.. math::

    \max\; \sum_{y \in Y_k} s_y \quad \text{s.t.} \quad E\tilde x = \lambda e, \qquad
    a_y^\top \tilde x = \lambda t_j, \qquad a_y^\top \tilde x - s_y \ge \lambda t_k, \qquad 0 \le s_y \le 1 .

The procedure ends when no mistakes are left. It lists the opponent's pure strategies, so it is for small games.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import pyomo.core as pyo
import scipy.sparse as sp

from equiform.formulations.blocks import plan_values, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint, vector_var
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.result import Result
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import SolveError
from equiform.models.completion import complete
from equiform.models.game import Game, as_sequence_form
from equiform.models.normal_form import reduced_plans
from equiform.models.sequence_form import SequenceForm

#: The most pure strategies of the opponent that are written out.
MOST_STRATEGIES = 3_000
_MOST_SCALE = 1e6


@dataclass(frozen=True, eq=False)
class Level:
    """One round: what the plan earns, and against which of the opponent's pure strategies."""

    value: float
    rows: BoolArray = field(repr=False)


def pure_payoffs(seat: SequenceForm) -> FloatArray:
    """Return player 0's payoff per own sequence, one row per pure strategy of the opponent; equal rows once."""
    plans = reduced_plans(seat.treeplexes[1], limit=MOST_STRATEGIES)
    rows = np.asarray(plans @ seat.matrix_payoff.transpose)
    return np.unique(rows, axis=0)


def build(game: Game, *, player: int = 0, levels: tuple[Level, ...] = ()) -> pyo.ConcreteModel:
    """Build the round that follows some levels: the first one by default, whose value is that of the game.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the block ``plan``, the earnings ``t``, the rows ``mistakes`` and, after the first round, ``kept``.
    """
    seat = for_player(as_sequence_form(game), player)
    return _round(seat, pure_payoffs(seat), levels)


def _round(seat: SequenceForm, payoffs: FloatArray, levels: tuple[Level, ...]) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel(f"proper equilibrium of {seat.name}, round {len(levels) + 1}")
    model.plan = realization_plan(seat.treeplexes[0])
    model.t = vector_var(1)
    left = _left(payoffs, levels)
    columns = [*model.plan.x.values(), *model.t.values()]
    ones = np.ones((int(left.sum()), 1))
    model.mistakes = MatrixConstraint(sp.csr_array(np.hstack([payoffs[left], -ones])), columns, lower=0.0)
    if levels:
        matrix = np.vstack([payoffs[level.rows] for level in levels])
        values = np.concatenate([np.full(int(level.rows.sum()), level.value) for level in levels])
        model.kept = MatrixConstraint(sp.csr_array(matrix), model.plan.x, lower=values, upper=values)
    model.objective = pyo.Objective(expr=model.t[0], sense=pyo.maximize)
    return model


def _support(seat: SequenceForm, payoffs: FloatArray, levels: tuple[Level, ...], value: float) -> pyo.ConcreteModel:
    """Build the search for mistakes, with a scaled plan."""
    own = seat.treeplexes[0]
    model = pyo.ConcreteModel(f"mistakes in {seat.name}, round {len(levels) + 1}")
    left = _left(payoffs, levels)
    model.x = vector_var(own.num_sequences, lower=0.0)
    model.scale = vector_var(1, lower=1.0, upper=_MOST_SCALE)
    model.s = vector_var(int(left.sum()), lower=0.0, upper=1.0)
    flow = sp.hstack([own.E, -own.e[:, None]], format="csr")
    scaled = [*model.x.values(), *model.scale.values()]
    model.flow = MatrixConstraint(flow, scaled, lower=0.0, upper=0.0)
    rows = np.hstack([payoffs[left], np.full((int(left.sum()), 1), -value), -np.eye(int(left.sum()))])
    model.mistakes = MatrixConstraint(sp.csr_array(rows), [*scaled, *model.s.values()], lower=0.0)
    if levels:
        kept = [np.hstack([payoffs[lv.rows], np.full((int(lv.rows.sum()), 1), -lv.value)]) for lv in levels]
        model.kept = MatrixConstraint(sp.csr_array(np.vstack(kept)), scaled, lower=0.0, upper=0.0)
    model.objective = pyo.Objective(expr=sum(model.s.values()), sense=pyo.maximize)
    return model


def solve(game: Game, *, solver: SolverOptions = DEFAULT) -> Result:
    """Compute a proper equilibrium in floats: two programs per round and player.

    Parameters
    ----------
    game
        A two-player zero-sum game in which neither player has more than 3,000 reduced pure strategies.
    solver
        The backend and how to run it.

    Raises
    ------
    ParameterError
        If a player has too many pure strategies.
    SolveError
        If a solver stops before it proves optimality.
    """
    form = as_sequence_form(game)
    started = time.perf_counter()
    plans, solutions, values = [], [], []
    for player in (0, 1):
        seat = for_player(form, player)
        plan, found, levels = _procedure(seat, solver)
        plans.append(plan)
        solutions += found
        values.append(levels[0].value)
    mixed = [t.realization(t.uniform()) for t in form.treeplexes]
    strategies = [complete(form, plans[p], mixed[1 - p], player=p) for p in (0, 1)]
    seconds = time.perf_counter() - started - sum(s.seconds.total for s in solutions)
    return Result(
        game=form.name,
        concept="proper",
        value=values[0],
        strategies=(strategies[0], strategies[1]),
        plans=(plans[0], plans[1]),
        solutions=tuple(solutions),
        build_seconds=seconds,
    )


def _procedure(seat: SequenceForm, solver: SolverOptions) -> tuple[FloatArray, list[Solution], tuple[Level, ...]]:
    """Run Dresher's procedure for the player in seat 0."""
    payoffs = pure_payoffs(seat)
    levels: tuple[Level, ...] = ()
    solutions: list[Solution] = []
    plan: FloatArray = np.zeros(0)
    while _left(payoffs, levels).any():
        model = _round(seat, payoffs, levels)
        solution = solve_model(model, solver).require_optimal()
        plan = plan_values(solution, model.plan)
        value = float(solution.values(model.t)[0])
        search = _support(seat, payoffs, levels, value)
        found = solve_model(search, solver).require_optimal()
        solutions += [found, solution]
        left = np.flatnonzero(_left(payoffs, levels))
        tight = left[found.values(search.s) < 0.5]
        if not len(tight):
            raise SolveError(
                "every strategy left looks like a mistake: rounding errors are too large",
                where=f"{seat.name}, round {len(levels) + 1}",
                fix="solve exactly (exact=True, --exact)",
            )
        rows = np.zeros(len(payoffs), dtype=bool)
        rows[tight] = True
        levels += (Level(value, rows),)
    return plan, solutions, levels


def _left(payoffs: FloatArray, levels: tuple[Level, ...]) -> BoolArray:
    """Mark the pure strategies that no level has dealt with."""
    left = np.ones(len(payoffs), dtype=bool)
    for level in levels:
        left &= ~level.rows
    return left
