"""The front door: a game in, a proved equilibrium out."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import Any

from equiform.formulations.optimization.backends import get
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import quasi_perfect, sequence_form_lp, undominated
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.games.registry import load_game
from equiform.models.common.arguments import require_name, require_player
from equiform.models.common.errors import CapabilityError, ExactError, ParameterError
from equiform.models.common.rational import as_fraction, exact_text, parse_fraction, repr_of_fields, short_text
from equiform.models.game import Game, require_game
from equiform.models.game import as_sequence_form as as_sequence_form
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificates.certificate import Certificate, certify
from equiform.validation.certificates.exact_evaluation import exact_certificate, exact_evaluate
from equiform.validation.exact import lp as exact_lp
from equiform.validation.exact.equilibrium import ExactEquilibrium, exact_equilibrium
from equiform.validation.exact.quasi_perfect import ExactQuasiPerfect, exact_quasi_perfect
from equiform.validation.exact.refinements import ExactUndominated, exact_undominated

#: What `solve` can look for.
CONCEPTS = {
    "nash": "Nash equilibrium: the sequence-form program",
    "une": "undominated equilibrium: a best response to uniform play among the equilibrium strategies",
    "qpe": "epsilon-quasi-perfect equilibrium: Nash of the game in which every sequence has a least weight",
}
#: An answer that its own certificate puts further than this (in largest payoffs) from equilibrium is refused.
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class ExactProof:
    """An answer in rational arithmetic: value, strategies, and what a best response would still gain."""

    value: Fraction
    strategies: tuple[Strategy, Strategy]
    exploitability: Fraction

    __repr__ = repr_of_fields

    @property
    def bits(self) -> int:
        """The bit length of the largest numerator or denominator in the value and the strategies."""
        numbers = [self.value, *(p for s in self.strategies for p in s.probabilities.tolist())]
        return max(max(abs(n.numerator), n.denominator).bit_length() for n in numbers)


@dataclass(frozen=True, eq=False, repr=False)
class Solved:
    """A result, the certificate that proves it, and on demand the exact rational answer.

    Beside an exact answer the result and the certificate hold the same numbers, rounded to floats.
    """

    game: Game
    result: Result
    certificate: Certificate
    exact: ExactProof | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        exact = "" if self.exact is None else exact_text(self.exact.value)
        value = exact if 0 < len(exact) <= 24 else f"{self.value:.9g}"
        return (
            f"Solved({self.result.game}, {self.result.concept}: value {value}, "
            f"nash_conv {self.certificate.nash_conv:.1e}, by {self.result.backend})"
        )

    @property
    def value(self) -> float:
        """Player 0's expected payoff, as the certificate has it."""
        return self.certificate.payoffs[0]

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """One a player: exact ones where they were asked for."""
        return tuple(s for s in self.result.strategies if s is not None)


def as_game(game: Game | str | Path) -> Game:
    """Load a game by its name, path or specification; pass a game object through."""
    return load_game(game) if isinstance(game, str | Path) else require_game(game)


