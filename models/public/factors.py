r"""The factored payoff of a public game: sums by card and prefix sums by strength as auxiliary variables.

On a board of the last street let :math:`m_i` be the weight that member i of the player brings to a terminal node. Hand
h of the opponent, with cards a and b, meets (:mod:`equiform.models.public.boards`)

.. math:: T - C_a - C_b + m_{\text{twin}} \text{ at a fold}, \qquad U_g - U^a_{g'} - U^b_{g''} \text{ at a showdown},

with T and :math:`C_c` the mass of all members and of those with card c. :math:`U_g` is the mass of the members weaker
than the opponent's g-th distinct strength minus that of the stronger ones, :math:`U^c` the same among holders of c:

.. math:: U_g - U_{g-1} = \sum_{r_{g-1} \le r_i < r_g} m_i + \sum_{r_{g-1} < r_i \le r_g} m_i .

All terminal nodes below the same move of the player share their sums, and a hand reads three of them. Where hands are
buckets, the payoffs of a board are small matrices already: they are written out, and there are no sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.payoffs.factored import FactoredPayoff, Factors
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import Layout, Seat
from equiform.models.sequence_form import SequenceForm


def factored_form(game: PublicGame) -> SequenceForm:
    """Return a public game for linear programs: its operator, and its payoff in sparse factors."""
    layout, seats = game.layout, game.seats

    def factor(player: int) -> Factors:
        return _factors(layout, seats[player], seats[1 - player], player)

    return SequenceForm(game.name, game.treeplexes, FactoredPayoff(game.payoff, factor))


@dataclass
class _Entries:
    """A sparse matrix while it is written."""

    rows: list[IntArray] = field(default_factory=list)
    cols: list[IntArray] = field(default_factory=list)
    data: list[FloatArray] = field(default_factory=list)

    def add(self, rows: IntArray, cols: IntArray, data: FloatArray | float) -> None:
        self.rows.append(rows)
        self.cols.append(cols)
        self.data.append(np.broadcast_to(np.asarray(data, dtype=np.float64), rows.shape))

    def matrix(self, shape: tuple[int, int]) -> sp.csr_array:
        if not self.rows:
            return sp.csr_array(shape)
        parts = (np.concatenate(self.data), (np.concatenate(self.rows), np.concatenate(self.cols)))
        found = sp.csr_array(sp.coo_array(parts, shape=shape))
        found.eliminate_zeros()
        return found


@dataclass(frozen=True, eq=False)
class _Pattern:
    """The sums of one board, whatever move they belong to: which members they add, and which a hand reads."""

    count: int
    row: IntArray
    """With ``member`` and ``weight``: entries of G by sum and member."""
    member: IntArray
    weight: FloatArray
    chained: IntArray
    """Sums that continue the one before them."""
    reads: tuple[tuple[IntArray, IntArray, float], ...]
    """Hands, the sums that they read, and with which sign."""


def _factors(layout: Layout, own: Seat, other: Seat, player: int) -> Factors:
    direct, combine, sums, gather = (_Entries() for _ in range(4))
    total = 0
    for board in range(len(layout.street)):
        street = int(layout.street[board])
        ends = np.arange(layout.end_start[street], layout.end_start[street + 1])
        if layout.matrix_start[board] >= 0:
            _add_matrices(layout, own, other, board, ends, player, direct)
            continue
        patterns = {True: _fold_pattern(own, other, board), False: _showdown_pattern(own, other, board)}
        keys = np.stack([own.end_street[ends], own.end_column[ends]], axis=1)
        for key in np.unique(keys, axis=0):
            below = ends[(keys == key).all(axis=1)]
            holders = own.member_hand[_members(own, board)].astype(np.int64)
            sequence = _sequences(layout, own, board, int(key[0]), int(key[1]), holders)
            for fold in (True, False):
                chosen = below[(layout.winner[below] != SHOWDOWN) == fold]
                if not len(chosen):
                    continue
                pattern = patterns[fold]
                gather.add(total + pattern.row, sequence[pattern.member], pattern.weight)
                places = total + np.arange(pattern.count)
                sums.add(places, places, 1.0)
                sums.add(places[pattern.chained], places[pattern.chained] - 1, -1.0)
                for end in chosen.tolist():
                    _read(layout, own, other, board, end, player, pattern, total, combine)
                    if fold:
                        _read_twins(layout, own, other, board, end, player, sequence, direct)
                total += pattern.count
    rows, columns = int(other.offset[-1]) + 1, int(own.offset[-1]) + 1
    return Factors(
        direct.matrix((rows, columns)),
        combine.matrix((rows, total)),
        sums.matrix((total, total)),
        gather.matrix((total, columns)),
    )


def _add_matrices(
    layout: Layout, own: Seat, other: Seat, board: int, ends: IntArray, player: int, direct: _Entries
) -> None:
    """Write out the payoffs of a board whose hands are buckets."""
    mine, theirs = (np.arange(s.start[board + 1] - s.start[board]) for s in (own, other))
    low, size = int(layout.matrix_start[board]), len(mine) * len(theirs)
    shape = (len(mine), len(theirs)) if player == 0 else (len(theirs), len(mine))
    joint, wins = (m[low : low + size].reshape(shape) for m in (layout.joint, layout.wins))
    for end in ends.tolist():
        winner = int(layout.winner[end])
        worth = layout.stake[end] * (wins if winner == SHOWDOWN else joint * (1 - 2 * winner))
        columns = _sequences(layout, own, board, int(own.end_street[end]), int(own.end_column[end]), mine)
        rows = _sequences(layout, other, board, int(other.end_street[end]), int(other.end_column[end]), theirs)
        block = worth.T if player == 0 else -worth
        direct.add(np.repeat(rows, len(columns)), np.tile(columns, len(rows)), block.ravel())


def _members(seat: Seat, board: int) -> slice:
    return slice(int(seat.member_start[board]), int(seat.member_start[board + 1]))


def _hands(seat: Seat, board: int) -> slice:
    return slice(int(seat.start[board]), int(seat.start[board + 1]))


def _sequences(layout: Layout, seat: Seat, board: int, street: int, column: int, hands: IntArray) -> IntArray:
    """Return the sequences of a move, by hands of a board at or below its street; 0 if there is no move."""
    if street < 0:
        return np.zeros(len(hands), dtype=np.int64)
    at, place = board, hands.astype(np.int64)
    while layout.street[at] > street:
        place = seat.up[seat.start[at] + place].astype(np.int64)
        at = int(layout.parent[at])
    return 1 + int(seat.offset[at]) + place * int(seat.width[street]) + column


def _stake(layout: Layout, other: Seat, board: int, end: int, player: int) -> FloatArray:
    """Return what a unit of mass at a terminal node is worth to the player, by hands of the opponent."""
    sign = -1.0 if layout.winner[end] in (SHOWDOWN, 1 - player) else 1.0  # the sums at showdowns are the opponent's
    return sign * layout.stake[end] * layout.factor[board] * other.scale[_hands(other, board)]


def _read(
    layout: Layout,
    own: Seat,
    other: Seat,
    board: int,
    end: int,
    player: int,
    pattern: _Pattern,
    first: int,
    combine: _Entries,
) -> None:
    """Let the opponent's hands read the sums at a terminal node."""
    hands = np.arange(other.start[board + 1] - other.start[board])
    rows = _sequences(layout, other, board, int(other.end_street[end]), int(other.end_column[end]), hands)
    worth = _stake(layout, other, board, end, player)
    for readers, places, sign in pattern.reads:
        combine.add(rows[readers], first + places, sign * worth[readers])


