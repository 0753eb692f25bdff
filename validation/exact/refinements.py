r"""Safe responses, undominated equilibria and dominance in rational arithmetic.

The programs of :mod:`equiform.formulations.opponents.safe_response`,
:mod:`~equiform.formulations.zero_sum.undominated`, :mod:`~equiform.formulations.zero_sum.selection` and
:mod:`~equiform.formulations.zero_sum.dominance`, all of the form

.. math::

    \max_{x, q}\; g^\top x \quad \text{s.t.} \quad Ex = e,\; x \ge 0, \qquad
    A^\top x - F^\top q \ge r, \qquad q_0 \ge \gamma ,

solved exactly (:mod:`equiform.validation.exact.linear.lp`): "weakly dominated" is a question of signs, and a float gain
of :math:`10^{-9}` does not answer it. What a plan guarantees and earns is then recomputed from the game.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.errors import ExactError, StrategyError
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import RationalVector, as_object, difference, dot, reduced
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import (
    check_flow,
    exact_best_value,
    exact_gradient,
    exact_plan,
    payoff_matrix,
)
from equiform.validation.exact.equilibrium import equilibrium_program, exact_equilibrium, payoff_unit
from equiform.validation.exact.linear.lp import ExactSolution, exact_lp
from equiform.validation.exact.strategies import exact_best_behavior, exact_strategy, uniform_plan


@dataclass(frozen=True, eq=False)
class ExactResponse:
    """A plan of one player with what it earns and what it guarantees, as Fractions."""

    player: int
    payoff: Fraction
    """The player's payoff against the plan responded to (or the functional's value)."""
    guarantee: Fraction
    """The least that the player gets, whatever the opponent does."""
    slope: Fraction
    """The gain in payoff per unit by which the floor is lowered (at a kink: one of the possible answers)."""
    plan: RationalVector = field(repr=False)
    strategy: Strategy = field(repr=False)
    solution: ExactSolution = field(repr=False)

    __repr__ = repr_of_fields


@dataclass(frozen=True, eq=False)
class ExactUndominated:
    """An undominated equilibrium, proved."""

    game: str
    value: Fraction
    responses: tuple[ExactResponse, ExactResponse]
    solutions: tuple[ExactSolution, ...] = field(repr=False)
    """The solution of the program for the value, then of each player's."""

    __repr__ = repr_of_fields

    @property
    def strategies(self) -> tuple[Strategy, Strategy]:
        """One strategy per player."""
        return self.responses[0].strategy, self.responses[1].strategy


@dataclass(frozen=True, eq=False)
class ExactDominance:
    """Whether a strategy is weakly dominated: a gain of exactly zero proves that it is not."""

    player: int
    gain: Fraction
    """The most that a strategy that never earns less can gain against the fully mixed plan."""
    worst: Fraction
    """How much more the dominating plan earns against the least favourable strategy of the opponent."""
    dominating: Strategy = field(repr=False)
    plan: RationalVector = field(repr=False)

    __repr__ = repr_of_fields

    @property
    def dominated(self) -> bool:
        """Whether there is a gain."""
        return self.gain > 0


def exact_safe_response(
    game: SequenceForm,
    functional: RationalVector,
    *,
    floor: Fraction,
    player: int = 0,
    maximize: bool = True,
    solver: SolverOptions = DEFAULT,
) -> ExactResponse:
    """Optimise ``functional @ x`` over a player's plans that guarantee ``floor``.

    Parameters
    ----------
    game, functional
        A zero-sum game in sequence form, and one number per sequence, such as the
        :func:`~equiform.validation.certificates.exact_evaluation.exact_gradient` against a plan.
    floor, player, maximize
        The payoff to guarantee, the player who responds (0 or 1), and whether to maximise.
    solver
        How HiGHS proposes the basis, as for :func:`~equiform.validation.exact.linear.lp.exact_lp`.

    Raises
    ------
    InfeasibleError
        If no plan guarantees ``floor``.
    """
    seat = for_player(game, player)
    own, opponent = seat.treeplexes
    n = own.num_sequences
    # the program counts q in units of payoff_unit / denominator
    unit = Fraction(seat.matrix_payoff.denominator, payoff_unit(seat))
    sign = -1 if maximize else 1
    lower: list[Fraction | None] = [Fraction(0)] * n + [floor * unit] + [None] * opponent.num_infosets
    costs = _negated(functional) if maximize else functional
    name = f"exact safe response in {game.name} of {own.player}"
    plan, solution = _cheapest(seat, costs, solver, col_lower=RationalVector.of(lower), name=name)
    guaranteed = -exact_best_value(opponent, exact_gradient(seat, 1, plan))
    if guaranteed < floor or dot(functional, plan) != sign * solution.objective:
        raise ExactError("the plan does not achieve what the program claims", where=name)
    unreached = exact_best_behavior(own, functional if maximize else _negated(functional))
    price = Fraction(int(solution.reduced_costs.numerators[n]), solution.reduced_costs.denominator) * unit
    return ExactResponse(
        player,
        payoff=dot(functional, plan),
        guarantee=guaranteed,
        slope=-sign * price,
        plan=plan,
        strategy=exact_strategy(own, plan, unreached),
        solution=solution,
    )


