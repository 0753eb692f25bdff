r"""Proper equilibria of the normal form in rational arithmetic.

The programs of :mod:`equiform.formulations.zero_sum.proper`, solved exactly: which of the opponent's pure strategies
are mistakes is a question of signs. The result is checked independently: the plans' flow equations, that they are an
equilibrium of the game, and that neither is weakly dominated, by programs that know nothing of this procedure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum.proper import MOST_STRATEGIES
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.errors import ExactError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational import repr_of_fields
from equiform.models.common.rational_vector import RationalVector, reduced
from equiform.models.normal_form import reduced_plans
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import check_flow, evaluate_plans, exact_gradient
from equiform.validation.exact.linear.lp import ExactSolution, exact_lp
from equiform.validation.exact.linear.program import ExactProgram
from equiform.validation.exact.refinements import exact_plan_dominance
from equiform.validation.exact.strategies import exact_best_behavior, exact_strategy, uniform_plan


@dataclass(frozen=True)
class MistakeLevel:
    """One round of the procedure: what the plan earns against so many of the opponent's pure strategies."""

    value: Fraction
    strategies: int


@dataclass(frozen=True, eq=False)
class ProperPlans:
    """All of one player's proper plans: those that satisfy the last round's rows, and one of them."""

    player: int
    levels: tuple[MistakeLevel, ...]
    plan: RationalVector = field(repr=False)
    program: ExactProgram = field(repr=False)
    solutions: tuple[ExactSolution, ...] = field(repr=False)

    __repr__ = repr_of_fields

    def interval(self, weights: Mapping[int, int]) -> tuple[Fraction, Fraction]:
        """Return the least and the largest value of a functional of the plan, by the sequences' weights."""
        ends = []
        for sign in (1, -1):
            costs = np.zeros(len(self.program.c), dtype=object)
            for s, weight in weights.items():
                costs[s] = sign * weight
            ends.append(sign * exact_lp(replace(self.program, c=RationalVector(costs))).objective)
        return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class ExactProper:
    """A proper equilibrium, proved to be an undominated equilibrium; both players' sets of proper plans beside it."""

    game: str
    value: Fraction
    """Player 0's payoff."""
    plans: tuple[ProperPlans, ProperPlans] = field(repr=False)
    strategies: tuple[Strategy, Strategy] = field(repr=False)

    __repr__ = repr_of_fields

    @property
    def solutions(self) -> tuple[ExactSolution, ...]:
        """Of all programs, the first player's first."""
        return self.plans[0].solutions + self.plans[1].solutions


def exact_proper(game: SequenceForm, *, solver: SolverOptions = DEFAULT) -> ExactProper:
    """Compute a proper equilibrium exactly, and both players' sets of proper plans.

    >>> from equiform.games.poker.clairvoyance import Clairvoyance
    >>> from equiform.models.compile import compile_rules
    >>> from equiform.models.sequence_form import sequence_form
    >>> proper = exact_proper(sequence_form(compile_rules(Clairvoyance(2, 1))))
    >>> print(proper.value, [str(p) for p in proper.strategies[1].probabilities[1:]])
    1/3 ['4/9', '5/9', '2/3', '1/3']
    """
    sides = proper_plans(game, 0, solver=solver), proper_plans(game, 1, solver=solver)
    value = sides[0].levels[0].value
    plans = sides[0].plan, sides[1].plan
    evaluation = evaluate_plans(game, plans)
    if evaluation.nash_conv != 0 or evaluation.payoffs[0] != value:
        raise ExactError("the proper plans are not an equilibrium", where=game.name, fix="report this game")
    strategies = []
    for player, plan in enumerate(plans):
        if exact_plan_dominance(game, plan, player=player).dominated:
            raise ExactError("a proper plan is dominated", where=game.name, fix="report this game")
        gradient = exact_gradient(game, player, uniform_plan(game.treeplexes[1 - player]))
        own = game.treeplexes[player]
        strategies.append(exact_strategy(own, plan, exact_best_behavior(own, gradient)))
    return ExactProper(game.name, value, sides, (strategies[0], strategies[1]))


