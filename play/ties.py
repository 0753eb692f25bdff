"""How ties are broken, by a bonus far below any real difference of payoffs.

A best response is rarely unique at the start of a match, and the choice has consequences: it decides what is seen of
the opponent, or shown to him. A bonus on the moves listed first or last at every information set makes the choice
explicit and the same for linear programs and best-response passes. Earlier moves weigh ten times as much as the next
ones, so that the bonus of a later move never outweighs that of an earlier one.
"""

from __future__ import annotations

import numpy as np

from equiform.models.errors import ParameterError
from equiform.models.treeplex import FloatArray, Treeplex

TIES = {
    "last": "for the moves listed last: bet over check, call over fold",
    "first": "for the moves listed first: check over bet, fold over call",
}
#: The bonus of a first move.
BONUS = 1e-8


def require_ties(ties: str) -> None:
    """Refuse a rule that is not one of :data:`TIES`."""
    if ties not in TIES:
        raise ParameterError(f"unknown {ties!r}", where="ties", fix=f"use one of {', '.join(TIES)}")


def tie_bonus(treeplex: Treeplex, ties: str) -> FloatArray:
    """Give the bonus of every sequence.

    >>> from equiform.play.seat import take_seat
    >>> tie_bonus(take_seat("rps").own, "last").tolist()
    [0.0, 0.0, 0.0, 1e-08]
    """
    require_ties(ties)
    bonus = np.zeros(treeplex.num_sequences)
    preferred = treeplex.start[1:] - 1 if ties == "last" else treeplex.start[:-1]
    bonus[preferred] = BONUS * 0.1 ** (treeplex.depth[preferred] - 1)
    return bonus
