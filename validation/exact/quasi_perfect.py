r"""Quasi-perfect equilibria in rational arithmetic: for a given ε, and for all small ε at once.

The program of :mod:`equiform.formulations.zero_sum.quasi_perfect` has ε in its costs and bounds only, as polynomials

.. math:: c(\varepsilon) = \sum_k c_k \varepsilon^k, \qquad \ell(\varepsilon) = \sum_k \ell_k \varepsilon^k ,

and its matrix is that of the Nash program. *One ε:* the exact solver (:mod:`equiform.validation.exact.linear.lp`)
refines a float solver's basis until it is optimal in integers, however small :math:`\varepsilon^{|\sigma|}` is.

*All small ε:* for a fixed basis the point and the prices are linear in the data, hence polynomials in ε too, with one
exact solve per power. Such a polynomial is nonnegative for all small :math:`\varepsilon > 0` if and only if its first
nonzero coefficient is positive. If that holds for every slack and every price, the basis is optimal on a whole interval
:math:`(0, \bar\varepsilon]`, which the coefficients bound from below; and the limits of its behavioural strategies,
ratios of leading coefficients, are a quasi-perfect equilibrium of the game itself (Miltersen and Sørensen 2010).
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.optimization.solution import Basis
from equiform.formulations.zero_sum.quasi_perfect import largest_epsilon
from equiform.models.common.array_types import BoolArray
from equiform.models.common.errors import ExactError, ParameterError
from equiform.models.common.rational import repr_of_fields, short_text
from equiform.models.common.rational_vector import RationalVector, as_object, difference, dot, reduced
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import (
    best_values,
    check_flow,
    evaluate_plans,
    exact_gradient,
    flow_residual,
)
from equiform.validation.exact.equilibrium import payoff_unit
from equiform.validation.exact.linear.basic_point import BasicPoint, basic_point
from equiform.validation.exact.linear.lp import ExactSolution, exact_lp
from equiform.validation.exact.perturbed_program import exact_trembles, indicator, perturbed_program, power_program
from equiform.validation.exact.strategies import exact_strategy

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class ExactQuasiPerfect:
    """An ε-quasi-perfect equilibrium in Fractions, proved by best responses within the perturbed game."""

    game: str
    epsilon: Fraction
    value: Fraction
    """The first player's payoff in the perturbed game."""
    exploitability: Fraction
    """The mean regret per player in the game itself, without trembles."""
    plans: tuple[RationalVector, RationalVector] = field(repr=False)
    strategies: tuple[Strategy, Strategy] = field(repr=False)
    basis: Basis = field(repr=False)
    solutions: tuple[ExactSolution, ...] = field(default=(), repr=False)
    """The programs solved, the last of them for ε itself."""

    __repr__ = repr_of_fields


@dataclass(frozen=True, eq=False)
class QuasiPerfectLimit:
    """A basis that is optimal for every ε up to a radius, and the quasi-perfect equilibrium that it leads to."""

    game: SequenceForm = field(repr=False)
    radius: Fraction
    """The basis is optimal for all ε in (0, radius], and possibly beyond."""
    coefficients: tuple[tuple[RationalVector, ...], tuple[RationalVector, ...]] = field(repr=False)
    """Each player's plan as a polynomial in ε, constant term first."""
    strategies: tuple[Strategy, Strategy] = field(repr=False)
    """The limit for ε → 0: a quasi-perfect equilibrium."""
    value: Fraction
    basis: Basis = field(repr=False)

    __repr__ = repr_of_fields

    def at(self, epsilon: Fraction) -> ExactQuasiPerfect:
        """Evaluate the polynomials at an ε within the radius, and prove the result."""
        if not 0 < epsilon <= self.radius:
            raise ParameterError(
                f"epsilon {short_text(epsilon)} lies outside the certified interval",
                where=f"(0, {float(self.radius):.3g}]",
                fix="solve for this epsilon with exact_quasi_perfect",
            )
        plans = tuple(_polynomial(own, epsilon) for own in self.coefficients)
        return _proved(self.game, epsilon, (plans[0], plans[1]), self.basis)


