r"""What the terminal nodes of a board are worth to every hand: the inner loops of all products with the payoff.

All terminal nodes of a board are treated at once. ``mass[i, k]`` is what member i of the opponent's brings to terminal
k; sums over members are kept for all k side by side, so that the inner loops run over k. Showdowns need one pass over
the hands in the order of their ranks: D starts with all members above (minus their mass); a member is added once when
its rank is reached, which makes it a tie, and once more when it is passed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from equiform.models.common.jit import vector_jit
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.layout import AnyFloat, Layout, Seat

#: Terminals are padded to a multiple of this: no loop over them has a remainder.
LANES = 8


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
    layout: Layout, other: Seat, board: int, block: int, plans: AnyFloat, sign: float, mass: AnyFloat, spare: Any
) -> None:
    """Fill ``mass[member, terminal]``: the opponent's plan times weight, chance, stake and the sign of the payoff.

    ``plans`` holds the blocks of the opponent's plan; that of the board itself begins at ``block``.
    """
    street = layout.street[board]
    low, high = layout.end_start[street], layout.end_start[street + 1]
    first, last = other.member_start[board], other.member_start[board + 1]
    n = other.start[board + 1] - other.start[board]
    dealt = layout.factor[board] if layout.matrix_start[board] < 0 else 1.0
    for k in range(low, high):
        winner = layout.winner[k]
        value = layout.stake[k] * dealt * (sign if winner != 1 else -sign)
        if winner == SHOWDOWN:
            value = layout.stake[k] * dealt
        at = other.end_street[k]
        if at == street:
            base = block + other.end_column[k] * n
            for i in range(last - first):
                mass[i, k - low] = plans[base + other.member_hand[first + i]] * (other.member_weight[first + i] * value)
        elif at < 0:
            for i in range(last - first):
                mass[i, k - low] = other.member_weight[first + i] * value
        else:
            above = fill_ancestors(layout, other, board, at, spare)
            wide = other.start[above + 1] - other.start[above]
            base = other.offset[above] + other.end_column[k] * wide
            for i in range(last - first):
                place = spare[other.member_hand[first + i]]
                mass[i, k - low] = plans[base + place] * (other.member_weight[first + i] * value)


@vector_jit
def fold_values(
    seat: Seat, other: Seat, board: int, mass: AnyFloat, low: int, high: int, sums: AnyFloat, out: AnyFloat
) -> None:
    """Fill ``out[hand, k]`` for terminals ``low`` to ``high``: the mass of the members that share no card."""
    first, last = other.member_start[board], other.member_start[board + 1]
    sums[:, low:high] = 0.0
    total = len(sums) - 1
    for i in range(last - first):
        a, b = other.member_cards[first + i, 0], other.member_cards[first + i, 1]
        for k in range(low, high):
            m = mass[i, k]
            sums[total, k] += m
            sums[a, k] += m
            sums[b, k] += m
    start = seat.start[board]
    for h in range(seat.start[board + 1] - start):
        a, b, twin = seat.cards[start + h, 0], seat.cards[start + h, 1], seat.twin[start + h]
        for k in range(low, high):
            out[h, k] = sums[total, k] - sums[a, k] - sums[b, k]
        if twin >= 0:
            for k in range(low, high):
                out[h, k] += mass[twin, k]


@vector_jit
def showdown_values(
    seat: Seat, other: Seat, board: int, mass: AnyFloat, low: int, high: int, sums: AnyFloat, out: AnyFloat
) -> None:
    """Fill ``out[hand, k]`` for terminals ``low`` to ``high``: the members' mass beaten minus that which wins."""
    first, last = other.member_start[board], other.member_start[board + 1]
    members = last - first
    total = len(sums) - 1
    sums[:, low:high] = 0.0
    for i in range(members):
        a, b = other.member_cards[first + i, 0], other.member_cards[first + i, 1]
        for k in range(low, high):
            m = mass[i, k]
            sums[total, k] -= m
            sums[a, k] -= m
            sums[b, k] -= m
    reached, passed = 0, 0
    start = seat.start[board]
    for h in range(seat.start[board + 1] - start):
        rank = seat.rank[start + h]
        while reached < members and other.member_rank[first + reached] <= rank:
            a, b = other.member_cards[first + reached, 0], other.member_cards[first + reached, 1]
            for k in range(low, high):
                m = mass[reached, k]
                sums[total, k] += m
                sums[a, k] += m
                sums[b, k] += m
            reached += 1
        while passed < members and other.member_rank[first + passed] < rank:
            a, b = other.member_cards[first + passed, 0], other.member_cards[first + passed, 1]
            for k in range(low, high):
                m = mass[passed, k]
                sums[total, k] += m
                sums[a, k] += m
                sums[b, k] += m
            passed += 1
        a, b = seat.cards[start + h, 0], seat.cards[start + h, 1]
        for k in range(low, high):
            out[h, k] = sums[total, k] - sums[a, k] - sums[b, k]