def solve(
    game: Game | str | Path,
    *,
    concept: str = "nash",
    epsilon: float | Fraction | None = None,
    player: int = 0,
    backend: str = "highs",
    algorithm: str | None = None,
    exact: bool = False,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> Solved:
    """Find an equilibrium of a two-player zero-sum game and prove it.

    ``concept`` is one of :data:`CONCEPTS`; ``epsilon`` goes with ``qpe``. A constant-sum game is solved as the zero-sum
    game with the same payoffs of player 0. ``exact`` solves in rational arithmetic from the start: all that is asked of
    the float solver is a first basis, by ``algorithm`` and ``options``; ``time_limit`` holds for each float solve.

    >>> solved = solve("kuhn", exact=True)
    >>> print(solved.exact.value, solved.exact.exploitability, solved.certificate.nash_conv)
    -1/18 0 0.0
    """
    small = _check_concept(concept, epsilon)
    require_player(player, 2, "this program")
    if exact and get(backend).name != exact_lp.BACKEND:
        raise CapabilityError(
            f"exact answers start from a basis, and {backend} gives none",
            where="backend",
            fix=f"use {exact_lp.BACKEND}, or ask for an answer in floats",
        )
    started = time.perf_counter()
    game = as_game(game)
    if not isinstance(game, SequenceForm):
        game = game.zero_sum()
    loaded = time.perf_counter()
    form = as_sequence_form(game)
    formed = time.perf_counter()
    solver = SolverOptions(backend, algorithm, time_limit, options or {})
    if exact:
        answer = _solve_exactly(game, form, concept, small, player, solver)
    else:
        answer = _solve_in_floats(game, form, concept, small, player, solver)
    before = {"load": loaded - started, "sequence form": formed - loaded}
    return dataclasses.replace(answer, seconds={**before, **answer.seconds})


def largest_payoff(game: Game) -> float:
    """Give the largest payoff in absolute value, at least one: the scale on which regrets are judged."""
    if isinstance(game, SequenceForm):
        return 1.0
    return max(1.0, float(abs(game.payoff_floats).max()))


def _check_concept(concept: str, epsilon: float | Fraction | None) -> Fraction | None:
    """Give epsilon as a fraction, if the concept takes one."""
    require_name(concept, CONCEPTS, "solution concept")
    if concept == "qpe" and epsilon is None:
        raise ParameterError(
            "qpe needs an epsilon", where="epsilon", fix="give a small positive number, such as 1/1000"
        )
    if concept != "qpe" and epsilon is not None:
        raise ParameterError(f"{concept} takes no epsilon", where="epsilon", fix="leave it out, or ask for qpe")
    if epsilon is None:
        return None
    if isinstance(epsilon, Rational) and not isinstance(epsilon, bool):
        return as_fraction(epsilon)
    try:
        return parse_fraction(str(epsilon))  # a float stands for the decimal that it is written as
    except ValueError:
        raise ParameterError(
            f"{epsilon!r} is not a number", where="epsilon", fix="give a small positive number, such as 1/1000"
        ) from None


def _solve_in_floats(
    game: Game, form: SequenceForm, concept: str, epsilon: Fraction | None, player: int, solver: SolverOptions
) -> Solved:
    """Solve the concept's program and evaluate what comes out."""
    started = time.perf_counter()
    scale = largest_payoff(game)  # first, as it names the place of a payoff that is too large
    result: Result
    if concept == "une":
        result = undominated.solve(form, solver=solver)
    elif epsilon is not None:
        result = quasi_perfect.solve(form, epsilon, player=player, solver=solver).require_certified()
    else:
        result = sequence_form_lp.solve(form, player=player, solver=solver)
    solved = time.perf_counter()
    certificate = certify(game, [s for s in result.strategies if s is not None])
    if concept != "qpe":  # who must tremble is no equilibrium of the game itself
        certificate.require(TOLERANCE * scale)
    seconds = {"program": solved - started, "certificate": time.perf_counter() - solved}
    return Solved(game, result, certificate, seconds=seconds)


def _solve_exactly(
    game: Game, form: SequenceForm, concept: str, epsilon: Fraction | None, player: int, solver: SolverOptions
) -> Solved:
    """Solve in rational arithmetic and evaluate on the game itself; floats are rounded from that, and nothing else."""
    started = time.perf_counter()
    seat = for_player(form, player)
    answer: ExactEquilibrium | ExactUndominated | ExactQuasiPerfect
    if concept == "une":
        answer = exact_undominated(seat, solver=solver)
    elif epsilon is not None:
        answer = exact_quasi_perfect(seat, epsilon, solver=solver)
    else:
        answer = exact_equilibrium(seat, solver=solver)
    first, second = answer.strategies if player == 0 else answer.strategies[::-1]
    solved = time.perf_counter()
    evaluation = exact_evaluate(game, (first, second))
    value, claimed = evaluation.payoffs[0], answer.value
    if claimed != evaluation.payoffs[player]:
        raise ExactError(
            f"the game says that the value is {short_text(value)}, "
            f"the program {short_text(claimed if player == 0 else -claimed)}",
            where=form.name,
            fix="report this game: program and game do not describe the same thing",
        )
    certificate = exact_certificate(game, evaluation)
    if concept != "qpe":
        certificate.require(0.0)
    in_floats = sum(s.float_seconds for s in answer.solutions)
    return Solved(
        game,
        Result(
            game=form.name,
            concept=concept,
            value=certificate.payoffs[0],
            strategies=(first, second),
            plans=(first.plan, second.plan),
            solutions=tuple(s.rounded() for s in answer.solutions),
        ),
        certificate,
        ExactProof(value, (first, second), evaluation.exploitability),
        {
            "program": in_floats,
            "exact": solved - started - in_floats,
            "certificate": time.perf_counter() - solved,
        },
    )
