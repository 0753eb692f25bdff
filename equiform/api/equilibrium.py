"""Equilibria of two-player zero-sum games, each with its proof."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from equiform.api.inputs import GameLike, as_game
from equiform.formulations.optimization.backends import get
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Status, TerminationCondition
from equiform.formulations.registry import Formulation, find_formulation, resolve
from equiform.formulations.result import Result
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.arguments import require_player
from equiform.models.common.errors import CapabilityError, ExactError, LimitError
from equiform.models.common.html import EXPLORE, html_facts, interval_text
from equiform.models.common.rational import exact_text, repr_of_fields, short_text
from equiform.models.common.records import plain
from equiform.models.game import Game, as_sequence_form, payoff_spread
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.runs.progress import Listener, Progress, silent
from equiform.validation.certificates.certificate import Certificate, certify
from equiform.validation.certificates.exact_evaluation import exact_certificate, exact_evaluate

if TYPE_CHECKING:
    from equiform.viewer import Page

#: An answer that its own certificate puts further than this share of the payoffs' spread from equilibrium is refused.
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

    @property
    def termination(self) -> TerminationCondition:
        """How it ended: ``optimal``, or ``time_limit`` with the best strategies so far and their bracket."""
        return self.result.termination

    @property
    def status(self) -> Status:
        """``ok``, or ``warning`` if a limit came first."""
        return self.result.status

    @property
    def gap(self) -> float:
        """The width of the certified bracket."""
        return self.certificate.nash_conv

    def require_optimal(self) -> Self:
        """Return the answer itself, or raise the error of the limit that ended it."""
        self.result.require_optimal()
        return self

    def __repr__(self) -> str:
        exact = "" if self.exact is None else exact_text(self.exact.value)
        value = exact if 0 < len(exact) <= 24 else f"{self.value:.9g}"
        return (
            f"Solved({self.result.game}, {self.result.concept}: value {value}, "
            f"nash_conv {self.certificate.nash_conv:.1e}, by {self.result.backend}"
            f"{'' if self.result.status is Status.OK else f', {self.termination}'})"
        )

    @property
    def value(self) -> float:
        """Player 1's expected payoff, as the certificate has it."""
        return self.certificate.payoffs[0]

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """One per player: exact ones where they were asked for."""
        return tuple(s for s in self.result.strategies if s is not None)

    def view(self, *, against: Any = None) -> Page:
        """Return a page to explore the answer; ``against`` is a second one to compare with, or a strategy file."""
        from equiform.api.viewing import view

        return view(self, against=against)

    def _repr_html_(self) -> str:
        exact = None if self.exact is None else short_text(self.exact.value)
        facts = {
            "game": self.game.name,
            "concept": self.result.concept,
            "value": exact or f"{self.value:.9g}",
            "bracket": interval_text(self.certificate.bracket),
            "exploitability": "0 (exactly)"
            if self.exact and not self.exact.exploitability
            else f"{self.certificate.exploitability:.2g}",
            "backend": f"{self.result.backend} {self.result.version}",
        }
        return html_facts("Solved", facts, EXPLORE) + "".join(s._repr_html_() for s in self.strategies)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform solve --json`` prints."""
        certificate, result = self.certificate, self.result
        document: dict[str, Any] = {
            "game": self.game.name,
            "concept": result.concept,
            "value": self.value,
            "bracket": certificate.bracket,
            "exploitability": certificate.exploitability,
            "nash_conv": certificate.nash_conv,
            "gap": self.gap,
            "regrets": certificate.regrets,
            "residuals": certificate.residuals,
            "witness": certificate.witness,
            "backend": result.backend,
            "backend_version": result.version,
            "algorithm": result.algorithm,
            "status": str(result.status),
            "termination": str(result.termination),
            "seconds": {**self.seconds, **{f"program: {k}": v for k, v in result.seconds.items()}},
        }
        if self.exact is not None:
            proof = self.exact
            document["exact"] = {"value": proof.value, "exploitability": proof.exploitability, "bits": proof.bits}
        document["strategies"] = {s.treeplex.player: s.table() for s in self.strategies}
        document["unreached"] = {s.treeplex.player: s.unreached for s in self.strategies}
        answer: dict[str, Any] = plain(document)
        return answer


def solve(
    game: GameLike,
    *,
    concept: str = "nash",
    epsilon: float | Fraction | None = None,
    player: int = 0,
    backend: str = "highs",
    algorithm: str | None = None,
    exact: bool = False,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Listener = silent,
    **parameters: Any,
) -> Solved:
    """Find an equilibrium of a two-player zero-sum game and prove it.

    A constant-sum game is solved as the zero-sum game with the same payoffs of player 1.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes: a name, a path, rules, a game, a matrix or a pair of matrices.
    concept
        ``nash``, ``une``, ``qpe``, or the concept of a plug-in; ``equiform.list_formulations()`` has them all.
    epsilon
        The least weight of a move, for ``qpe``.
    player
        Whose program is solved, 0 or 1; the other strategy comes from its duals.
    backend, algorithm, time_limit, options
        See :class:`~equiform.formulations.optimization.options.SolverOptions`. If a program reaches the limit, the
        answer is the best so far: strategies, their certified bracket, ``time_limit`` as its ``termination``.
    progress
        Hears of each phase when it begins.
    exact
        Solve in rational arithmetic from the start: all that is asked of the float solver is a first basis.
    parameters
        What else the concept takes.

    >>> solved = solve("kuhn", exact=True)
    >>> print(solved.exact.value, solved.exact.exploitability, solved.certificate.nash_conv)
    -1/18 0 0.0
    """
    entry = find_formulation(concept, concept=True)
    values = _values(entry, epsilon, player, parameters)
    solver = SolverOptions(backend, algorithm, time_limit, options or {})
    if exact:
        _require_exact(entry, solver)
    phase = _Phases(progress)
    started = time.perf_counter()
    phase("reading the game")
    loaded = as_game(game)
    phase("sequence form")
    if not isinstance(loaded, SequenceForm):
        loaded = loaded.zero_sum()
    read = time.perf_counter()
    form = as_sequence_form(loaded)
    formed = time.perf_counter()
    answer = (_solve_exactly if exact else _solve_in_floats)(loaded, form, entry, values, solver, phase)
    before = {"load": read - started, "sequence form": formed - read}
    return dataclasses.replace(answer, seconds={**before, **answer.seconds})


def _values(
    entry: Formulation, epsilon: float | Fraction | None, player: int, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of a program's parameters, those with a keyword of their own included."""
    named = {**parameters, **({} if epsilon is None else {"epsilon": epsilon})}
    if any(p.name == "player" for p in entry.parameters):
        named["player"] = player
    require_player(player, 2, "this program")
    return entry.complete(named)