def exact_quasi_perfect(
    game: SequenceForm,
    epsilon: Fraction,
    *,
    solver: SolverOptions = DEFAULT,
) -> ExactQuasiPerfect:
    """Solve the perturbed game exactly.

    Parameters
    ----------
    game
        A two-player zero-sum game in sequence form.
    epsilon
        The tremble, as a Fraction.
    solver
        How HiGHS proposes the first basis, as for :func:`~equiform.validation.exact.linear.lp.exact_lp`.

    Returns
    -------
    ExactQuasiPerfect
        Plans and strategies, proved by best responses within the perturbed game.

    Raises
    ------
    ParameterError
        If ``epsilon`` is out of range.
    ExactError
        If no exactly optimal basis is found.

    Examples
    --------
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> from equiform.models.sequence_form import sequence_form
    >>> print(exact_quasi_perfect(sequence_form(compile_rules(Kuhn())), Fraction(1, 10)).value)
    -17/1000
    """
    least = exact_trembles(game.treeplexes[1], epsilon)
    descent = _descent(game, epsilon, solver)
    solutions = tuple(solution for _, solution in descent)
    plans = _plans(game, solutions[-1].x, solutions[-1].duals, least)
    return _proved(game, epsilon, plans, solutions[-1].basis, solutions)


def quasi_perfect_limit(game: SequenceForm, *, smallest: Fraction = Fraction(1, 10**12)) -> QuasiPerfectLimit:
    """Find a basis that is optimal for all small ε, and with it a quasi-perfect equilibrium.

    Parameters
    ----------
    game
        A two-player zero-sum game in sequence form.
    smallest
        Where to stop lowering ε in search of a basis that is optimal for all smaller ones.

    Returns
    -------
    QuasiPerfectLimit
        The limit, with the interval on which its basis is optimal.

    Raises
    ------
    ExactError
        If no such basis is found.
    """
    for epsilon, solution in _descent(game, smallest):
        limit = certify_for_all_small(game, solution.basis)
        if limit is not None:
            return limit
        logger.info("%s: the basis at epsilon %s does not last", game.name, short_text(epsilon))
    raise ExactError(
        "no basis was found that is optimal for all small epsilon",
        where=f"{game.name}, down to {short_text(smallest)}",
        fix="lower `smallest`",
    )


def certify_for_all_small(game: SequenceForm, basis: Basis) -> QuasiPerfectLimit | None:
    """Decide whether a basis is optimal for all small ε; ``None`` if it is not."""
    first, second = game.treeplexes
    powers = range(int(max(first.depth.max(), second.depth.max())) + 1)
    programs = [power_program(game, k) for k in powers]
    points = [basic_point(program, basis) for program in programs]
    bounded, inequality = programs[0].col_lower.present, ~programs[0].row_upper.present
    slack = [difference(point.x, program.col_lower) for point, program in zip(points, programs, strict=True)]
    room = [difference(point.activity, program.row_lower) for point, program in zip(points, programs, strict=True)]
    nothing = [(room, ~inequality), ([p.reduced_costs for p in points], ~bounded)]
    if any(v.numerators[where].any() for vectors, where in nothing for v in vectors):
        return None
    signed = [
        (slack, bounded),
        (room, inequality),
        ([p.duals for p in points], inequality),
        ([p.reduced_costs for p in points], bounded),
    ]
    radii = [_positive_radius(vectors, where) for vectors, where in signed]
    if any(r is None for r in radii):
        return None
    return _limit(game, points, min(r for r in radii if r is not None), basis)


def _descent(
    game: SequenceForm, smallest: Fraction, solver: SolverOptions = DEFAULT
) -> Iterator[tuple[Fraction, ExactSolution]]:
    """Solve for one ε after another, from a large one down to the smallest, each from the basis of the last.

    Neighbouring perturbations have neighbouring bases, while a floating-point solver that starts with a tiny ε proposes
    a basis that ignores it.
    """
    epsilon = max(smallest, min(Fraction(1, 10), *map(largest_epsilon, game.treeplexes)))
    solution = exact_lp(perturbed_program(game, epsilon), solver=solver)
    algorithm, divisor = solution.algorithm, 10
    later = SolverOptions(time_limit=solver.time_limit)
    yield epsilon, solution
    while epsilon > smallest:
        epsilon = max(smallest, epsilon / divisor)
        solution = exact_lp(perturbed_program(game, epsilon), solution.basis, solver=later)
        yield epsilon, dataclasses.replace(solution, algorithm=algorithm)
        # a basis that survived a step may well last: try a longer step
        divisor = 10 if solution.repairs else divisor**2


def _plans(
    game: SequenceForm, x: RationalVector, duals: RationalVector, least: RationalVector
) -> tuple[RationalVector, RationalVector]:
    """Read both plans off the point and the prices: y = least + duals of the response rows."""
    first = game.treeplexes[0]
    prices = as_object(duals.numerators)[first.num_infosets + 1 :] * payoff_unit(game)
    other = difference(least, RationalVector(-prices, duals.denominator))
    return reduced(x.numerators[: first.num_sequences], x.denominator), reduced(other.numerators, other.denominator)


