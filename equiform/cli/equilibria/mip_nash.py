"""``equiform mip-nash``: an equilibrium of a game that is not zero-sum, or has more players."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

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
    """Find an equilibrium of any game by mixed-integer programming.

    Exact for two players; for more up to a regret that is computed and shown.
    """
    from equiform import api
    from equiform.formulations.general_sum import mip_nash as normal
    from equiform.formulations.general_sum import mip_nash_extensive as extensive
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.formulations.optimization.piecewise_product import Pieces, encoding_for
    from equiform.models.normal_form import NormalForm
    from equiform.models.strategy import write_profile
    from equiform.validation.certificates.certificate import certify

    loaded: Any = api.as_game(game)
    program: Any = normal if isinstance(loaded, NormalForm) else extensive
    started = time.perf_counter()
    found = program.solve(
        loaded,
        objective=objective,
        pieces=Pieces(breakpoints, encoding_for(backend)),
        solver=SolverOptions(backend, time_limit=time_limit or None, options=parse_options(option)),
    )
    solved = time.perf_counter()
    certificate = certify(loaded, found.strategies)
    seconds = {"program": solved - started, "certificate": time.perf_counter() - solved}
    if out is not None:
        write_profile(out, game, found.strategies)
    solution = found.solution
    if json:
        print_json(
            {
                "game": game,
                "objective": objective,
                "payoffs": certificate.payoffs,
                "regrets": certificate.regrets,
                "nash_conv": certificate.nash_conv,
                "exploitability": certificate.exploitability,
                "witness": certificate.witness,
                "backend": solution.backend,
                "backend_version": solution.version,
                "algorithm": solution.algorithm,
                "status": str(solution.status),
                "termination": str(solution.termination),
                "seconds": seconds,
                "strategies": {s.treeplex.player: s.table() for s in found.strategies},
            }
        )
        return
    console.rule(Text(game, "bold"))
    for strategy in found.strategies:
        console.print(strategy_table(strategy, limit=shown(everything)))
    for player, payoff, regret in zip(loaded.players, certificate.payoffs, certificate.regrets, strict=True):
        console.print(f"{player}: payoff {payoff:.9f}, gains at most {regret:.3e}", highlight=False)
    console.print(
        f"Solved by {solution.backend} {solution.version} ({solution.termination}): {seconds_line(seconds)}.",
        highlight=False,
    )
    if out is not None:
        console.print(f"Strategies written to {out}.")