@vector_jit
def bucket_values(
    layout: Layout,
    seat: Seat,
    board: int,
    sign: float,
    mass: AnyFloat,
    folds: int,
    count: int,
    out: AnyFloat,
) -> None:
    """Fill ``out[hand, k]`` from the bucket matrices of a board; the first ``folds`` terminals are folds."""
    at = layout.matrix_start[board]
    n, m = seat.start[board + 1] - seat.start[board], len(mass)
    out[:n, :count] = 0.0
    for h in range(n):
        for i in range(m):
            cell = at + h * m + i if sign > 0 else at + i * n + h
            joint, wins = layout.joint[cell], layout.wins[cell] * sign
            for k in range(folds):
                out[h, k] += joint * mass[i, k]
            for k in range(folds, count):
                out[h, k] += wins * mass[i, k]


@vector_jit
def terminal_values(
    layout: Layout,
    seat: Seat,
    other: Seat,
    board: int,
    block: int,
    plans: AnyFloat,
    sign: float,
    mass: AnyFloat,
    sums: AnyFloat,
    out: AnyFloat,
    spare: Any,
) -> None:
    """Fill ``out[hand, terminal]``: a player's payoff per unit of each own hand's plan, without the hand's scale.

    ``sign`` is 1 for player 0 and -1 for player 1: who wins decides it at folds.
    """
    street = layout.street[board]
    count = layout.end_start[street + 1] - layout.end_start[street]
    folds = layout.folds[street]
    if count == 0:
        return
    members = other.member_start[board + 1] - other.member_start[board]
    gather_masses(layout, other, board, block, plans, sign, mass, spare)
    if layout.matrix_start[board] >= 0:
        bucket_values(layout, seat, board, sign, mass[:members], folds, count, out)
        return
    if folds > 0:
        fold_values(seat, other, board, mass, 0, folds, sums, out)
    if count > folds:
        showdown_values(seat, other, board, mass, folds, count, sums, out)


@vector_jit
def scatter_values(
    layout: Layout,
    seat: Seat,
    board: int,
    block: int,
    values: AnyFloat,
    out: AnyFloat,
    spare: Any,
) -> float:
    """Add terminal values to the blocks of a player; return what belongs to the empty sequence.

    Values of terminals below a move on the board itself go to the block that begins at ``block``, others to the blocks
    of the boards above.
    """
    street = layout.street[board]
    start = seat.start[board]
    n = seat.start[board + 1] - start
    empty = 0.0
    low = layout.end_start[street]
    for k in range(low, layout.end_start[street + 1]):
        at = seat.end_street[k]
        if at == street:
            base = block + seat.end_column[k] * n
            for h in range(n):
                values[base + h] += out[h, k - low] * seat.scale[start + h]
        elif at < 0:
            for h in range(n):
                empty += out[h, k - low] * seat.scale[start + h]
        else:
            above = fill_ancestors(layout, seat, board, at, spare)
            base = seat.offset[above] + seat.end_column[k] * (seat.start[above + 1] - seat.start[above])
            for h in range(n):
                values[base + spare[h]] += out[h, k - low] * seat.scale[start + h]
    return empty


def scratch_sizes(layout: Layout, seats: tuple[Seat, Seat]) -> tuple[int, int]:
    """Return the largest numbers of hands or members on a board, and of terminals on a street (padded)."""
    hands = max(int(np.diff(s).max()) for seat in seats for s in (seat.start, seat.member_start))
    ends = int(np.diff(layout.end_start).max())
    return hands, -(-ends // LANES) * LANES
