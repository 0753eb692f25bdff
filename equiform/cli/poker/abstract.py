"""``equiform abstract`` and ``equiform buckets``: make a card abstraction, and look at one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json, require_drawable
from equiform.cli.poker.equity import bar_chart


def abstract(
    game: str = typer.Argument(metavar="GAME", help="texas, rhode-island or leduc."),
    rounds: str = typer.Option(
        "",
        help="How many rounds, or their names, like flop,turn; by default the first ones, one per number of buckets.",
    ),
    method: str = typer.Option(
        "expectation", help="expectation, distribution, potential, hierarchical, gameshrink or lossless."
    ),
    buckets: str = typer.Option("", help="Buckets of each round, like 15,225,900."),
    out: Path = typer.Option(None, help="Write the buckets to this file (.npz)."),  # noqa: B008
    sample: int = typer.Option(50_000, help="Hands that the means of large rounds are learned from; 0 means all."),
    seed: int = typer.Option(0, help="Seed of the random choices."),
    public: int = typer.Option(60, help="Public clusters of flops, for hierarchical."),
    metric: str = typer.Option(
        "equity", help="What expectation compares hands by: equity, or gs2 (w − l + d/2, as in GS2's paper)."
    ),
    threads: int = typer.Option(0, help="Threads; 0 means one per processor."),
    json: bool = JSON,
) -> None:
    """Group the hands of a card game into buckets."""
    from rich.progress import Progress

    from equiform.abstraction.cards.build import build_abstraction
    from equiform.models.common.errors import FormatError

    if out is not None and not out.parent.is_dir():  # better said now than after minutes of work
        raise FormatError("there is no such folder", where=str(out.parent), fix="choose a folder that exists")
    with Progress(console=console, transient=True, disable=json) as bar:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done)

        found = build_abstraction(
            game,
            method,
            parse_buckets(buckets),
            rounds=parse_rounds(rounds),
            sample=sample or None,
            seed=seed,
            public=public,
            metric=metric,
            threads=threads or None,
            progress=progress,
        )
    if out is not None:
        found.write(out)
    if json:
        print_json(document(found))
        return
    print_rounds(found)
    if out is not None:
        console.print(f"Buckets written to {out}.")


def buckets(
    file: Path = typer.Argument(metavar="FILE", help="A file written by `equiform abstract`."),  # noqa: B008
    show: bool = typer.Option(False, "--show", help="Draw the starting hands by bucket, and how full buckets are."),
    hand: str = typer.Option("", help="Print the buckets of this hand instead: private cards, then public ones."),
    round_name: str = typer.Option("", "--round", help="Which round's buckets to draw; by default all."),
    plot: Path = typer.Option(None, "--plot", "--picture", help="Draw the first round's 13 × 13 chart into this file."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Look at a card abstraction."""
    from equiform.abstraction.cards.card_abstraction import read_card_abstraction
    from equiform.models.common.errors import ParameterError

    require_drawable(plot)
    found = read_card_abstraction(file)
    chosen = [r for r in found.rounds if round_name in ("", r.name)]
    if not chosen:
        there = ", ".join(r.name for r in found.rounds)
        raise ParameterError(f"there is no round {round_name!r}", where=str(file), fix=f"use one of {there}")
    if hand:
        print_hand(found, hand, json)
        return
    if plot is not None:
        draw_picture(found, plot)
    if json:
        print_json(document(found))
        return
    print_rounds(found)
    if show:
        for r in chosen:
            console.rule(r.name)
            if len(r.labels) == 169:
                console.print(heat_map(r.labels, strength_order(r)))
            rows = [f"bucket {b}" + (f", mean {r.means[b]:z.3f}" if len(r.means) else "") for b in range(r.n_buckets)]
            console.print(bar_chart(rows, r.weights))