def _require_exact(entry: Formulation, solver: SolverOptions) -> None:
    from equiform.validation.exact.linear.lp import BACKEND

    if not entry.exact:
        raise CapabilityError(
            f"{entry.name} has no exact route", where="exact", fix="ask for an answer in floats, or for another concept"
        )
    if get(solver.backend).name != BACKEND:
        raise CapabilityError(
            f"exact answers start from a basis, which {solver.backend} does not return",
            where="backend",
            fix=f"use {BACKEND}, or ask for an answer in floats",
        )


class _Phases:
    """Tells a listener what is being done."""

    def __init__(self, listener: Listener) -> None:
        self.listener, self.done, self.started = listener, 0, time.perf_counter()

    def __call__(self, message: str) -> None:
        self.listener(Progress("solve", self.done, None, time.perf_counter() - self.started, message))
        self.done += 1


def _solve_in_floats(
    game: Game,
    form: SequenceForm,
    entry: Formulation,
    values: Mapping[str, Any],
    solver: SolverOptions,
    phase: _Phases,
) -> Solved:
    """Solve the concept's program and evaluate what comes out."""
    sizes = " and ".join(f"{t.num_sequences:,}" for t in form.treeplexes)
    phase(f"{entry.name} by {solver.backend}: {sizes} sequences")
    started = time.perf_counter()
    payoff_spread(game)  # first, as it names the place of a payoff that is too large
    try:
        result: Result = entry.find(form, solver, **values).require_certified()
    except LimitError as error:
        from equiform.api.unfinished import best_so_far  # iterative solvers, and with them numba

        phase("the limit is reached: best strategies so far")
        result = best_so_far(form, entry.name, error, solver.time_limit)
    solved = time.perf_counter()
    phase("certificate")
    certificate = certify(game, [s for s in result.strategies if s is not None])
    if entry.equilibrium and result.status is Status.OK:  # who must tremble is not in equilibrium of the game itself
        certificate.require(TOLERANCE)
    seconds = {"program": solved - started, "certificate": time.perf_counter() - solved}
    return Solved(game, result, certificate, seconds=seconds)


def _solve_exactly(
    game: Game,
    form: SequenceForm,
    entry: Formulation,
    values: Mapping[str, Any],
    solver: SolverOptions,
    phase: _Phases,
) -> Solved:
    """Solve in rational arithmetic and evaluate on the game itself; floats are rounded from that, and nothing else."""
    started = time.perf_counter()
    player = values.get("player", 0)
    others = {key: value for key, value in values.items() if key != "player"}
    phase(f"{entry.name} in rational numbers")
    answer = resolve(entry.exact)(for_player(form, player), **others, solver=solver)
    first, second = answer.strategies if player == 0 else answer.strategies[::-1]
    solved = time.perf_counter()
    phase("exact certificate")
    evaluation = exact_evaluate(game, (first, second))
    value, claimed = evaluation.payoffs[0], answer.value
    if claimed != evaluation.payoffs[player]:
        said = short_text(claimed if player == 0 else -claimed)
        raise ExactError(
            f"the game says that the value is {short_text(value)}, the program {said}",
            where=form.name,
            fix="report this game: program and game do not describe the same thing",
        )
    certificate = exact_certificate(game, evaluation)
    if entry.equilibrium:
        certificate.require(0.0)
    in_floats = sum(s.float_seconds for s in answer.solutions)
    return Solved(
        game,
        Result(
            game=form.name,
            concept=entry.name,
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
