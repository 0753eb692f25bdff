r"""How often three hands come in each order, for every class of hands at once.

Let three pairs of ranks be given, and let :math:`g(c, f)` be the number of ways to choose suits for them, all cards
different, so that the hands are of the classes :math:`c` (suited or not) and suit 0 holds the cards that the flags
:math:`f` name. With :math:`G(c) = \sum_f g(c, f)`, the number of deals in which the hands come in order :math:`o` is

.. math:: G(c) \sum_m w(m)\,[o = o(m)] + 4 \sum_f g(c, f) \sum_{F, k} w_f(F, k)
          \bigl([o = o_f(F, k)] - [o = o(F, k)]\bigr).

The first sum runs over rank multisets, as if there were no flushes; the second corrects the boards with three or more
cards of one suit (four suits, hence the 4). The weights are those of :mod:`~equiform.games.cards.all_in.boards`. The
inner loops compare whole lines of boards, and no board is looked at for its suits otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.boards import GHOST, LANES, NO_BOARD, AllInBoards
from equiform.games.cards.rank_tables import N_RANKS
from equiform.models.common.jit import jit

#: The 13 weak orders of three players: for each, how many of the others are stronger.
ORDERS: tuple[tuple[int, int, int], ...] = (
    (0, 1, 2),
    (0, 2, 1),
    (1, 0, 2),
    (2, 0, 1),
    (1, 2, 0),
    (2, 1, 0),
    (0, 0, 2),
    (0, 2, 0),
    (2, 0, 0),
    (0, 1, 1),
    (1, 0, 1),
    (1, 1, 0),
    (0, 0, 0),
)
N_ORDERS = len(ORDERS)
N_PARTIAL = N_ORDERS - 1  # the last one is what is left
_COMBOS = 8  # suited or not, for three hands
_PATTERNS = 64  # two flags for three hands


@jit
def _tally(
    first: NDArray[np.int16],
    second: NDArray[np.int16],
    third: NDArray[np.int16],
    weights: NDArray[np.int16],
    found: NDArray[np.int16],
) -> None:
    """Add the weights of one line of boards to the orders that the hands come in."""
    for lane in range(LANES):  # a constant number of turns: this becomes vector instructions
        x, y, z, w = first[lane], second[lane], third[lane], weights[lane]
        xy, yx, xz, zx, yz, zy = x > y, y > x, x > z, z > x, y > z, z > y
        found[0, lane] += w if xy & yz else 0
        found[1, lane] += w if xz & zy else 0
        found[2, lane] += w if yx & xz else 0
        found[3, lane] += w if yz & zx else 0
        found[4, lane] += w if zx & xy else 0
        found[5, lane] += w if zy & yx else 0
        found[6, lane] += w if (x == y) & xz else 0
        found[7, lane] += w if (x == z) & xy else 0
        found[8, lane] += w if (y == z) & yx else 0
        found[9, lane] += w if (y == z) & xy else 0
        found[10, lane] += w if (x == z) & yx else 0
        found[11, lane] += w if (x == y) & zx else 0


@jit
def _add_lines(found: NDArray[np.int16], sign: int, out: NDArray[np.int64]) -> None:
    """Sum over lanes into ``out``, and clear the lines; the last order gets what the others leave of nothing."""
    for order in range(N_PARTIAL):
        total = 0
        for lane in range(LANES):
            total += found[order, lane]
            found[order, lane] = 0
        out[order] += sign * total
        out[N_PARTIAL] -= sign * total


@jit
def _plain_orders(
    pairs: NDArray[np.int64], used: NDArray[np.int64], boards: AllInBoards, out: NDArray[np.int64]
) -> None:
    """Count the orders over all rank multisets, with exact card removal and without flushes."""
    binomials = np.zeros((5, 6), dtype=np.int64)
    for n in range(5):
        binomials[n, 0] = 1
        for k in range(1, n + 1):
            binomials[n, k] = binomials[n, k - 1] * (n - k + 1) // k
    x, y, z = boards.plain[pairs[0]], boards.plain[pairs[1]], boards.plain[pairs[2]]
    code = np.zeros((3, 3, 3), dtype=np.int64)
    for order, places in enumerate(ORDERS):
        code[places[0], places[1], places[2]] = order
    for b in range(len(boards.multisets)):
        weight, run = 1, 1
        for i in range(1, 6):
            rank = boards.multisets[b, i - 1]
            if i < 5 and boards.multisets[b, i] == rank:
                run += 1
            else:
                weight *= binomials[4 - used[rank], run]
                run = 1
        if weight:
            s, t, u = x[b], y[b], z[b]
            out[code[(t > s) + (u > s), (s > t) + (u > t), (s > u) + (t > u)]] += weight


@jit
def _flush_orders(
    states: NDArray[np.int64], taken: int, used: NDArray[np.int64], boards: AllInBoards, out: NDArray[np.int64]
) -> None:
    """Count the orders with flushes minus those without, over the boards with three or more cards in suit 0.

    ``taken`` is the mask of the hands' ranks in suit 0, ``used`` counts their cards in the other suits by rank.
    """
    a, b, c = states
    p, q, r = a // 4, b // 4, c // 4
    found = np.zeros((N_PARTIAL, LANES), dtype=np.int16)
    weights = np.zeros(LANES, dtype=np.int16)
    flags = a & 3, b & 3, c & 3
    if flags[0] == 3 or flags[1] == 3 or flags[2] == 3:
        masks, three = boards.suited[0], boards.three
        for line in range(three.shape[1]):
            for lane in range(LANES):
                k = line * LANES + lane
                weights[lane] = 0
                if k < len(boards.rests):
                    s, t = boards.rests[k]
                    left, right = 3 - used[s], 3 - used[t]
                    weights[lane] = left * (left - 1) // 2 if s == t else left * right
            for f in range(len(masks)):
                if not masks[f] & taken:
                    _tally(three[a, line, f], three[b, line, f], three[c, line, f], weights, found)
            _add_lines(found, 1, out)
            for f in range(len(masks)):
                if not masks[f] & taken:
                    _tally(three[4 * p, line, f], three[4 * q, line, f], three[4 * r, line, f], weights, found)
            _add_lines(found, -1, out)
    masks = boards.suited[1]
    if flags[0] or flags[1] or flags[2]:
        for lane in range(LANES):
            weights[lane] = 3 - used[lane] if lane < N_RANKS else 0
        for f in range(len(masks)):
            if not masks[f] & taken:
                _tally(boards.four[a, f], boards.four[b, f], boards.four[c, f], weights, found)
        _add_lines(found, 1, out)
        for f in range(len(masks)):
            if not masks[f] & taken:
                _tally(boards.four[4 * p, f], boards.four[4 * q, f], boards.four[4 * r, f], weights, found)
        _add_lines(found, -1, out)
    masks, hit = boards.suited[2], taken | NO_BOARD
    for f in range(0, len(masks), LANES):
        for lane in range(LANES):
            weights[lane] = (masks[f + lane] & hit) == 0
        _tally(boards.five[a, f:], boards.five[b, f:], boards.five[c, f:], weights, found)
    _add_lines(found, 1, out)
    for f in range(0, len(masks), LANES):
        for lane in range(LANES):
            weights[lane] = (masks[f + lane] & hit) == 0
        _tally(boards.plain_five[p, f:], boards.plain_five[q, f:], boards.plain_five[r, f:], weights, found)
    _add_lines(found, -1, out)


@jit
def _suit_choices(ranks: NDArray[np.int64], ways: NDArray[np.int64]) -> None:
    """Count the choices of suits by classes and flags: ``ways[suited or not, flags]``."""
    ways[:] = 0
    suits = np.zeros(6, dtype=np.int64)
    for choice in range(4**6):
        seen, combo, pattern, good = 0, 0, 0, True
        for hand in range(3):
            if ranks[2 * hand] < 0:  # a ghost holds its cards in one way
                good = good and (choice >> 4 * hand) & 15 == 0
                continue
            high, low = (choice >> 4 * hand) & 3, (choice >> (4 * hand + 2)) & 3
            suits[2 * hand], suits[2 * hand + 1] = high, low
            if ranks[2 * hand] == ranks[2 * hand + 1]:
                good = good and high < low  # the two cards of a pair in one order only
            elif high == low:
                combo |= 1 << hand
            pattern |= ((high == 0) | (low == 0) << 1) << 2 * hand
            for card in (4 * ranks[2 * hand] + high, 4 * ranks[2 * hand + 1] + low):
                good = good and not seen >> card & 1
                seen |= 1 << card
        if good:
            ways[combo, pattern] += 1


@jit
def count_orders(
    pairs: NDArray[np.int64], rank_pairs: NDArray[np.int64], boards: AllInBoards, out: NDArray[np.int64]
) -> None:
    """Count the deals by order, ``out[suited or not, order]``, for three pairs of ranks (or :data:`GHOST`)."""
    ways = np.zeros((_COMBOS, _PATTERNS), dtype=np.int64)
    ranks = np.full(6, -1, dtype=np.int64)
    used = np.zeros(LANES, dtype=np.int64)
    for hand in range(3):
        if pairs[hand] != GHOST:
            ranks[2 * hand : 2 * hand + 2] = rank_pairs[pairs[hand]]
            used[rank_pairs[pairs[hand], 0]] += 1
            used[rank_pairs[pairs[hand], 1]] += 1
    out[:] = 0
    if used.max() > 4:
        return
    _suit_choices(ranks, ways)
    plain = np.zeros(N_ORDERS, dtype=np.int64)
    _plain_orders(pairs, used, boards, plain)
    for combo in range(_COMBOS):
        out[combo] = ways[combo].sum() * plain
    states = np.zeros(3, dtype=np.int64)
    change = np.zeros(N_ORDERS, dtype=np.int64)
    for pattern in range(_PATTERNS):
        if not ways[:, pattern].any():
            continue
        taken = 0
        elsewhere = used.copy()
        for card in range(6):
            if pattern >> card & 1:
                taken |= 1 << ranks[card]
                elsewhere[ranks[card]] -= 1
        for hand in range(3):
            states[hand] = 4 * pairs[hand] + (pattern >> 2 * hand & 3)
        change[:] = 0
        _flush_orders(states, taken, elsewhere, boards, change)
        for combo in range(_COMBOS):
            out[combo] += 4 * ways[combo, pattern] * change
