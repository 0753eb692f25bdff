"""``equiform spot`` and ``equiform spot-report``: hold'em spots, solved and proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equiform.cli.experiments.live import live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json

if TYPE_CHECKING:
    from equiform.api.spots import SpotSolution
    from equiform.api.spots.solution import NodeTable

BOARD = typer.Option(help="Three to five public cards, like Td9d6hQc2s.")
POT = typer.Option(help="Chips in the middle.")
STACK = typer.Option(help="Chips behind each player (the shorter stack).")
OOP = typer.Option("random", help="Range of player 1, who acts first; @FILE reads one.")
IP = typer.Option("random", help="Range of player 2.")
BETS = typer.Option("50%,100%,a", help="Bet sizes: 50%, e (geometric), 120c, a; river=…; turn.oop=….")
RAISES = typer.Option("100%,a", help="Raise sizes: also 2.5x.")
DONK = typer.Option("", help="Bets of player 1 after calling on the street before.")
CAP = typer.Option(0, help="Bets and raises per street at most; 0 for no limit.")
ADD = typer.Option(0.0, help="Offer all-in where it is at most this share of the pot.")
FORCE = typer.Option(0.0, help="Bet all-in where a call leaves at most this share of the pot.")
MERGE = typer.Option(0.0, help="Drop sizes this close to a larger one.")
METHOD = typer.Option(
    "",
    help="cfr; for rivers also lp (programs to a tiny gap) or endgame (the thesis's program, on buckets). By default "
    "cfr, or lp where --concept or --exact asks for it.",
)
CONCEPT = typer.Option("nash", help="nash; with lp (small spots) or endgame also une (undominated), qpe.")
UNTIL = typer.Option(
    "",
    help="Stop at the first of these: 0.1% of the pot, gap=… (a share of the pot), iterations=…, seconds=…. By "
    "default 0.1% with cfr, gap=1e-9 with lp.",
)
SHOWN_HANDS = 12


def spot(
    board: str = BOARD,
    pot: float = POT,
    stack: float = STACK,
    oop: str = OOP,
    ip: str = IP,
    bets: str = BETS,
    raises: str = RAISES,
    donk: str = DONK,
    cap: int = CAP,
    add_all_in: float = ADD,
    force_all_in: float = FORCE,
    merge: float = MERGE,
    first: str = typer.Option("oop", help="Who acts first; ip if player 1 has checked."),
    method: str = METHOD,
    concept: str = CONCEPT,
    epsilon: float = typer.Option(None, help="The least weight of a move, for qpe."),
    exact: bool = typer.Option(False, "--exact", help="Solve in rational numbers; for rivers with tens of hands."),
    until: str = UNTIL,
    lock: Path = typer.Option(None, help="A JSON file of locked decisions."),  # noqa: B008
    buckets: int = typer.Option(0, help="Solve the river with this many buckets; the result is judged hand by hand."),
    budget: int = typer.Option(0, help="With endgame: buckets times betting sequences; by default 7500."),
    top: float = typer.Option(0.0, help="With endgame: hands of this equity have their own bucket; by default 0.99."),
    backend: str = typer.Option("", help="With endgame: the solver of the program."),
    dtype: str = typer.Option("", help="float32 or float64; by default 64 bits on the river, 32 before."),
    threads: int = typer.Option(1, help="Threads that share the boards."),
    state: Path = typer.Option(None, help="Save the solver here at checkpoints, and resume from it."),  # noqa: B008
    node: str = typer.Option("", help="Show this decision, e.g. 'check–bet 100'."),
    cards: str = typer.Option("", help="Further public cards of that decision."),
    tree: bool = typer.Option(False, "--tree", help="Print the betting tree and stop."),
    against: Path = typer.Option(None, help="Compare with a solution that --out wrote."),  # noqa: B008
    out: Path = typer.Option(None, help="Write the solution to this JSON file."),  # noqa: B008
    rake: float = typer.Option(0.0, help="Refused: a raked pot is not zero-sum."),
    json: bool = JSON,
) -> None:
    """Solve a hold'em spot; the proof is computed from the rules."""
    from equiform.api.spots import read_locks, solve_spot
    from equiform.games.poker.holdem.bet_sizes import BetSizes
    from equiform.games.poker.holdem.spot import Spot

    sizes = BetSizes(bets, raises, donk or None, cap, add_all_in, force_all_in, merge)
    made = Spot.of(board, pot=pot, stack=stack, oop=oop, ip=ip, sizes=sizes, first=first, rake=rake)
    if tree:
        print_json(made.to_dict()) if json else console.print(made.betting.text(), highlight=False)
        return
    chosen: dict[str, Any] = {"exact": exact, "dtype": dtype, "buckets": buckets, "state": state, "backend": backend}
    chosen |= {"budget": budget, "top": top, "threads": threads if threads != 1 else None}
    options = {name: value for name, value in chosen.items() if value}
    with live(json) as progress:
        locks = () if lock is None else read_locks(lock)
        solution = solve_spot(
            made, method=method or None, concept=concept, epsilon=epsilon, until=until or None, locks=locks,
            progress=progress, options=options,
        )  # fmt: skip
    if out is not None:
        solution.write(out)
    _present(solution, against, out, node, cards, json)


