"""A solved spot as a page: the decisions on the spot's own board and on run-outs, hand by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.games.cards.card import STANDARD, CardsLike
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.viewer.convergence import course
from equiform.viewer.spot import SpotExplorer, packed_size

if TYPE_CHECKING:
    from equiform.api.spots.solution import SpotSolution

#: Without a choice of run-outs the page holds all of them up to this size, and beyond it none.
MOST_BYTES = 3_000_000


def spot_page(solution: SpotSolution, cards: Sequence[CardsLike] | None = None) -> SpotExplorer:
    """Make the page of a solved spot; ``cards`` are the run-outs that it holds besides the spot's own board."""
    betting = solution.game.betting
    if cards is not None:
        dealt = _chosen(solution, cards)
    else:
        dealt = _all_dealt(solution) if _size_of_all(solution) <= MOST_BYTES else []
    shown = [((), 0), *((after, len(after)) for after in dealt)]
    tables = [
        solution.table(history, after).to_dict()
        for after, street in shown
        for history in sorted(map(betting.history, _decisions(solution, street).tolist()), key=len)
    ]
    left_out = sum(n * len(_decisions(solution, street)) for street, n in _counts(solution)) - len(tables)
    missing = f"{left_out:,} decisions after further cards are left out: choose run-outs with cards (--cards)"
    note = missing if left_out else ""
    way = course(
        solution.history,
        algorithm=solution.method,
        gap="exploitability in percent of the pot",
        steps="iterations" if solution.program is None else "linear programs",
    )
    return SpotExplorer(
        solution.spot.name, tables, _proof(solution), _unproved(solution), note if left_out else "", way
    )


def _decisions(solution: SpotSolution, street: int) -> IntArray:
    betting = solution.game.betting
    return np.flatnonzero((np.asarray(betting.turn) >= 0) & (np.asarray(betting.street) == street))


def _counts(solution: SpotSolution) -> list[tuple[int, int]]:
    """Return each street with the number of its run-outs; the order of the cards matters."""
    rest = len(STANDARD) - len(solution.spot.board)
    return [(street, perm(rest, street)) for street in range(solution.game.betting.num_streets)]


def _size_of_all(solution: SpotSolution) -> int:
    """Estimate the size of a page with all run-outs, from above: a further card rules out hands."""
    betting = solution.game.betting
    held = [int((s.hands(solution.spot.board)[1] >= 0).sum()) for s in solution.strategies]
    return sum(
        n * packed_size(held[int(betting.turn[node])], len(betting.actions(node)))
        for street, n in _counts(solution)
        for node in _decisions(solution, street).tolist()
    )


def _all_dealt(solution: SpotSolution) -> list[tuple[int, ...]]:
    rest = [card for card in range(len(STANDARD)) if card not in solution.spot.board]
    return [dealt for street, _ in _counts(solution)[1:] for dealt in permutations(rest, street)]


def _chosen(solution: SpotSolution, cards: Sequence[CardsLike]) -> list[tuple[int, ...]]:
    """Read run-outs, and put what leads to them before them: the turn of a turn and river."""
    most = solution.game.betting.num_streets - 1
    found: dict[tuple[int, ...], None] = {}
    for given in cards:
        dealt = STANDARD.cards(given)
        if not 0 < len(dealt) <= most or len({*dealt, *solution.spot.board}) < len(dealt) + len(solution.spot.board):
            raise ParameterError(
                f"{given!r} cannot follow {STANDARD.text(solution.spot.board)}",
                where="cards",
                fix=f"name run-outs of at most {most} other cards" if most else "leave cards out: none is to come",
            )
        found |= {dealt[:k]: None for k in range(1, len(dealt) + 1)}
    return sorted(found, key=len)


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
