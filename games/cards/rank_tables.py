"""The tables behind the hand evaluator, computed from the rules of poker.

Without a flush, a hand's strength depends on its multiset of ranks alone. Every rank gets an integer *key* such that
the key sums of different multisets of 5, 6 or 7 ranks (at most four of each) differ. The keys are found greedily, each
the smallest that keeps the sums apart; all sums then lie below 2^23. Multiplying the keys by an odd constant permutes
the numbers modulo 2^23, so the sums stay apart and are spread evenly, and the perfect hash below packs almost without
holes.

The 6,175 + 18,395 + 49,205 sums are stored by *row displacement* (Tarjan & Yao, CACM 22, 1979): a sum is split into a
row and a column, and each row of the sparse matrix is shifted until no two entries of the packed table collide:

    strength = slots[shift[row] + column],   row = sum // 2^10 mod 2^13,   column = sum mod 2^10.

With a flush, no full house or four of a kind is possible in seven cards, so the 13-bit mask of the flush suit decides.

Strengths are the numbers 1..7462 of the classes of five-card hands, weakest first.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import BoolArray, IntArray
from equiform.models.common.jit import jit

N_RANKS = 13
HAND_SIZES = (5, 6, 7)
KEY_BITS = 23
COLUMN_BITS = 10
COLUMN_MASK = (1 << COLUMN_BITS) - 1
ROW_MASK = (1 << (KEY_BITS - COLUMN_BITS)) - 1
#: 2^32 divided by the golden ratio: spreads consecutive numbers evenly (Knuth, TAOCP 6.4).
SPREAD = 2654435769
#: Bit 32 of a sum begins four suit counters of four bits each. They start at three: five cards set a counter's top bit.
SUIT_SHIFT = 32
EMPTY_HAND = 0x3333 << SUIT_SHIFT
FLUSH_BITS = 0x8888 << SUIT_SHIFT
TABLE_FILE = "rank_tables.npz"


class RankTables(NamedTuple):
    """What the compiled evaluator reads (a named tuple because numba takes those apart)."""

    card_keys: IntArray  # a card's rank key, plus one in its suit's counter
    card_masks: IntArray  # the card's bit in the rank mask of its suit, 16 bits per suit
    shift: NDArray[np.uint16]  # row displacements; one line for each of 5, 6 and 7 cards
    first_slot: IntArray  # where the slots of 5, 6 and 7 cards begin
    slots: NDArray[np.int16]  # packed strengths of hands without a flush
    flushes: NDArray[np.int16]  # strengths of flushes by rank mask


# -- the rules ---------------------------------------------------------------------------------------------------------


def _straight_top(ranks: set[int]) -> int:
    """Return the highest rank of the best straight among the ranks (an ace may be low), or -1."""
    for top in range(N_RANKS - 1, 2, -1):
        if all((rank % N_RANKS) in ranks for rank in range(top - 4, top + 1)):
            return top
    return -1


def strength_of_ranks(counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return category (0 high card … 7 four of a kind) and tie-breaking ranks of the best five cards, ignoring suits.

    >>> strength_of_ranks((0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 2))   # AAKKKQQ: kings full of aces
    (6, 11, 12)
    """
    present = [rank for rank in range(N_RANKS - 1, -1, -1) if counts[rank]]
    pairs = [rank for rank in present if counts[rank] >= 2]
    trips = [rank for rank in present if counts[rank] >= 3]
    quads = [rank for rank in present if counts[rank] == 4]

    def kickers(how_many: int, *used: int) -> tuple[int, ...]:
        return tuple([rank for rank in present if rank not in used][:how_many])

    if quads:
        return (7, quads[0], *kickers(1, quads[0]))
    if trips and len(pairs) >= 2:
        return (6, trips[0], next(rank for rank in pairs if rank != trips[0]))
    if (top := _straight_top(set(present))) >= 0:
        return (4, top)
    if trips:
        return (3, trips[0], *kickers(2, trips[0]))
    if len(pairs) >= 2:
        return (2, *pairs[:2], *kickers(1, *pairs[:2]))
    if pairs:
        return (1, pairs[0], *kickers(3, pairs[0]))
    return (0, *kickers(5))


def strength_of_flush(ranks: set[int]) -> tuple[int, ...]:
    """Return the category (5 flush, 8 straight flush) and tie-breaking ranks of five or more cards of one suit."""
    top = _straight_top(ranks)
    return (8, top) if top >= 0 else (5, *sorted(ranks, reverse=True)[:5])


def rank_multisets(size: int) -> list[tuple[int, ...]]:
    """Return all ways to hold ``size`` cards as counts by rank, at most four of a rank."""
    grown: list[tuple[int, ...]] = [()]
    for ranks_left in range(N_RANKS - 1, -1, -1):
        grown = [
            (*counts, count)
            for counts, count in product(grown, range(5))
            if 0 <= size - sum(counts) - count <= 4 * ranks_left
        ]
    return grown


@cache
def strength_numbers() -> dict[tuple[int, ...], int]:
    """Return the 7,462 classes of five-card hands, numbered from 1 (weakest).

    >>> len(strength_numbers())
    7462
    """
    classes = {strength_of_ranks(counts) for counts in rank_multisets(5)}
    classes |= {strength_of_flush(set(ranks)) for ranks in combinations(range(N_RANKS), 5)}
    return {strength: number for number, strength in enumerate(sorted(classes), start=1)}