def _read_twins(
    layout: Layout, own: Seat, other: Seat, board: int, end: int, player: int, sequence: IntArray, direct: _Entries
) -> None:
    """Add back, at a fold, the member with the same cards, which both card sums took away."""
    twin = other.twin[_hands(other, board)].astype(np.int64)
    hands = np.flatnonzero(twin >= 0)
    rows = _sequences(layout, other, board, int(other.end_street[end]), int(other.end_column[end]), hands)
    worth = _stake(layout, other, board, end, player)[hands]
    direct.add(rows, sequence[twin[hands]], worth * own.member_weight[_members(own, board)][twin[hands]])


def _fold_pattern(own: Seat, other: Seat, board: int) -> _Pattern:
    """Add up all members, and the members with each card that the opponent may hold."""
    members, hands = _members(own, board), _hands(other, board)
    cards, weight = own.member_cards[members].astype(np.int64), own.member_weight[members]
    held = np.unique(other.cards[hands])
    held = held[np.isin(held, cards)].astype(np.int64)
    place = np.full(int(max(cards.max(initial=0), other.cards[hands].max(initial=0))) + 1, -1, dtype=np.int64)
    place[held] = 1 + np.arange(len(held))
    rows, which = [np.zeros(len(weight), dtype=np.int64)], [np.arange(len(weight))]
    reads = [(np.arange(hands.stop - hands.start), np.zeros(hands.stop - hands.start, dtype=np.int64), 1.0)]
    for side in (0, 1):
        mine = np.flatnonzero(place[cards[:, side]] >= 0)
        rows.append(place[cards[mine, side]])
        which.append(mine)
        theirs = place[other.cards[hands][:, side].astype(np.int64)]
        reading = np.flatnonzero(theirs >= 0)
        reads.append((reading, theirs[reading], -1.0))
    member = np.concatenate(which)
    return _Pattern(
        1 + len(held), np.concatenate(rows), member, weight[member], np.zeros(0, dtype=np.int64), tuple(reads)
    )


