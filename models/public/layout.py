r"""A public game as compiled loops see it: flat arrays, and where things lie in them.

A player's numbers on board b form a *block* with a row per column (move) of the street and a column per hand; blocks
stand one after the other. Hands are innermost, so that loops over them run in vector registers. Realization plans of
the treeplex hold the same numbers hand by hand (:func:`to_blocks` and :func:`from_blocks` convert).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.jit import borrowing_jit
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.public.boards import Boards

#: A vector in 32 or 64 bits.
AnyFloat = NDArray[Any]


class Seat(NamedTuple):
    """One player's side."""

    player: int
    width: IntArray  # [street]: columns
    offset: IntArray  # [board]: where its block begins; one more entry for the end
    decision_start: IntArray  # [street]: its first decision; one more for the end
    first: IntArray  # [decision]: its first column
    size: IntArray  # [decision]: how many columns
    above_street: IntArray  # [decision]: street of the player's move before it, -1 if none
    above_column: IntArray
    end_street: IntArray  # [terminal]: street of the player's last move before it, -1 if none
    end_column: IntArray
    lane_start: IntArray  # [street]: its first lane, a last move before terminals; one more for the end
    lane_street: IntArray  # [lane]: street of the move, -1 if there is none
    lane_column: IntArray
    fold_lanes: IntArray  # [street]: how many of its lanes lead to folds; they come first
    show_lanes: IntArray  # [street]: the first of its lanes that leads to a showdown; all after it do
    end_lane: IntArray  # [terminal]: its lane on its street
    start: IntArray  # the rest as in HandTable
    up: Int32Array
    cards: NDArray[np.int16]
    scale: FloatArray
    rank: Int32Array
    twin: Int32Array
    member_start: IntArray
    member_hand: Int32Array
    member_cards: NDArray[np.int16]
    member_weight: FloatArray
    member_rank: Int32Array


class Layout(NamedTuple):
    """What the players share."""

    street: IntArray  # [board]
    parent: IntArray  # [board]
    factor: FloatArray  # [board]
    end_start: IntArray  # [street]: its first terminal; one more for the end
    folds: IntArray  # [street]: how many of its terminals are folds; they come first
    winner: IntArray  # [terminal]
    stake: FloatArray  # [terminal]
    rows: int  # of the sums by card: the deck and two dummies
    matrix_start: IntArray  # [board]: where its matrices begin, -1 if it has none
    joint: FloatArray  # bucket matrices, player 0's bucket by row
    wins: FloatArray


def lay_out(betting: BettingTree, boards: Boards) -> tuple[Layout, tuple[Seat, Seat]]:
    """Flatten a public game."""
    ends = np.concatenate(betting.terminals)
    counts = [len(t) for t in betting.terminals]
    folds = [int((betting.winner[t] != SHOWDOWN).sum()) for t in betting.terminals]
    matrix_start, joint, wins = _flat_matrices(boards)
    layout = Layout(
        boards.street.astype(np.int64),
        boards.parent.astype(np.int64),
        boards.factor,
        np.append(0, np.cumsum(counts)).astype(np.int64),
        np.array(folds, dtype=np.int64),
        betting.winner[ends].astype(np.int64),
        betting.stake[ends].astype(np.float64),
        boards.deck + 2,
        matrix_start,
        joint,
        wins,
    )
    return layout, (_seat(layout, betting, boards, ends, 0), _seat(layout, betting, boards, ends, 1))


def _seat(layout: Layout, betting: BettingTree, boards: Boards, ends: IntArray, player: int) -> Seat:
    moves, hands = betting.seats[player], boards.hands[player]
    decisions = np.concatenate(moves.decisions).astype(np.int64)
    sizes = np.diff(hands.start) * moves.width[boards.street]
    return Seat(
        player,
        moves.width,
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.append(0, np.cumsum([len(d) for d in moves.decisions])).astype(np.int64),
        np.concatenate(moves.first).astype(np.int64),
        np.concatenate(moves.size).astype(np.int64),
        moves.last_street[decisions],
        moves.last_column[decisions],
        moves.last_street[ends],
        moves.last_column[ends],
        *_lanes(layout, moves.last_street[ends], moves.last_column[ends]),
        *(getattr(hands, name) for name in Seat._fields[Seat._fields.index("start") :]),
    )


def _lanes(
    layout: Layout, streets: IntArray, columns: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return a player's last moves before the terminals of each street.

    One move may lead to several terminals: after a bet the opponent folds or calls. Moves that lead to folds alone come
    first and those that lead to showdowns alone last.
    """
    start, folds, shows = [0], [], []
    lane_street, lane_column, end_lane = (np.zeros(0, dtype=np.int64),) * 3
    for low, high, folding in zip(layout.end_start[:-1], layout.end_start[1:], layout.folds, strict=True):
        moves = np.stack([streets[low:high], columns[low:high]], axis=1).astype(np.int64)
        found, lane = np.unique(moves, axis=0, return_inverse=True)
        folded, shown = (np.isin(np.arange(len(found)), part) for part in (lane[:folding], lane[folding:]))
        order = np.argsort(shown * 2 - folded, kind="stable")  # folds alone -1, both 1, showdowns alone 2
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        start.append(start[-1] + len(found))
        folds.append(int(folded.sum()))
        shows.append(len(found) - int(shown.sum()))
        lane_street = np.append(lane_street, found[order, 0])
        lane_column = np.append(lane_column, found[order, 1])
        end_lane = np.append(end_lane, place[lane.ravel()])
    return np.array(start), lane_street, lane_column, np.array(folds), np.array(shows), end_lane


def _flat_matrices(boards: Boards) -> tuple[IntArray, FloatArray, FloatArray]:
    start, joint, wins, at = np.full(len(boards), -1, dtype=np.int64), [np.zeros(0)], [np.zeros(0)], 0
    for board, pair in enumerate(boards.matrices):
        if pair is not None:
            start[board] = at
            at += pair.joint.size
            joint.append(pair.joint.ravel())
            wins.append(pair.wins.ravel())
    return start, np.concatenate(joint), np.concatenate(wins)


@borrowing_jit
def to_blocks(layout: Layout, seat: Seat, plan: AnyFloat, blocks: AnyFloat) -> None:
    """Write a vector over the sequences of the treeplex (the empty one first) as blocks."""
    for b in range(len(layout.street)):
        n, width = seat.start[b + 1] - seat.start[b], seat.width[layout.street[b]]
        at = seat.offset[b]
        for h in range(n):
            for c in range(width):
                blocks[at + c * n + h] = plan[1 + at + h * width + c]


@borrowing_jit
def from_blocks(layout: Layout, seat: Seat, blocks: AnyFloat, plan: AnyFloat) -> None:
    """Write blocks as a vector over the sequences of the treeplex; the empty sequence is left alone."""
    for b in range(len(layout.street)):
        n, width = seat.start[b + 1] - seat.start[b], seat.width[layout.street[b]]
        at = seat.offset[b]
        for h in range(n):
            for c in range(width):
                plan[1 + at + h * width + c] = blocks[at + c * n + h]
