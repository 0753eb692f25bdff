"""Rivers by linear programs on the factored payoff: Nash to a tiny gap, and refinements of small spots.

Nash equilibria come from programs on a growing set of moves (:mod:`equiform.formulations.zero_sum.growing_lp`), started
by CFR, which comes close in a fraction of the time that a program takes. The undominated and the quasi-perfect
equilibrium need the program of the whole spot. Whatever comes out is certified like every other answer, from the rules.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

from equiform.api.equilibrium import solve
from equiform.api.spots.accuracy import Accuracy
from equiform.api.spots.request import SpotRequest
from equiform.api.spots.solution import SpotSolution
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import growing_lp, quasi_perfect, undominated
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.completion import complete_profile
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import UNREACHED, carried_over, from_profile
from equiform.models.sequence_form import SequenceForm
from equiform.runs.progress import Listener, Progress
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR

CONCEPTS = ("nash", "une", "qpe")
#: What programs are solved to unless something else is asked for: the gap as a share of the pot.
GAP = 1e-9
#: Larger spots are refused unless the limit is raised: sequences of both players together.
MAX_SEQUENCES = {"nash": 600_000, "une": 6_000, "qpe": 3_000, "exact": 1_000}
#: Programs at most.
MAX_ROUNDS = 20
#: Iterations of CFR before the first program, and the gap as a share of the pot at which fewer do.
START, CLOSE = 12_800, 4e-6


def solve_by_programs(
    request: SpotRequest,
    *,
    exact: bool = False,
    start: int = START,
    max_sequences: int | None = None,
    **unknown: Any,
) -> SpotSolution:
    """Solve a river by linear programs; a time limit or Ctrl-C ends Nash programs with the best answer so far."""
    _refuse(request, exact, unknown)
    spot, concept = request.spot, request.concept
    game = spot.game()
    kind = "exact" if exact else concept
    size, limit = sum(game.num_sequences), max_sequences or MAX_SEQUENCES[kind]
    if size > limit:
        other = {"exact": "floats", "nash": "method cfr"}.get(kind, "concept nash")
        raise ParameterError(
            f"the spot has {size:,} sequences, and the limit of {kind} by lp is {limit:,}",
            where=spot.name,
            fix=f"use {other}, smaller ranges or fewer sizes, or raise max_sequences",
        )
    if exact:
        return _exact(spot, game, concept, request.epsilon)
    form = factored_form(game)
    if concept == "nash":
        return _nash(spot, game, form, request.accuracy or Accuracy(None, GAP), start, request.progress)
    return _refined(spot, game, form, concept, request.epsilon)


def _refuse(request: SpotRequest, exact: bool, unknown: dict[str, Any]) -> None:
    """Refuse what programs cannot do before any work starts."""
    spot = request.spot
    if len(spot.board) < 5:
        raise UnsupportedGameError(
            f"a board of {len(spot.board)} cards: lp solves rivers", where=spot.name, fix="use method cfr"
        )
    for given, name in ((request.locks, "locks"), *((True, option) for option in sorted(unknown))):
        if given:
            raise ParameterError(f"lp does not take {name}", where=spot.name, fix="use method cfr, or leave it out")
    if request.accuracy is not None and (exact or request.concept != "nash"):
        raise ParameterError(
            "only nash in floats comes closer step by step: there is nothing to stop early",
            where="until",
            fix="leave until out",
        )


def _nash(
    spot: Spot, game: PublicGame, form: SequenceForm, accuracy: Accuracy, start: int, progress: Listener
) -> SpotSolution:
    began, pot = time.perf_counter(), float(spot.betting.pot)
    until = accuracy.until(pot)
    target = GAP * pot if until.gap is None else until.gap
    rough = PublicCFR(game)
    rough.run(Until(max(target, CLOSE * pot), start, until.seconds), progress=progress)
    history: list[tuple[int, float, float]] = []

    def listen(done: growing_lp.Round) -> None:
        seconds, percent = time.perf_counter() - began, 50 * done.gap / pot
        history.append((len(history) + 1, seconds, percent))
        progress(
            Progress("programs", len(history), None, seconds, metrics={"gap as a share of the pot": done.gap / pot})
        )

    first, second = (s.plan for s in rough.average)
    found = growing_lp.solve(
        form,
        (first, second),
        gap=target,
        max_rounds=MAX_ROUNDS if until.iterations is None else until.iterations,
        time_limit=None if until.seconds is None else max(0.0, until.seconds - (time.perf_counter() - began)),
        on_round=listen,
    )
    profile = complete_profile(form, found.plans, rounding=UNREACHED)
    program = {
        "rounds": len(found.rounds),
        "gap": found.gap / pot,
        "reached": found.reached,
        "start": rough.iteration,
        "programs": [r.to_dict() for r in found.rounds],
    }
    seconds = time.perf_counter() - began
    return SpotSolution(
        spot, "lp", from_profile(game, profile), found.stopped_by, len(found.rounds), seconds, (), tuple(history),
        "nash", program,
    )  # fmt: skip


def _refined(spot: Spot, game: PublicGame, form: SequenceForm, concept: str, epsilon: float | None) -> SpotSolution:
    began, pot = time.perf_counter(), float(spot.betting.pot)
    found: Result
    extra: dict[str, Any] = {}
    if concept == "une":
        found = undominated.solve(form)
    else:
        assert epsilon is not None
        perturbed = quasi_perfect.solve(form, epsilon).require_certified()
        found, extra = perturbed, {"epsilon": perturbed.epsilon, "residual": perturbed.residuals.worst}
    first, second = found.strategies
    assert first is not None and second is not None
    program = {
        "rounds": len(found.solutions),
        "gap": form.nash_conv(first.plan, second.plan) / pot,
        **extra,
        "programs": [{"nonzeros": int(s.program.A.nnz)} for s in found.solutions],
    }
    seconds = time.perf_counter() - began
    return SpotSolution(
        spot, "lp", from_profile(game, (first, second)), "optimal", len(found.solutions), seconds, (), (), concept,
        program,
    )  # fmt: skip


def _exact(spot: Spot, game: PublicGame, concept: str, epsilon: float | None) -> SpotSolution:
    """Solve a small spot in rational numbers, written out as a tree; the tables hold them as floats."""
    began, pot = time.perf_counter(), Fraction(spot.betting.pot)
    slip = None if epsilon is None else Fraction(str(epsilon))
    solved = solve(expand(game), concept=concept, epsilon=slip, exact=True)
    assert solved.exact is not None
    first, second = (carried_over(t, s) for t, s in zip(game.treeplexes, solved.strategies, strict=True))
    rounds = len(solved.result.solutions)
    program = {
        "rounds": rounds,
        "gap": float(2 * solved.exact.exploitability / pot),
        "exact_ev": str(pot / 2 + solved.exact.value),
        **({} if epsilon is None else {"epsilon": epsilon}),
    }
    seconds = time.perf_counter() - began
    return SpotSolution(
        spot, "lp", from_profile(game, (first, second)), "optimal", rounds, seconds, (), (), concept, program
    )
