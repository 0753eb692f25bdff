"""ε and running time against the number of breakpoints (Ganzfried 2015, Figures 11.7 and 11.8), on several solvers.

:func:`solve_within` is the procedure that the thesis recommends: begin with few breakpoints and add more until the ε of
the answer, which is computed independently, is small enough.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equiform.formulations.optimization import backends
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.piecewise_product import Encoding, Pieces, encoding_for, guaranteed_epsilon
from equiform.formulations.parametric.milfp import Models, as_models, solve
from equiform.formulations.parametric.result import ParametricResult
from equiform.games.poker.signal_games import load_signal_game
from equiform.models.common.errors import FormatError, LimitError, ParameterError, SolveError
from equiform.models.signals.signal_game import SignalGame
from equiform.runs.batch import run_tasks
from equiform.runs.executor import Executor
from equiform.runs.progress import Listener, Progress, silent
from equiform.runs.task import Task

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture

logger = logging.getLogger(__name__)

#: What §11.8.3 prints for its three-player game by breakpoints: ε ("about 1e-5" with 50), and CPLEX's seconds.
PRINTED_EPSILON = {5: 0.01, 50: 1e-5}
PRINTED_SECONDS = {5: 0.3, 50: 8.9}


@dataclass(frozen=True)
class Configuration:
    """A backend, the encoding of its SOS2 conditions, and how many rounds bounds are tightened before."""

    backend: str
    encoding: Encoding
    tighten: int = 0

    def __str__(self) -> str:
        return f"{self.backend} {self.encoding}" + (f" +{self.tighten}" if self.tighten else "")


@dataclass(frozen=True)
class SweepRow:
    """One solve: the certified ε (average and at the worst signal), equation (11.3)'s ε, rows and seconds."""

    configuration: Configuration
    breakpoints: int
    epsilon: float | None
    epsb_epsilon: float | None
    guaranteed: float
    rows: int | None
    seconds: float
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> SweepRow:
        """Read a row back."""
        try:
            return SweepRow(**{**content, "configuration": Configuration(**content["configuration"])})
        except (KeyError, TypeError) as error:
            raise FormatError(f"not a row of a sweep: {error!r}", fix="delete the store and run again") from None


def parse_configuration(text: str) -> Configuration:
    """Read ``backend``, ``backend:encoding`` or ``backend:encoding:rounds``.

    >>> str(parse_configuration("highs:log"))
    'highs log'
    >>> str(parse_configuration("cbc:sos2:8"))
    'cbc sos2 +8'
    """
    backend, _, rest = text.partition(":")
    encoding, _, rounds = rest.partition(":")
    chosen = encoding or encoding_for(backend)
    backends.get(backend)  # raises for an unknown backend, as the next line does for an unknown encoding
    Pieces(encoding=chosen)  # type: ignore[arg-type]
    if rounds and not rounds.isdecimal():
        raise ParameterError(f"{rounds!r} is not a number of rounds", where=text, fix="e.g. highs:unary:8")
    return Configuration(backend, chosen, int(rounds or 0))  # type: ignore[arg-type]


def sweep(
    game: SignalGame | str,
    models: Models | None,
    breakpoints: Iterable[int],
    configurations: Sequence[Configuration],
    *,
    epsilon: float | None = 0.0,
    time_limit: float | None = 60.0,
    on: Executor | str = "local",
    store: str | Path | None = None,
    progress: Listener = silent,
) -> list[SweepRow]:
    """Solve with every number of breakpoints on every configuration; a solve that fails is a row with a note.

    Thresholds are not polished, so that ε shows the interpolation. Ctrl-C returns the rows so far.

    Parameters
    ----------
    game : SignalGame or str
        A game, or the name of one with its parameters (``three-player``).
    models : model or sequence of models, optional
        By default those of the named game.
    breakpoints : iterable of int
    configurations : sequence of Configuration
    epsilon : float, optional
        The program's indifference tolerance.
    time_limit : float, optional
        Seconds per solve.
    on, store
        For a game and models by name: where to solve, and a folder of finished rows; see
        :func:`equiform.runs.batch.run_tasks`. Solves side by side take longer each.
    progress : callable
        Called with a :class:`~equiform.runs.progress.Progress` that counts solves.
    """
    steps = [(c, n) for c in configurations for n in tuple(breakpoints)]
    if isinstance(game, str) and models is None:
        tasks = [_row_task(game, step, epsilon, time_limit) for step in steps]
        batch = run_tasks(tasks, on=on, store=store, progress=progress, label=f"sweep of {game}")
        return [SweepRow.from_dict(values["row"]) for values in batch.values if values is not None]
    if store is not None or on != "local":
        raise ParameterError(
            "objects are solved in this process and not stored", where="sweep", fix="name the game and leave models out"
        )
    rules = load_signal_game(game)[0] if isinstance(game, str) else game
    if models is None:
        raise ParameterError("there are no models", where=rules.name, fix="pass models, or the name of a game")
    started, rows = time.perf_counter(), list[SweepRow]()
    try:
        for done, step in enumerate(steps):
            progress(Progress(f"sweep of {rules.name}", done, len(steps), time.perf_counter() - started))
            rows.append(_solve_row(rules, models, step, epsilon, time_limit))
    except KeyboardInterrupt:
        logger.warning("sweep of %s: interrupted", rules.name)
    return rows


