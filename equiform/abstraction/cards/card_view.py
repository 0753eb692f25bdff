"""From buckets of hand classes to a view of a game's information sets.

Leduc-like rules (one private and one public card, dealt by rank) name an information set by (private rank, public rank
or -1, betting). Any abstraction that assigns a bucket to every hand class of a round determines what a player still
sees.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.information_abstraction import InformationView
from equiform.games.cards.one_card import OneCardGame
from equiform.models.common.arguments import require_kind, require_sequence
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError


def card_view(cards: OneCardGame, labels: Sequence[ArrayLike], *, remember: bool = False) -> InformationView:
    """Return the view of a player who sees buckets only: ``labels[r]`` has one per hand class of round r.

    With ``remember`` the bucket of the first round is kept in the second: perfect recall, whatever the buckets.

    >>> from equiform.games.cards.one_card import LEDUC
    >>> view = card_view(LEDUC, [[0, 0, 1], [0] * 15])           # kings and the rest, then nothing at all
    >>> view(0, (2, -1, "check")), view(0, (2, 0, "check–check/"))
    ((1, 'check'), (0, 'check–check/'))
    """
    require_kind(cards, OneCardGame, "cards", "card view")
    levels = require_sequence(labels, "labels", "card view")
    if cards.public_rounds != 1 or len(levels) != 2:
        raise ParameterError(
            "views are made for games with one private and one public card",
            where=f"{cards.name}, {len(levels)} rounds",
            fix="pass buckets for the private round and for the public one",
        )
    first, second = (_by_rank(cards, r, level) for r, level in enumerate(levels))

    def view(_player: int, key: Any) -> Hashable:
        card, board, betting = key
        if board < 0:
            return int(first[card]), betting
        bucket = int(second[card, board])
        return (int(first[card]), bucket, betting) if remember else (bucket, betting)

    return view


def _by_rank(cards: OneCardGame, r: int, buckets: ArrayLike) -> IntArray:
    """Return the buckets by rank, all suits alike; -1 where there is no such deal."""
    suits, ranks = cards.deck.n_suits, cards.deck.n_ranks
    where = f"hand classes of round {r} of {cards.name}"
    labels = require_integers(buckets, "buckets", where, shape=(cards.indexer.sizes[r],), least=0, flags=True)
    table = np.full((ranks,) * (r + 1), -1, dtype=np.int64)
    for deal in cards.indexer.deals(r, np.arange(cards.indexer.sizes[r])):
        place = tuple((deal // suits).tolist())
        bucket = int(labels[cards.indexer.index([deal])[0]])
        if table[place] not in (-1, bucket):
            raise ParameterError(
                "the buckets depend on suits, which these rules do not deal",
                where=cards.deck.text(deal),
                fix="put hands that differ by suits into the same bucket",
            )
        table[place] = bucket
    return table
