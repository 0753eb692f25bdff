r"""Compiled sweeps over the blocks of a public game: strategies down, values up, hands side by side.

A block (see :mod:`equiform.models.public.layout`) has a row per move and a column per hand, so every step of regret
matching is a loop over the hands in which nothing depends on a neighbour. Boards of the last street are worked on one
at a time in scratch memory: nothing is stored for them but regrets and averages. Blocks of earlier streets, few in
comparison, are kept whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import borrowing_jit, inlined
from equiform.models.public.layout import AnyFloat, Layout, Seat
from equiform.models.public.terminal_values import Lanes, add_terminal_values, fill_ancestors, make_lanes, padded
from equiform.models.public.vectors import (
    WIDTH,
    add,
    aligned,
    divide,
    item,
    load_some,
    moved,
    multiply,
    pointer,
    splat,
    store_some,
    subtract,
    where_greater,
)
from equiform.solvers_iterative.regret.rule import Weights, average_weight, discount


class Work(NamedTuple):
    """Scratch memory of one sweep (and of one thread). Blocks of the board in hand follow those of earlier streets."""

    plan: AnyFloat
    behavior: AnyFloat
    other_plan: AnyFloat
    other_behavior: AnyFloat
    values: AnyFloat
    lanes: Lanes
    vector: AnyFloat
    places: IntArray
    shares: AnyFloat  # [k]: one over k
    empty: FloatArray  # one number: the value of the empty sequence


class Numbers(NamedTuple):
    """Scalars in the type of the arrays: a plain 0.0 would widen loops over 32 bits to 64."""

    zero: Any
    one: Any
    tiny: Any  # regrets below it are rounding dust
    least: Any  # plans below it are zero
    positive: Any  # what positive regrets are multiplied by
    negative: Any
    decay: Any  # what the average so far is multiplied by


def make_work(layout: Layout, seat: Seat, other: Seat, upper: int, dtype: Any) -> Work:
    """Allocate scratch for a player; ``upper`` is the number of boards before the last street."""
    lanes = make_lanes(layout, (seat, other), dtype)
    hands = int(padded(len(lanes.places)))
    own, theirs = (int(s.offset[upper]) + int(np.diff(s.offset[upper:]).max()) for s in (seat, other))
    return Work(
        aligned(own, dtype),
        aligned(own, dtype),
        aligned(theirs, dtype),
        aligned(theirs, dtype),
        aligned(own, dtype),
        lanes,
        aligned(hands, dtype),
        np.zeros(hands, np.int64),
        (1.0 / np.maximum(np.arange(1 + max(int(seat.size.max(initial=1)), int(other.size.max(initial=1)))), 1)).astype(
            dtype
        ),
        np.zeros(1),
    )


def make_works(layout: Layout, seats: tuple[Seat, Seat], upper: int, dtype: Any) -> tuple[Work, Work]:
    """Allocate scratch for both players; on a single board what is own for one is the opponent's for the other."""
    first, second = make_work(layout, *seats, upper, dtype), make_work(layout, *seats[::-1], upper, dtype)
    if len(layout.street) == 1:
        second = second._replace(
            plan=first.other_plan,
            behavior=first.other_behavior,
            other_plan=first.plan,
            other_behavior=first.behavior,
        )
    return first, second


@borrowing_jit
def _from_above(
    layout: Layout, seat: Seat, board: int, decision: int, plan: AnyFloat, places: Any, one: Any, out: Any
) -> None:
    """Write the player's own reach of a decision whose last move before is on an earlier street, by hand."""
    n = seat.start[board + 1] - seat.start[board]
    above = seat.above_street[decision]
    if above < 0:
        out[:n] = one
        return
    at = fill_ancestors(layout, seat, board, above, places)
    base = seat.offset[at] + seat.above_column[decision] * (seat.start[at + 1] - seat.start[at])
    for h in range(n):
        out[h] = plan[base + places[h]]


