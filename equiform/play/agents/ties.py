"""How ties are broken, by a bonus far below any real difference of payoffs.

A best response is rarely unique at the start of a match, and the choice has consequences: it decides what is seen of
the opponent, or shown to him. A bonus on the moves listed first or last at every information set makes the choice
explicit and the same for linear programs and best-response passes. Earlier moves weigh ten times as much as the next
ones, so that the bonus of a later move never outweighs that of an earlier one.

An agent may also be *cautious*: of equally good responses it plays one that guarantees the most, and the moves listed
last where that leaves a choice. In Kuhn poker it then does not bluff before it knows whether bluffs are called.
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.treeplex import Treeplex

TIES = {
    "last": "for the moves listed last: bet over check, call over fold",
    "first": "for the moves listed first: check over bet, fold over call",
    "cautious": "for the response that guarantees the most, then for the moves listed last",
}
#: What an opponent may do who need not guarantee anything.
MOVE_TIES = ("last", "first")
#: The bonus of a first move.
BONUS = 1e-8
#: What a unit of guarantee is worth to the cautious: more than the bonus of any move that does not matter.
CAUTION = 1e-6


def tie_bonus(treeplex: Treeplex, ties: str) -> FloatArray:
    """Return the bonus of every sequence.

    >>> from equiform.play.seat import take_seat
    >>> tie_bonus(take_seat("rps").own, "last").tolist()
    [0.0, 0.0, 0.0, 1e-08]
    """
    require_name(ties, TIES, "way to break ties")
    bonus = np.zeros(treeplex.num_sequences)
    preferred = treeplex.start[:-1] if ties == "first" else treeplex.start[1:] - 1
    bonus[preferred] = BONUS * 0.1 ** (treeplex.depth[preferred] - 1)
    return bonus
