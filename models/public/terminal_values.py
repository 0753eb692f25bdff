r"""What the terminal nodes of a board are worth to every hand: the inner loops of all products with the payoff.

All terminal nodes of a board are treated at once, side by side in vector registers. ``mass[i, k]`` is what member i of
the opponent's brings to terminal k. One pass over the members sums them up, in all and by card; that is what folds are
worth. A second pass in the order of the ranks adds the members up again, and every hand reads the sums twice, before
the members of its rank are added and after: with T the whole mass and all sums taken without those who share a card,

.. math:: \text{below} - \text{above} = \text{below} - (T - \text{up to}) = \text{before} + \text{after} - T.

Plans lie move by move, hands side by side; masses and results lie hand by hand, terminals side by side. Blocks of
sixteen by sixteen numbers are turned from one into the other. Indices are unsigned: numba then needs no test for
negative ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import inlined, vector_jit
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.layout import AnyFloat, Layout, Seat
from equiform.models.public.vectors import WIDTH, add, aligned, load, multiply, splat, store, subtract, transpose

#: Terminals are padded to a multiple of a vector's width.
SIXTEEN = np.uint64(WIDTH)


class Lanes(NamedTuple):
    """Scratch memory for the terminals of one board, side by side; all but ``places`` in the type of the plans."""

    mass: AnyFloat  # [member, terminal], flat
    out: AnyFloat  # [hand, terminal], flat: the opponent's plan at first, the result in the end
    sums: AnyFloat  # [card, terminal of a vector], flat
    value: AnyFloat  # [terminal]: stake, chance and sign
    fold: AnyFloat  # [terminal]: one at folds, zero at showdowns
    block: AnyFloat  # [terminal of a vector, hand of a vector], flat
    zero: AnyFloat  # zero and one
    base: NDArray[np.uint64]  # [terminal]: where the opponent's plan begins
    places: IntArray
    rows: int  # cards and dummies


def make_lanes(layout: Layout, seats: tuple[Seat, Seat], dtype: Any) -> Lanes:
    """Allocate scratch for the largest board."""
    hands = max(int(np.diff(s).max()) for seat in seats for s in (seat.start, seat.member_start))
    width = int(padded(int(np.diff(layout.end_start).max())))
    return Lanes(
        aligned(hands * width, dtype),
        aligned(hands * width, dtype),
        aligned(layout.rows * WIDTH, dtype),
        aligned(width, dtype),
        aligned(width, dtype),
        aligned(WIDTH * WIDTH, dtype),
        np.array([0.0, 1.0], dtype),
        np.zeros(width, np.uint64),
        np.zeros(hands, np.int64),
        int(layout.rows),
    )


@vector_jit
def padded(count: int) -> Any:
    """Round a number of terminals up."""
    return np.uint64((count + WIDTH - 1) // WIDTH) * SIXTEEN


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
    mass, value, base, fold = work.mass, work.value, work.base, work.fold
    value[:width] = work.zero[0]
    base[:width] = np.uint64(block)
    for k in range(low, high):
        winner = layout.winner[k]
        won = 1.0 if winner == SHOWDOWN else sign if winner == 0 else -sign
        value[k - low] = layout.stake[k] * dealt * won
        fold[k - low] = work.zero[1] if k - low < layout.folds[street] else work.zero[0]
        if other.end_street[k] == street:
            base[k - low] = np.uint64(block + other.end_column[k] * n)
    _turn_plans(np.uint64(n), width, plans, work)
    for i in range(members):
        at, near, w = np.uint64(i) * width, np.uint64(hand[i]) * width, splat(weight[i])
        for c in range(np.uint64(0), width, SIXTEEN):
            store(mass, at + c, multiply(load(work.out, near + c), multiply(load(value, c), w)))
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


@vector_jit
def _turn_plans(n: Any, width: Any, plans: AnyFloat, work: Lanes) -> None:
    """Write the opponent's plan hand by hand, the moves before the terminals side by side, to ``out``."""
    out, block, base = work.out, work.block, work.base
    whole = n // SIXTEEN * SIXTEEN
    for c in range(np.uint64(0), width, SIXTEEN):
        for h in range(np.uint64(0), whole, SIXTEEN):
            for k in range(SIXTEEN):
                store(block, k * SIXTEEN, load(plans, base[c + k] + h))
            transpose(block, np.uint64(0), SIXTEEN, out, h * width + c, width)
        for h in range(whole, n):
            for k in range(c, c + SIXTEEN):
                out[h * width + k] = plans[base[k] + h]


@inlined
def _add(sums: AnyFloat, a: Any, b: Any, mass: Any) -> None:
    """Add a vector of masses to the sums of its two cards."""
    store(sums, a, add(load(sums, a), mass))
    store(sums, b, add(load(sums, b), mass))


@inlined
def _read(sums: AnyFloat, total: Any, a: Any, b: Any) -> Any:
    """Return what a hand with two cards reads off the sums."""
    return subtract(subtract(total, load(sums, a)), load(sums, b))


