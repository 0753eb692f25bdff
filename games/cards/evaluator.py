"""The strength of poker hands of five to seven cards.

A strength is an integer from 1 (seven-high) to 7462 (royal flush); equal strengths split the pot. The compiled loops
add one 64-bit word per card (see :mod:`equiform.games.cards.rank_tables`): a handful of additions, one test for a flush
and two table lookups per hand.

>>> category(strength("AcKcQcJcTc"))
<Category.STRAIGHT_FLUSH: 8>
>>> strength("2c2d2h 7s8s 9dJh") > strength("AcAdKhKs 3s4d6h")
True
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equiform.games.cards.card import STANDARD, CardError, CardsLike
from equiform.games.cards.rank_tables import (
    COLUMN_BITS,
    COLUMN_MASK,
    EMPTY_HAND,
    FLUSH_BITS,
    HAND_SIZES,
    ROW_MASK,
    SUIT_SHIFT,
    RankTables,
    category_starts,
    rank_tables,
)
from equiform.models.common.arguments import require_count
from equiform.models.common.array_arguments import require_array
from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import jit

N_CARDS = 52
N_HANDS = N_CARDS * (N_CARDS - 1) // 2
N_STRENGTHS = 7463  # the largest strength, plus one


class Category(IntEnum):
    """The nine kinds of five-card hands, weakest first (a royal flush is the best straight flush)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8

    def __str__(self) -> str:
        return self.name.replace("_", " ").lower()


# -- compiled core -----------------------------------------------------------------------------------------------------


@jit
def flush_strength(total: int, masks: int, flushes: NDArray[np.int16]) -> int:
    """Return the strength of a hand whose word ``total`` shows a flush, from the rank masks of its suits."""
    full = (total & FLUSH_BITS) >> SUIT_SHIFT
    suit = 0
    while full > 0x8:
        full >>= 4
        suit += 1
    return flushes[(masks >> (16 * suit)) & 0x1FFF]


@jit
def plain_strength(total: int, shift: NDArray[np.uint16], slots: NDArray[np.int16]) -> int:
    """Return the strength of a hand without a flush, from the sum of its cards' words."""
    return slots[shift[(total >> COLUMN_BITS) & ROW_MASK] + (total & COLUMN_MASK)]


@jit
def _batch(hands: NDArray[np.uint8], tables: RankTables, out: NDArray[np.int16]) -> int:
    """Fill in strengths; return the first row with a repeated card, or -1."""
    n, size = hands.shape
    keys, masks, flushes = tables.card_keys, tables.card_masks, tables.flushes
    shift = tables.shift[size - 5]
    slots = tables.slots[tables.first_slot[size - 5] :]
    for i in range(n):
        # Unrolled by hand: a loop over the cards costs a third of the speed.
        a, b, c, d, e = hands[i, 0], hands[i, 1], hands[i, 2], hands[i, 3], hands[i, 4]
        total = EMPTY_HAND + keys[a] + keys[b] + keys[c] + keys[d] + keys[e]
        mask = masks[a] | masks[b] | masks[c] | masks[d] | masks[e]
        count = masks[a] + masks[b] + masks[c] + masks[d] + masks[e]
        if size > 5:
            total += keys[hands[i, 5]]
            mask |= masks[hands[i, 5]]
            count += masks[hands[i, 5]]
        if size > 6:
            total += keys[hands[i, 6]]
            mask |= masks[hands[i, 6]]
            count += masks[hands[i, 6]]
        if mask != count:  # a sum of different powers of two has no carry
            return i
        if total & FLUSH_BITS:
            out[i] = flush_strength(total, mask, flushes)
        else:
            out[i] = plain_strength(total, shift, slots)
    return -1


@jit
def fill_board(board: IntArray, tables: RankTables, out: NDArray[np.int16], rest: IntArray) -> int:
    """Fill in the strengths of all two-card hands on a board of 3 to 5 cards, in colexicographic order of the other
    cards.

    ``rest`` receives the cards not on the board. Return the number of hands.
    """
    keys, card_masks, flushes = tables.card_keys, tables.card_masks, tables.flushes
    size = board.size + 2
    shift = tables.shift[size - 5]
    slots = tables.slots[tables.first_slot[size - 5] :]
    total, masks, dead = EMPTY_HAND, 0, 0
    for card in board:
        total += keys[card]
        masks |= card_masks[card]
        dead |= 1 << card
    n = 0
    for card in range(N_CARDS):
        if not dead >> card & 1:
            rest[n] = card
            n += 1
    at = 0
    for high in range(1, n):
        with_high = total + keys[rest[high]]
        for low in range(high):
            word = with_high + keys[rest[low]]
            if word & FLUSH_BITS:
                out[at] = flush_strength(word, masks | card_masks[rest[high]] | card_masks[rest[low]], flushes)
            else:
                out[at] = plain_strength(word, shift, slots)
            at += 1
    return at


