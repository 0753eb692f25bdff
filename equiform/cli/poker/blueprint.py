"""``equiform blueprint``: a strategy for all of hold'em, by Monte Carlo CFR in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from equiform.cli.experiments.live import end_interrupted, live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.cli.poker.abstract import parse_buckets


def blueprint(
    folder: Path = typer.Argument(None, metavar="FOLDER", help="Where the blueprint is kept; a run resumes from it."),  # noqa: B008
    clusters: int = typer.Option(60, help="Public clusters of flops; each has a member of its own."),
    buckets: str = typer.Option("50,50,50", help="Private buckets per cluster on flop, turn and river."),
    limit: bool = typer.Option(False, help="Limit hold'em instead of no-limit."),
    blinds: str = typer.Option("50,100", help="No-limit: small and big blind."),
    stack: int = typer.Option(20_000, help="No-limit: each player's chips."),
    sizes: str = typer.Option("0.5,1", help="No-limit: bets as shares of the pot; all-in is always there."),
    raises: str = typer.Option("", help="Bets and raises per street at most; by default 3,3,3,3, for limit 3,4,4,4."),
    iterations: int = typer.Option(10_000, help="Deals to traverse, in all."),
    seconds: float = typer.Option(0.0, help="Stop after this time; 0 for no limit."),
    batch: int = typer.Option(100, help="Deals per message to the members."),
    checkpoint_every: int = typer.Option(100, help="Batches between checkpoints."),
    seed: int = typer.Option(0, help="Seed of clusters, cuts and play."),
    on: str = typer.Option("local", help="local, processes:N or ray[:ADDRESS]. The result does not depend on it."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Count information sets and memory, and stop."),
    json: bool = JSON,
) -> None:
    """Compute a strategy for hold'em by Monte Carlo CFR in parts."""
    from equiform.abstraction.partition.blueprint import BlueprintSettings, prepare_blueprint
    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.models.common.errors import ParameterError

    most = parse_buckets(raises or ("3,4,4,4" if limit else "3,3,3,3"))
    betting = (
        HoldemBetting(raises=_four(most))
        if limit
        else HoldemBetting(bets=(), blinds=_pair(blinds), stack=stack, sizes=_shares(sizes), raises=_four(most))
    )
    settings = BlueprintSettings(clusters, _three(parse_buckets(buckets)), betting, batch, seed)
    if dry_run:
        _show_size(settings, json)
        return
    if folder is None:
        raise ParameterError("no folder is given", where="equiform blueprint", fix="name one, or use --dry-run")
    solver = prepare_blueprint(folder, settings, on=on)
    try:
        with live(json) as listener:
            reached = solver.run(
                iterations, seconds=seconds or None, checkpoint_every=checkpoint_every, progress=listener
            )
    finally:
        solver.close()
    document: dict[str, Any] = {"folder": str(folder), "size": settings.size.to_dict(), **reached.to_dict()}
    if json:
        print_json(document)
    else:
        console.print(
            f"{reached.iterations:,} deals, {reached.touched:,} nodes touched in {reached.seconds:.1f} s "
            f"({reached.touched / max(reached.seconds, 1e-9):,.0f} per second), stopped by {reached.stopped_by}; "
            f"{reached.losses} workers lost. Kept in {folder}.",
            highlight=False,
        )
    if reached.stopped_by == "interrupt":
        end_interrupted("the run is saved; the same command resumes it.")


def _show_size(settings: Any, json: bool) -> None:
    size = settings.size
    if json:
        print_json({"settings": settings.to_dict(), "size": size.to_dict()})
        return
    console.print(
        f"Betting tree: {size.nodes:,} nodes. Both players: {size.infosets:,} information sets, {size.moves:,} moves.\n"
        f"Head: {_memory(size.head_bytes)}. Each of {size.members} members: {_memory(size.member_bytes)}. "
        f"Together {_memory(size.total_bytes)}, {size.bytes_per_infoset:z.1f} bytes per information set.",
        highlight=False,
    )


def _memory(size: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:z,.1f} {unit}"
        size /= 1024
    return f"{size:z,.1f} TiB"


def _three(values: tuple[int, ...]) -> tuple[int, int, int]:
    first, second, third = _exactly(values, 3, "--buckets")
    return first, second, third


def _four(values: tuple[int, ...]) -> tuple[int, ...]:
    return _exactly(values, 4, "--raises")


def _pair(text: str) -> tuple[int, int]:
    first, second = _exactly(parse_buckets(text), 2, "--blinds")
    return first, second


def _exactly(values: tuple[int, ...], count: int, where: str) -> tuple[int, ...]:
    from equiform.models.common.errors import ParameterError

    if len(values) != count:
        raise ParameterError(f"{len(values)} numbers instead of {count}", where=where, fix="separate them by commas")
    return values


def _shares(text: str) -> tuple[float, ...]:
    from equiform.cli.tournament.numbers import numbers

    return tuple(numbers(text, "--sizes")) if text.strip() else ()