def exact_undominated(
    game: SequenceForm,
    *,
    solver: SolverOptions = DEFAULT,
) -> ExactUndominated:
    """Compute an undominated equilibrium exactly, responding to uniform play (Algorithm 18).

    Parameters
    ----------
    game
        A two-player zero-sum game in sequence form.
    solver
        How HiGHS proposes the bases, as for :func:`~equiform.validation.exact.linear.lp.exact_lp`.

    Returns
    -------
    ExactUndominated
        The value and a proved strategy per player.

    Raises
    ------
    ExactError
        If no exactly optimal basis is found.

    Examples
    --------
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> from equiform.models.sequence_form import sequence_form
    >>> une = exact_undominated(sequence_form(compile_rules(Kuhn())))
    >>> print(une.value, une.responses[0].strategy.table()["holding K, to open"])
    -1/18 {'check': '0', 'bet': '1'}
    """
    nash = exact_equilibrium(game, solver=solver)
    value, responses = nash.value, []
    for player in (0, 1):
        gradient = exact_gradient(game, player, uniform_plan(game.treeplexes[1 - player]))
        floor = value if player == 0 else -value
        responses.append(exact_safe_response(game, gradient, floor=floor, player=player, solver=solver))
    solutions = (*nash.solutions, *(response.solution for response in responses))
    return ExactUndominated(game.name, value, (responses[0], responses[1]), solutions)


def exact_dominance(game: SequenceForm, strategy: Strategy, *, player: int = 0) -> ExactDominance:
    """Decide whether an exact strategy of ``player`` is weakly dominated.

    Parameters
    ----------
    game
        A two-player zero-sum game in sequence form.
    strategy
        A strategy of ``player`` with Fractions for probabilities.
    player
        The player whose strategy is tested, 0 or 1.

    Returns
    -------
    ExactDominance
        The verdict and the dominating strategy.

    Raises
    ------
    StrategyError
        If the strategy is not exact or does not fit the game.
    """
    return exact_plan_dominance(game, exact_plan(strategy), player=player)


def exact_plan_dominance(game: SequenceForm, plan: RationalVector, *, player: int = 0) -> ExactDominance:
    """Decide whether an exact realization plan of ``player`` is weakly dominated."""
    seat = for_player(game, player)
    own, opponent = seat.treeplexes
    if len(plan) != own.num_sequences:
        raise StrategyError(
            f"a plan of {len(plan)} entries does not fit", where=own.player, fix="pass one entry per sequence"
        )
    check_flow(own, plan)
    gradient = exact_gradient(seat, 0, uniform_plan(opponent))
    n, m = own.num_sequences, own.num_infosets + 1
    earned = payoff_matrix(seat.matrix_payoff).T.times(plan.numerators)
    start = np.zeros(m, dtype=object)
    start[0] = plan.denominator
    lower: list[int | None] = [0] * (n + 1) + [None] * opponent.num_infosets
    rows = RationalVector(np.concatenate([start, earned]), plan.denominator)
    name = f"exact dominance in {game.name} over a strategy of {own.player}"
    better, _ = _cheapest(
        seat, _negated(gradient), DEFAULT, row_lower=rows, col_lower=RationalVector.of(lower), name=name
    )
    lost = difference(exact_gradient(seat, 1, better), exact_gradient(seat, 1, plan))
    gain = dot(gradient, better) - dot(gradient, plan)
    worst = -exact_best_value(opponent, lost)
    if gain < 0 or worst < 0:
        raise ExactError("the dominating plan loses somewhere", where=name)
    return ExactDominance(player, gain, worst, exact_strategy(own, better), better)


def _cheapest(
    seat: SequenceForm, costs: RationalVector, solver: SolverOptions, **changed: Any
) -> tuple[RationalVector, ExactSolution]:
    """Find player 0's plan of least cost in the equilibrium program with some bounds changed."""
    own, opponent = seat.treeplexes
    prices = np.zeros(opponent.num_infosets + 1, dtype=object)
    whole = RationalVector(np.concatenate([as_object(costs.numerators), prices]), costs.denominator)
    solution = exact_lp(dataclasses.replace(equilibrium_program(seat), c=whole, **changed), solver=solver)
    plan = reduced(solution.x.numerators[: own.num_sequences], solution.x.denominator)
    check_flow(own, plan)
    return plan, solution


def _negated(vector: RationalVector) -> RationalVector:
    return RationalVector(-vector.numerators, vector.denominator)