def print_hand(found: Any, hand: str, json: bool) -> None:
    """Print the bucket of a hand in every round that it has reached."""
    from equiform.abstraction.cards.bucket_lookup import deck_of, look_up

    deck = deck_of(found)
    cards = deck.parse(hand)
    buckets_of = {name: int(bucket[0]) for name, bucket in look_up(found, [cards]).items()}
    if json:
        print_json({"game": found.game, "method": found.method, "hand": deck.text(cards), "buckets": buckets_of})
        return
    for r in found.rounds:
        if r.name in buckets_of:
            bucket = buckets_of[r.name]
            mean = f", mean strength {r.means[bucket]:z.3f}" if len(r.means) else ""
            console.print(f"{r.name}: bucket {bucket} of {r.n_buckets}, {r.weights[bucket]:.2%} of deals{mean}")


def parse_buckets(text: str) -> tuple[int, ...]:
    """Read numbers separated by commas."""
    from equiform.models.common.errors import ParameterError

    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of numbers", where="--buckets", fix="e.g. 15,225,900") from None


def parse_rounds(text: str) -> int | list[str] | None:
    """Read a number of rounds, or their names separated by commas."""
    if text.strip().isdecimal():
        return int(text) or None
    return [part.strip() for part in text.split(",") if part.strip()] or None


def document(found: Any) -> dict[str, Any]:
    """Return the JSON form of an abstraction (without the labels, except for those of the 169 starting hands)."""
    from equiform.games.cards.charts import starting_hands

    rounds = []
    for r in found.rounds:
        entry: dict[str, Any] = {"name": r.name, "buckets": r.n_buckets, "weights": r.weights, "means": r.means}
        if len(r.labels) == 169:
            entry["starting_hands"] = dict(zip(starting_hands(), r.labels.tolist(), strict=True))
        rounds.append(entry)
    return {"game": found.game, "method": found.method, "metric": found.metric, "seconds": found.seconds,
            "rounds": rounds}  # fmt: skip


def print_rounds(found: Any) -> None:
    """Print one line per round."""
    from rich.table import Table

    table = Table(title=f"{found.game} by {found.method} ({found.metric}), {found.seconds:.1f} s", title_justify="left")
    for column in ("round", "buckets", "hand classes", "largest bucket", "smallest bucket"):
        table.add_column(column, justify="left" if column == "round" else "right")
    for r in found.rounds:
        classes = (
            f"{len(r.labels):,}" if len(r.labels) else "by score" if len(r.children) == 1 else "by parent and score"
        )
        table.add_row(r.name, f"{r.n_buckets:,}", classes, f"{r.weights.max():.3%}", f"{r.weights.min():.3%}")
    console.print(table)


def strength_order(r: Any) -> Any:
    """Rank buckets from weak to strong where strengths are known, else by number."""
    import numpy as np

    return np.argsort(np.argsort(r.means)) if len(r.means) else np.arange(r.n_buckets)


def heat_map(labels: Any, order: Any) -> Any:
    """Draw the starting hands: bucket numbers, coloured from weak (blue) to strong (red)."""
    from rich.style import Style
    from rich.table import Table
    from rich.text import Text

    from equiform.games.cards.card import STANDARD
    from equiform.games.cards.charts import chart_classes

    ranks = STANDARD.ranks[::-1]
    table = Table(box=None, padding=0, show_header=False)
    table.add_row("", *(f"{rank:>4}" for rank in ranks))
    for rank, row in zip(ranks, chart_classes(), strict=True):
        cells = []
        for hand in row:
            bucket = int(labels[hand])
            share = float(order[bucket]) / max(1, len(order) - 1)
            colour = f"#{round(40 + 215 * share):02x}50{round(255 - 215 * share):02x}"
            cells.append(Text(f"{bucket:>4}", style=Style(bgcolor=colour, color="white")))
        table.add_row(f"{rank} ", *cells)
    return table


def draw_picture(found: Any, path: Path) -> None:
    """Write the 13 × 13 chart of the first round."""
    from equiform.games.cards.charts import draw_chart
    from equiform.models.common.errors import ParameterError

    first = found.rounds[0]
    if len(first.labels) != 169:
        raise ParameterError("only Texas hold'em has a chart of starting hands", where=found.game)
    order = strength_order(first)
    draw_chart(order[first.labels], title=f"{first.n_buckets} buckets by {found.method}", cmap="turbo").write(path)
