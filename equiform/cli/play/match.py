"""``equiform play-match``: two agents, or programs of anybody, against each other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from equiform.cli.experiments.live import live
from equiform.cli.options import JSON
from equiform.cli.output import console, errors, print_json
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import require_writable

if TYPE_CHECKING:
    from equiform.play.dealer import DuplicateResult

PLAYER = "An agent's folder, always-call, always-raise, uniform, or tcp:PORT to wait for a program on a port."


def play_match(
    first: str = typer.Argument(metavar="A", help=PLAYER),
    second: str = typer.Argument(metavar="B", help=PLAYER),
    hands: int = typer.Option(1000, help="Deals; with --duplicate each is played twice."),
    game: str = typer.Option("limit", help="limit or no-limit; agents' folders know their own."),
    duplicate: bool = typer.Option(False, "--duplicate", help="Play every deal again with the seats swapped."),
    protocol: str = typer.Option("none", help="none: play in this process; acpc: play over TCP."),
    seed: int = typer.Option(1, help="Seed of the cards and of the agents' draws."),
    host: str = typer.Option("127.0.0.1", help="Where the dealer listens; by default only on this machine."),
    answer: float = typer.Option(10.0, help="With acpc: seconds allowed per move."),
    wait: float = typer.Option(60.0, help="With acpc: seconds to wait for programs to connect."),
    log: Path = typer.Option(None, help="Write the hands to this file; a second half goes to FILE-2."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Play a match of heads-up hold'em.

    A program that connects is told the hands by the ACPC protocol, version 2.0.0, and has to connect again for the
    second half of a duplicate match. A player that is too late, hangs up or makes more than ten faults forfeits; the
    dealer checks and folds for it until the match ends.
    """
    from equiform.play.dealer import play_duplicate, write_log
    from equiform.play.league.players import open_pair
    from equiform.play.protocols import Terms, play_over_tcp

    require_name(protocol, ("none", "acpc"), "protocol", "play-match")
    if log is not None:
        require_writable(log)
    players, names, ports, rules = open_pair((first, second), game=game, seed=seed)
    reports: list[Any] = []

    def listening(found: tuple[int, int]) -> None:
        for name, player, port in zip(names, players, found, strict=True):
            if player is None:
                errors.print(f"Waiting for {name} on {host}, port {port}.", highlight=False)

    with live(json) as listener:
        if protocol == "acpc":
            terms = Terms(connect=wait, answer=answer)
            result, found = play_over_tcp(
                rules, players, names=names, hands=hands, seed=seed, duplicate=duplicate,
                host=host, ports=ports, terms=terms, listening=listening, progress=listener,
            )  # fmt: skip
            reports = [r.to_dict() for r in found]
        else:
            if players[0] is None or players[1] is None:
                raise ParameterError("a program plays over TCP only", where="--protocol", fix="add --protocol acpc")
            both = players[0], players[1]
            result = play_duplicate(rules, both, hands=hands, seed=seed, duplicate=duplicate, progress=listener)
    for half, records in enumerate(result.halves):
        if log is not None:
            path = log if half == 0 else log.with_name(f"{log.stem}-2{log.suffix}")
            write_log(path, rules, records, result.names, seed=seed)
    if json:
        print_json({**result.to_dict(), "reports": reports})
        return
    _print(result, reports)


def _print(result: DuplicateResult, reports: list[Any]) -> None:
    found = result.estimate
    deals = f"{len(result.halves[0]):,} deals" + (", each played from both sides" if len(result.halves) == 2 else "")
    table = Table(title=f"{result.rules.name} hold'em, {deals}", title_justify="left")
    for column in ("player", "chips", "mbb per hand", "95% interval"):
        table.add_column(column, justify="left" if column == "player" else "right")
    width = f"± {found.half_width:z.1f}" if math.isfinite(found.half_width) else "–"
    for name, sign in zip(result.names, (1, -1), strict=True):
        table.add_row(name, f"{sign * result.total:+,}", f"{sign * found.mean:+z.1f}", width)
    console.print(table)
    for half, report in enumerate(reports, 1):
        for name, why in zip(report["players"], report["forfeits"], strict=True):
            if why:
                console.print(f"Half {half}: {name} forfeited: {why}.", highlight=False)