def _row_task(game: str, step: tuple[Configuration, int], epsilon: float | None, time_limit: float | None) -> Task:
    configuration, number = step
    arguments = {"game": game, **asdict(configuration), "breakpoints": number}
    return Task(
        "equiform.validation.reproduce.parametric.breakpoint_sweep:compute_row",
        {**arguments, "epsilon": epsilon, "time_limit": time_limit},
        label=f"{game} {configuration} {number}",
    )


def compute_row(
    *,
    game: str,
    backend: str,
    encoding: Encoding,
    tighten: int,
    breakpoints: int,
    epsilon: float | None,
    time_limit: float | None,
) -> dict[str, Any]:
    """Solve once with the models of a named game: the task of one row."""
    rules, entry = load_signal_game(game)
    step = (Configuration(backend, encoding, tighten), breakpoints)
    return {"row": _solve_row(rules, list(entry.models()), step, epsilon, time_limit).to_dict()}


def _solve_row(
    game: SignalGame, models: Models, step: tuple[Configuration, int], epsilon: float | None, time_limit: float | None
) -> SweepRow:
    configuration, number = step
    candidates = as_models(game, models)
    most = max(m.most_thresholds for m in candidates)
    bound = guaranteed_epsilon(number, thresholds=most, players=len(game.players), payoff_range=game.payoff_range)
    started = time.perf_counter()
    try:
        result = solve(
            game,
            candidates,
            pieces=Pieces(number, configuration.encoding),
            epsilon=epsilon,
            polish=False,
            tighten=configuration.tighten,
            solver=SolverOptions(configuration.backend, time_limit=time_limit),
        )
    except SolveError as error:
        spent = time.perf_counter() - started
        return SweepRow(configuration, number, None, None, bound, None, spent, error.what)
    spent = time.perf_counter() - started
    shape = result.solution.program.shape[0]
    return SweepRow(configuration, number, result.epsilon, result.epsb_epsilon, bound, shape, spent)


def solve_within(
    game: SignalGame,
    models: Models,
    target: float,
    *,
    start: int = 5,
    most: int = 100,
    backend: str = "highs",
    time_limit: float | None = None,
) -> ParametricResult:
    """Add breakpoints one by one until the certified ε (average gain) is at most ``target``."""
    if not target > 0:
        raise ParameterError("the target ε is not positive", where=f"target={target}", fix="use a number such as 1e-3")
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    best: ParametricResult | None = None
    for number in range(start, most + 1):
        left = None if deadline is None else deadline - time.perf_counter()
        if left is not None and left <= 0:
            break
        try:
            result = solve(
                game,
                models,
                pieces=Pieces(number, encoding_for(backend)),
                epsilon=0.0,
                polish=False,
                solver=SolverOptions(backend, time_limit=left),
            )
        except SolveError:  # too few pieces for exact indifference, or out of time: the next number decides
            continue
        if best is None or result.epsilon < best.epsilon:
            best = result
        if result.epsilon <= target:
            return result
    reached = "nothing" if best is None else f"{best.epsilon:.2e}"
    raise LimitError(
        f"ε = {target:g} was not reached", where=f"best so far: {reached}", fix="allow more breakpoints or time"
    )


def draw_sweep(rows: Sequence[SweepRow], *, printed: bool = False) -> Picture:
    """Draw ε and seconds against the number of breakpoints, one line per configuration, as Figures 11.7 and 11.8.

    ``printed`` adds what the thesis says of its three-player game.
    """
    from equiform.models.common.pictures import Picture

    figure = Picture(figsize=(10, 5), layout="constrained")
    quality, speed = figure.subplots(1, 2)
    for configuration in dict.fromkeys(row.configuration for row in rows):
        own = [row for row in rows if row.configuration == configuration and row.epsilon is not None]
        points = [row.breakpoints for row in own]
        quality.semilogy(points, [max(row.epsilon or 0.0, 1e-16) for row in own], "o-", label=str(configuration))
        speed.semilogy(points, [row.seconds for row in own], "o-", label=str(configuration))
    numbers = sorted({row.breakpoints for row in rows})
    bound = {row.breakpoints: row.guaranteed for row in rows}
    quality.semilogy(numbers, [bound[n] for n in numbers], "k--", label="guaranteed by (11.3)")
    if printed:
        for axes, figures in ((quality, PRINTED_EPSILON), (speed, PRINTED_SECONDS)):
            axes.semilogy(list(figures), list(figures.values()), "k*", markersize=9, label="thesis")
    quality.set_ylabel("ε")
    speed.set_ylabel("seconds")
    for axes in (quality, speed):
        axes.set_xlabel("breakpoints")
    figure.legend(*quality.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return figure
