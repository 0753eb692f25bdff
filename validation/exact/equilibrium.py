r"""An exact equilibrium of a two-player zero-sum game, proved in rational arithmetic.

Write the payoff as :math:`A/\delta`, integers A over one denominator, and let the unit :math:`\sigma` be a power of two
above all of A. Player 1's sequence-form program with q measured in units of :math:`\sigma/\delta`,

.. math:: \min\; -q_0 \quad\text{s.t.}\quad Ex = e,\; A^\top x - \sigma F^\top q \ge 0,\; x \ge 0,

is solved exactly from a solver's basis (:mod:`equiform.validation.exact.linear.lp`). Its point contains player 1's plan
x; the duals of its response rows, times :math:`\sigma`, are player 2's plan y. Then the program is forgotten: the
plans' flow equations and both players' best responses are computed in integers on the game itself, and the answer
counts only if

.. math:: \max_{x'} x'^\top A y/\delta \;=\; v \;=\; \min_{y'} x^\top A y'/\delta .
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Basis
from equiform.models.common.errors import ExactError, StrategyError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational import repr_of_fields, short_text
from equiform.models.common.rational_vector import ENTRY_LIMIT, RationalVector, as_object, reduced
from equiform.models.game import Game, as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import (
    ExactEvaluation,
    check_flow,
    evaluate_plans,
    exact_evaluate,
    exact_nash_conv,
)
from equiform.validation.exact.linear.lp import ExactSolution, exact_lp
from equiform.validation.exact.linear.program import ExactProgram
from equiform.validation.exact.strategies import exact_profile

__all__ = [
    "ExactEquilibrium",
    "ExactEvaluation",
    "ExactSeconds",
    "equilibrium_program",
    "exact_equilibrium",
    "exact_evaluate",
    "exact_nash_conv",
    "payoff_unit",
]


@dataclass(frozen=True)
class ExactSeconds:
    """Wall-clock seconds: building the program, the floating-point solver, the exact basis, the independent check."""

    build: float
    program: float
    basis: float
    check: float

    @property
    def total(self) -> float:
        """All phases together."""
        return self.build + self.program + self.basis + self.check


@dataclass(frozen=True, eq=False)
class ExactEquilibrium:
    """A proved equilibrium in Fractions."""

    game: str
    value: Fraction
    """The first player's payoff: guaranteed by the first plan, never exceeded against the second."""
    plans: tuple[RationalVector, RationalVector] = field(repr=False)
    strategies: tuple[Strategy, Strategy] = field(repr=False)
    evaluation: ExactEvaluation = field(repr=False)
    solutions: tuple[ExactSolution] = field(repr=False)
    """The solution of the one program solved."""
    seconds: ExactSeconds

    __repr__ = repr_of_fields

    @property
    def bracket(self) -> tuple[Fraction, Fraction]:
        """What x guarantees and what y concedes: both are the value."""
        return -self.evaluation.best_responses[1], self.evaluation.best_responses[0]

    @property
    def exploitability(self) -> Fraction:
        """Zero, as computed by the independent check."""
        return self.evaluation.exploitability

    @property
    def repairs(self) -> int:
        """The number of bases that the floating-point solver replaced before one was exactly optimal."""
        return self.solutions[0].repairs

    @property
    def bits(self) -> int:
        """The bit length of the largest numerator or denominator in the value and the plans."""
        ends = (abs(self.value.numerator), self.value.denominator)
        return max(max(ends).bit_length(), *(plan.bits for plan in self.plans))


