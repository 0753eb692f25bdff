"""Deals up to a renaming of the suits, numbered without gaps: the compiled core of :class:`HandIndexer`.

Two deals are the same for play when a permutation of the suits turns one into the other. A deal is a sequence of rounds
(two private cards, three flop cards, …), each an unordered set. Look at one suit: round j gives it a set of c_j ranks
among those that earlier rounds left, so its sets have a mixed-radix *number* built of colex indices. The vector c is
the suit's *shape*; the multiset of the shapes of all suits is the *configuration*. Within a configuration, suits with
equal shapes are interchangeable and contribute a multiset index of their numbers. Configurations laid one after the
other number all classes, and every step can be undone (after Waugh, A Fast and Optimal Hand Isomorphism Algorithm,
2013; the code is our own).

All tables of a round lie in one flat array, because numba counts references for every array that a function touches,
which costs more than the arithmetic here. Its first entries say where each table begins.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import jit

# Where a packed table keeps its sizes …
N_SUITS: Final = 0
N_ROUNDS: Final = 1
N_SHAPES: Final = 2
N_CONFIGURATIONS: Final = 3
# … and, from here on, where each of its parts begins:
ENDS: Final = 4  # [round]: cards dealt up to and including it
WEIGHTS: Final = 5  # [round]: a shape as an integer is its counts times these
COUNTS: Final = 6  # [shape, round]: cards of the suit dealt in the round
SIZES: Final = 7  # [shape]: how many sequences of rank sets have it
CONFIGURATIONS: Final = 8  # [configuration, suit]: shapes in descending order
OFFSETS: Final = 9  # [configuration]: its first index; then the number of classes
STARTS: Final = 10  # [shapes of all suits but the last, in descending order]: first index of that configuration
BINOMIALS: Final = 11  # [n, k], eight to a line
BITS: Final = 12  # [rank mask]: how many ranks
MASKS: Final = 13  # [size, colex index], SUBSETS to a line: the set as a mask
RANKS: Final = 14  # [card]
SUITS: Final = 15  # [card]
N_PARTS: Final = 16
#: Room for the subsets of 13 ranks of any one size.
SUBSETS: Final = 1716

# Lines of the scratch array of canonical_index; ORDER and after it SHAPE and NUMBER are results too.
ORDER: Final = 0  # [suit]: its place in the canonical deal
SHAPE: Final = 1
NUMBER: Final = 2
USED: Final = 3
HELD: Final = 4
BY_PLACE: Final = 5
N_WORK: Final = 6


@jit
def _multichoose(n: int, k: int) -> int:
    """Return C(n + k - 1, k), the number of multisets of k <= 4 out of n things."""
    if k == 1:
        return n
    if k == 2:
        return n * (n + 1) // 2
    if k == 3:
        return n * (n + 1) * (n + 2) // 6
    return n * (n + 1) * (n + 2) * (n + 3) // 24


@jit
def canonical_index(cards: IntArray, t: IntArray, work: IntArray) -> int:
    """Return the index of a deal, by the packed table of its round; ``work`` is scratch of shape (N_WORK, suits)."""
    suits, sizes = t[N_SUITS], t[SIZES]
    ranks_at, suits_at, bits, binomials = t[RANKS], t[SUITS], t[BITS], t[BINOMIALS]
    for s in range(suits):
        work[SHAPE, s] = work[NUMBER, s] = work[USED, s] = work[HELD, s] = 0
    begin = 0
    for r in range(t[N_ROUNDS]):
        end = t[t[ENDS] + r]
        for i in range(begin, end):
            work[HELD, t[suits_at + cards[i]]] |= 1 << t[ranks_at + cards[i]]
        for i in range(begin, end):
            # Colex wants each card's rank among the ranks that earlier rounds left, and its place within the round.
            rank, s = t[ranks_at + cards[i]], t[suits_at + cards[i]]
            lower = (1 << rank) - 1
            x = rank - t[bits + (work[USED, s] & lower)]
            place = t[bits + (work[HELD, s] & lower)] + 1
            # So far the shape covers the earlier rounds only: its size is the radix of this one.
            work[NUMBER, s] += t[sizes + work[SHAPE, s]] * t[binomials + 8 * x + place]
        for i in range(begin, end):
            s = t[suits_at + cards[i]]
            work[USED, s] |= work[HELD, s]
            work[HELD, s] = 0
            work[SHAPE, s] += t[t[WEIGHTS] + r]
        begin = end
    # Places of the suits: shapes descending, equal shapes by number ascending.
    for s in range(suits):
        work[ORDER, s] = s
        for o in range(s):
            shape, other = work[SHAPE, s], work[SHAPE, o]
            if other < shape or (other == shape and work[NUMBER, o] > work[NUMBER, s]):
                work[ORDER, o] += 1
                work[ORDER, s] -= 1
    for s in range(suits):
        work[BY_PLACE, work[ORDER, s]] = s
    key = 0
    for p in range(suits - 1):
        key = key * t[N_SHAPES] + work[SHAPE, work[BY_PLACE, p]]
    index = t[t[STARTS] + key]
    scale, p = 1, 0
    while p < suits:
        shape = work[SHAPE, work[BY_PLACE, p]]
        group, size = 0, 0
        while p < suits and work[SHAPE, work[BY_PLACE, p]] == shape:
            size += 1
            group += _multichoose(work[NUMBER, work[BY_PLACE, p]], size)
            p += 1
        index += scale * group
        scale *= _multichoose(t[sizes + shape], size)
    return index


@jit
def orbit_size(n_suits: int, work: IntArray) -> int:
    """Return the size of a class from what :func:`canonical_index` left in ``work``: suits! over the repetitions."""
    size = 1
    for s in range(n_suits):
        size *= s + 1
    for s in range(n_suits):
        same = 1
        for o in range(s):
            same += work[SHAPE, o] == work[SHAPE, s] and work[NUMBER, o] == work[NUMBER, s]
        size //= same
    return size


@jit
def _unrank_multiset(n: int, size: int, index: int, work: IntArray) -> None:
    """Write the multiset (ascending) of ``size`` numbers below n with a given index into ``work[NUMBER]``."""
    for place in range(size, 1, -1):
        low, high = 0, n - 1
        while low < high:
            middle = (low + high + 1) >> 1
            if _multichoose(middle, place) <= index:
                low = middle
            else:
                high = middle - 1
        work[NUMBER, place - 1] = low
        index -= _multichoose(low, place)
    work[NUMBER, 0] = index


@jit
def _place_suit(number: int, shape: int, suit: int, t: IntArray, cards: IntArray, work: IntArray) -> None:
    """Write the cards of one suit into a deal, from the number of its rank sets; keeps rounds sorted."""
    rounds, used, begin = t[N_ROUNDS], 0, 0
    n_ranks = t[t[SUITS] - 1] + 1  # the last card has the highest rank
    for r in range(rounds):
        count = t[t[COUNTS] + rounds * shape + r]
        if count:
            size = t[t[BINOMIALS] + 8 * (n_ranks - t[t[BITS] + used]) + count]
            chosen = t[t[MASKS] + SUBSETS * count + number % size]  # among the ranks that earlier rounds left
            number //= size
            taken, rank = 0, 0
            while chosen:
                if not used >> rank & 1:
                    if chosen & 1:
                        taken |= 1 << rank
                        card = rank * t[N_SUITS] + suit
                        at = work[HELD, r]
                        while at > begin and cards[at - 1] > card:
                            cards[at] = cards[at - 1]
                            at -= 1
                        cards[at] = card
                        work[HELD, r] += 1
                    chosen >>= 1
                rank += 1
            used |= taken
        begin = t[t[ENDS] + r]


@jit
def canonical_deal(index: int, t: IntArray, cards: IntArray, work: IntArray) -> None:
    """Write the representative of a class, every round ascending; ``work`` is (N_WORK, max(suits, rounds))."""
    work[HELD, 0] = 0  # where the next card of each round goes
    for r in range(1, t[N_ROUNDS]):
        work[HELD, r] = t[t[ENDS] + r - 1]
    low, high = 0, t[N_CONFIGURATIONS] - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if t[t[OFFSETS] + middle] <= index:
            low = middle
        else:
            high = middle - 1
    rest = index - t[t[OFFSETS] + low]
    suits = t[N_SUITS]
    shapes = t[CONFIGURATIONS] + suits * low
    p = 0
    while p < suits:
        shape, size = t[shapes + p], 0
        while p + size < suits and t[shapes + p + size] == shape:
            size += 1
        n = t[t[SIZES] + shape]
        group = _multichoose(n, size)
        _unrank_multiset(n, size, rest % group, work)
        rest //= group
        for i in range(size):
            _place_suit(work[NUMBER, i], shape, p + i, t, cards, work)
        p += size


@jit
def index_many(deals: IntArray, t: IntArray, out: IntArray, orbits: IntArray) -> int:
    """Fill in indices (and orbit sizes, if there is room); return the first row that is not a deal, or -1."""
    work = np.empty((N_WORK, t[N_SUITS]), np.int64)
    n_cards = t[SUITS] - t[RANKS]
    for i in range(len(deals)):
        dealt = 0
        for j in range(deals.shape[1]):
            card = deals[i, j]
            if card < 0 or card >= n_cards or dealt >> card & 1:
                return i
            dealt |= 1 << card
        out[i] = canonical_index(deals[i], t, work)
        if orbits.size:
            orbits[i] = orbit_size(t[N_SUITS], work)
    return -1


@jit
def deal_many(indices: IntArray, t: IntArray, out: IntArray) -> None:
    """Return the representatives of many classes."""
    work = np.empty((N_WORK, max(t[N_SUITS], t[N_ROUNDS])), np.int64)
    for i in range(len(indices)):
        canonical_deal(indices[i], t, out[i], work)