def _showdown_pattern(own: Seat, other: Seat, board: int) -> _Pattern:
    """Chain the differences of weaker and stronger members: all of them, and those with each card."""
    members, hands = _members(own, board), _hands(other, board)
    cards, weight = own.member_cards[members], own.member_weight[members]
    ranks, theirs = own.member_rank[members], other.rank[hands]
    held = other.cards[hands]
    rows, which, factor, reads, chained = [], [], [], [], []
    count = 0
    groups = [(np.arange(len(ranks)), np.arange(len(theirs)), 1.0)]
    for card in np.unique(held).tolist():
        groups.append((np.flatnonzero((cards == card).any(axis=1)), np.flatnonzero((held == card).any(axis=1)), -1.0))
    for mine, reading, sign in groups:
        if not len(mine) or not len(reading):
            continue
        levels, level = np.unique(theirs[reading], return_inverse=True)
        row, place, amount = _chain(ranks[mine], levels)
        rows.append(count + row)
        which.append(mine[place])
        factor.append(amount)
        chained.append(count + np.arange(1, len(levels)))
        reads.append((reading, count + level, sign))
        count += len(levels)
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        return _Pattern(0, nothing, nothing, np.zeros(0), nothing, ())
    member = np.concatenate(which)
    amounts = np.concatenate(factor) * weight[member]
    return _Pattern(count, np.concatenate(rows), member, amounts, np.concatenate(chained), tuple(reads))


def _chain(ranks: Int32Array, levels: Int32Array) -> tuple[IntArray, IntArray, FloatArray]:
    """Return what members add to a chain over levels: −1 below their rank, 0 at it, 1 above, as increments."""
    size, members = len(levels), np.arange(len(ranks))
    tie, above = np.searchsorted(levels, ranks, "left"), np.searchsorted(levels, ranks, "right")
    start = np.where(tie > 0, -1.0, np.where(above > 0, 0.0, 1.0))
    first, at, over = start != 0, (tie > 0) & (tie < size), (above > 0) & (above < size)
    rows = np.concatenate([np.zeros(first.sum(), dtype=np.int64), tie[at], above[over]])
    place = np.concatenate([members[first], members[at], members[over]])
    return rows, place, np.concatenate([start[first], np.ones(at.sum()), np.ones(over.sum())])