def _present(
    solution: SpotSolution, against: Path | None, out: Path | None, node: str, cards: str, as_json: bool
) -> None:
    """Print a solution, compared with an older one and saying where it was written."""
    from equiform.api.spots import compare, read_solution

    compared = None if against is None else compare(read_solution(against), solution)
    if as_json:
        print_json({**solution.summary(), "table": solution.table(node, cards).to_dict(), "compared": compared})
        return
    print_solution(solution, node, cards)
    if compared is not None:
        console.print(f"EV before and now: {compared['ev'][0]:z.4f}, {compared['ev'][1]:z.4f}.", highlight=False)
    if out is not None:
        console.print(f"Solution written to {out}.")


def spot_report(
    board: str = BOARD,
    pot: float = POT,
    stack: float = STACK,
    oop: str = OOP,
    ip: str = IP,
    bets: str = BETS,
    raises: str = RAISES,
    boards: str = typer.Option("next", help="next for all next cards, or a list of boards separated by commas."),
    until: str = typer.Option("0.5%", help="The accuracy of every board."),
    folder: Path = typer.Option(None, help="Keep finished boards here, and resume from them."),  # noqa: B008
    on: str = typer.Option("local", help="Where to work: local, or processes:N."),
    json: bool = JSON,
) -> None:
    """Solve a spot on many boards, as a table."""
    from rich.table import Table

    from equiform.api.spots.report import all_next_boards, report
    from equiform.games.poker.holdem.bet_sizes import BetSizes
    from equiform.games.poker.holdem.spot import Spot

    made = Spot.of(board, pot=pot, stack=stack, oop=oop, ip=ip, sizes=BetSizes(bets, raises))
    chosen = all_next_boards(made) if boards == "next" else tuple(b.strip() for b in boards.split(",") if b.strip())
    with live(json) as progress:
        found = report(made, chosen, until=until, on=on, folder=folder, progress=progress)
    if json:
        print_json(found.to_dict())
        return
    table = Table("board", "EV of player 1", "equity", "exploitability", "first move")
    for row in found.rows:
        moves = ", ".join(f"{move} {p:.0%}" for move, p in row["frequencies"].items())
        percent = f"{row['exploitability_percent_of_pot']:z.3f}%"
        table.add_row(row["board"], f"{row['ev']:z.3f}", f"{row['equity']:z.3f}", percent, moves)
    console.print(table)


def print_solution(solution: SpotSolution, node: str = "", cards: str = "", *, limit: int = SHOWN_HANDS) -> None:
    """Print a solution: the proof, and one decision."""
    from rich.text import Text

    proof, pot = solution.certificate, solution.spot.betting.pot
    console.rule(Text(solution.spot.name, "bold"))
    first, second = solution.game.num_sequences
    console.print(
        f"{len(solution.game.betting)} public nodes, {first:,} and {second:,} sequences; {solution.work}; "
        f"{solution.seconds:.2f} s, stopped by {solution.stopped_by}.",
        highlight=False,
    )
    console.print(
        Text.assemble(
            "EV of player 1 ", (f"{proof.ev:z.4f}", "bold"), f", of player 2 {pot - proof.ev:z.4f} chips. Proved: the ",
            "locked game's value" if proof.locked else "value", f" lies in [{proof.lower:z.4f}, {proof.upper:z.4f}]; ",
            "exploitability ", (f"{proof.percent:.4g}%", "bold"), f" of the pot ({proof.exploitability:.4g} chips), ",
            f"by {proof.witness}.",
        )
    )  # fmt: skip
    if solution.program is not None and "exact_ev" in solution.program:
        console.print(f"In rational numbers player 1 gets {solution.program['exact_ev']}.", highlight=False)
    if solution.program is not None and "buckets" in solution.program:
        steps = ", ".join(f"{step} {took:z.3f}" for step, took in solution.program["seconds"].items())
        console.print(
            f"CPU seconds by step: {steps}. The proof is that of the real game, hand by hand.", highlight=False
        )
    console.print(hand_table(solution.table(node, cards), limit))


def hand_table(found: NodeTable, limit: int) -> Any:
    """Show a decision: a row per hand, the strongest first."""
    from rich.table import Table

    words = f"after {found.history}" if found.history else "to open"
    title = f"Player {found.player + 1} {words} on {found.board}: EV {found.ev:z.3f}, equity {found.equity:z.3f}"
    table = Table("hand", "equity", "EV", *found.moves, title=title, title_justify="left", title_style="bold")
    frequencies = [f"{p:.1%}" for p in found.frequencies]
    table.add_row("all", f"{found.equity:z.3f}", f"{found.ev:z.2f}", *frequencies, style="bold")
    rows = sorted(found.rows, key=lambda r: -r.equity if r.equity == r.equity else 1.0)
    step = max(1, len(rows) // limit)
    for row in rows[::step][:limit]:
        moves = [f"{p:z.2f} ({ev:z.1f})" for p, ev in zip(row.probabilities, row.ev_of_moves, strict=True)]
        table.add_row(row.hand, f"{row.equity:z.3f}", f"{row.ev:z.2f}", *moves)
    if len(rows) > limit:
        table.add_row("…", "", "", *[""] * len(found.moves))
    return table
