"""Rhode Island hold'em in, its equilibrium and the proof out."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from equiform.api.equilibrium import solve
from equiform.api.rhode_island.solution import RhodeIslandSolution
from equiform.formulations.optimization.backends import available
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.common.arguments import require_name, require_number
from equiform.models.common.errors import ParameterError
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy, carried_over, from_profile
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.base import IterativeSolver
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR
from equiform.solvers_iterative.registry import create

#: Exploitability in chips that an iterative method goes for unless something else is asked for.
TARGET = 1e-3
#: Sequences of both players together: larger games are refused by programs unless the limit is raised.
MAX_SEQUENCES = {"lp": 2_000_000, "exact": 6_000}
#: Up to this many, ``auto`` solves the program.
AUTO_SEQUENCES = 100_000
#: Bytes of state that CFR takes unless the limit is raised.
MAX_MEMORY = 3_000_000_000
#: Bytes per sequence of the first-order methods: about a dozen vectors of both players in 64 bits, and the treeplexes.
_FIRST_ORDER = 200
#: Backends of the program, best first. With five ranks PIQP takes seconds; Clarabel takes a minute and stops short.
_BACKENDS = ("piqp", "clarabel", "highs")
_BY_OPERATOR = ("egt", "egt-euclidean", "iterated-smoothing", "pdhg", "fp")


def solve_rhode_island(
    rules: RhodeIsland | None = None,
    *,
    method: str = "auto",
    until: str | Until | None = None,
    backend: str | None = None,
    dtype: str = "float64",
    threads: int = 1,
    state: str | Path | None = None,
    max_sequences: int | None = None,
    max_memory: float = MAX_MEMORY,
    progress: Listener = silent,
) -> RhodeIslandSolution:
    """Solve Rhode Island hold'em.

    Parameters
    ----------
    rules
        The parameters; by default the game as it is known: 52 cards, ante 5, bets 10/20/20, three per round.
    method
        ``cfr`` (discounted, on the public tree), ``lp`` (the factored program, small decks), ``exact`` (rational
        numbers, tiny games), or a first-order method on the operator: ``egt``, ``egt-euclidean``,
        ``iterated-smoothing``, ``pdhg``, ``fp``. ``auto`` takes ``lp`` for small decks and ``cfr`` for others.
    until
        When an iterative method stops, such as ``gap=2e-3,seconds=600``; the gap is the sum of both players' gains in
        chips, by default twice 1e-3.
    backend
        Which solver takes the program; by default PIQP, or Clarabel or HiGHS if that is not installed.
    dtype, threads
        Of ``cfr``: ``float32`` halves the memory; threads share the boards of the last street.
    state
        A file in which ``cfr`` and the first-order methods keep their state, and from which they go on.
    max_sequences, max_memory
        What is refused: larger programs, or more bytes of state.
    progress
        Called with :class:`~equiform.runs.progress.Progress` events.

    Returns
    -------
    RhodeIslandSolution
        Strategies; ``certificate`` proves them over every deal of the deck.

    >>> solved = solve_rhode_island(RhodeIsland(ranks=3, suits=2, raises=1), method="cfr", until="gap=0.02")
    >>> solved.certificate.nash_conv < 0.02
    True
    """
    chosen = rules or RhodeIsland()
    require_name(method, METHODS, "method", "rhode-island")
    require_number(max_memory, "max_memory", "rhode-island", least=0)
    game = chosen.public()
    method = _chosen_method(method, game, until, state)
    if method in MAX_SEQUENCES:
        _refuse_program(chosen, game, method, max_sequences, until, state)
        return METHODS[method](chosen, game, backend)
    _refuse_backend(method, backend)
    limit = Until.parse(until) if isinstance(until, str) else until or Until(2 * TARGET)
    solver: IterativeSolver = METHODS[method](chosen, game, method, dtype, threads, max_memory)
    if state is not None and Path(state).exists():
        solver.load(state)
    return _read(chosen, game, method, solver, solver.run(limit, save_to=state, progress=progress).stopped_by)


def _chosen_method(method: str, game: PublicGame, until: object, state: object) -> str:
    if method != "auto":
        return method
    return "lp" if sum(game.num_sequences) <= AUTO_SEQUENCES and until is None and state is None else "cfr"


def _read(
    rules: RhodeIsland, game: PublicGame, method: str, solver: IterativeSolver, stopped: str
) -> RhodeIslandSolution:
    """Return what an iterative solver has reached."""
    if isinstance(solver, PublicCFR):
        strategies: tuple[PublicStrategy, PublicStrategy] = solver.strategies
    else:
        first, second = solver.average
        strategies = from_profile(game, (first, second))
    history = tuple((c.iteration, c.seconds, c.exploitability) for c in solver.history if c.iteration)
    return RhodeIslandSolution(rules, method, strategies, stopped, solver.iteration, solver.seconds, history)


def _refuse_backend(method: str, backend: str | None) -> None:
    if backend is not None:
        raise ParameterError(f"{method} needs no solver of programs", where=f"backend {backend}", fix="leave it out")


def _refuse_program(
    rules: RhodeIsland, game: PublicGame, method: str, limit: int | None, until: object, state: object
) -> None:
    for given, name in ((until, "until"), (state, "state")):
        if given is not None:
            raise ParameterError(f"{method} does not take {name}", where=rules.spec, fix="use method cfr")
    size, most = sum(game.num_sequences), limit or MAX_SEQUENCES[method]
    if size > most:
        raise ParameterError(
            f"the game has {size:,} sequences, and the limit of {method} is {most:,}",
            where=rules.spec,
            fix="use method cfr, fewer ranks, suits or raises, or raise max_sequences",
        )


def _by_program(rules: RhodeIsland, game: PublicGame, backend: str | None) -> RhodeIslandSolution:
    """Solve the factored program of the whole game."""
    began = time.perf_counter()
    chosen = backend or next(name for name in _BACKENDS if name in available())
    algorithm = "ipm" if chosen == "highs" else None
    solved = solve(factored_form(game), backend=chosen, algorithm=algorithm)
    first, second = solved.strategies
    strategies = from_profile(game, (first, second))
    return RhodeIslandSolution(rules, "lp", strategies, "optimal", 1, time.perf_counter() - began)


def _exactly(rules: RhodeIsland, game: PublicGame, backend: str | None) -> RhodeIslandSolution:
    """Solve a tiny game in rational numbers, written out as a tree."""
    began = time.perf_counter()
    solved = solve(expand(game), backend=backend or "highs", exact=True)
    assert solved.exact is not None
    first, second = (carried_over(t, s) for t, s in zip(game.treeplexes, solved.strategies, strict=True))
    return RhodeIslandSolution(
        rules, "exact", from_profile(game, (first, second)), "optimal", 1, time.perf_counter() - began, (),
        str(solved.exact.value),
    )  # fmt: skip


def _cfr(
    rules: RhodeIsland, game: PublicGame, method: str, dtype: str, threads: int, max_memory: float
) -> IterativeSolver:
    bytes_each = {"float32": 4, "float64": 8}[require_name(dtype, ("float32", "float64"), "type of numbers", "cfr")]
    needed = 2 * bytes_each * sum(game.num_sequences)
    _require_memory(rules, needed, max_memory, "float32 halves that; " if dtype == "float64" else "")
    return PublicCFR(game, "dcfr", dtype=dtype, threads=threads)


def _first_order(
    rules: RhodeIsland, game: PublicGame, method: str, dtype: str, threads: int, max_memory: float
) -> IterativeSolver:
    if dtype != "float64" or threads != 1:
        raise ParameterError(f"{method} runs in 64 bits in one thread", where=rules.spec, fix="use method cfr")
    _require_memory(rules, _FIRST_ORDER * sum(game.num_sequences), max_memory, "cfr needs less; ")
    return create(method, game.sequence_form())


def _require_memory(rules: RhodeIsland, needed: float, limit: float, hint: str) -> None:
    if needed > limit:
        raise ParameterError(
            f"the state takes {needed / 1e9:.2f} GB, and the limit is {limit / 1e9:.2f} GB",
            where=rules.spec,
            fix=f"{hint}use fewer ranks, suits or raises, or raise max_memory",
        )


#: The methods by name.
METHODS: dict[str, Callable[..., Any]] = {
    "auto": _cfr,
    "cfr": _cfr,
    "lp": _by_program,
    "exact": _exactly,
    **dict.fromkeys(_BY_OPERATOR, _first_order),
}