def proper_plans(game: SequenceForm, player: int = 0, *, solver: SolverOptions = DEFAULT) -> ProperPlans:
    """Run Dresher's procedure exactly for one player.

    Raises a :class:`ParameterError` if the opponent has too many pure strategies.
    """
    seat = for_player(game, player)
    own = seat.treeplexes[0]
    payoffs, unit = pure_payoffs(seat)
    flow = own.E.toarray().astype(np.int64).astype(object)
    n = own.num_sequences
    left = np.arange(len(payoffs))
    kept: list[tuple[Fraction, NDArray[Any]]] = []
    solutions: list[ExactSolution] = []
    levels: list[MistakeLevel] = []
    while len(left):
        program = _round_program(seat, flow, payoffs, kept, left)
        solution = exact_lp(program, solver=solver)
        value = -solution.objective  # in units of the payoffs' denominator
        search = exact_lp(_support_program(seat, flow, payoffs, kept, left, value), solver=solver)
        solutions += [solution, search]
        mistakes = np.array(search.x.numerators[n + 1 :].tolist(), dtype=object) > 0
        tight = left[~mistakes]
        if not len(tight):
            raise ExactError("every strategy looks like a mistake", where=game.name, fix="report this game")
        kept.append((value, payoffs[tight]))
        levels.append(MistakeLevel(value / unit, len(tight)))
        left = left[mistakes]
    final = _round_program(seat, flow, payoffs, kept, left)
    plan = reduced(solution.x.numerators[:n], solution.x.denominator)
    check_flow(own, plan)
    return ProperPlans(player, tuple(levels), plan, final, tuple(solutions))


def pure_payoffs(seat: SequenceForm) -> tuple[NDArray[Any], int]:
    """Return integer payoffs per own sequence, one row per pure strategy of the opponent, and their denominator."""
    plans = reduced_plans(seat.treeplexes[1], limit=MOST_STRATEGIES).astype(np.int64).astype(object)
    payoff = seat.matrix_payoff
    table = np.zeros((seat.treeplexes[1].num_sequences, seat.treeplexes[0].num_sequences), dtype=object)
    np.add.at(table, (payoff.cols, payoff.rows), payoff.numerators.astype(object))
    rows = {tuple(row): None for row in (plans @ table).tolist()}
    return np.array(list(rows), dtype=object), payoff.denominator


def _round_program(seat: SequenceForm, flow: Any, payoffs: Any, kept: Any, left: Any) -> ExactProgram:
    """Maximise the least payoff against the strategies left; columns x then t."""
    n = flow.shape[1]
    rows = [np.append(row, 0) for row in flow]
    lower: list[Fraction | None] = [Fraction(int(e)) for e in seat.treeplexes[0].e]
    upper = list(lower)
    for value, matrix in kept:
        rows += [np.append(row, 0) for row in matrix]
        lower += [value] * len(matrix)
        upper += [value] * len(matrix)
    rows += [np.append(payoffs[k], -1) for k in left]
    lower += [Fraction(0)] * len(left)
    upper += [None] * len(left)
    costs = np.zeros(n + 1, dtype=object)
    costs[n] = -1
    last = None if len(left) else 0
    ends, tops = [*[0] * n, last], [*[None] * n, last]
    return _program(f"proper plans of {seat.name}", costs, rows, lower, upper, ends, tops)


def _support_program(
    seat: SequenceForm, flow: Any, payoffs: Any, kept: Any, left: Any, value: Fraction
) -> ExactProgram:
    """Find all strategies that are mistakes against some optimal plan; columns x, the scale, s."""
    n, m = flow.shape[1], len(left)
    start = [int(e) for e in seat.treeplexes[0].e]
    nothing = [0] * m
    rows = [[*row, -e, *nothing] for row, e in zip(flow.tolist(), start, strict=True)]
    for earned, matrix in kept:
        d = earned.denominator
        rows += [[*(row * d), -earned.numerator, *nothing] for row in matrix]
    equalities = len(rows)
    d = value.denominator
    for position, k in enumerate(left):
        unit = list(nothing)
        unit[position] = -d
        rows.append([*(payoffs[k] * d), -value.numerator, *unit])
    lower: list[Fraction | None] = [Fraction(0)] * len(rows)
    upper: list[Fraction | None] = [Fraction(0)] * equalities + [None] * m
    costs = np.array([0] * (n + 1) + [-1] * m, dtype=object)
    ends, tops = [*[0] * n, 1, *[0] * m], [*[None] * (n + 1), *[1] * m]
    return _program(f"mistakes in {seat.name}", costs, rows, lower, upper, ends, tops)


def _program(name: str, costs: Any, rows: Any, lower: Any, upper: Any, ends: Any, tops: Any) -> ExactProgram:
    return ExactProgram(
        c=RationalVector(costs),
        A=IntegerMatrix.from_dense([[int(v) for v in row] for row in rows]),
        row_lower=RationalVector.of(lower),
        row_upper=RationalVector.of(upper),
        col_lower=RationalVector.of(ends),
        col_upper=RationalVector.of(tops),
        name=name,
    )