@jit
def _count_strengths(size: int, tables: RankTables, counts: IntArray) -> None:
    """Return how often each strength occurs among all hands of ``size`` cards."""
    keys, card_masks, flushes = tables.card_keys, tables.card_masks, tables.flushes
    shift = tables.shift[size - 5]
    slots = tables.slots[tables.first_slot[size - 5] :]
    # Odometer over all but the last two cards; the two inner loops only add to partial sums.
    outer = size - 2
    cards = np.arange(outer - 1, -1, -1)
    while True:
        total, masks = EMPTY_HAND, 0
        for card in cards:
            total += keys[card]
            masks |= card_masks[card]
        for a in range(cards[0] + 1, N_CARDS - 1):
            with_a = total + keys[a]
            masks_a = masks | card_masks[a]
            for b in range(a + 1, N_CARDS):
                word = with_a + keys[b]
                if word & FLUSH_BITS:
                    counts[flush_strength(word, masks_a | card_masks[b], flushes)] += 1
                else:
                    counts[plain_strength(word, shift, slots)] += 1
        place = 0
        while place < outer and cards[place] >= N_CARDS - 3 - place:
            place += 1
        if place == outer:
            return
        cards[place] += 1
        for lower in range(place - 1, -1, -1):
            cards[lower] = cards[lower + 1] + 1


# -- for people --------------------------------------------------------------------------------------------------------


def strength(cards: CardsLike) -> int:
    """Return the strength of the best five of five to seven cards, from 1 to 7462."""
    hand = STANDARD.cards(cards)
    if len(hand) not in HAND_SIZES:
        raise CardError(f"{len(hand)} cards to rank", where=STANDARD.text(hand), fix="pass five, six or seven cards")
    return int(strengths(np.array([hand], dtype=np.uint8))[0])


def strengths(hands: ArrayLike) -> NDArray[np.int16]:
    """Return the strengths of many hands: an array with one hand of 5, 6 or 7 cards per row.

    >>> strengths([[51, 47, 43, 39, 35], [0, 5, 10, 15, 20]]).tolist()
    [7462, 1]
    """
    array = require_array(hands, "hands", "hand strengths", error=CardError)
    if array.ndim != 2 or array.shape[1] not in HAND_SIZES:
        raise CardError(
            "hands must be rows of 5, 6 or 7 cards", where=f"shape {array.shape}", fix="pass one hand per row"
        )
    if array.dtype.kind not in "iu":
        raise CardError("cards must be integers", where=f"dtype {array.dtype}", fix="pass an array of integers")
    if array.size and (array.min() < 0 or array.max() >= N_CARDS):
        raise CardError(
            "cards must be integers from 0 to 51", where=f"{array.min()} to {array.max()}", fix="2c is 0, As is 51"
        )
    out = np.empty(len(array), dtype=np.int16)
    twice = _batch(np.ascontiguousarray(array, dtype=np.uint8), rank_tables(), out)
    if twice >= 0:
        STANDARD.cards(array[twice])  # says which card
    return out


@dataclass(frozen=True)
class BoardStrengths:
    """All hands that a board leaves, in colexicographic order of their cards, and how strong they are on it."""

    board: tuple[int, ...]
    hands: IntArray  # one row (low card, high card) per hand
    strengths: NDArray[np.int16]


def board_strengths(board: CardsLike) -> BoardStrengths:
    """Return all two-card hands on a board of 3 to 5 cards and their strengths.

    >>> board_strengths("7dQh4h2s3c").hands.shape
    (1081, 2)
    """
    public = STANDARD.cards(board)
    if not 3 <= len(public) <= 5:
        raise CardError(f"a board of {len(public)} cards", where=STANDARD.text(public), fix="deal 3, 4 or 5 cards")
    out = np.empty(N_HANDS, dtype=np.int16)
    rest = np.empty(N_CARDS, dtype=np.int64)
    n = fill_board(np.array(public, dtype=np.int64), rank_tables(), out, rest)
    high, low = np.tril_indices(N_CARDS - len(public), -1)
    return BoardStrengths(public, np.stack([rest[low], rest[high]], axis=1), out[:n].copy())


@cache
def _category_of() -> NDArray[np.int8]:
    starts = [*category_starts(), N_STRENGTHS]
    table = np.full(N_STRENGTHS, -1, dtype=np.int8)  # no hand has strength 0
    for number, (begin, end) in enumerate(pairwise(starts)):
        table[begin:end] = number
    return table


def category(strength: int) -> Category:
    """Return the kind of hand that a strength belongs to.

    >>> str(category(7461))
    'straight flush'
    """
    require_count(strength, "strength", "hand strengths", most=N_STRENGTHS - 1)
    return Category(int(_category_of()[strength]))


@dataclass(frozen=True)
class HandCounts:
    """How many of all hands of one size have each strength, and by :class:`Category` with ``counts[category]``."""

    size: int
    by_strength: IntArray  # entry 0 is unused

    @property
    def total(self) -> int:
        """The number of hands."""
        return int(self.by_strength.sum())

    def __getitem__(self, kind: Category) -> int:
        require_count(kind, "category", "hand counts", least=0, most=len(Category) - 1)
        return int(self.by_strength[_category_of() == kind].sum())


def count_hands(size: int) -> HandCounts:
    """Rank all hands of 5, 6 or 7 cards and count the outcomes.

    >>> count_hands(5)[Category.FULL_HOUSE]
    3744
    """
    require_count(size, "size", "hands to count", least=HAND_SIZES[0], most=HAND_SIZES[-1])
    counts = np.zeros(N_STRENGTHS, dtype=np.int64)
    _count_strengths(size, rank_tables(), counts)
    return HandCounts(size, counts)
