"""The front door: a game in, a proved equilibrium out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from equiform.formulations import quasi_perfect, sequence_form_lp, undominated
from equiform.formulations.result import Result
from equiform.games.registry import load_game
from equiform.models.errors import ParameterError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.normal_form import as_sequence_form as as_sequence_form
from equiform.models.rational import as_fraction
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.validation.certificate import Certificate, Game, certify
from equiform.validation.exact import exact_equilibrium
from equiform.validation.exact_evaluation import exact_nash_conv
from equiform.validation.exact_quasi_perfect import exact_quasi_perfect
from equiform.validation.exact_refinements import exact_undominated

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

    @property
    def bits(self) -> int:
        """The bit length of the largest numerator or denominator in the value and the strategies."""
        numbers = [self.value, *(p for s in self.strategies for p in s.probabilities.tolist())]
        return max(max(abs(n.numerator), n.denominator).bit_length() for n in numbers)


@dataclass(frozen=True, eq=False)
class Solved:
    """A result, the certificate that proves it, and on demand the exact rational answer."""

    game: Game = field(repr=False)
    result: Result
    certificate: Certificate
    exact: ExactProof | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """Player 0's expected payoff, as the certificate measured it."""
        return self.certificate.payoffs[0]

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """One a player: exact ones where they were asked for."""
        if self.exact is not None:
            return self.exact.strategies
        return tuple(s for s in self.result.strategies if s is not None)


def as_game(game: Game | str) -> Game:
    """Load a game by its name, path or specification; pass a game object through."""
    return load_game(game) if isinstance(game, str) else game


def solve(
    game: Game | str,
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
    game with the same payoffs of player 0.

    >>> solved = solve("kuhn", exact=True)
    >>> print(solved.exact.value, solved.exact.exploitability, solved.certificate.nash_conv < 1e-12)
    -1/18 0 True
    """
    _check_concept(concept, epsilon)
    started = time.perf_counter()
    game = as_game(game)
    if not isinstance(game, SequenceForm):
        game = game.zero_sum()
    loaded = time.perf_counter()
    form = as_sequence_form(game)
    formed = time.perf_counter()
    how = {"backend": backend, "algorithm": algorithm, "time_limit": time_limit, "options": options}
    result = _solve_program(form, concept, epsilon, player, how, exact)
    solved = time.perf_counter()
    proof = _prove(game, form, concept, epsilon, player, result) if exact else None
    proved = time.perf_counter()
    profile = proof.strategies if proof is not None else result.strategies
    certificate = certify(game, [s for s in profile if s is not None])
    if concept != "qpe":  # who must tremble is no equilibrium of the game itself
        certificate.require(TOLERANCE * largest_payoff(game))
    seconds = {"load": loaded - started, "sequence form": formed - loaded, "program": solved - formed}
    if exact:
        seconds["exact"] = proved - solved
    seconds["certificate"] = time.perf_counter() - proved
    return Solved(game, result, certificate, proof, seconds)


def largest_payoff(game: Game) -> float:
    """Give the largest payoff in absolute value, at least one: the scale on which regrets are judged."""
    if isinstance(game, ExtensiveGame):
        return max(1.0, *(abs(float(v)) for row in game.payoff_table for v in row))
    if isinstance(game, NormalForm):
        return max(1.0, float(abs(game.payoff_floats).max()))
    return 1.0


def _check_concept(concept: str, epsilon: float | Fraction | None) -> None:
    if concept not in CONCEPTS:
        raise ParameterError(
            f"unknown solution concept {concept!r}", where="concept", fix=f"use one of {', '.join(CONCEPTS)}"
        )
    if concept == "qpe" and epsilon is None:
        raise ParameterError(
            "qpe needs an epsilon", where="epsilon", fix="give a small positive number, such as 1/1000"
        )
    if concept != "qpe" and epsilon is not None:
        raise ParameterError(f"{concept} takes no epsilon", where="epsilon", fix="leave it out, or ask for qpe")


def _solve_program(
    form: SequenceForm,
    concept: str,
    epsilon: float | Fraction | None,
    player: int,
    how: dict[str, Any],
    exact: bool,
) -> Result:
    if concept == "une":
        return undominated.solve(form, **how)
    if concept == "qpe" and epsilon is not None:
        result = quasi_perfect.solve(form, float(epsilon), player=player, **how)
        # a float answer that its residuals refute may stand only beside the exact one
        return result if exact else result.require_certified()
    # the exact route starts from a basis, and who names an algorithm wants its kind of answer
    symmetry = not exact and how["algorithm"] is None
    return sequence_form_lp.solve(form, player=player, **how, symmetry=symmetry)


def _prove(
    game: Game, form: SequenceForm, concept: str, epsilon: float | Fraction | None, player: int, result: Result
) -> ExactProof:
    """Find the exact answer and its exact exploitability, the latter on the game itself."""
    if concept == "une":
        une = exact_undominated(form)
        return ExactProof(une.value, une.strategies, exact_nash_conv(game, une.strategies) / 2)
    if concept == "qpe" and epsilon is not None:
        qpe = exact_quasi_perfect(form, as_fraction(epsilon))
        return ExactProof(qpe.value, qpe.strategies, exact_nash_conv(game, qpe.strategies) / 2)
    # the exact route starts from the basis just found, if it is that of player 0's program
    basis = result.solution.basis if player == 0 and len(result.solutions) == 1 else None
    nash = exact_equilibrium(game, form=form, basis=basis)
    return ExactProof(nash.value, nash.strategies, nash.exploitability)
