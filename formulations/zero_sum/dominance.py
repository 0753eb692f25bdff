r"""Is a strategy weakly dominated? If so, by which other one?

S. Ganzfried, PhD thesis (CMU 2015), Definition 2. A strategy :math:`x'` weakly dominates x if it never earns less, and
earns more against at least one strategy of the opponent. Over realization plans, "never less" is
:math:`\min_{y} (x' - x)^\top A y \ge 0`, whose inner problem has the dual that the guarantee block states:

.. math::

    \max_{x', q}\; (A y^\circ)^\top (x' - x) \quad \text{s.t.} \quad Ex' = e,\; x' \ge 0, \qquad
    A^\top x' - F^\top q \ge A^\top x \quad (\text{response}), \qquad q_0 \ge 0 ,

with any fully mixed :math:`y^\circ > 0`: a gain against some strategy is a gain against it. The strategy x is
dominated if and only if the optimum is positive; :math:`x' = x` shows that it is never negative. The exact decision, in
rational arithmetic, is :mod:`equiform.validation.exact.refinements`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyomo.core as pyo

from equiform.formulations.blocks import guarantee, plan_values, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import dot
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.formulations.zero_sum.undominated import require_fully_mixed
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.common.records import Record
from equiform.models.game import Game, as_sequence_form
from equiform.models.strategy import Strategy

#: Gains below this are within a float solver's tolerances: ask the exact program.
TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Dominance(Record):
    """Whether a strategy is dominated, by which other strategy, and by how much against the fully mixed opponent."""

    player: int
    gain: float
    """How much more the dominating strategy earns against the fully mixed plan."""
    worst: float
    """How much more it earns against the least favourable strategy of the opponent: nonnegative, up to rounding."""
    dominating: Strategy = field(repr=False)
    """The best strategy that never earns less (the strategy itself, or an equivalent one, if it is undominated)."""
    plan: FloatArray = field(repr=False)
    solution: Solution = field(repr=False)
    build_seconds: float = 0.0

    @property
    def dominated(self) -> bool:
        """Whether the gain exceeds what rounding can explain."""
        return self.gain > TOLERANCE


def build(game: Game, plan: FloatArray, *, player: int = 0, fully_mixed: FloatArray | None = None) -> pyo.ConcreteModel:
    """Build the search for a plan that dominates ``plan``.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    plan
        The realization plan of ``player`` to test.
    player
        The player whose plan is tested, 0 or 1.
    fully_mixed
        A plan of the opponent with positive weight on every sequence; uniform play by default.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` and ``guarantee`` and the ``objective``.

    Raises
    ------
    StrategyError
        If ``plan`` is not a realization plan or ``fully_mixed`` is not fully mixed.
    """
    game = as_sequence_form(game)
    seat = for_player(game, player)
    own, opponent = seat.treeplexes
    if own.flow_residual(plan) > 1e-6:
        raise StrategyError(
            f"the plan breaks its flow equations by {own.flow_residual(plan):.3g}",
            where=own.player,
            fix="compute it from behavioural probabilities with Treeplex.realization",
        )
    gradient = seat.gradient(0, require_fully_mixed(opponent, fully_mixed))
    model = pyo.ConcreteModel(name=f"dominance in {game.name} over a strategy of {own.player}")
    model.plan = realization_plan(own)
    model.guarantee = guarantee(model.plan, seat)
    model.guarantee.response.set_row_bounds(lower=seat.payoff.transpose_times(plan))
    model.guarantee.q[0].setlb(0.0)
    model.objective = pyo.Objective(expr=dot(gradient, model.plan.x) - float(gradient @ plan), sense=pyo.maximize)
    return model


def solve(
    game: Game,
    plan: FloatArray,
    *,
    player: int = 0,
    fully_mixed: FloatArray | None = None,
    solver: SolverOptions = DEFAULT,
) -> Dominance:
    """Decide in floating point whether a realization plan of ``player`` is weakly dominated.

    Parameters
    ----------
    game, plan, player, fully_mixed
        As for :func:`build`.
    solver
        The backend and how to run it.

    Returns
    -------
    Dominance
        The verdict, the dominating strategy and the margin.

    Raises
    ------
    StrategyError
        If ``plan`` is not a realization plan or ``fully_mixed`` is not fully mixed.
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    model, built = timed(build, game, plan, player=player, fully_mixed=fully_mixed)
    solution = solve_model(model, solver=solver).require_optimal()
    better = plan_values(solution, model.plan)
    opponent = game.treeplexes[1 - player]
    lost = game.gradient(1 - player, better) - game.gradient(1 - player, plan)
    return Dominance(
        player=player,
        gain=solution.objective_value,
        worst=-opponent.best_value(lost),
        dominating=Strategy.from_plan(game.treeplexes[player], better),
        plan=better,
        solution=solution,
        build_seconds=built,
    )
