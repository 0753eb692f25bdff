"""``equiform parametric``: thresholds from a qualitative model, certified at every signal, and a picture of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from equiform.cli.options import BACKEND, BREAKPOINTS, JSON, TIME_LIMIT
from equiform.cli.output import console, print_json, require_drawable

SOLVERS = ["highs:unary", "highs:log", "cbc:sos2", "highs:unary:8"]
GAME = typer.Argument(
    metavar="GAME", help="bet-or-check, limit-river, three-player, kuhn-infinity or kuhn-deck; e.g. limit-river:pot=6."
)


def parametric(
    game: str = GAME,
    model: list[str] = typer.Option(  # noqa: B008
        [], help='A model, "BET a CHECK b BET | CALL c FOLD; a <= c <= b"; may be repeated. Default: the thesis\'s.'
    ),
    cdf: list[str] = typer.Option(  # noqa: B008
        [],
        help="Signals, one for all players or one per player: uniform, random:SEED:PIECES, finite:P1,P2,… or "
        "X0,X1,…:P1,P2,… (points and the mass between them).",
    ),
    breakpoints: int = BREAKPOINTS,
    encoding: str = typer.Option("", help="sos2, unary or log; by default chosen by what the backend can do."),
    every_signal: bool = typer.Option(
        False, "--every-signal", help="Require the best plan at every signal; regions may be empty, in any order."
    ),
    closest: bool = typer.Option(False, "--closest", help="If nothing fits, show the profile that comes closest."),
    polish: bool = typer.Option(True, help="Remove the solver's rounding by Newton steps."),
    tighten: int = typer.Option(
        8, min=0, help="Rounds of bounding CDF values before products are cut into pieces; with 0, pieces cover [0, 1]."
    ),
    sweep: str = typer.Option("", help="Solve with these numbers of breakpoints, e.g. 5,10,20,50, and make a table."),
    on: list[str] = typer.Option([], help="Solvers for --sweep: BACKEND:ENCODING[:ROUNDS of --tighten]."),  # noqa: B008
    backend: str = BACKEND,
    time_limit: float = TIME_LIMIT,
    plot: Path = typer.Option(None, "--plot", "--picture", help="Draw the regions (or the sweep) into this file."),  # noqa: B008
    by_situation: bool = typer.Option(False, "--by-situation", help="One column per betting situation in the plot."),
    json: bool = JSON,
) -> None:
    """Find the numbers in a qualitative model of an equilibrium.

    The answer is checked at every signal.
    """
    from equiform import api
    from equiform.formulations.parametric import plots
    from equiform.games.poker.signal_games import load_signal_game

    require_drawable(plot)
    signals = read_signals(cdf, len(load_signal_game(game)[0].players)) if cdf else None
    if sweep:
        _sweep(game, model, signals, sweep, on or SOLVERS, time_limit, plot, json)
        return
    found = api.parametric(
        game,
        model,
        signals=signals,
        breakpoints=breakpoints,
        encoding=encoding or None,  # type: ignore[arg-type]  # checked by the program
        every_signal=every_signal,
        closest=closest,
        polish=polish,
        tighten=tighten,
        backend=backend,
        time_limit=time_limit or None,
    )
    if plot is not None:
        plots.draw_regions(found.result.profile, by_situation=by_situation).write(plot)
    if json:
        print_json(found.to_dict())
    else:
        print_thresholds(game, found.result, found.seconds, plot)


def read_signals(texts: list[str], players: int) -> Any:
    """Read the signals' distributions: one text for all players, or one each, all finite or all continuous."""
    from equiform.models.common.errors import ParameterError
    from equiform.models.signals.deals import Signals

    if len(texts) not in (1, players):
        raise ParameterError(
            f"{len(texts)} distributions for {players} players", where="--cdf", fix="pass one for all, or one each"
        )
    read = [_distribution(texts[k % len(texts)], k) for k in range(players)]
    if all(isinstance(r, list) for r in read):
        return Signals.finite(*read)
    if any(isinstance(r, list) for r in read):
        raise ParameterError("finite and continuous signals cannot be mixed", where="--cdf", fix="use one kind")
    return Signals.continuous(*read)


def _distribution(text: str, player: int) -> Any:
    import numpy as np

    from equiform.models.common.errors import ParameterError
    from equiform.models.signals.cdf import PiecewiseLinearCdf

    kind, _, rest = text.partition(":")
    try:
        if text == "uniform":
            return PiecewiseLinearCdf.uniform()
        if kind == "random":
            seed, pieces = (int(part) for part in rest.split(":"))
            return PiecewiseLinearCdf.random(np.random.default_rng([seed, player]), pieces)
        if kind == "finite":
            return [float(p) for p in rest.split(",")]
        return PiecewiseLinearCdf.from_masses(*([float(p) for p in part.split(",")] for part in (kind, rest)))
    except (TypeError, ValueError):
        raise ParameterError(
            f"{text!r} is not a distribution",
            where="--cdf",
            fix="use uniform, random:SEED:PIECES, finite:0.2,0.8 or 0,0.5,1:0.2,0.8",
        ) from None