@inlined
def _match(
    regret: Any, fixed: Any, behavior: Any, plan: Any, reach: Any,
    size: int, n: int, some: int, locked: bool, uniform: Any, numbers: Numbers,
) -> None:  # fmt: skip
    """Match the regrets of a decision for some hands, at most a vector, and multiply down. All arrays are pointers."""
    zero, tiny, least = splat(numbers.zero), splat(numbers.tiny), splat(numbers.least)
    mass, met = zero, load_some(reach, 0, some)
    for a in range(size):
        row = load_some(regret, a * n, some)
        mass = add(mass, where_greater(row, zero, row, zero))
    share = where_greater(mass, tiny, divide(splat(numbers.one), mass), zero)
    rest = where_greater(mass, tiny, zero, splat(uniform))
    for a in range(size):
        row = load_some(regret, a * n, some)
        own = add(multiply(where_greater(row, zero, row, zero), share), rest)
        if locked:
            lock = load_some(fixed, a * n, some)
            own = where_greater(zero, lock, own, lock)
        down = multiply(met, own)
        store_some(behavior, a * n, own, some)
        store_some(plan, a * n, where_greater(down, least, down, zero), some)


@borrowing_jit
def forward(
    layout: Layout,
    seat: Seat,
    board: int,
    block: int,
    regret: AnyFloat,
    fixed: AnyFloat,
    behavior: AnyFloat,
    plan: AnyFloat,
    numbers: Numbers,
    work: Work,
) -> None:
    """Match regrets and multiply down: fill the board's block of ``behavior`` and ``plan``."""
    street = layout.street[board]
    n, offset = seat.start[board + 1] - seat.start[board], seat.offset[board]
    sizes, columns, shares = pointer(seat.size), pointer(seat.first), pointer(work.shares)
    streets, above = pointer(seat.above_street), pointer(seat.above_column)
    own, down, here, locks = pointer(behavior), pointer(plan), pointer(regret), pointer(fixed)
    locked = len(fixed) > 0
    for d in range(seat.decision_start[street], seat.decision_start[street + 1]):
        size, first = item(sizes, d), item(columns, d) * n
        reach = moved(down, block + item(above, d) * n)
        if item(streets, d) < street:
            _from_above(layout, seat, board, d, plan, work.places, numbers.one, work.vector)
            reach = pointer(work.vector)
        for h in range(0, n, WIDTH):
            at, to = offset + first + h, block + first + h
            old, lock, met = moved(here, at), moved(locks, at), moved(reach, h)
            new, below = moved(own, to), moved(down, to)
            if n - h >= WIDTH:
                _match(old, lock, new, below, met, size, n, WIDTH, locked, item(shares, size), numbers)
            else:
                _match(old, lock, new, below, met, size, n, n - h, locked, item(shares, size), numbers)


@borrowing_jit
def average(seat: Seat, board: int, block: int, total: AnyFloat, plan: AnyFloat, decay: Any) -> None:
    """Add the plan of a board to the running average."""
    low, size = seat.offset[board], seat.offset[board + 1] - seat.offset[board]
    sums, added = total[low : low + size], plan[block : block + size]
    for k in range(size):
        sums[k] = sums[k] * decay + added[k]


@borrowing_jit
def load_average(seat: Seat, board: int, block: int, total: AnyFloat, plan: AnyFloat, scale: Any) -> None:
    """Read the averaged plan of a board."""
    low, size = seat.offset[board], seat.offset[board + 1] - seat.offset[board]
    sums, out = total[low : low + size], plan[block : block + size]
    for k in range(size):
        out[k] = sums[k] * scale


@inlined
def _update(
    regret: Any, behavior: Any, values: Any, found: Any, size: int, n: int, some: int, numbers: Numbers
) -> None:
    """Change the regrets of a decision for some hands, at most a vector, and add its value to ``found``."""
    zero, tiny, dust = splat(numbers.zero), splat(numbers.tiny), splat(-numbers.tiny)
    positive, negative = splat(numbers.positive), splat(numbers.negative)
    mean = zero
    for a in range(size):
        mean = add(mean, multiply(load_some(behavior, a * n, some), load_some(values, a * n, some)))
    for a in range(size):
        row = add(load_some(regret, a * n, some), subtract(load_some(values, a * n, some), mean))
        row = multiply(row, where_greater(row, zero, positive, negative))
        row = where_greater(row, tiny, row, where_greater(dust, row, row, zero))  # numbers below the normal are slow
        store_some(regret, a * n, row, some)
    store_some(found, 0, add(load_some(found, 0, some), mean), some)


