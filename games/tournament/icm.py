r"""The Independent Chip Model: what chips are worth when prizes go by rank.

The winner is a player in proportion to chips; the second one in proportion among the others, and so on (Malmuth 1987;
thesis §9.8.2). Let :math:`P(A)` be the probability that the set :math:`A` takes the first :math:`|A|` places. Then

.. math:: P(\emptyset) = 1, \qquad
          P(A) = \sum_{i \in A} P(A \setminus i)\, \frac{s_i}{S - \sum_{j \in A \setminus i} s_j},

and player i is next after A with probability :math:`P(A)\, s_i / (S - \sum_{j \in A} s_j)`: :math:`2^n n` steps
instead of :math:`n!`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.models.common.arguments import require_sequence
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

MOST_PLAYERS = 22  # a set per subset of players: 4 million


@jit
def _places(stacks: FloatArray, payouts: FloatArray, sizes: IntArray) -> FloatArray:
    """Return expected prizes by summing over the sets of players who are already placed."""
    n = len(stacks)
    prizes = np.zeros(n)
    total = stacks.sum()
    chance = np.zeros(1 << n)
    chance[0] = 1.0
    for placed in range(1 << n):
        place = sizes[placed]
        if place >= len(payouts):
            continue
        left = total
        for i in range(n):
            if placed >> i & 1:
                left -= stacks[i]
        for i in range(n):
            if not placed >> i & 1:
                p = chance[placed] * stacks[i] / left
                prizes[i] += p * payouts[place]
                chance[placed | 1 << i] += p
    return prizes


def icm(stacks: Sequence[float], payouts: Sequence[float]) -> FloatArray:
    """Return every player's expected prize.

    Parameters
    ----------
    stacks
        Chips of the players who are left, all positive.
    payouts
        Prizes from the first place on; places beyond the list are paid nothing.

    Raises
    ------
    ParameterError
        For stacks or payouts that are not numbers, not positive, or not in order.

    >>> icm([5000, 4900, 100], [50, 30, 20]).round(3).tolist()
    [39.854, 39.649, 20.496]
    """
    chips = require_stacks(stacks, "ICM")
    prizes = require_payouts(payouts, "ICM")
    if len(chips) > MOST_PLAYERS:
        raise ParameterError(
            f"{len(chips)} players", where="ICM", fix=f"use {MOST_PLAYERS} players at most, say those who may be paid"
        )
    sizes = np.zeros(1 << len(chips), dtype=np.int64)
    for i in range(len(chips)):
        sizes[1 << i : 2 << i] = 1 + sizes[: 1 << i]
    return _places(chips, prizes[: len(chips)], sizes)


def require_stacks(stacks: Sequence[float], where: str) -> FloatArray:
    """Check chips: one positive number per player."""
    chips = require_numbers(require_sequence(stacks, "stacks", where), "stacks", where, shape=(None,), empty=False)
    if not (chips > 0).all():
        seat = int(np.argmin(chips)) + 1
        raise ParameterError(
            f"player {seat} has {chips.min():g} chips",
            where=where,
            fix="leave out players who are out of the tournament",
        )
    return chips


def require_payouts(payouts: Sequence[float], where: str) -> FloatArray:
    """Check prizes: from the first place on, none larger than the one before."""
    given = require_sequence(payouts, "payouts", where)
    prizes = require_numbers(given, "payouts", where, shape=(None,), empty=False, least=0)
    if (np.diff(prizes) > 0).any():
        raise ParameterError(
            f"payouts rise: {', '.join(f'{p:g}' for p in prizes)}",
            where=where,
            fix="pass them from first to last place",
        )
    return prizes
