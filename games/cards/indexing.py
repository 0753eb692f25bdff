"""Canonical hands: one number for all deals that differ by a renaming of the suits only.

>>> HandIndexer((2, 3, 1)).sizes
(169, 1286792, 55190538)
>>> HandIndexer((5,)).sizes
(134459,)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, product
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike

from equiform.games.cards import isomorphism as iso
from equiform.games.cards.card import STANDARD, CardError, Deck
from equiform.games.cards.colex import BINOMIALS, colex_index, colex_unindex, multiset_index
from equiform.models.common.arguments import require_count, require_counts, require_kind
from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError

__all__ = ["HandIndexer", "colex_index", "colex_unindex", "hand_indexer", "multiset_index"]

MAX_SUITS = 4
MAX_CARDS = 7
_NO_ORBITS = np.empty(0, dtype=np.int64)


class HandIndexer:
    """Numbers the classes of deals of a card game round by round.

    ``rounds`` says how many cards each round deals: ``(2, 3, 1, 1)`` is Texas hold'em, ``(1, 1, 1)`` Rhode Island
    hold'em, ``(5,)`` a river board without order. A deal is a row of cards, round after round; the order within a round
    does not matter. Round 0 is the first.

    >>> texas = HandIndexer((2, 3))
    >>> texas.index([STANDARD.parse("KcQc"), STANDARD.parse("QsKs")]).tolist() == 2 * [int(texas.index([[40, 44]])[0])]
    True
    """

    def __init__(self, rounds: Sequence[int], deck: Deck = STANDARD) -> None:
        require_kind(deck, Deck, "deck", "hand indexer")
        counts = tuple(int(n) for n in require_counts(rounds, "rounds", f"the {deck.name} deck", most=MAX_CARDS))
        if not counts or sum(counts) > min(MAX_CARDS, len(deck)):
            raise ParameterError(
                "rounds must deal at least one card each, and at most seven in all",
                where=f"rounds {counts} of the {deck.name} deck",
                fix=f"deal 1 to {min(MAX_CARDS, len(deck))} cards in all",
            )
        if deck.n_suits > MAX_SUITS or deck.n_ranks > 13:
            raise ParameterError(
                "the deck is too large to index", where=deck.name, fix="use at most 4 suits and 13 ranks"
            )
        self.rounds = counts
        self.deck = deck
        self.tables = tuple(pack_tables(counts[: r + 1], deck.n_ranks, deck.n_suits) for r in range(len(counts)))
        self.ends = tuple(accumulate(counts))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of classes of each round."""
        return tuple(int(t[t[iso.OFFSETS] + t[iso.N_CONFIGURATIONS]]) for t in self.tables)

    def index(self, deals: ArrayLike) -> IntArray:
        """Return the class of each deal; the number of columns determines the round."""
        return self._index(deals, with_orbits=False)[0]

    def orbits(self, deals: ArrayLike) -> IntArray:
        """Return how many deals the class of each deal has, at most ``suits!``."""
        return self._index(deals, with_orbits=True)[1]

    def _index(self, deals: ArrayLike, with_orbits: bool) -> tuple[IntArray, IntArray]:
        rows = require_integers(deals, "deals", f"cards of the {self.deck.name} deck", error=CardError)
        if rows.ndim != 2 or rows.shape[1] not in self.ends:
            wanted = " or ".join(map(str, self.ends))
            raise CardError("deals must be rows of cards", where=f"shape {rows.shape}", fix=f"pass {wanted} per row")
        indices = np.empty(len(rows), dtype=np.int64)
        orbits = np.empty(len(rows), dtype=np.int64) if with_orbits else _NO_ORBITS
        bad = iso.index_many(rows, self.tables[self.ends.index(rows.shape[1])], indices, orbits)
        if bad >= 0:
            self.deck.cards(rows[bad])  # says what is wrong with them
        return indices, orbits

    def deals(self, round_: int, indices: ArrayLike) -> IntArray:
        """Return a representative of each class: rows of cards, ascending within each round.

        >>> STANDARD.text(HandIndexer((2,)).deals(0, [168])[0])
        'AcAd'
        """
        require_count(round_, "round", f"rounds {self.rounds}", least=0, most=len(self.rounds) - 1)
        size = self.sizes[round_]
        which = require_integers(
            indices, "indices", f"classes of round {round_}", shape=(None,), least=0, most=size - 1
        )
        out = np.empty((len(which), self.ends[round_]), dtype=np.int64)
        iso.deal_many(which, self.tables[round_], out)
        return out


