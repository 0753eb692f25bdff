"""A solved spot as a page: every decision on the spot's own board, hand by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.viewer.convergence import course
from equiform.viewer.spot import SpotExplorer

if TYPE_CHECKING:
    from equiform.api.spots.solution import SpotSolution


def spot_page(solution: SpotSolution) -> SpotExplorer:
    """Make the page of a solved spot.

    Decisions after further cards are left out: they would be there once per run-out, and the page says so.
    """
    betting = solution.game.betting
    nodes = np.flatnonzero((np.asarray(betting.turn) >= 0) & (np.asarray(betting.street) == 0)).tolist()
    tables = [solution.table(history).to_dict() for history in sorted(map(betting.history, nodes), key=len)]
    later = int(((np.asarray(betting.turn) >= 0) & (np.asarray(betting.street) > 0)).sum())
    note = f"{later} decisions after further cards are left out" if later else ""
    way = course(
        solution.history,
        algorithm=solution.method,
        gap="exploitability in percent of the pot",
        steps="iterations" if solution.program is None else "linear programs",
    )
    return SpotExplorer(solution.spot.name, tables, _proof(solution), _unproved(solution), note, way)


def _proof(solution: SpotSolution) -> dict[str, Any]:
    found = solution.certificate
    return {
        "value": found.ev,
        "bracket": (found.lower, found.upper),
        "exploitability": found.exploitability,
        "percent": found.percent,
        "witness": found.witness,
        "backend": solution.method,
        "status": f"{solution.work}, stopped by {solution.stopped_by}",
        "seconds": {"solve": solution.seconds},
    }


def _unproved(solution: SpotSolution) -> tuple[str, ...]:
    found = [
        "Exactness: values are computed in floating-point numbers, and the answer is approximate up to the bracket."
    ]
    if solution.certificate.locked:
        found.append("The value of the game without locks: the bracket is that of the locked game.")
    found.append("Other bet sizes and other ranges: the answer holds for those of this spot.")
    return tuple(found)