@inlined
def _best(fixed: Any, values: Any, found: Any, size: int, n: int, some: int, locked: bool, numbers: Numbers) -> None:
    """Add the value of the best move to ``found`` for some hands; where moves are fixed, that of the fixed mixture."""
    best = load_some(values, 0, some)
    for a in range(1, size):
        value = load_some(values, a * n, some)
        best = where_greater(value, best, value, best)
    if locked:
        zero = splat(numbers.zero)
        mean = zero
        for a in range(size):
            mean = add(mean, multiply(load_some(fixed, a * n, some), load_some(values, a * n, some)))
        best = where_greater(zero, load_some(fixed, 0, some), best, mean)
    store_some(found, 0, add(load_some(found, 0, some), best), some)


@borrowing_jit
def backward(
    layout: Layout,
    seat: Seat,
    board: int,
    block: int,
    respond: bool,
    regret: AnyFloat,
    fixed: AnyFloat,
    numbers: Numbers,
    work: Work,
) -> None:
    """Turn the values of a board's moves into regrets, and add the values of its decisions to the moves above.

    With ``respond`` no regret changes and a decision is worth its best move (or what is fixed there).
    """
    street = layout.street[board]
    n, offset = seat.start[board + 1] - seat.start[board], seat.offset[board]
    sizes, columns = pointer(seat.size), pointer(seat.first)
    streets, above = pointer(seat.above_street), pointer(seat.above_column)
    here, locks, own, worth = pointer(regret), pointer(fixed), pointer(work.behavior), pointer(work.values)
    locked = len(fixed) > 0
    for d in range(seat.decision_start[street + 1] - 1, seat.decision_start[street] - 1, -1):
        size, first = item(sizes, d), item(columns, d) * n
        found = moved(worth, block + item(above, d) * n)
        if item(streets, d) < street:
            found = pointer(work.vector)
            work.vector[:n] = numbers.zero
        for h in range(0, n, WIDTH):
            at, to = offset + first + h, block + first + h
            if respond:
                _best(moved(locks, at), moved(worth, to), moved(found, h), size, n, min(WIDTH, n - h), locked, numbers)
                continue
            old, played, value, sums = moved(here, at), moved(own, to), moved(worth, to), moved(found, h)
            if n - h >= WIDTH:
                _update(old, played, value, sums, size, n, WIDTH, numbers)
            else:
                _update(old, played, value, sums, size, n, n - h, numbers)
        if item(streets, d) < street:
            _to_above(layout, seat, board, d, work.values, work)


@borrowing_jit
def _to_above(layout: Layout, seat: Seat, board: int, decision: int, values: AnyFloat, work: Work) -> None:
    """Add the values of a decision, by hand in ``work.vector``, to the move of an earlier street that leads to it."""
    n, found = seat.start[board + 1] - seat.start[board], work.vector
    above = seat.above_street[decision]
    if above >= 0:
        at = fill_ancestors(layout, seat, board, above, work.places)
        wide = seat.start[at + 1] - seat.start[at]
        row = values[seat.offset[at] + seat.above_column[decision] * wide :]
        for h in range(n):
            row[work.places[h]] += found[h]
    else:
        for h in range(n):
            work.empty[0] += found[h]


