r"""Two-player zero-sum discounted games by Shapley's value iteration (1953).

The map that replaces the value of each state by the value of its stage game,

.. math:: (Tv)_s = \operatorname{val}\bigl( r_s(a, b) + \gamma \textstyle\sum_t q_{st}(a, b)\, v_t \bigr),

is a contraction with factor :math:`\gamma`. When a step moves no value by more than d, the values are within
:math:`d \gamma / (1 - \gamma)` of the truth. The stage games are matrices; what solves them is passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError, UnsupportedGameError
from equiform.models.normal_form import NormalForm
from equiform.models.stochastic import StochasticGame, TreeStages

#: Solves a matrix game: returns its value and the mixed strategies of the row and the column player.
StageSolver = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class ShapleyResult:
    """Values within ``error`` of the truth, and stationary strategies."""

    values: FloatArray = field(repr=False)
    """Player 1's value of each state."""
    error: float
    profile: tuple[FloatArray, FloatArray] = field(repr=False)
    iterations: int


def shapley(
    game: StochasticGame, solve_stage: StageSolver, *, tolerance: float = 1e-9, most_iterations: int = 100_000
) -> ShapleyResult:
    """Iterate until the values are within ``tolerance`` of the truth.

    Parameters
    ----------
    game
        Two players whose rewards sum to zero, matrix stages, no change of seats, a discount below one.
    solve_stage
        Solves one matrix game: a linear program, say.
    """
    require_number(tolerance, "tolerance", "Shapley's iteration", least=1e-14)
    require_count(most_iterations, "most_iterations", "Shapley's iteration")
    shapes = _matrix_shapes(game)
    values = np.zeros((game.num_states, 2))
    for iteration in range(1, most_iterations + 1):
        payoffs = game.payoffs(values)[:, 0]
        solved = [
            solve_stage(payoffs[begin:end].reshape(shape))
            for begin, end, shape in zip(game.outcomes.first[:-1], game.outcomes.first[1:], shapes, strict=True)
        ]
        fresh = np.array([value for value, _, _ in solved])
        moved = float(np.abs(fresh - values[:, 0]).max())
        values = np.stack([fresh, -fresh], axis=1)
        error = moved * game.discount / (1 - game.discount)
        if error <= tolerance:
            rows, columns = ([1.0, *np.concatenate([s[k] for s in solved])] for k in (1, 2))
            return ShapleyResult(fresh, error, (np.array(rows), np.array(columns)), iteration)
    raise LimitError(
        f"values still move by {moved:.3g} after {most_iterations} iterations",
        where=game.name,
        fix="allow more iterations, or a larger tolerance",
    )


def _matrix_shapes(game: StochasticGame) -> list[tuple[int, ...]]:
    """Refuse what the iteration cannot take, naming the state."""
    fix = "use another algorithm: the interleaved one takes any number of players and any stages"
    if game.num_seats != 2 or not isinstance(game.stages, TreeStages):
        raise UnsupportedGameError("Shapley's iteration is for two players and matrix stages", where=game.name, fix=fix)
    if not game.discount < 1:
        raise UnsupportedGameError("Shapley's iteration needs a discount below one", where=game.name, fix=fix)
    sums = np.abs(game.outcomes.rewards.sum(axis=1))
    if sums.max() > 1e-9:
        state = game.states[int(game.outcomes.state[int(np.argmax(sums))])]
        raise UnsupportedGameError("the rewards do not sum to zero", where=f"{game.name}, state {state}", fix=fix)
    shapes = []
    for name, stage in zip(game.states, game.stages.stages, strict=True):
        if not isinstance(stage, NormalForm):
            raise UnsupportedGameError("a stage is not a matrix", where=f"{game.name}, state {name}", fix=fix)
        shapes.append(stage.payoffs.shape[1:])
    return shapes