def hand_indexer(*rounds: int) -> HandIndexer:
    """Return the indexer of the standard deck for these rounds, built once."""
    return _standard_indexer(require_counts(rounds, "rounds", "the standard deck", most=MAX_CARDS))


@cache
def _standard_indexer(rounds: tuple[int, ...]) -> HandIndexer:
    return HandIndexer(rounds)


# -- tables ------------------------------------------------------------------------------------------------------------


def _configurations(counts: tuple[int, ...], shapes: list[tuple[int, ...]], suits: int) -> Iterator[tuple[int, ...]]:
    """Yield descending sequences of shape numbers, one per suit, that add up to the cards of each round."""

    def extend(chosen: tuple[int, ...], left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == suits:
            if not any(left):
                yield chosen
            return
        for shape in range(chosen[-1] if chosen else len(shapes) - 1, -1, -1):
            after = tuple(have - take for have, take in zip(left, shapes[shape], strict=True))
            if min(after) >= 0:
                yield from extend((*chosen, shape), after)

    return extend((), counts)


def pack_tables(counts: tuple[int, ...], n_ranks: int, n_suits: int) -> IntArray:
    """Return the packed table (see :mod:`~equiform.games.cards.isomorphism`) for rounds with this many cards."""
    shapes = list(product(*(range(count + 1) for count in counts)))
    sizes = [prod(comb(n_ranks - sum(shape[:r]), take) for r, take in enumerate(shape)) for shape in shapes]
    legal = [found for found in _configurations(counts, shapes, n_suits) if all(sizes[shape] for shape in found)]
    totals = [prod(comb(sizes[shape] + n - 1, n) for shape, n in Counter(found).items()) for found in legal]
    offsets = np.cumsum([0, *totals])
    starts = np.full(len(shapes) ** (n_suits - 1), -1)
    for offset, found in zip(offsets, legal, strict=False):
        starts[sum(shape * len(shapes) ** p for p, shape in enumerate(reversed(found[:-1])))] = offset
    masks = np.zeros((max(counts) + 1, iso.SUBSETS))
    for size in range(1, max(counts) + 1):
        sets = colex_unindex(np.arange(comb(n_ranks, size)), size)
        masks[size, : len(sets)] = (1 << sets).sum(axis=1)
    parts: dict[int, ArrayLike] = {
        iso.ENDS: np.cumsum(counts),
        iso.WEIGHTS: [prod(c + 1 for c in counts[r + 1 :]) for r in range(len(counts))],
        iso.COUNTS: shapes,
        iso.SIZES: sizes,
        iso.CONFIGURATIONS: legal,
        iso.OFFSETS: offsets,
        iso.STARTS: starts,
        iso.BINOMIALS: BINOMIALS,
        iso.BITS: [mask.bit_count() for mask in range(1 << n_ranks)],
        iso.MASKS: masks,
        iso.RANKS: np.repeat(np.arange(n_ranks), n_suits),
        iso.SUITS: np.tile(np.arange(n_suits), n_ranks),
    }
    header = np.zeros(iso.N_PARTS, dtype=np.int64)
    header[[iso.N_SUITS, iso.N_ROUNDS, iso.N_SHAPES, iso.N_CONFIGURATIONS]] = (
        n_suits,
        len(counts),
        len(shapes),
        len(legal),
    )
    flat = [header]
    for part, values in parts.items():
        header[part] = sum(map(len, flat))
        flat.append(np.asarray(values, dtype=np.int64).ravel())
    return np.concatenate(flat)
