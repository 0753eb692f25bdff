"""The buckets of hands in a stored abstraction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from equiform.abstraction.cards.build import ONE_CARD
from equiform.abstraction.cards.card_abstraction import BucketRound, CardAbstraction
from equiform.abstraction.cards.expectation import require_deals
from equiform.abstraction.cards.score_cuts import score_cuts
from equiform.abstraction.cards.scored_rounds import one_card_rounds, texas_rounds
from equiform.games.cards.card import STANDARD, Deck
from equiform.games.cards.indexing import HandIndexer
from equiform.models.common.arguments import require_kind
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import FormatError


def deck_of(stored: CardAbstraction) -> Deck:
    """Return the cards that an abstraction's game is played with."""
    require_kind(stored, CardAbstraction, "stored", "buckets of hands")
    if stored.game != "texas" and stored.game not in ONE_CARD:
        raise FormatError(f"the game {stored.game!r} is not known", fix="write the file again with `equiform abstract`")
    return ONE_CARD[stored.game].deck if stored.game in ONE_CARD else STANDARD


def look_up(stored: CardAbstraction, deals: ArrayLike) -> dict[str, IntArray]:
    """Return the buckets of deals (rows of cards, round after round) in every round that they have reached.

    A round without a table of hand classes is scored: turn hands by the cached equities, river hands on the fly.

    >>> from equiform.abstraction.cards.build import build_abstraction
    >>> found = look_up(build_abstraction("leduc", "expectation", (2, 4)), [[0, 1], [0, 2]])      # J on J, J on Q
    >>> {name: buckets.tolist() for name, buckets in found.items()}
    {'private': [0, 0], 'public': [1, 0]}
    """
    deck = deck_of(stored)
    cards = require_deals(deals, [sum(r.deals) for r in stored.rounds])
    found: dict[str, IntArray] = {}
    now = np.zeros(len(cards), dtype=np.int64)
    for r in stored.rounds:
        held = sum(r.deals)
        if held > cards.shape[1]:
            break
        now = _by_class(r, cards[:, :held], deck) if len(r.labels) else _by_score(stored, r, now, cards[:, :held])
        found[r.name] = now
    return found


def _by_class(r: BucketRound, cards: IntArray, deck: Deck) -> IntArray:
    indexer = HandIndexer(r.deals, deck)
    if len(r.labels) != indexer.sizes[-1]:
        raise FormatError(
            f"round {r.name} has buckets for {len(r.labels):,} hand classes",
            where=f"there are {indexer.sizes[-1]:,}",
            fix="write the file again with `equiform abstract`",
        )
    return r.labels[indexer.index(cards)].astype(np.int64)


def _by_score(stored: CardAbstraction, r: BucketRound, parents: IntArray, cards: IntArray) -> IntArray:
    one_card, metric = ONE_CARD.get(stored.game), stored.metric
    stages = texas_rounds(metric=metric) if one_card is None else one_card_rounds(one_card, metric=metric)
    stage = next((s for s in stages if s.deals == r.deals), None)
    if stage is None:
        raise FormatError(
            f"{stored.game} has no scores for deals of {r.deals}", where=f"round {r.name}", fix="write the file again"
        )
    # one parent: the round forgets the bucket before
    above = parents if len(r.children) > 1 else np.zeros_like(parents)
    return score_cuts(r.cuts, r.children.tolist()).buckets(above, stage.score(cards))
