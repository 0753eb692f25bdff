r"""Boards as the all-in tables see them: by rank multisets, and by flush suit.

Without a flush only ranks count. A board is then one of 6,188 multisets :math:`m` of five ranks, and hands that hold
:math:`u_r` cards of rank :math:`r` leave :math:`\prod_r \binom{4-u_r}{m_r}` boards of that multiset.

A flush needs a board with three or more cards of one suit, and no board has two such suits. Call it suit 0. The board
is a set :math:`F` of three, four or five ranks in suit 0 and a multiset :math:`k` of the other cards. There are
:math:`\prod_r \binom{3-u_r}{k_r}` of those, where :math:`u_r` now counts the hands' cards outside suit 0. What suit 0
does for a hand depends on which of its cards are in it, so a hand is a *state*: a pair of ranks and two flags.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.evaluator import plain_strength
from equiform.games.cards.rank_tables import KEY_BITS, N_RANKS, RankTables, rank_tables
from equiform.models.common.jit import jit

#: Pairs of ranks, higher first: 78 that differ and 13 that do not.
RANK_PAIRS = np.array([(high, low) for high in range(N_RANKS) for low in range(high + 1)], dtype=np.int64)
N_PAIRS = len(RANK_PAIRS)
#: Stands for a player who is not there: no cards, weaker than everything.
GHOST = N_PAIRS
#: A state is ``4 * pair + flags``; flag 1: the higher card is in suit 0, flag 2: the lower one is.
N_STATES = 4 * (N_PAIRS + 1)
#: Boards are laid out in lines of this length, which compiled loops turn into one vector instruction.
LANES = 16
#: The mask of a rank that is always taken: fills up the last line.
NO_BOARD = 1 << N_RANKS


class AllInBoards(NamedTuple):
    """Strengths of every pair or state on every board (a named tuple because numba takes those apart)."""

    multisets: NDArray[np.int8]  # [board, 5]: ranks
    plain: NDArray[np.int16]  # [pair, board]: strength by ranks alone
    suited: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]  # masks of the ranks in suit 0: 3, 4, 5
    rests: NDArray[np.int64]  # [91, 2]: the other two cards of a board with three in suit 0
    three: NDArray[np.int16]  # [state, line of rests, ranks in suit 0, lane]
    four: NDArray[np.int16]  # [state, ranks in suit 0, lane]: the lane is the rank of the fifth card
    five: NDArray[np.int16]  # [state, ranks in suit 0]; padded to whole lines
    plain_five: NDArray[np.int16]  # [pair, ranks in suit 0]: the same boards by ranks alone


@jit
def _plain(ranks: NDArray[np.int64], keys: NDArray[np.int64], tables: RankTables) -> int:
    """Strength of seven ranks without a flush; 0 if the deck has no such cards."""
    counts = np.zeros(N_RANKS, dtype=np.int64)
    total = 0
    for rank in ranks:
        counts[rank] += 1
        total += keys[rank]
    if counts.max() > 4:
        return 0
    return plain_strength(total, tables.shift[2], tables.slots[tables.first_slot[2] :])


@jit
def _fill_plain(
    pairs: NDArray[np.int64], boards: NDArray[np.int8], keys: NDArray[np.int64], tables: RankTables
) -> NDArray[np.int16]:
    out = np.zeros((len(pairs) + 1, len(boards)), dtype=np.int16)
    ranks = np.zeros(7, dtype=np.int64)
    for p in range(len(pairs)):
        ranks[5:] = pairs[p]
        for b in range(len(boards)):
            ranks[:5] = boards[b]
            out[p, b] = _plain(ranks, keys, tables)
    return out


@jit
def _fill_suited(
    pairs: NDArray[np.int64],
    suited: NDArray[np.int64],
    rests: NDArray[np.int64],
    keys: NDArray[np.int64],
    tables: RankTables,
    out: NDArray[np.int16],
) -> None:
    """Fill ``out[state, rest // LANES, suited, rest % LANES]``."""
    ranks = np.zeros(7, dtype=np.int64)
    for p in range(len(pairs)):
        ranks[5:] = pairs[p]
        for f in range(len(suited)):
            n = 0
            for rank in range(N_RANKS):
                if suited[f] >> rank & 1:
                    ranks[n] = rank
                    n += 1
            for k in range(len(rests)):
                ranks[n:5] = rests[k]
                plain = _plain(ranks, keys, tables)
                for flags in range(4):
                    mask = suited[f] | (flags & 1) << pairs[p, 0] | (flags >> 1) << pairs[p, 1]
                    held = n + (flags & 1) + (flags >> 1)
                    flush = tables.flushes[mask] if held >= 5 else 0
                    out[4 * p + flags, k // LANES, f, k % LANES] = max(plain, flush)


def _masks(size: int) -> NDArray[np.int64]:
    return np.array([sum(1 << r for r in ranks) for ranks in combinations(range(N_RANKS), size)], dtype=np.int64)


def _lines(n: int) -> int:
    return -(-n // LANES)


@cache
def boards() -> AllInBoards:
    """Lay out all boards; about a second and 35 MB."""
    tables = rank_tables()
    keys = tables.card_keys[::4] & ((1 << KEY_BITS) - 1)
    multisets = np.array(list(combinations_with_replacement(range(N_RANKS), 5)), dtype=np.int8)
    rests = np.array(list(combinations_with_replacement(range(N_RANKS), 2)), dtype=np.int64)
    singles = np.arange(N_RANKS, dtype=np.int64).reshape(-1, 1)
    nothing = np.zeros((1, 0), dtype=np.int64)
    masks = _masks(3), _masks(4), _masks(5)
    filled = []
    for mask, rest in zip(masks, (rests, singles, nothing), strict=True):
        out = np.zeros((N_STATES, _lines(len(rest)), len(mask), LANES), dtype=np.int16)
        _fill_suited(RANK_PAIRS, mask, rest, keys, tables, out)
        filled.append(out)
    three, four, five = filled
    fifths = np.array(list(combinations(range(N_RANKS), 5)), dtype=np.int8)
    spare = -len(fifths) % LANES
    no_boards = np.full(spare, NO_BOARD, dtype=np.int64)
    return AllInBoards(
        multisets,
        _fill_plain(RANK_PAIRS, multisets, keys, tables),
        (masks[0], masks[1], np.concatenate([masks[2], no_boards])),
        rests,
        three,
        np.ascontiguousarray(four[:, 0]),
        np.pad(five[:, 0, :, 0], ((0, 0), (0, spare))),
        np.pad(_fill_plain(RANK_PAIRS, fifths, keys, tables), ((0, 0), (0, spare))),
    )
