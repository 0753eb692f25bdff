r"""What the terminal nodes of a board are worth to every hand: the inner loops of all products with the payoff.

The opponent's last moves before terminals are treated side by side, sixteen *lanes* in a vector register: a bet brings
the same mass to the fold and to the call that may follow it, and only the stake differs. With :math:`m_i` the mass of
member i, one pass in the order of the ranks adds the members up, in all and by card, and every hand reads the sums
twice, before the members of its rank are added and after. At its end stand the whole sums T. They are what folds are
worth, and with all sums taken without those who share a card

.. math:: \text{below} - \text{above} = \text{below} - (T - \text{up to}) = \text{before} + \text{after} - T.

Plans lie move by move, hands side by side; masses and results lie hand by hand, lanes side by side. Blocks of sixteen
by sixteen numbers are turned from one into the other. Indices are unsigned: numba then needs no test for negative ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import IntArray
from equiform.models.common.jit import borrowing_jit, inlined
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.layout import AnyFloat, Layout, Seat
from equiform.models.public.vectors import (
    WIDTH,
    add,
    aligned,
    item,
    load,
    load_some,
    multiply,
    pointer,
    splat,
    store,
    store_some,
    subtract,
    transpose,
)

#: Hands are worked on in blocks of as many as a vector has lanes.
SIXTEEN = np.uint64(WIDTH)
BLOCK = np.uint64(WIDTH * WIDTH)
NONE, ONE = np.uint64(0), np.uint64(1)


class Lanes(NamedTuple):
    """Scratch memory for the lanes of one vector."""

    met: AnyFloat  # [hand of the opponent, lane], flat: the plan
    shown: AnyFloat  # [hand, lane], flat: what is read off the sums before and after
    sums: AnyFloat  # [card, lane], flat; the last row adds up all
    rows: AnyFloat  # [hand of a block, lane], flat: folds, then showdowns
    block: AnyFloat  # the same, turned
    worth: AnyFloat  # [terminal]: stake, chance and sign
    source: NDArray[np.uint64]  # [terminal]: where its lane stands in ``block``
    target: NDArray[np.uint64]  # [terminal]: where the move before it stands among the values
    late: IntArray  # [terminal]: those whose last move was made on an earlier street
    spare: AnyFloat  # [terminal, hand], flat: what they are worth
    places: IntArray
    zero: AnyFloat  # zero and one
    pair: AnyFloat  # two numbers on their way from 64 bits to the type of the plans
    room: Any  # hands in a row of ``spare``
    cards: Any  # and dummies


def make_lanes(layout: Layout, seats: tuple[Seat, Seat], dtype: Any) -> Lanes:
    """Allocate scratch for the largest board."""
    hands = max(int(np.diff(seat.start).max()) for seat in seats)
    ends, room = int(np.diff(layout.end_start).max()), int(padded(hands))
    return Lanes(
        aligned(room * WIDTH, dtype),
        aligned(room * WIDTH, dtype),
        aligned((layout.rows + 1) * WIDTH, dtype),
        aligned(2 * WIDTH * WIDTH, dtype),
        aligned(2 * WIDTH * WIDTH, dtype),
        np.zeros(ends, dtype),
        np.zeros(ends, np.uint64),
        np.zeros(ends, np.uint64),
        np.zeros(ends, np.int64),
        aligned(ends * room, dtype),
        np.zeros(hands, np.int64),
        np.array([0.0, 1.0], dtype),
        np.zeros(2, dtype),
        np.uint64(room),
        np.uint64(layout.rows),
    )


@borrowing_jit
def padded(count: int) -> Any:
    """Round a number up to whole vectors."""
    return np.uint64((count + WIDTH - 1) // WIDTH) * SIXTEEN


@borrowing_jit
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


@borrowing_jit
def _turn_plans(
    layout: Layout, other: Seat, board: int, block: int, first: int, count: int, plans: AnyFloat, work: Lanes
) -> None:
    """Write the opponent's plan hand by hand, the moves of ``count`` lanes side by side, to ``met``."""
    street, met, rows = layout.street[board], work.met, work.rows
    n = np.uint64(other.start[board + 1] - other.start[board])
    for k in range(SIXTEEN):
        store(rows, k * SIXTEEN, splat(work.zero[0]))
    for h in range(NONE, n, SIXTEEN):
        some = min(SIXTEEN, n - h)
        for k in range(np.uint64(count)):
            if other.lane_street[first + np.int64(k)] == street:
                at = np.uint64(block) + np.uint64(other.lane_column[first + np.int64(k)]) * n + h
                if some == SIXTEEN:
                    store(rows, k * SIXTEEN, load(plans, at))
                else:
                    store(rows, k * SIXTEEN, load_some(plans, at, some))
        transpose(rows, NONE, SIXTEEN, met, h * SIXTEEN, SIXTEEN)
    for earlier in range(-1, street):  # moves made before this street
        found = False
        for k in range(first, first + count):
            found = found or other.lane_street[k] == earlier
        if not found:
            continue
        above = fill_ancestors(layout, other, board, max(earlier, 0), work.places)
        wide = other.start[above + 1] - other.start[above]
        for k in range(first, first + count):
            if other.lane_street[k] == earlier:
                lane = np.uint64(k - first)
                row = plans[other.offset[above] + max(other.lane_column[k], 0) * wide :]
                for h in range(n):
                    met[h * SIXTEEN + lane] = row[np.uint64(work.places[h])] if earlier >= 0 else work.zero[1]


