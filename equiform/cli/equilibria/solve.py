"""``equiform solve``: an equilibrium and its proof."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from equiform.cli.equilibria.rhode_island import is_rhode_island, refuse_elsewhere, solve_and_show
from equiform.cli.guard import UNFINISHED, leave
from equiform.cli.options import (
    ALL,
    GAME,
    JSON,
    OUT,
    SET,
    SHOWN,
    SOLVER_OPTION,
    TIME_LIMIT,
    parse_epsilon,
    parse_options,
    parse_settings,
    seat,
    shown,
)
from equiform.cli.output import console, print_json, rounded, seconds_line, strategy_table
from equiform.cli.phases import phases

CONCEPT = typer.Option(
    "nash", help="nash, une (undominated), qpe (epsilon-quasi-perfect), or a plug-in's concept; `list` shows them all."
)


def solve(
    game: str = GAME,
    concept: str = CONCEPT,
    epsilon: str = typer.Option("", help="For qpe: the least weight of a move, such as 1/1000."),
    player: int = typer.Option(1, help="Whose program to build, 1 or 2; the other's strategy comes from its duals."),
    setting: list[str] = SET,
    backend: str = typer.Option("", help="A solver from `equiform backends`; by default highs, as --exact requires."),
    algorithm: str = typer.Option("", help="simplex, ipm, …; by default chosen by the structure of the program."),
    exact: bool = typer.Option(False, "--exact", help="Solve in rational numbers: an equilibrium proved exactly."),
    time_limit: float = TIME_LIMIT,
    option: list[str] = SOLVER_OPTION,
    method: str = typer.Option("", help="For rhode-island: cfr, lp, egt, iterated-smoothing, …; by default auto."),
    until: str = typer.Option("", help="For rhode-island: when to stop, such as gap=2e-3,seconds=600."),
    state: Path = typer.Option(None, help="For rhode-island: save the state here, and resume from it."),  # noqa: B008
    dtype: str = typer.Option("", help="For rhode-island: float32 or float64."),
    out: Path = OUT,
    everything: bool = ALL,
    json: bool = JSON,
) -> None:
    """Find and prove an equilibrium of a zero-sum game.

    The game must have two players. Their payoffs may also sum to a constant other than zero.
    """
    if concept == "list":
        from equiform.cli.equilibria.model import print_formulations

        print_formulations(json, concepts=True)
        return
    if is_rhode_island(game) and concept == "nash":
        chosen: dict[str, Any] = {"method": "exact" if exact else method or "auto", "until": until or None}
        chosen |= {"backend": backend or None} | ({"dtype": dtype} if dtype else {})
        solve_and_show(game, json=json, out=out, state=state, **chosen)
        return
    refuse_elsewhere(method=method, until=until, state=state, dtype=dtype)
    from equiform import api
    from equiform.formulations.registry import find_formulation

    entry = find_formulation(concept, concept=True)
    with phases(json) as listener:
        solved = api.solve(
            game,
            concept=concept,
            epsilon=parse_epsilon(epsilon),
            player=seat(player),
            backend=backend or "highs",
            algorithm=algorithm or None,
            exact=exact,
            time_limit=time_limit or None,
            options=parse_options(option),
            progress=listener,
            **entry.read(parse_settings(setting)),
        )
    _hand_over(game, solved, out, everything=everything, json=json)


def _hand_over(game: str, solved: Any, out: Path | None, *, everything: bool, json: bool) -> None:
    """Write and print an answer; leave with the exit code of one that is not finished."""
    from equiform.formulations.optimization.solution import Status
    from equiform.models.strategy import write_profile

    if out is not None:
        write_profile(out, game, solved.strategies)
    if json:
        print_json(solved.to_dict())
    else:
        print_solution(game, solved, limit=shown(everything))
        if out is not None:
            console.print(f"Strategies written to {out}.")
    if solved.status is not Status.OK:
        leave(UNFINISHED)


def print_solution(name: str, solved: Any, *, limit: int = SHOWN) -> None:
    """Print value, strategies and proof."""
    from equiform.models.common.rational import short_text

    certificate, result = solved.certificate, solved.result
    lower, upper = certificate.bracket
    console.rule(Text(name, "bold"))
    if solved.exact is not None:
        console.print(Text.assemble("Value to player 1: ", *rounded(solved.exact.value), " (exact)"))
    else:
        console.print(Text.assemble("Value to player 1: ", (f"{solved.value:z.9f}", "bold")))
    for strategy in solved.strategies:
        console.print(strategy_table(strategy, limit=limit))
    if math.isfinite(lower + upper):  # an exact value may lie beyond all floats
        console.print(
            f"Proof ({certificate.witness}): the value lies in [{lower:z.12f}, {upper:z.12f}]; "
            f"nash_conv {certificate.nash_conv:z.2e}, exploitability {certificate.exploitability:z.2e}.",
            highlight=False,
        )
    if solved.exact is not None:
        gain = solved.exact.exploitability
        console.print(
            f"Exact proof: in rational arithmetic the exploitability is {gain if gain == 0 else short_text(gain)} "
            f"(numbers of up to {solved.exact.bits} bits).",
            highlight=False,
        )
    if result.status != "ok":
        console.print(
            f"{str(result.termination).replace('_', ' ').capitalize()} reached: these are the best strategies so far, "
            f"not an equilibrium; the gap is {solved.gap:.3g}.",
            style="yellow",
            highlight=False,
        )
    console.print(
        f"{'Solved' if result.status == 'ok' else 'Tried'} by {result.backend} {result.version} ({result.algorithm}): "
        f"{seconds_line(solved.seconds)}.",
        highlight=False,
    )
