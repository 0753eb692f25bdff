"""``equiform mip-nash``: an equilibrium of a game that is not zero-sum, or has more than two players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from equiform.cli.guard import UNFINISHED, leave
from equiform.cli.options import (
    ALL,
    BACKEND,
    BREAKPOINTS,
    GAME,
    JSON,
    OUT,
    SOLVER_OPTION,
    TIME_LIMIT,
    parse_options,
    shown,
)
from equiform.cli.output import console, print_json, seconds_line, strategy_table
from equiform.cli.phases import phases


def mip_nash(
    game: str = GAME,
    objective: str = typer.Option("any", help="Which equilibrium: any, welfare (largest sum of payoffs) or regret."),
    breakpoints: int = BREAKPOINTS,
    backend: str = BACKEND,
    time_limit: float = TIME_LIMIT,
    option: list[str] = SOLVER_OPTION,
    out: Path = OUT,
    everything: bool = ALL,
    json: bool = JSON,
) -> None:
    """Find an equilibrium of any game by integer programming.

    The answer is exact for two players. For more, the program is refined until no player gains by deviating; if that
    does not succeed, the answer is called approximate.
    """
    from equiform import api
    from equiform.formulations.optimization.solution import LIMITS
    from equiform.models.strategy import write_profile
    from equiform.runs.progress import Progress

    with phases(json) as listener:
        listener(Progress("mip-nash", 0, None, 0.0, "reading the game and solving its programs"))
        found = api.mip_nash(
            game,
            objective=objective,  # type: ignore[arg-type]  # checked by the program
            breakpoints=breakpoints,
            backend=backend,
            time_limit=time_limit or None,
            options=parse_options(option),
        )
    if out is not None:
        write_profile(out, game, found.strategies)
    if json:
        print_json(found.to_dict())
    else:
        _show(game, found, shown(everything))
        if out is not None:
            console.print(f"Strategies written to {out}.")
    if found.approximate and found.solution.termination in LIMITS:
        leave(UNFINISHED)


def _show(game: str, found: Any, limit: int) -> None:
    console.rule(Text(game, "bold"))
    for strategy in found.strategies:
        console.print(strategy_table(strategy, limit=limit))
    certificate, solution = found.certificate, found.solution
    for own, payoff, regret in zip(found.strategies, certificate.payoffs, certificate.regrets, strict=True):
        console.print(f"{own.treeplex.player}: payoff {payoff:z.9f}, gains at most {regret:z.3e}", highlight=False)
    console.print(f"{found.verdict[0].upper()}{found.verdict[1:]}.", highlight=False)
    console.print(
        f"Solved by {solution.backend} {solution.version} ({solution.termination}): {seconds_line(found.seconds)}.",
        highlight=False,
    )