# -- polynomials in ε ----------------------------------------------------------------------------------------------


def _positive_radius(coefficients: list[RationalVector], where: BoolArray) -> Fraction | None:
    """Bound the ε up to which all these polynomials are nonnegative; ``None`` if one is negative for small ε."""
    radius = Fraction(1)
    table = [[Fraction(k, v.denominator) for k in v.numerators[where].tolist()] for v in coefficients]
    for polynomial in zip(*table, strict=True):
        leading = next((k for k, a in enumerate(polynomial) if a), None)
        if leading is None:
            continue
        if polynomial[leading] < 0:
            return None
        # for ε ≤ 1 the later terms cost at most ε times the sum of the negative ones
        negative = -sum((a for a in polynomial[leading + 1 :] if a < 0), Fraction(0))
        if negative:
            radius = min(radius, polynomial[leading] / negative)
    return radius


def _polynomial(coefficients: tuple[RationalVector, ...], epsilon: Fraction) -> RationalVector:
    total = np.zeros(len(coefficients[0]), dtype=object)
    for k, vector in enumerate(coefficients):
        total = total + vector.fractions * epsilon**k
    return RationalVector.of(total.tolist())


def _limit(game: SequenceForm, points: list[BasicPoint], radius: Fraction, basis: Basis) -> QuasiPerfectLimit:
    first, second = game.treeplexes
    pairs = []
    for k, point in enumerate(points):
        pairs.append(_plans(game, point.x, point.duals, indicator(second, k)))
    coefficients = tuple(x for x, _ in pairs), tuple(y for _, y in pairs)
    strategies = _limit_strategy(first, coefficients[0]), _limit_strategy(second, coefficients[1])
    evaluation = evaluate_plans(game, (coefficients[0][0], coefficients[1][0]))
    if evaluation.nash_conv != 0:
        raise ExactError("the limit of the perturbed equilibria is not an equilibrium", where=game.name)
    radius = min(radius, *map(largest_epsilon, game.treeplexes))
    return QuasiPerfectLimit(game, radius, coefficients, strategies, evaluation.payoffs[0], basis)


def _limit_strategy(treeplex: Treeplex, coefficients: tuple[RationalVector, ...]) -> Strategy:
    """Return the limits of behavioural probabilities: ratios at the first power with which a sequence is reached."""
    table = np.array([v.fractions for v in coefficients])
    behavior = np.empty(treeplex.num_sequences, dtype=object)
    behavior[0] = Fraction(1)
    start = treeplex.start.tolist()
    for h, above in enumerate(treeplex.parent.tolist()):
        leading = int(np.flatnonzero(table[:, above] != 0)[0])
        own = slice(start[h], start[h + 1])
        behavior[own] = table[leading, own] / table[leading, above]
    return Strategy(treeplex, behavior)


# -- proof ---------------------------------------------------------------------------------------------------------


def _proved(
    game: SequenceForm,
    epsilon: Fraction,
    plans: tuple[RationalVector, RationalVector],
    basis: Basis,
    solutions: tuple[ExactSolution, ...] = (),
) -> ExactQuasiPerfect:
    """Check plans against the perturbed game itself: trembles, flow, and best responses of the same value."""
    for player, (treeplex, plan) in enumerate(zip(game.treeplexes, plans, strict=True)):
        check_flow(treeplex, plan)
        bounds = exact_trembles(treeplex, epsilon)
        if (difference(plan, bounds).numerators < 0).any():
            raise ExactError("a sequence is played too rarely", where=f"{game.name}, {treeplex.player}")
        gradient = exact_gradient(game, player, plans[1 - player])
        gain = perturbed_best_value(treeplex, gradient, bounds) - dot(gradient, plan)
        if gain != 0:
            raise ExactError(f"{treeplex.player} gains {short_text(gain)} within the perturbed game", where=game.name)
    first, second = game.treeplexes
    evaluation = evaluate_plans(game, plans)
    return ExactQuasiPerfect(
        game.name,
        epsilon,
        evaluation.payoffs[0],
        evaluation.exploitability,
        plans,
        (exact_strategy(first, plans[0]), exact_strategy(second, plans[1])),
        basis,
        solutions,
    )


def perturbed_best_value(treeplex: Treeplex, gradient: RationalVector, bounds: RationalVector) -> Fraction:
    r"""Maximise ``gradient @ x`` over plans :math:`x \ge \ell`: a backward pass prices what the trembles leave free."""
    return dot(gradient, bounds) - dot(best_values(treeplex, gradient), flow_residual(treeplex, bounds))