@borrowing_jit
def _list_ends(
    layout: Layout, seat: Seat, other: Seat, board: int, block: int, first: int, work: Lanes
) -> tuple[int, int]:
    """List the terminals of a vector of lanes: those below a move of this street, and those below an earlier one."""
    street = layout.street[board]
    n = seat.start[board + 1] - seat.start[board]
    dealt = layout.factor[board] if layout.matrix_start[board] < 0 else 1.0
    own = 1.0 if seat.player == 0 else -1.0
    now, late, last = 0, 0, len(work.worth) - 1
    for k in range(layout.end_start[street], layout.end_start[street + 1]):
        lane = other.end_lane[k] - first
        if lane < 0 or lane >= WIDTH:
            continue
        at = now
        if seat.end_street[k] == street:
            work.target[now] = np.uint64(block + seat.end_column[k] * n)
            now += 1
        else:
            at = last - late
            work.target[at] = np.uint64(late) * work.room
            work.late[late] = k
            late += 1
        winner = layout.winner[k]
        won = 1.0 if winner == SHOWDOWN else own if winner == 0 else -own
        work.worth[at] = layout.stake[k] * dealt * won
        work.source[at] = np.uint64(lane) * SIXTEEN
        if k - layout.end_start[street] >= layout.folds[street]:
            work.source[at] += BLOCK
    return now, late


@inlined
def _row(cards: Any, at: Any, side: Any) -> Any:
    """Return where the sums of one of a hand's two cards begin."""
    return np.uint64(item(cards, at + at + side)) * SIXTEEN


@inlined
def _mass(at: Any, met: Any, hand: Any, weight: Any) -> Any:
    """Return what a member of the opponent's brings to each lane."""
    return multiply(load(met, np.uint64(item(hand, at)) * SIXTEEN), splat(item(weight, at)))


@inlined
def _join(cards: Any, at: Any, mass: Any, total: Any, sums: Any) -> Any:
    """Add a member's mass to the sums of its two cards, and return the new total."""
    a, b = _row(cards, at, NONE), _row(cards, at, ONE)
    store(sums, a, add(load(sums, a), mass))
    store(sums, b, add(load(sums, b), mass))
    return add(total, mass)


