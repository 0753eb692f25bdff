"""``equiform holdem``: an abstract game of heads-up hold'em, solved and proved; or one decision of a solved one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equiform.cli.experiments.live import end_interrupted, live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json

if TYPE_CHECKING:
    from equiform.api.holdem import HoldemSolution
    from equiform.games.poker.holdem.tree import HoldemBetting


def holdem(
    abstraction: Path = typer.Option(None, help="A file of buckets that `equiform abstract texas` wrote."),  # noqa: B008
    limit: bool = typer.Option(True, "--limit/--no-limit", help="Limit, or no-limit hold'em."),
    rounds: int = typer.Option(3, help="How many rounds are played, 2 to 4."),
    leaves: str = typer.Option("rollout", help="What a cut-off game pays: rollout, simulated or strategy."),
    river: Path = typer.Option(None, help="The folder of a solved game of four rounds, for the last two."),  # noqa: B008
    stack: int = typer.Option(40, help="No-limit: each player's chips; the blinds are 1 and 2."),
    sizes: str = typer.Option("1", help="No-limit: bets and raises as shares of the pot; all-in is always there."),
    raises: int = typer.Option(0, help="Bets and raises per round; by default 4 in limit and 2 in no-limit games."),
    flops: int = typer.Option(0, help="Draw this many flops for the card matrices; 0 deals all of them."),
    rivers: int = typer.Option(0, help="River cards per turn board; 0 means all 48, or two if the river is played."),
    seed: int = typer.Option(0, help="Seed of the drawn boards."),
    until: str = typer.Option("gap=0.001", help="gap=… (small bets per hand), iterations=…, seconds=…."),
    algorithm: str = typer.Option("dcfr", help="dcfr, cfr+, pcfr+, egt, fp, …."),
    run: Path = typer.Option(None, help="Keep deals, state and strategy in this folder, and resume from them."),  # noqa: B008
    dry_run: str = typer.Option("", help="Print the size of a game with these buckets, like 15,225,900, and stop."),
    hand: str = typer.Option("", help="Show a solved strategy: this hand, such as AhKh, in the game of --run."),
    board: str = typer.Option("", help="… on this board …"),
    line: str = typer.Option("", help="… after this betting: f, c, r and / between streets, such as rc/cr."),
    json: bool = JSON,
) -> None:
    """Solve an abstract game of heads-up hold'em.

    Ctrl-C stops, and the same command resumes.
    """
    from equiform.models.common.errors import ParameterError

    betting = _betting(limit, rounds, stack, sizes, raises)
    if dry_run:
        _show_plan(dry_run, betting, json)
        return
    if hand:
        _show_hand(run, hand, board, line, json)
        return
    if abstraction is None:
        raise ParameterError(
            "no abstraction is given", where="--abstraction", fix="`equiform abstract texas` makes one"
        )
    from equiform.abstraction.cards.card_abstraction import read_card_abstraction
    from equiform.abstraction.holdem.boards import Sweep
    from equiform.api.holdem import holdem as solve
    from equiform.solvers_iterative.progress import Until

    sweep = Sweep.of_rounds(4 if leaves == "strategy" else rounds, flops=flops, rivers=rivers, seed=seed)
    with live(json) as progress:
        solution = solve(
            read_card_abstraction(abstraction), betting=betting, leaves=leaves, river=river,
            sweep=sweep, until=Until.parse(until), algorithm=algorithm, folder=run,
            progress=progress,
        )  # fmt: skip
    if json:
        print_json(solution.summary())
    else:
        _show(solution)
    if solution.stopped_by == "interrupt":
        end_interrupted("the state is saved; run the same command to resume." if run else "nothing was saved.")


def _betting(limit: bool, rounds: int, stack: int, sizes: str, raises: int) -> HoldemBetting:
    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.models.common.errors import ParameterError

    if limit:
        allowed = (max(raises - 1, 0), raises, raises, raises) if raises else (3, 4, 4, 4)
        return HoldemBetting(rounds=rounds, raises=allowed)
    try:
        shares = tuple(float(part) for part in sizes.split(",") if part.strip())
    except ValueError:
        raise ParameterError(f"{sizes!r} is not a list of shares", where="--sizes", fix="e.g. 0.5,1") from None
    return HoldemBetting(rounds=rounds, bets=(), raises=(raises or 2,) * 4, stack=stack, sizes=shares)


def _show(solution: HoldemSolution) -> None:
    found, first = solution.small_bets, solution.game.num_sequences[0]
    console.rule(solution.game.name)
    console.print(
        f"{first:,} sequences per player; {solution.iterations:,} iterations, {solution.seconds:.1f} s, stopped by "
        f"{solution.stopped_by}.\nThe small blind gets {found['value']:+z.5f} small bets per hand. Proved: the value "
        f"lies in [{found['lower']:+z.5f}, {found['upper']:+z.5f}], a gap of {found['nash_conv']:.2g}, by "
        f"{solution.certificate.witness}.",
        highlight=False,
    )


def _show_plan(text: str, betting: HoldemBetting, json: bool) -> None:
    from equiform.abstraction.holdem.planning import plan_holdem
    from equiform.cli.poker.abstract import parse_buckets

    plan = plan_holdem(parse_buckets(text), betting)
    if json:
        print_json(plan.to_dict())
        return
    console.print(
        f"{plan.nodes:,} betting nodes, {plan.sequences[0]:,} sequences per player.\n"
        f"CFR on the operator: {plan.operator_bytes / 1e9:.2f} GB ({plan.matrix_bytes / 1e9:.2f} GB of card matrices), "
        f"{plan.operations:z,.1f} · 10⁹ multiplications per iteration.\n"
        f"Monte Carlo CFR: {plan.sampling_bytes / 1e9:.2f} GB.",
        highlight=False,
    )


def _show_hand(run: Path | None, hand: str, board: str, line: str, json: bool) -> None:
    from equiform.abstraction.holdem.blueprint import read_blueprint
    from equiform.models.common.errors import ParameterError

    if run is None:
        raise ParameterError("no solved game is given", where="--run", fix="name the folder of a run")
    found: dict[str, Any] = read_blueprint(run).probabilities(hand, board, line)
    if json:
        print_json({"hand": hand, "board": board, "line": line, "probabilities": found})
        return
    for move, probability in found.items():
        console.print(f"{move}: {probability:.2%}", highlight=False)
