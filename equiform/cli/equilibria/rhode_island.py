"""``equiform solve rhode-island``: a game too large for a tree, solved on its public tree and proved card by card."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from equiform.cli.experiments.live import end_interrupted, live
from equiform.cli.output import console, print_json
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import require_writable

if TYPE_CHECKING:
    from equiform.api.rhode_island import RhodeIslandSolution, RoundTable

NAME = "rhode-island"


def is_rhode_island(game: str) -> bool:
    """Whether a specification names the game."""
    return game.strip().partition(":")[0] == NAME


def solve_and_show(spec: str, *, json: bool, out: Path | None, state: Path | None, **options: Any) -> None:
    """Solve the game of a specification and print the proof and the first round."""
    from equiform.api.rhode_island import solve_rhode_island
    from equiform.games.poker.rhode_island import RhodeIsland
    from equiform.games.registry import find_entry

    rules = RhodeIsland(**find_entry(NAME).parse(spec.strip().partition(":")[2], spec))  # type: ignore[arg-type]
    for path in filter(None, (state, out)):
        require_writable(path)
    with live(json) as progress:
        solved = solve_rhode_island(rules, state=state, progress=progress, **options)
    if out is not None:
        solved.write(out)
    if json:
        print_json(solved.to_dict())
    else:
        print_solution(solved)
        if out is not None:
            console.print(f"Strategies written to {out}.", highlight=False)
    if solved.stopped_by == "interrupt":
        end_interrupted("the state is saved; run the same command to resume." if state else "nothing was saved.")


def print_solution(solved: RhodeIslandSolution) -> None:
    """Print the sizes, the proof and what the first round plays."""
    from rich.text import Text

    from equiform.api.rhode_island.solution import public_nodes

    game, proof, (lower, upper) = solved.game, solved.certificate, solved.bracket
    console.rule(Text(solved.rules.spec, "bold"))
    console.print(
        f"{public_nodes(game):,} public decisions; information sets {game.num_infosets[0]:,} and "
        f"{game.num_infosets[1]:,}, sequences {game.num_sequences[0]:,} and {game.num_sequences[1]:,}.",
        highlight=False,
    )
    exact = "" if solved.exact_value is None else f" ({solved.exact_value} exactly)"
    console.print(Text.assemble("Value to player 1: ", (f"{solved.value:z.7f}", "bold"), f" chips{exact}."))
    console.print(
        f"Proof ({proof.witness}): the value lies in [{lower:z.7f}, {upper:z.7f}]; exploitability "
        f"{proof.exploitability:z.2e} chips, nash_conv {proof.nash_conv:z.2e}.",
        highlight=False,
    )
    console.print(
        f"By {solved.method}, {solved.iterations:,} iteration{'s' * (solved.iterations != 1)}, "
        f"{solved.seconds:.1f} s, stopped by {solved.stopped_by}.",
        highlight=False,
    )
    for table in solved.first_round():
        console.print(round_table(table))


def round_table(found: RoundTable) -> Any:
    """Show a decision: a row per card, the highest first."""
    from rich.table import Table

    title = f"Player {found.player + 1}, {'after ' + found.history if found.history else 'to open'}"
    table = Table("card", *found.moves, title=title, title_justify="left", title_style="bold")
    for hand, row in reversed(list(zip(found.hands, found.probabilities, strict=True))):
        table.add_row(hand, *(f"{p:z.3f}" for p in row))
    return table


def refuse_elsewhere(**given: Any) -> None:
    """Refuse options that only this game takes."""
    for name, value in given.items():
        if value is not None and value != "":
            raise ParameterError(
                f"--{name} is for {NAME}", where="solve", fix="use `equiform iterate` for iterative algorithms"
            )
