r"""How deep a hand may be jammed face up: a ranking of the starting hands.

The small blind has posted 1 chip, the big blind 2. The small blind shows the hand and jams S more chips; the big blind
calls with exactly the hands that gain by it. The jam is better than folding as long as S is small enough; the largest
such S ranks the hand (the idea of Karlson and Sklansky; Chubukov computed such numbers). Hands meet by class here,
averaged over suits.
"""

from __future__ import annotations

import numpy as np

from equiform.games.cards.all_in.tables import two_way_table
from equiform.models.common.array_types import FloatArray

_DEEPEST = 1e6


def face_up_stacks() -> FloatArray:
    """Return the largest stack behind the small blind, in chips, for each starting hand; infinite for aces.

    >>> from equiform.games.cards.charts import starting_hand
    >>> stacks = face_up_stacks()
    >>> bool(np.isinf(stacks[starting_hand("AA")])), round(float(stacks[starting_hand("KK")]))
    (True, 954)
    """
    table = two_way_table().astype(np.float64)
    mass = table.sum(axis=2)
    margin = (table[..., 0] - table[..., 1]) / mass.clip(min=1.0)  # won minus lost, per deal
    mass /= mass.sum(axis=1, keepdims=True)
    low, high = np.full(len(mass), 2.0), np.full(len(mass), _DEEPEST)
    for _ in range(100):
        stack = (low + high) / 2
        called = -margin * stack[:, None] > -2.0  # the big blind has two chips to lose by folding
        worth = (mass * np.where(called, margin * stack[:, None], 2.0)).sum(axis=1)
        good = worth >= -1.0
        low, high = np.where(good, stack, low), np.where(good, high, stack)
    return np.where(low > 0.999 * _DEEPEST, np.inf, low - 1.0)  # one chip of the stack is posted
