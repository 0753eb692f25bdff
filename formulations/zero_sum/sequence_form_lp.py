r"""Nash equilibrium of a two-player zero-sum game: the sequence-form linear program.

D. Koller, N. Megiddo and B. von Stengel, *Efficient computation of equilibria for extensive two-person games*, Games
and Economic Behavior 14 (1996); Ganzfried (2015), chapter 2 and §10.7.1.

Sets
    sequences of the player (:math:`x`) and information sets of the opponent (:math:`q`, with :math:`q_0` the root's).
Variables
    :math:`x \ge 0` realization plan; :math:`q` free, what each opponent information set is worth to the player.

.. math::

    \max_{x, q}\; q_0 \quad \text{s.t.} \quad Ex = e,\; x \ge 0 \quad (\text{flow}), \qquad
    A^\top x - F^\top q \ge 0 \quad (\text{response}).

The duals of the response rows are the opponent's equilibrium plan :math:`y`: the dual of this program is the
opponent's own program.
"""

from __future__ import annotations

import pyomo.core as pyo

from equiform.formulations.blocks import guarantee, plan_values, realization_plan
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.optimization.timing import timed
from equiform.formulations.result import Result
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError
from equiform.models.completion import complete_profile
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm


def build(game: Game, *, player: int = 0) -> pyo.ConcreteModel:
    """Build the program of one player.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    player
        The player whose program is built, 0 or 1.

    Returns
    -------
    pyomo.environ.ConcreteModel
        A model with the blocks ``plan`` (x, flow) and ``guarantee`` (q, response) and the ``objective``.

    Raises
    ------
    UnsupportedGameError
        If the game is not a two-player zero-sum game.
    """
    game = as_sequence_form(game)
    seat = for_player(game, player)
    model = pyo.ConcreteModel(name=f"nash of {game.name} for {seat.treeplexes[0].player}")
    model.plan = realization_plan(seat.treeplexes[0])
    model.guarantee = guarantee(model.plan, seat)
    model.objective = pyo.Objective(expr=model.guarantee.q[0], sense=pyo.maximize)
    return model


def solve(game: Game, *, player: int = 0, unreached: str = "best-response", solver: SolverOptions = DEFAULT) -> Result:
    """Solve one player's program; the opponent's strategy comes from its duals.

    A backend without duals solves the opponent's program as well. Name an ``algorithm`` to get a vertex and its basis:
    otherwise, whatever the program cannot tell apart (suits, for instance) may be merged.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    player
        The player whose program is solved, 0 or 1.
    unreached
        What to play where a plan never arrives (:data:`equiform.models.completion.UNREACHED`).
    solver
        The backend and how to run it.

    Returns
    -------
    Result
        The value and both players' strategies.

    Raises
    ------
    UnsupportedGameError
        If the game is not a two-player zero-sum game.
    SolveError
        If the solver stops before it proves optimality.
    """
    game = as_sequence_form(game)
    model, built = timed(build, game, player=player)
    solution = solve_model(model, solver)
    try:
        solution.require_optimal()
    except LimitError as error:
        error.plans = _reached(solution, model, player)
        raise
    own = plan_values(solution, model.plan)
    solutions: tuple[Solution, ...] = (solution,)
    if solution.duals is not None:
        # raising a response row's right-hand side by one costs y: the dual of a "≥" row of a maximisation is −y
        other = -solution.dual_values(model.guarantee.response)
    else:
        theirs = build(game, player=1 - player)
        second = solve_model(theirs, solver)
        other = plan_values(second.require_optimal(), theirs.plan)
        solutions = (second, solution)
    plans = (own, other) if player == 0 else (other, own)
    value = solution.objective_value
    return Result(
        game=game.name,
        concept="nash",
        value=value if player == 0 else -value,
        strategies=complete_profile(game, plans, unreached),
        plans=plans,
        solutions=solutions,
        build_seconds=built,
    )


def _reached(solution: Solution, model: pyo.ConcreteModel, player: int) -> tuple[FloatArray | None, FloatArray | None]:
    """Read both plans off the point of a solver that stopped at its limit, as far as there is one."""
    own = None if solution.x is None else plan_values(solution, model.plan)
    other = None if solution.duals is None else -solution.dual_values(model.guarantee.response)
    return (own, other) if player == 0 else (other, own)


def for_player(game: SequenceForm, player: int) -> SequenceForm:
    """Return the game with ``player`` in seat 0: the game itself, or the flipped one."""
    return game if require_player(player, 2, game.name) == 0 else game.flipped()
