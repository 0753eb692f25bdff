r"""What the terminal nodes of a board are worth to every hand: the inner loops of all products with the payoff.

All terminal nodes of a board are treated at once, side by side in vector registers. ``mass[i, k]`` is what member i of
the opponent's brings to terminal k. One pass over the members sums them up, in all and by card; that is what folds are
worth. A second pass in the order of the ranks adds the members up again, and every hand reads the sums twice, before
the members of its rank are added and after: with T the whole mass and all sums taken without those who share a card,

.. math:: \text{below} - \text{above} = \text{below} - (T - \text{up to}) = \text{before} + \text{after} - T.

Indices are unsigned: numba then needs no test for negative ones, and the loops over terminals become vector
instructions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import inlined, vector_jit
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.layout import AnyFloat, Layout, Seat

#: Terminals are padded to a multiple of this: no loop over them has a remainder.
EIGHT = np.uint64(8)
#: Hands that are written back together: their lines stay in the nearest cache.
TILE = 32


class Lanes(NamedTuple):
    """Scratch memory for the terminals of one board, side by side; all but ``places`` in the type of the plans."""

    mass: AnyFloat  # [member, terminal], flat
    out: AnyFloat  # [hand, terminal], flat: the result
    sums: AnyFloat  # [card, terminal], flat; after the cards the sum over all members
    value: AnyFloat  # [terminal]: stake, chance and sign
    zero: AnyFloat  # one zero
    base: NDArray[np.uint64]  # [terminal]: where the opponent's plan begins
    places: IntArray
    rows: int  # cards and dummies


def make_lanes(layout: Layout, seats: tuple[Seat, Seat], dtype: Any) -> Lanes:
    """Allocate scratch for the largest board."""
    hands = max(int(np.diff(s).max()) for seat in seats for s in (seat.start, seat.member_start))
    width = int(padded(int(np.diff(layout.end_start).max())))
    return Lanes(
        np.zeros(hands * width, dtype),
        np.zeros(hands * width, dtype),
        np.zeros((layout.rows + 1) * width, dtype),
        np.zeros(width, dtype),
        np.zeros(1, dtype),
        np.zeros(width, np.uint64),
        np.zeros(hands, np.int64),
        int(layout.rows),
    )


@vector_jit
def padded(count: int) -> Any:
    """Round a number of terminals up."""
    return np.uint64((count + 7) // 8) * EIGHT


@vector_jit
def fill_ancestors(layout: Layout, seat: Seat, board: int, street: int, out: Any) -> int:
    """Write the place of each hand of a board among the hands of the board above it on a street; return that board."""
    start = seat.start[board]
    n = seat.start[board + 1] - start
    for h in range(n):
        out[h] = h
    at = board
    while layout.street[at] > street:
        base = seat.start[at]
        for h in range(n):
            out[h] = seat.up[base + out[h]]
        at = layout.parent[at]
    return at


@vector_jit
def gather_masses(
    layout: Layout, other: Seat, board: int, block: int, plans: AnyFloat, sign: float, width: Any, work: Lanes
) -> None:
    """Fill ``mass[member, terminal]``: the opponent's plan times weight, chance, stake and the sign of the payoff.

    ``plans`` holds the blocks of the opponent's plan; that of the board itself begins at ``block``.
    """
    street = layout.street[board]
    low, high = layout.end_start[street], layout.end_start[street + 1]
    first, members = other.member_start[board], other.member_start[board + 1] - other.member_start[board]
    n = other.start[board + 1] - other.start[board]
    hand, weight = other.member_hand[first : first + members], other.member_weight[first : first + members]
    dealt = layout.factor[board] if layout.matrix_start[board] < 0 else 1.0
    mass, value, base = work.mass, work.value, work.base
    value[:width] = work.zero[0]
    base[:width] = np.uint64(block)
    for k in range(low, high):
        winner = layout.winner[k]
        won = 1.0 if winner == SHOWDOWN else sign if winner == 0 else -sign
        value[k - low] = layout.stake[k] * dealt * won
        if other.end_street[k] == street:
            base[k - low] = np.uint64(block + other.end_column[k] * n)
    for i in range(members):
        at, h, w = np.uint64(i) * width, np.uint64(hand[i]), weight[i]
        for k in range(width):
            mass[at + k] = plans[base[k] + h] * (value[k] * w)
    for k in range(low, high):  # what the opponent's last move on this street does not decide
        if other.end_street[k] == street:
            continue
        lane, own = np.uint64(k - low), value[k - low]
        if other.end_street[k] < 0:
            for i in range(members):
                mass[np.uint64(i) * width + lane] = weight[i] * own
        else:
            above = fill_ancestors(layout, other, board, other.end_street[k], work.places)
            wide = other.start[above + 1] - other.start[above]
            row = plans[other.offset[above] + other.end_column[k] * wide :]
            for i in range(members):
                place = np.uint64(work.places[np.uint64(hand[i])])
                mass[np.uint64(i) * width + lane] = row[place] * (weight[i] * own)


@inlined
def _add(sums: AnyFloat, row: Any, mass: AnyFloat, at: Any, width: Any) -> None:
    """Add one row of masses to one row of sums."""
    for k in range(width):
        sums[row + k] += mass[at + k]


@inlined
def _read(out: AnyFloat, to: Any, sums: AnyFloat, total: Any, a: Any, b: Any, width: Any) -> None:
    """Add what a hand with cards a and b reads off the sums."""
    for k in range(width):
        out[to + k] += sums[total + k] - sums[a + k] - sums[b + k]


@vector_jit
def card_values(seat: Seat, other: Seat, board: int, width: Any, folds: int, count: int, work: Lanes) -> None:
    """Fill ``out[hand, terminal]`` from the masses; the first ``folds`` terminals are folds."""
    first, start = other.member_start[board], seat.start[board]
    members, n = other.member_start[board + 1] - first, seat.start[board + 1] - start
    mass, sums, out = work.mass, work.sums, work.out
    total = np.uint64(work.rows) * width
    held = other.member_cards
    sums[: total + width] = work.zero[0]
    for i in range(members):
        at = np.uint64(i) * width
        _add(sums, total, mass, at, width)
        _add(sums, np.uint64(held[first + i, 0]) * width, mass, at, width)
        _add(sums, np.uint64(held[first + i, 1]) * width, mass, at, width)
    out[: np.uint64(n) * width] = work.zero[0]
    for h in range(n):
        a, b = np.uint64(seat.cards[start + h, 0]) * width, np.uint64(seat.cards[start + h, 1]) * width
        to = np.uint64(h) * width
        _read(out, to, sums, total, a, b, width)
        twin = seat.twin[start + h]
        if twin >= 0:
            at = np.uint64(twin) * width
            for k in range(np.uint64(folds)):
                out[to + k] += mass[at + k]
    if count > folds:
        _compare(seat, other, board, width, np.uint64(folds), work)


@vector_jit
def _compare(seat: Seat, other: Seat, board: int, width: Any, folds: Any, work: Lanes) -> None:
    """Turn the whole masses of showdowns into those below minus those above, in one pass by rank."""
    first, start = other.member_start[board], seat.start[board]
    members, n = other.member_start[board + 1] - first, seat.start[board + 1] - start
    mass, sums, out = work.mass, work.sums, work.out
    base = folds // EIGHT * EIGHT  # before it there are folds only
    tail = width - base
    total = np.uint64(work.rows) * width
    held, ranks = other.member_cards, other.member_rank
    sums[: total + width] = work.zero[0]
    for i in range(members):  # folds that share a vector with showdowns have their values already
        for k in range(base, folds):
            mass[np.uint64(i) * width + k] = work.zero[0]
    for h in range(n):
        for k in range(folds, width):
            out[np.uint64(h) * width + k] = -out[np.uint64(h) * width + k]
    reached, h = 0, 0
    while h < n:
        rank = seat.rank[start + h]
        while reached < members and ranks[first + reached] < rank:
            at = np.uint64(reached) * width + base
            _add(sums, total + base, mass, at, tail)
            _add(sums, np.uint64(held[first + reached, 0]) * width + base, mass, at, tail)
            _add(sums, np.uint64(held[first + reached, 1]) * width + base, mass, at, tail)
            reached += 1
        end = h
        while end < n and seat.rank[start + end] == rank:
            a, b = np.uint64(seat.cards[start + end, 0]) * width, np.uint64(seat.cards[start + end, 1]) * width
            _read(out, np.uint64(end) * width + base, sums, total + base, a + base, b + base, tail)
            end += 1
        while reached < members and ranks[first + reached] == rank:
            at = np.uint64(reached) * width + base
            _add(sums, total + base, mass, at, tail)
            _add(sums, np.uint64(held[first + reached, 0]) * width + base, mass, at, tail)
            _add(sums, np.uint64(held[first + reached, 1]) * width + base, mass, at, tail)
            reached += 1
        for j in range(h, end):
            a, b = np.uint64(seat.cards[start + j, 0]) * width, np.uint64(seat.cards[start + j, 1]) * width
            _read(out, np.uint64(j) * width + base, sums, total + base, a + base, b + base, tail)
        h = end


@vector_jit
def bucket_values(
    layout: Layout, seat: Seat, board: int, sign: float, members: int, width: Any, folds: int, count: int, work: Lanes
) -> None:
    """Fill ``out[hand, terminal]`` from the bucket matrices of a board; the first ``folds`` terminals are folds."""
    at = layout.matrix_start[board]
    n = seat.start[board + 1] - seat.start[board]
    mass, out = work.mass, work.out
    out[: np.uint64(n) * width] = work.zero[0]
    for h in range(n):
        to = np.uint64(h) * width
        for i in range(members):
            cell = at + h * members + i if sign > 0 else at + i * n + h
            joint, wins = layout.joint[cell], layout.wins[cell] * sign
            near = np.uint64(i) * width
            for k in range(np.uint64(folds)):
                out[to + k] += joint * mass[near + k]
            for k in range(np.uint64(folds), np.uint64(count)):
                out[to + k] += wins * mass[near + k]


@vector_jit
def add_terminal_values(
    layout: Layout,
    seat: Seat,
    other: Seat,
    board: int,
    block: int,
    theirs: int,
    plans: AnyFloat,
    sign: float,
    values: AnyFloat,
    work: Lanes,
) -> float:
    """Add what a board's terminals are worth, per unit of the player's own plan, to the moves that lead to them.

    ``block`` and ``theirs`` are where the board's blocks begin in ``values`` and in the opponent's ``plans``; terminals
    below a move of an earlier street go to the blocks of the boards above. Returns what belongs to the empty sequence.
    ``sign`` is 1 for player 0 and -1 for player 1.
    """
    street = layout.street[board]
    count = layout.end_start[street + 1] - layout.end_start[street]
    if count == 0:
        return 0.0
    width = padded(count)
    folds = layout.folds[street]
    gather_masses(layout, other, board, theirs, plans, sign, width, work)
    if layout.matrix_start[board] >= 0:
        members = other.member_start[board + 1] - other.member_start[board]
        bucket_values(layout, seat, board, sign, members, width, folds, count, work)
    else:
        card_values(seat, other, board, width, folds, count, work)
    return _scatter(layout, seat, board, block, width, values, work)


@vector_jit
def _scatter(layout: Layout, seat: Seat, board: int, block: int, width: Any, values: AnyFloat, work: Lanes) -> float:
    street = layout.street[board]
    start, n = seat.start[board], seat.start[board + 1] - seat.start[board]
    scale, out = seat.scale[start : start + n], work.out
    empty = 0.0
    low = layout.end_start[street]
    for begin in range(0, n, TILE):
        end = min(n, begin + TILE)
        for k in range(low, layout.end_start[street + 1]):
            if seat.end_street[k] == street:
                lane = np.uint64(k - low)
                row = values[block + seat.end_column[k] * n : block + (seat.end_column[k] + 1) * n]
                for h in range(begin, end):
                    j = np.uint64(h)
                    row[j] += out[j * width + lane] * scale[j]
    for k in range(low, layout.end_start[street + 1]):
        lane, at = np.uint64(k - low), seat.end_street[k]
        if at < 0:
            for h in range(n):
                empty += out[np.uint64(h) * width + lane] * scale[h]
        elif at < street:
            above = fill_ancestors(layout, seat, board, at, work.places)
            wide = seat.start[above + 1] - seat.start[above]
            row = values[seat.offset[above] + seat.end_column[k] * wide :]
            for h in range(n):
                row[np.uint64(work.places[h])] += out[np.uint64(h) * width + lane] * scale[h]
    return empty
