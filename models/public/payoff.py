"""The payoff of a public game as an operator: no matrix, O(n) work per terminal node and board."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import borrowing_jit
from equiform.models.public.layout import AnyFloat, Layout, Seat, from_blocks, to_blocks
from equiform.models.public.terminal_values import Lanes, add_terminal_values, make_lanes


@dataclass(frozen=True, eq=False)
class PublicPayoff:
    """Player 0's payoff."""

    layout: Layout = field(repr=False)
    seats: tuple[Seat, Seat] = field(repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Sequences of either player."""
        return int(self.seats[0].offset[-1]) + 1, int(self.seats[1].offset[-1]) + 1

    def times(self, y: FloatArray) -> FloatArray:
        """Return ``A y``."""
        return self._gradient(0, y)

    def transpose_times(self, x: FloatArray) -> FloatArray:
        """Return ``Aᵀ x``."""
        return -self._gradient(1, x)

    def magnitude(self) -> PublicPayoff:
        """Return an operator whose entries are at least the absolute values of this one's."""
        stakes = self.layout._replace(winner=np.abs(self.layout.winner) * 0, wins=np.abs(self.layout.wins))
        # a showdown wins or loses at most what a fold would
        first, second = (
            s._replace(fold_lanes=np.diff(s.lane_start), show_lanes=np.diff(s.lane_start)) for s in self.seats
        )
        return PublicPayoff(stakes._replace(folds=np.diff(stakes.end_start)), (first, second))

    def _gradient(self, player: int, plan: FloatArray) -> FloatArray:
        """Return a player's payoff per unit of each own sequence, against a plan of the opponent's."""
        seat, other = self.seats[player], self.seats[1 - player]
        plans, values = np.empty(int(other.offset[-1])), np.zeros(int(seat.offset[-1]))
        to_blocks(self.layout, other, plan, plans)
        lanes = make_lanes(self.layout, self.seats, np.float64)
        empty = _all_boards(self.layout, seat, other, plans, values, lanes)
        out = np.empty(self.shape[player])
        out[0] = empty
        from_blocks(self.layout, seat, values, out)
        return out


@borrowing_jit
def _all_boards(layout: Layout, seat: Seat, other: Seat, plans: AnyFloat, values: AnyFloat, lanes: Lanes) -> float:
    """Evaluate the terminal nodes of all boards into blocks; return what belongs to the empty sequence."""
    empty = 0.0
    for board in range(len(layout.street)):
        own, theirs = seat.offset[board], other.offset[board]
        empty += add_terminal_values(layout, seat, other, board, own, theirs, plans, values, lanes)
    return empty