def category_starts() -> list[int]:
    """Return the weakest strength number of each of the nine categories."""
    numbers = strength_numbers()
    return [min(number for strength, number in numbers.items() if strength[0] == category) for category in range(9)]


# -- additive keys -----------------------------------------------------------------------------------------------------


@jit
def _mark_forbidden(small: IntArray, large: IntArray, copies: int, forbidden: BoolArray) -> None:
    """Mark the keys x with ``copies * x = l - s``, which would give two multisets the same sum."""
    for s in small:
        for l in large:  # noqa: E741
            gap = l - s
            if gap > 0 and gap % copies == 0 and gap // copies < forbidden.size:
                forbidden[gap // copies] = True


@cache
def find_rank_keys() -> tuple[int, ...]:
    """Return thirteen keys whose sums tell apart all multisets of equal size (up to seven, at most four of a rank)."""
    sums = [np.zeros(int(size == 0), dtype=np.int64) for size in range(8)]
    keys: list[int] = []
    for _ in range(N_RANKS):
        forbidden = np.zeros(1 << 21, dtype=np.bool_)
        forbidden[0] = bool(keys)
        for copies in range(1, 5):
            for size in range(8 - copies):
                _mark_forbidden(sums[size], sums[size + copies], copies, forbidden)
        key = int(np.argmin(forbidden))
        keys.append(key)
        sums = [
            np.concatenate([sums[size - copies] + copies * key for copies in range(min(4, size) + 1)])
            for size in range(8)
        ]
    return tuple(keys)


# -- row displacement --------------------------------------------------------------------------------------------------


@jit
def _displace(
    rows: IntArray,
    first: IntArray,
    columns: IntArray,
    values: NDArray[np.int16],
    shift: NDArray[np.uint16],
    slots: NDArray[np.int16],
) -> int:
    """Place rows (in the given order) at their first fit; return how many slots are used."""
    used = 0
    for row in rows:
        at, entry = 0, first[row]
        while entry < first[row + 1]:
            if slots[at + columns[entry]] == 0:
                entry += 1
            else:
                at, entry = at + 1, first[row]
        shift[row] = at
        for entry in range(first[row], first[row + 1]):
            slots[at + columns[entry]] = values[entry]
            used = max(used, at + columns[entry] + 1)
    return used


def _pack(sums: IntArray, values: NDArray[np.int16]) -> tuple[NDArray[np.uint16], NDArray[np.int16]]:
    """Return the row displacements and slots of a perfect hash, fullest rows first."""
    order = np.argsort(sums)
    sums, values = sums[order], values[order]
    n_rows = ROW_MASK + 1
    first = np.searchsorted(sums >> COLUMN_BITS, np.arange(n_rows + 1))
    rows = np.argsort(-np.diff(first), kind="stable")
    shift = np.zeros(n_rows, dtype=np.uint16)
    slots = np.zeros(1 << 16, dtype=np.int16)
    used = _displace(rows, first, sums & COLUMN_MASK, values, shift, slots)
    return shift, slots[:used]


def build_rank_tables() -> RankTables:
    """Compute every table from the rules; deterministic, so the shipped file can be checked against it."""
    numbers = strength_numbers()
    keys = np.array(find_rank_keys(), dtype=np.int64) * SPREAD % (1 << KEY_BITS)
    packed = []
    for size in HAND_SIZES:
        multisets = rank_multisets(size)
        sums = np.array(multisets, dtype=np.int64) @ keys % (1 << KEY_BITS)
        packed.append(_pack(sums, np.array([numbers[strength_of_ranks(m)] for m in multisets], dtype=np.int16)))

    flushes = np.zeros(1 << N_RANKS, dtype=np.int16)
    for mask in range(1 << N_RANKS):
        ranks = {rank for rank in range(N_RANKS) if mask >> rank & 1}
        if len(ranks) >= 5:
            flushes[mask] = numbers[strength_of_flush(ranks)]

    cards = np.arange(4 * N_RANKS, dtype=np.int64)
    rank, suit = cards // 4, cards % 4
    return RankTables(
        card_keys=keys[rank] + (np.int64(1) << (SUIT_SHIFT + 4 * suit)),
        card_masks=np.int64(1) << (16 * suit + rank),
        shift=np.stack([shift for shift, _ in packed]),
        first_slot=np.cumsum([0] + [len(slots) for _, slots in packed[:-1]], dtype=np.int64),
        slots=np.concatenate([slots for _, slots in packed]),
        flushes=flushes,
    )


# -- the shipped file --------------------------------------------------------------------------------------------------


def fingerprint(tables: RankTables) -> str:
    """Return the SHA-256 over names, types, shapes and contents of all tables."""
    digest = hashlib.sha256()
    for name, array in tables._asdict().items():
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def write_rank_tables(path: Path) -> None:
    """Build the tables and write them; only needed when their layout changes."""
    np.savez_compressed(path, allow_pickle=False, **build_rank_tables()._asdict())


@cache
def rank_tables() -> RankTables:
    """Return the tables, read from the file shipped with the package."""
    with resources.files(__package__).joinpath(TABLE_FILE).open("rb") as stream, np.load(stream) as stored:
        return RankTables(*(stored[name] for name in RankTables._fields))