def print_thresholds(name: str, result: Any, spent: float, plot: Path | None = None) -> None:
    """Print thresholds, payoffs and the check at every signal."""
    from rich.table import Table
    from rich.text import Text

    from equiform.models.signals.evaluation import best_response_stretches

    console.rule(Text(name, "bold"))
    console.print(Text.assemble("Model: ", (result.model.name, "bold"), f" (tried: {', '.join(result.tried)})"))
    table = Table()
    for heading in ("player", "from", "to", "plays"):
        table.add_column(heading)
    placed = result.thresholds
    signals = result.game.signals
    for player, plans in enumerate(result.model.regions):
        names = result.model.thresholds[player]
        ends = [f"{signals.edges[0]:g}", *(f"{n} = {placed[n]:.6g}" for n in names), f"{signals.edges[-1]:g}"]
        for k, plan in enumerate(plans):
            table.add_row(result.game.players[player] if k == 0 else "", ends[k], ends[k + 1], plan)
    console.print(table)
    for player, own in enumerate(result.game.players):
        value = result.evaluation
        console.print(
            f"{own}: payoff {value.payoffs[player]:z.9f}; gains at most {value.regrets[player]:z.2e} on average, "
            f"{value.epsb[player]:z.2e} at any signal",
            highlight=False,
        )
    if signals.is_finite:
        console.print("Signal i is the stretch from i − 1 to i; a threshold inside it mixes in proportion.")
    missed = [f"{k} by {v:.4g}" for k, v in result.violations.items() if v > 1e-6]
    if missed:
        console.print(f"The model does not fit. Missed: {'; '.join(missed)}.", highlight=False)
    if result.epsb_epsilon > 1e-6:
        console.print("These thresholds are not an equilibrium; best responses to them:")
        fine, strategies = result.profile.refined
        for player, own in enumerate(result.game.players):
            found = best_response_stretches(fine, strategies, player)
            stretches = [s for s in found if signals.is_finite or s.high - s.low > 1e-6]
            text = ", ".join(f"{s.plan} [{s.low:.4g}, {s.high:.4g}]" for s in stretches)
            console.print(f"{own}: {text}", highlight=False)
    console.print(f"{result.solution.summary()}; {spent:z.2f} s in all.", highlight=False)
    if plot is not None:
        console.print(f"Plot written to {plot}.")


def _sweep(
    game: str,
    texts: list[str],
    signals: Any,
    numbers: str,
    on: list[str],
    time_limit: float,
    picture: Path | None,
    json: bool,
) -> None:
    from rich import box
    from rich.table import Table

    from equiform.api.thresholds import load_signals
    from equiform.models.common.errors import ParameterError
    from equiform.validation.reproduce.parametric.breakpoint_sweep import (
        PRINTED_EPSILON,
        PRINTED_SECONDS,
        draw_sweep,
        parse_configuration,
        sweep,
    )

    rules, models = load_signals(game, texts, signals)
    printed = game.partition(":")[0].strip() == "three-player" and not texts and signals is None
    if len(rules.players) < 3:
        raise ParameterError(
            f"{rules.name} has no products to cut into pieces", where="--sweep", fix="use a game of three players"
        )
    rows = sweep(
        rules, models, _breakpoints(numbers), [parse_configuration(t) for t in on], time_limit=time_limit or 60.0
    )
    if picture is not None:
        draw_sweep(rows, printed=printed).write(picture)
    if json:
        fields = ("breakpoints", "epsilon", "epsb_epsilon", "guaranteed", "rows", "seconds", "note")
        print_json([{"solver": str(r.configuration), **{f: getattr(r, f) for f in fields}} for r in rows])
        return
    table = Table(
        title=f"ε against breakpoints: {rules.name}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=False,
    )
    headings = ["solver", "points", "ε", "any signal", "(11.3)", "rows", "seconds"]
    for heading in headings + ["thesis ε", "s"] * printed:
        table.add_column(heading, justify="left" if heading == "solver" else "right", no_wrap=True)
    for r in rows:
        shown = ("–", "–") if r.epsilon is None else (f"{r.epsilon:z.1e}", f"{r.epsb_epsilon:z.1e}")
        size = "–" if r.rows is None else str(r.rows)
        cells = [str(r.configuration), str(r.breakpoints), *shown, f"{r.guaranteed:.2g}", size, f"{r.seconds:.2f}"]
        if printed:
            cells += [f"{f[r.breakpoints]:g}" if r.breakpoints in f else "" for f in (PRINTED_EPSILON, PRINTED_SECONDS)]
        table.add_row(*cells)
    console.print(table)
    for r in (r for r in rows if r.note):
        console.print(f"{r.configuration}, {r.breakpoints} breakpoints: {r.note}", highlight=False)
    if picture is not None:
        console.print(f"Picture written to {picture}.")


def _breakpoints(text: str) -> list[int]:
    from equiform.models.common.errors import ParameterError

    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of numbers", where="--sweep", fix="e.g. 5,10,20,50") from None
