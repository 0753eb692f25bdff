"""Cards as jam-or-fold games see them: classes of hands, and how likely each order of strength is.

``orders[o, a, b, c]`` is the probability that the seats hold hands a, b, c and come in weak order ``ORDERS[o]`` when
all cards are shown. Texas hold'em and games with a single card each are of the same kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.counting import N_ORDERS, ORDERS
from equiform.games.cards.all_in.tables import three_way_table, two_way_table
from equiform.games.cards.charts import starting_hands
from equiform.games.cards.rounds.sweep import Progress
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class Deals:
    """Hands of two or three players and the probabilities of their orders."""

    name: str
    hands: tuple[str, ...] = field(repr=False)
    orders: NDArray[Any] = field(repr=False)
    """Three players: ``[13, n, n, n]``. Two players: ``[3, n, n]``, the first one wins, loses, ties."""

    @property
    def num_hands(self) -> int:
        """Count the classes of hands."""
        return len(self.hands)

    @property
    def players(self) -> int:
        """Count the players."""
        return self.orders.ndim - 1

    @property
    def masses(self) -> FloatArray:
        """The probability of each hand."""
        return self.orders.sum(axis=tuple(k for k in range(self.players + 1) if k != 1), dtype=np.float64)


@cache
def holdem_deals(players: int = 3, *, progress: Progress | None = None) -> Deals:
    """Return the deals of Texas hold'em; three players need the three-way table (computed once, minutes)."""
    require_count(players, "players", "deals", least=2, most=3)
    if players == 2:
        table = two_way_table().transpose(2, 0, 1) / (comb(52, 2) * comb(50, 2) * comb(48, 5))
        return Deals("hold'em", starting_hands(), table)
    dense = three_way_table(progress=progress).dense()
    dense /= np.float32(comb(52, 2) * comb(50, 2) * comb(48, 2) * comb(46, 5))
    return Deals("hold'em", starting_hands(), dense)


def holdem_counts(players: int) -> NDArray[Any]:
    """Return the whole numbers of deals behind :func:`holdem_deals`, in the same layout."""
    if players == 2:
        return np.ascontiguousarray(two_way_table().transpose(2, 0, 1))
    return three_way_table().dense(np.uint32)


def one_card_deals(cards: int, players: int = 3) -> Deals:
    """Return the deals of one card each from a deck of different cards; the higher card is stronger.

    >>> one_card_deals(4).orders.sum().round(12).item()
    1.0
    """
    require_count(cards, "cards", "deals", least=players, most=60)
    hands = tuple(str(c) for c in range(cards))
    deals = list(permutations(range(cards), players))
    shape = (N_ORDERS if players == 3 else 3, *[cards] * players)
    orders = np.zeros(shape)
    for deal in deals:
        places = tuple(sum(other > own for other in deal) for own in deal)
        order = ORDERS.index(places) if players == 3 else places[0]
        orders[(order, *deal)] = 1 / len(deals)
    return Deals(f"{cards} cards", hands, orders)
