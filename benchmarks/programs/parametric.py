"""Parametric programs: the river game against the thesis's 0.49 s, programs of 2,000 rows, products by encoding."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.registry import Row, entry
from equiform.formulations.general_sum import mip_nash
from equiform.formulations.optimization.backends import available
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.parametric import epsb, milfp
from equiform.formulations.parametric.thresholds import Consistency
from equiform.games.poker.signal_games import (
    bet_or_check,
    bet_or_check_model,
    limit_river,
    limit_river_models,
    three_player,
    three_player_model,
)
from equiform.models.common.errors import SolveError
from equiform.models.normal_form import NormalForm
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals, uniform_signals
from equiform.validation.reproduce.parametric.breakpoint_sweep import PRINTED_SECONDS, Configuration, sweep

SOLVERS = ("highs", "scip", "cbc")


def river_signals(seed: int, pieces: int = 6) -> Signals:
    rng = np.random.default_rng(seed)
    first, second = np.exp(rng.uniform(-1.5, 1.5, 2))
    return Signals.continuous(
        PiecewiseLinearCdf.random(rng, pieces, concentration=first),
        PiecewiseLinearCdf.random(rng, pieces, concentration=second),
    )


@entry("parametric-river")
def river() -> Iterator[Row]:
    """Solve the river game with all three models in one program, as GS4-MIP did (0.49 s per hand with CPLEX)."""
    for pieces in (6, 12):
        spent, worst, solved = [], 0.0, 0
        for seed in range(30):
            game = limit_river(4, signals=river_signals(seed, pieces))
            started = time.perf_counter()
            result = milfp.solve(game, limit_river_models(), preferences="all")
            spent.append(time.perf_counter() - started)
            worst = max(worst, result.epsb_epsilon)
            solved += result.epsb_epsilon < 1e-6
        yield Row(
            f"limit river, three models, {pieces} pieces per CDF (mean of 30 hands)",
            float(np.mean(spent)),
            "s",
            "thesis, CPLEX 2008",
            0.49,
            note=f"{solved} of 30 below 1e-6 at every signal; slowest {max(spent):.2f} s, largest ε {worst:.0e}",
        )


@entry("parametric-2000-rows")
def two_thousand_rows() -> Iterator[Row]:
    """Solve programs of about 2,000 rows, with the thesis's consistency rows, and incremental with longer CDFs."""
    forms: tuple[tuple[Consistency, int], ...] = (("indicator", 34), ("incremental", 61))
    for consistency, pieces in forms:
        seconds: dict[str, float] = {}
        for backend in (b for b in SOLVERS if b in available()):
            spent, rows, solved = [], 0, 0
            for seed in range(5):
                game = limit_river(4, signals=river_signals(seed, pieces))
                started = time.perf_counter()
                try:
                    result = milfp.solve(
                        game,
                        limit_river_models(),
                        consistency=consistency,
                        solver=SolverOptions(backend, time_limit=20),
                    )
                    rows = result.solution.program.shape[0]
                    solved += 1
                except SolveError:
                    pass
                spent.append(time.perf_counter() - started)
            seconds[backend] = float(np.mean(spent))
            peer = None if backend == "highs" else seconds.get("highs")
            yield Row(
                f"river, {consistency} consistency, {pieces} pieces, {backend} (mean of 5)",
                seconds[backend],
                "s",
                "" if peer is None else "highs",
                peer,
                note=f"{solved} of 5 solved in 20 s" + (f", {rows} rows" if rows else ""),
            )


@entry("parametric-breakpoints", slow=True)
def breakpoints() -> Iterator[Row]:
    """Time the three-player game by breakpoints, compared with the thesis's 0.3 s (5) and 8.9 s (50)."""
    configurations = [
        Configuration("highs", "unary"),
        Configuration("highs", "log"),
        Configuration("cbc", "sos2"),
        Configuration("scip", "sos2"),
        Configuration("highs", "unary", tighten=8),
    ]
    present = [c for c in configurations if c.backend in available()]
    for row in sweep(three_player(), three_player_model(), (5, 20, 50), present):
        printed = PRINTED_SECONDS.get(row.breakpoints)
        epsilon = row.note if row.epsilon is None else f"ε {row.epsilon:.1e}"
        yield Row(
            f"three players, {row.breakpoints} breakpoints, {row.configuration}",
            row.seconds,
            "s",
            "thesis, CPLEX" if printed else "",
            printed,
            note=epsilon,
        )


@entry("parametric-finite")
def finite() -> Iterator[Row]:
    """Solve the every-signal program on finite signals, with ties counted exactly."""
    for size in (10, 20, 40):
        game = bet_or_check(1, signals=uniform_signals().rounded(size))
        started = time.perf_counter()
        result = epsb.solve(game, bet_or_check_model())
        spent = time.perf_counter() - started
        m, _ = result.solution.program.shape
        yield Row(f"bet or check with {size} signals", spent, "s", note=f"{m} rows, ε {result.epsb_epsilon:.0e}")


@entry("mip-nash")
def bimatrix() -> Iterator[Row]:
    """Solve general-sum bimatrix games for any equilibrium, and for the one with the highest sum of payoffs."""
    for size in (5, 10, 15):
        rng = np.random.default_rng(size)
        table = rng.integers(-50, 51, (2, size, size)).astype(object)
        names = tuple(f"a{k}" for k in range(size))
        game = NormalForm(f"random {size}", ("row", "column"), (names, names), table)
        for objective in ("any", "welfare"):
            started = time.perf_counter()
            result = mip_nash.solve(game, objective=objective, solver=SolverOptions(time_limit=60))
            spent = time.perf_counter() - started
            yield Row(f"{size} × {size} bimatrix, {objective}", spent, "s", note=f"regret {result.epsilon:.0e}")
