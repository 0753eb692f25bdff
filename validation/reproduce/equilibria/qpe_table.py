r"""How small an ε can be: quasi-perfect equilibria by three routes, each answer judged exactly.

Ganzfried (2015), §10.7.2, reports that LP solvers return infeasible or suboptimal points for small ε. Here every float
answer is judged twice: by the residuals that came with it (in floats, what a user sees), and by the exact point of the
basis that the solver called optimal (the truth). The exact route has no residuals to show.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.zero_sum import quasi_perfect
from equiform.formulations.zero_sum.quasi_perfect import TOLERANCE, Residuals
from equiform.models.common.errors import ExactError, SolveError
from equiform.models.common.rational import repr_of_fields
from equiform.models.sequence_form import SequenceForm
from equiform.validation.exact.linear.basic_point import basic_point
from equiform.validation.exact.linear.rational_linalg import SingularError
from equiform.validation.exact.perturbed_program import perturbed_program
from equiform.validation.exact.quasi_perfect import exact_quasi_perfect, quasi_perfect_limit

ROUTES = ("float", "scaled", "exact")
EPSILONS = tuple(Fraction(1, 10**k) for k in range(1, 10))


@dataclass(frozen=True)
class QpeRow:
    """One solve: what the solver said, what the residuals say, and what is true."""

    game: str
    epsilon: Fraction
    route: str
    outcome: str
    """The solver's own word: ``optimal``, or why it gave up."""
    residuals: Residuals | None
    exploitability: float | None
    """Of the strategies, in the game without trembles."""
    certified: bool
    """Whether the residuals pass; for the exact route, whether the proof went through."""
    correct: bool
    """Whether the basis is optimal in exact arithmetic."""
    seconds: float

    __repr__ = repr_of_fields


def qpe_table(
    games: Sequence[SequenceForm], *, epsilons: Iterable[Fraction] = EPSILONS, routes: Sequence[str] = ROUTES
) -> list[QpeRow]:
    """Solve every game for every ε by every route."""
    return [qpe_row(game, epsilon, route) for game in games for epsilon in epsilons for route in routes]


def qpe_row(game: SequenceForm, epsilon: Fraction, route: str) -> QpeRow:
    """Solve once and judge the answer."""
    started = time.perf_counter()
    if route == "exact":
        try:
            exact = exact_quasi_perfect(game, epsilon)
        except ExactError as error:
            return QpeRow(game.name, epsilon, route, error.what, None, None, False, False, _since(started))
        none = Residuals(0.0, 0.0, 0.0, 0.0)
        return QpeRow(
            game.name, epsilon, route, "optimal", none, float(exact.exploitability), True, True, _since(started)
        )
    try:
        result = quasi_perfect.solve(
            game, float(epsilon), route=route, solver=SolverOptions(algorithm="simplex")
        )  # its basis is judged
    except SolveError as error:
        return QpeRow(game.name, epsilon, route, error.what, None, None, False, False, _since(started))
    seconds = _since(started)
    first, second = result.strategies
    regret = game.exploitability(first.plan, second.plan) if first is not None and second is not None else None
    return QpeRow(
        game.name,
        epsilon,
        route,
        str(result.termination),
        result.residuals,
        regret,
        result.residuals.worst <= TOLERANCE,
        _is_optimal(game, epsilon, result),
        seconds,
    )


def smallest_survived(game: SequenceForm, route: str, *, down_to: Fraction = Fraction(1, 10**12)) -> Fraction | None:
    """Go down the ladder 1/10, 1/20, 1/50, 1/100, … and return the last ε before the route's first wrong answer.

    The exact route skips every ε that a single basis covers.
    """
    survived: Fraction | None = None
    proved = quasi_perfect_limit(game) if route == "exact" else None
    for power in range(1, 100):
        for divisor in (1, 2, 5):
            epsilon = Fraction(1, divisor * 10**power)
            if epsilon < down_to:
                return survived
            if proved is not None and epsilon <= proved.radius:
                return proved.at(down_to).epsilon
            if not qpe_row(game, epsilon, route).correct:
                return survived
            survived = epsilon
    return survived


def _is_optimal(game: SequenceForm, epsilon: Fraction, result: quasi_perfect.QuasiPerfectResult) -> bool:
    basis = result.solution.basis
    if basis is None:
        return False
    try:
        return basic_point(perturbed_program(game, epsilon), basis).is_optimal
    except SingularError:
        return False


def _since(started: float) -> float:
    return time.perf_counter() - started