@borrowing_jit
def _sum_up(seat: Seat, other: Seat, board: int, shown: bool, work: Lanes) -> None:
    """Add up the members, in all and by card; for showdowns let every hand read the sums before and after its rank."""
    at, high = np.uint64(other.member_start[board]), np.uint64(other.member_start[board + 1])
    h, end = np.uint64(seat.start[board]), np.uint64(seat.start[board + 1])
    held, ranks, hand = pointer(other.member_cards), pointer(other.member_rank), pointer(other.member_hand)
    cards, rank, weight = pointer(seat.cards), pointer(seat.rank), pointer(other.member_weight)
    met, sums, out = pointer(work.met), pointer(work.sums), pointer(work.shown)
    total, to = splat(work.zero[0]), NONE
    for row in range(work.cards):
        store(sums, row * SIXTEEN, total)
    while shown and h < end:
        level, tied, back = item(rank, h), h, to
        while at < high and item(ranks, at) < level:
            total = _join(held, at, _mass(at, met, hand, weight), total, sums)
            at += ONE
        while h < end and item(rank, h) == level:
            read = subtract(load(sums, _row(cards, h, NONE)), total)
            store(out, to, add(read, load(sums, _row(cards, h, ONE))))
            h += ONE
            to += SIXTEEN
        while at < high and item(ranks, at) == level:
            total = _join(held, at, _mass(at, met, hand, weight), total, sums)
            at += ONE
        for j in range(tied, h):
            read = subtract(subtract(total, load(sums, _row(cards, j, NONE))), load(sums, _row(cards, j, ONE)))
            store(out, back, subtract(read, load(out, back)))
            back += SIXTEEN
    while at < high:
        total = _join(held, at, _mass(at, met, hand, weight), total, sums)
        at += ONE
    store(sums, work.cards * SIXTEEN, total)


@borrowing_jit
def _read_cards(seat: Seat, other: Seat, board: int, h: Any, folded: bool, shown: bool, work: Lanes) -> None:
    """Write what folds and showdowns are worth to a block of hands."""
    at = np.uint64(seat.start[board]) + h
    some, first = min(SIXTEEN, np.uint64(seat.start[board + 1]) - at), np.uint64(other.member_start[board])
    sums, rows, out, cards = pointer(work.sums), pointer(work.rows), pointer(work.shown), pointer(seat.cards)
    met, twins = pointer(work.met), pointer(seat.twin)
    hand, weight = pointer(other.member_hand), pointer(other.member_weight)
    total = load(sums, work.cards * SIXTEEN)
    for i in range(some):
        whole = subtract(total, load(sums, _row(cards, at + i, NONE)))
        whole = subtract(whole, load(sums, _row(cards, at + i, ONE)))
        if shown:
            store(rows, BLOCK + i * SIXTEEN, subtract(load(out, (h + i) * SIXTEEN), whole))
        if folded:
            twin = item(twins, at + i)
            if twin >= 0:
                whole = add(whole, _mass(first + np.uint64(twin), met, hand, weight))
            store(rows, i * SIXTEEN, whole)


@borrowing_jit
def _read_matrices(layout: Layout, seat: Seat, other: Seat, board: int, h: Any, work: Lanes) -> None:
    """Write what folds and showdowns are worth to a block of buckets, from the matrices of a board."""
    start, first = layout.matrix_start[board], np.uint64(other.member_start[board])
    n, members = seat.start[board + 1] - seat.start[board], other.member_start[board + 1] - other.member_start[board]
    met, rows, pair = pointer(work.met), pointer(work.rows), work.pair
    hand, weight = pointer(other.member_hand), pointer(other.member_weight)
    for i in range(min(WIDTH, n - np.int64(h))):
        folded, shown = splat(work.zero[0]), splat(work.zero[0])
        at = np.int64(h) + i
        for j in range(members):
            cell = start + (at * members + j if seat.player == 0 else j * n + at)
            pair[0] = layout.joint[cell]  # in the type of the plans
            pair[1] = layout.wins[cell] if seat.player == 0 else -layout.wins[cell]
            mass = _mass(first + np.uint64(j), met, hand, weight)
            folded = add(folded, multiply(mass, splat(pair[0])))
            shown = add(shown, multiply(mass, splat(pair[1])))
        store(rows, np.uint64(i) * SIXTEEN, folded)
        store(rows, BLOCK + np.uint64(i) * SIXTEEN, shown)