@vector_jit
def card_values(seat: Seat, other: Seat, board: int, width: Any, folds: int, count: int, work: Lanes) -> None:
    """Fill ``out[hand, terminal]`` from the masses; the first ``folds`` terminals are folds."""
    for c in range(np.uint64(0), width, SIXTEEN):
        _sum_up(seat, other, board, width, c, work)
        if c + SIXTEEN > np.uint64(folds) and count > folds:
            _compare(seat, other, board, width, c, work)


@vector_jit
def _sum_up(seat: Seat, other: Seat, board: int, width: Any, c: Any, work: Lanes) -> None:
    """Fill a vector of terminals with the masses that every hand meets: as they are at folds, negative at showdowns."""
    first, start = other.member_start[board], seat.start[board]
    members, n = other.member_start[board + 1] - first, seat.start[board + 1] - start
    mass, sums, out, held = work.mass, work.sums, work.out, other.member_cards
    zero, fold = splat(work.zero[0]), load(work.fold, c)
    sign = subtract(add(fold, fold), splat(work.zero[1]))
    for row in range(work.rows):
        store(sums, np.uint64(row) * SIXTEEN, zero)
    total = zero
    for i in range(members):
        own = load(mass, np.uint64(i) * width + c)
        total = add(total, own)
        _add(sums, np.uint64(held[first + i, 0]) * SIXTEEN, np.uint64(held[first + i, 1]) * SIXTEEN, own)
    for h in range(n):
        a, b = np.uint64(seat.cards[start + h, 0]) * SIXTEEN, np.uint64(seat.cards[start + h, 1]) * SIXTEEN
        found = multiply(sign, _read(sums, total, a, b))
        twin = seat.twin[start + h]
        if twin >= 0:
            found = add(found, multiply(fold, load(mass, np.uint64(twin) * width + c)))
        store(out, np.uint64(h) * width + c, found)


@vector_jit
def _compare(seat: Seat, other: Seat, board: int, width: Any, c: Any, work: Lanes) -> None:
    """Turn the whole masses of showdowns into those below minus those above, in one pass by rank."""
    first, start = other.member_start[board], seat.start[board]
    members, n = other.member_start[board + 1] - first, seat.start[board + 1] - start
    mass, sums, out = work.mass, work.sums, work.out
    held, ranks = other.member_cards, other.member_rank
    zero, showdown = splat(work.zero[0]), subtract(splat(work.zero[1]), load(work.fold, c))
    for row in range(work.rows):
        store(sums, np.uint64(row) * SIXTEEN, zero)
    total = zero
    reached, h = 0, 0
    while h < n:
        rank, low = seat.rank[start + h], h
        while reached < members and ranks[first + reached] < rank:
            at = first + reached
            own = multiply(showdown, load(mass, np.uint64(reached) * width + c))
            total = add(total, own)
            _add(sums, np.uint64(held[at, 0]) * SIXTEEN, np.uint64(held[at, 1]) * SIXTEEN, own)
            reached += 1
        while h < n and seat.rank[start + h] == rank:
            a, b = np.uint64(seat.cards[start + h, 0]) * SIXTEEN, np.uint64(seat.cards[start + h, 1]) * SIXTEEN
            to = np.uint64(h) * width + c
            store(out, to, add(load(out, to), _read(sums, total, a, b)))
            h += 1
        while reached < members and ranks[first + reached] == rank:
            at = first + reached
            own = multiply(showdown, load(mass, np.uint64(reached) * width + c))
            total = add(total, own)
            _add(sums, np.uint64(held[at, 0]) * SIXTEEN, np.uint64(held[at, 1]) * SIXTEEN, own)
            reached += 1
        for j in range(low, h):
            a, b = np.uint64(seat.cards[start + j, 0]) * SIXTEEN, np.uint64(seat.cards[start + j, 1]) * SIXTEEN
            to = np.uint64(j) * width + c
            store(out, to, add(load(out, to), _read(sums, total, a, b)))


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
    """Add the results to the moves before the terminals; return what belongs to the empty sequence."""
    street = layout.street[board]
    start, n = seat.start[board], seat.start[board + 1] - seat.start[board]
    scale, out = seat.scale[start : start + n], work.out
    low, high = layout.end_start[street], layout.end_start[street + 1]
    whole = np.uint64(n) // SIXTEEN * SIXTEEN
    for c in range(np.uint64(0), width, SIXTEEN):
        last = min(high, low + np.int64(c) + WIDTH)
        for h in range(np.uint64(0), whole, SIXTEEN):
            transpose(out, h * width + c, width, work.block, np.uint64(0), SIXTEEN)
            size = load(scale, h)
            for k in range(low + np.int64(c), last):
                if seat.end_street[k] == street:
                    at = np.uint64(block + seat.end_column[k] * n) + h
                    own = load(work.block, (np.uint64(k - low) - c) * SIXTEEN)
                    store(values, at, add(load(values, at), multiply(own, size)))
    empty = 0.0
    for k in range(low, high):
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
        else:
            row = values[block + seat.end_column[k] * n : block + (seat.end_column[k] + 1) * n]
            for h in range(np.int64(whole), n):
                row[h] += out[np.uint64(h) * width + lane] * scale[h]
    return empty