@borrowing_jit
def sweep(
    layout: Layout,
    seat: Seat,
    other: Seat,
    upper: int,
    low: int,
    high: int,
    down: bool,
    up: bool,
    respond: bool,
    both: bool,
    regrets: tuple[AnyFloat, AnyFloat],
    totals: tuple[AnyFloat, AnyFloat],
    fixed: tuple[AnyFloat, AnyFloat],
    numbers: Numbers,
    work: Work,
) -> None:
    """Work on boards ``low`` to ``high``: strategies ``down``, values ``up`` (in reverse order unless both).

    An update matches regrets and changes those of the player; a response leaves them and answers the opponent's
    average (``numbers.decay`` is then one over its weight). Without ``both`` the player's own plan is there already.
    One function for all of it: it is compiled once.
    """
    for step in range(high - low):
        b = low + step if down else high - 1 - step
        block = seat.offset[b] if b < upper else seat.offset[upper]
        theirs = other.offset[b] if b < upper else other.offset[upper]
        if down:
            if respond:
                load_average(other, b, theirs, totals[1], work.other_plan, numbers.decay)
            else:
                for p in range(0 if both else 1, 2):
                    who, at = (seat, block) if p == 0 else (other, theirs)
                    plan = work.plan if p == 0 else work.other_plan
                    behavior = work.behavior if p == 0 else work.other_behavior
                    forward(layout, who, b, at, regrets[p], fixed[p], behavior, plan, numbers, work)
                average(seat, b, block, totals[0], work.plan, numbers.decay)
            work.values[block : block + seat.offset[b + 1] - seat.offset[b]] = numbers.zero
        if up:
            work.empty[0] += add_terminal_values(
                layout, seat, other, b, block, theirs, work.other_plan, work.values, work.lanes
            )
            backward(layout, seat, b, block, respond, regrets[0], fixed[0], numbers, work)


@borrowing_jit
def whole_sweep(
    layout: Layout,
    seats: tuple[Seat, Seat],
    player: int,
    upper: int,
    respond: bool,
    both: bool,
    regrets: tuple[AnyFloat, AnyFloat],
    totals: tuple[AnyFloat, AnyFloat],
    fixed: tuple[AnyFloat, AnyFloat],
    numbers: Numbers,
    work: Work,
) -> None:
    """Sweep all boards for one player: earlier streets down, the last street, earlier streets up."""
    seat, other = seats[player], seats[1 - player]
    own, sums = (regrets[player], regrets[1 - player]), (totals[player], totals[1 - player])
    locks = (fixed[player], fixed[1 - player])
    work.empty[0] = 0.0
    boards = len(layout.street)
    for phase in range(3):
        low, high = (upper, boards) if phase == 1 else (0, upper)
        if low == high:
            continue
        down, up = phase < 2, phase > 0
        sweep(layout, seat, other, upper, low, high, down, up, respond, both, own, sums, locks, numbers, work)


@borrowing_jit
def iterate(
    layout: Layout,
    seats: tuple[Seat, Seat],
    upper: int,
    regrets: tuple[AnyFloat, AnyFloat],
    totals: tuple[AnyFloat, AnyFloat],
    fixed: tuple[AnyFloat, AnyFloat],
    works: tuple[Work, Work],
    scalars: AnyFloat,
    weights: Weights,
    done: int,
    count: int,
    respond: bool,
) -> None:
    """Run iterations of discounted regret matching, the players in turn; or let both respond to the averages.

    ``scalars`` holds zero, one, the least regret and the least plan that count, and room for three numbers, all in the
    type of the state. On a single board the players' scratch memory is shared crosswise (:func:`make_works`): what a
    player answered to last is still there, and only the opponent's new regrets have to be matched.
    """
    shared = len(layout.street) == 1
    for t in range(done + 1, done + count + 1):
        if not respond:
            scalars[4] = discount(t, weights.alpha)
            scalars[5] = discount(t, weights.beta)
            scalars[6] = average_decay(t, weights)
        numbers = Numbers(scalars[0], scalars[1], scalars[2], scalars[3], scalars[4], scalars[5], scalars[6])
        for player in range(2):
            both = not shared or (t == done + 1 and player == 0)
            whole_sweep(layout, seats, player, upper, respond, both, regrets, totals, fixed, numbers, works[player])


@borrowing_jit
def average_decay(t: int, weights: Weights) -> float:
    """Return what the average so far is multiplied by before iteration t is added with weight one."""
    return average_weight(t - 1, weights) / average_weight(t, weights) if t > weights.delay + 1 else 0.0