def exact_equilibrium(
    game: Game,
    *,
    form: SequenceForm | None = None,
    basis: Basis | None = None,
    unreached: str = "best-response",
    solver: SolverOptions = DEFAULT,
) -> ExactEquilibrium:
    """Find an equilibrium in Fractions and prove it.

    Parameters
    ----------
    game
        The game on which the independent check runs: a tree, a table, or a payoff matrix.
    form
        Its sequence form, if already known.
    basis
        A basis of :func:`equilibrium_program`, which is also one of the first player's ``sequence_form_lp``; HiGHS
        proposes one if omitted.
    unreached
        What to play where a plan never arrives (:data:`equiform.models.completion.UNREACHED`).
    solver
        How HiGHS proposes the first basis, as for :func:`~equiform.validation.exact.linear.lp.exact_lp`.

    Returns
    -------
    ExactEquilibrium
        The value, plans and strategies, with the independent evaluation.

    Raises
    ------
    ExactError
        If no exactly optimal basis is found, or the independent check disagrees.

    Examples
    --------
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> print(exact_equilibrium(compile_rules(Kuhn())).value)
    -1/18
    """
    started = time.perf_counter()
    game = game if isinstance(game, SequenceForm) else game.zero_sum()
    form = as_sequence_form(game) if form is None else form
    program = equilibrium_program(form)
    built = time.perf_counter() - started
    solution = exact_lp(program, basis, solver=solver)
    started = time.perf_counter()
    first = form.treeplexes[0]
    unit = payoff_unit(form)
    value = -solution.objective * Fraction(unit, form.matrix_payoff.denominator)
    x = solution.x.numerators[: first.num_sequences]
    y = as_object(solution.duals.numerators)[first.num_infosets + 1 :] * unit
    plans = reduced(x, solution.x.denominator), reduced(y, solution.duals.denominator)
    evaluation = _prove(game, form, plans, value)
    strategies = exact_profile(form, plans, unreached)
    seconds = ExactSeconds(built, solution.float_seconds, solution.exact_seconds, time.perf_counter() - started)
    return ExactEquilibrium(form.name, value, plans, strategies, evaluation, (solution,), seconds)


def equilibrium_program(game: SequenceForm) -> ExactProgram:
    """Return the first player's program in integers: columns x then q, rows flow then response."""
    first, second = game.treeplexes
    payoff = game.matrix_payoff
    E, F = game.E.tocoo(), game.F.tocoo()
    n, m = first.num_sequences, first.num_infosets + 1
    unit = payoff_unit(game)
    kind = np.int64 if payoff.numerators.dtype != object and unit < ENTRY_LIMIT else object

    def integers(flow: Any) -> NDArray[Any]:
        return flow.data.astype(np.int64).astype(kind)

    matrix = IntegerMatrix.from_coo(
        (m + second.num_sequences, n + second.num_infosets + 1),
        np.concatenate([E.row, m + payoff.cols, m + F.col]),
        np.concatenate([E.col, payoff.rows, n + F.row]),
        np.concatenate([integers(E), payoff.numerators.astype(kind), integers(F) * -unit]),
    )
    rows, columns = matrix.shape
    goal = np.zeros(columns, dtype=np.int64)
    goal[n] = -1
    start = np.zeros(rows, dtype=np.int64)
    start[0] = 1
    is_x, is_flow = np.arange(columns) < n, np.arange(rows) < m
    return ExactProgram(
        c=RationalVector(goal),
        A=matrix,
        row_lower=RationalVector(start),
        row_upper=RationalVector(start, 1, is_flow),
        col_lower=RationalVector(np.zeros(columns, dtype=np.int64), 1, is_x),
        col_upper=RationalVector.full(columns, None),
        name=f"exact nash of {game.name}",
    )


def payoff_unit(game: SequenceForm) -> int:
    """Return the power of two in which :func:`equilibrium_program` measures the numerators of payoffs."""
    numerators = game.matrix_payoff.numerators
    return 1 << int(np.abs(numerators).max(initial=0)).bit_length()


def _prove(
    game: Game, form: SequenceForm, plans: tuple[RationalVector, RationalVector], value: Fraction
) -> ExactEvaluation:
    """Check flow, payoffs and best responses without the program; raise an ExactError if anything is wrong."""
    try:
        for treeplex, plan in zip(form.treeplexes, plans, strict=True):
            check_flow(treeplex, plan)
    except StrategyError as error:
        raise ExactError(f"an exact plan failed its check: {error.what}", where=error.where) from None
    evaluation = evaluate_plans(form if isinstance(game, SequenceForm) else game, plans)
    if evaluation.best_responses != (value, -value) or evaluation.payoffs != (value, -value):
        raise ExactError(
            f"the independent check disagrees with the program's value {short_text(value)}",
            where=f"{form.name}: {evaluation}",
            fix="please report this game: its program and its rules disagree",
        )
    return evaluation
