"""Many boards: one spot solved on each, as a table. Finished boards are kept on disk: a report can be resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equiform.api.spots.accuracy import Accuracy
from equiform.api.spots.solve import solve_spot
from equiform.games.cards.card import STANDARD, CardError
from equiform.games.poker.holdem.bet_sizes import STREETS
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.errors import ParameterError
from equiform.runs.batch import run_tasks
from equiform.runs.executor import Executor
from equiform.runs.progress import Listener, silent
from equiform.runs.task import Task


@dataclass(frozen=True)
class BoardReport:
    """What a spot comes to on each of many boards."""

    boards: tuple[str, ...]
    rows: tuple[dict[str, Any], ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"boards": list(self.boards), "rows": list(self.rows)}


def all_next_boards(spot: Spot) -> tuple[str, ...]:
    """List the boards with one more card: all turns of a flop, all rivers of a turn."""
    if len(spot.board) == 5:
        raise ParameterError("the river has no next card", where=spot.name, fix="list the boards")
    rest = [c for c in range(len(STANDARD)) if c not in spot.board]
    return tuple(STANDARD.text((*spot.board, c)) for c in rest)


def report(
    spot: Spot,
    boards: Sequence[str],
    *,
    until: str = "0.5%",
    on: Executor | str = "local",
    folder: str | Path | None = None,
    progress: Listener = silent,
) -> BoardReport:
    """Solve a spot on many boards.

    Parameters
    ----------
    spot
        The spot; its board is replaced by each of ``boards``.
    boards
        Of three, four or five cards each.
    until
        The accuracy of every board.
    on
        ``local``, ``processes:N`` or an executor.
    folder
        Where finished boards are kept; a report that was cut off goes on from there.
    progress
        Called with :class:`~equiform.runs.progress.Progress` events.

    Returns
    -------
    BoardReport
        After Ctrl-C, with the boards that were done until then.
    """
    Accuracy.parse(until)
    tasks = []
    for board in boards:
        cards = STANDARD.cards(board)
        if not 3 <= len(cards) <= 5:
            raise CardError(f"a board of {len(cards)} cards", where=STANDARD.text(cards), fix="deal three to five")
        document = {**spot.to_dict(), "board": STANDARD.text(cards)}
        document["betting"] = {**document["betting"], "street": STREETS[len(cards) - 3]}
        assert Spot.from_dict(document).betting.tree  # refuse what cannot be solved before the work starts
        tasks.append(Task.of(solve_board, document, until, label=STANDARD.text(cards)))
    done = run_tasks(tasks, on=on, store=folder, progress=progress, label="boards")
    rows = tuple(dict(values) for values in done.values if values is not None)
    return BoardReport(tuple(str(row["board"]) for row in rows), rows)


def solve_board(spot: dict[str, Any], until: str) -> dict[str, Any]:
    """Solve one board of a report; plain data in and out."""
    made = Spot.from_dict(spot)
    solution = solve_spot(made, until=until)
    first = solution.table()
    return {
        "board": STANDARD.text(made.board),
        "ev": solution.ev,
        "equity": first.equity,
        "exploitability_percent_of_pot": solution.certificate.percent,
        "frequencies": dict(zip(first.moves, first.frequencies, strict=True)),
        "iterations": solution.iterations,
    }