@borrowing_jit
def _hand_out(seat: Seat, board: int, h: Any, now: int, late: int, values: AnyFloat, work: Lanes) -> None:
    """Add the results of a block of hands to the moves before the terminals; keep what belongs to earlier streets."""
    start = np.uint64(seat.start[board])
    some = min(SIXTEEN, np.uint64(seat.start[board + 1]) - start - h)
    size, last = load_some(pointer(seat.scale), start + h, some), np.uint64(len(work.worth) - 1)
    out, block, spare = pointer(values), pointer(work.block), pointer(work.spare)
    worth, source, target = pointer(work.worth), pointer(work.source), pointer(work.target)
    for j in range(np.uint64(now)):
        own = multiply(multiply(load(block, item(source, j)), splat(item(worth, j))), size)
        at = item(target, j) + h
        if some == SIXTEEN:
            store(out, at, add(load(out, at), own))
        else:
            store_some(out, at, add(load_some(out, at, some), own), some)
    for k in range(np.uint64(late)):
        own = multiply(multiply(load(block, item(source, last - k)), splat(item(worth, last - k))), size)
        store(spare, item(target, last - k) + h, own)


@borrowing_jit
def _hand_up(layout: Layout, seat: Seat, board: int, late: int, values: AnyFloat, work: Lanes) -> float:
    """Add what belongs to moves of earlier streets to the boards above; return what belongs to the empty sequence."""
    n, street, empty = seat.start[board + 1] - seat.start[board], layout.street[board], 0.0
    for earlier in range(-1, street):
        above = -1
        for j in range(late):
            k = work.late[j]
            if seat.end_street[k] != earlier:
                continue
            own = work.spare[np.uint64(j) * work.room :]
            if earlier < 0:
                for h in range(n):
                    empty += own[h]
                continue
            if above < 0:
                above = fill_ancestors(layout, seat, board, earlier, work.places)
            wide = seat.start[above + 1] - seat.start[above]
            row = values[seat.offset[above] + seat.end_column[k] * wide :]
            for h in range(n):
                row[np.uint64(work.places[h])] += own[h]
    return empty


@borrowing_jit
def add_terminal_values(
    layout: Layout,
    seat: Seat,
    other: Seat,
    board: int,
    block: int,
    theirs: int,
    plans: AnyFloat,
    values: AnyFloat,
    work: Lanes,
) -> float:
    """Add what a board's terminals are worth, per unit of the player's own plan, to the moves that lead to them.

    ``block`` and ``theirs`` are where the board's blocks begin in ``values`` and in the opponent's ``plans``; terminals
    below a move of an earlier street go to the blocks of the boards above. Returns what belongs to the empty sequence.
    """
    street = layout.street[board]
    low, high = other.lane_start[street], other.lane_start[street + 1]
    folds, shows = other.fold_lanes[street], other.show_lanes[street]
    empty = 0.0
    for first in range(0, high - low, WIDTH):
        count = min(WIDTH, high - low - first)
        _turn_plans(layout, other, board, theirs, low + first, count, plans, work)
        now, late = _list_ends(layout, seat, other, board, block, first, work)
        dealt = layout.matrix_start[board] < 0
        folded, shown = first < folds, first + count > shows
        if dealt:
            _sum_up(seat, other, board, shown, work)
        n = np.uint64(seat.start[board + 1] - seat.start[board])
        for h in range(NONE, n, SIXTEEN):
            if dealt:
                _read_cards(seat, other, board, h, folded, shown, work)
            else:
                _read_matrices(layout, seat, other, board, h, work)
            if folded:
                transpose(work.rows, NONE, SIXTEEN, work.block, NONE, SIXTEEN)
            if shown:
                transpose(work.rows, BLOCK, SIXTEEN, work.block, BLOCK, SIXTEEN)
            _hand_out(seat, board, h, now, late, values, work)
        if late > 0:
            empty += _hand_up(layout, seat, board, late, values, work)
    return empty
