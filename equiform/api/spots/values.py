r"""What hands are worth at a decision: EV by hand and move, and equity.

The counterfactual value of a move, divided by the mass of the opponent's hands that come there and fit, is its expected
value. It is told as players do: chips won from the pot from here on, minus chips still to be put in, so that a fold is
worth 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import Seat, from_blocks, to_blocks
from equiform.models.public.strategy import PublicStrategy


@dataclass(frozen=True, eq=False)
class NodeValues:
    """EV in chips and equity at a decision, a row per hand; NaN where the opponent has no hand that fits."""

    moves: FloatArray = field(repr=False)
    """EV of each move."""
    hand: FloatArray = field(repr=False)
    """EV of the hand as it is played."""
    equity: FloatArray = field(repr=False)
    reach: FloatArray = field(repr=False)
    """The weight of each hand: range, own play and the opponent's hands that fit."""


def move_values(strategies: tuple[PublicStrategy, PublicStrategy], player: int) -> FloatArray:
    """Return the counterfactual value of all of a player's moves, in blocks."""
    game = strategies[0].game
    seat, other = game.seats[player], game.seats[1 - player]
    plan = np.ones(game.num_sequences[1 - player])
    from_blocks(game.layout, other, strategies[1 - player].plan.astype(np.float64), plan)
    gradient = game.payoff.times(plan) if player == 0 else -game.payoff.transpose_times(plan)
    values = np.empty(int(seat.offset[-1]))
    to_blocks(game.layout, seat, gradient, values)
    for board in range(len(game.boards) - 1, -1, -1):
        _add_up(game, seat, strategies[player], board, values)
    return values


def _add_up(game: PublicGame, seat: Seat, strategy: PublicStrategy, board: int, values: FloatArray) -> None:
    """Add the values of a board's decisions to the moves above them."""
    moves, layout = game.betting.seats[strategy.player], game.layout
    street, n = int(layout.street[board]), int(seat.start[board + 1] - seat.start[board])
    for node in reversed(moves.decisions[street].tolist()):
        above = int(moves.last_street[node])
        if above < 0:
            continue
        block = values[strategy.rows(board, node)].reshape(-1, n)
        worth = (strategy.behavior(board, node).T * block).sum(axis=0)
        at, place = board, np.arange(n)
        while layout.street[at] > above:
            place = seat.up[seat.start[at] + place]
            at = int(layout.parent[at])
        wide = int(seat.start[at + 1] - seat.start[at])
        low = int(seat.offset[at]) + int(moves.last_column[node]) * wide
        np.add.at(values, low + place, worth)


def node_values(
    strategies: tuple[PublicStrategy, PublicStrategy], values: FloatArray, board: int, node: int, spent: float
) -> NodeValues:
    """Return EV and equity of every hand of the player who decides at a node and has put in ``spent`` so far."""
    game = strategies[0].game
    player = int(game.betting.turn[node])
    ours, theirs = game.boards.hands[player], game.boards.hands[1 - player]
    own = slice(int(ours.start[board]), int(ours.start[board + 1]))
    members = slice(int(theirs.member_start[board]), int(theirs.member_start[board + 1]))
    mass = strategies[1 - player].reach(board, node)[theirs.member_hand[members]] * theirs.member_weight[members]
    shared = (ours.cards[own][:, None, :, None] == theirs.member_cards[members][None, :, None, :]).any(axis=(2, 3))
    met = ~shared @ mass
    scale = ours.scale[own] * float(game.boards.factor[board])
    block = values[strategies[player].rows(board, node)].reshape(-1, len(met)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        moves = block / (scale * met)[:, None] + spent
        equity = 0.5 + 0.5 * _ahead(game, player, board, mass, ~shared) / met
    odds = strategies[player].behavior(board, node)
    reach = strategies[player].reach(board, node) * ours.scale[own] * met
    fits = met > 1e-12 * max(float(mass.sum()), 1e-300)
    moves[~fits], equity[~fits] = np.nan, np.nan
    return NodeValues(moves, (odds * moves).sum(axis=1), equity, reach)


def _ahead(game: PublicGame, player: int, board: int, mass: FloatArray, apart: FloatArray) -> FloatArray:
    """Return the opponent's mass that a hand beats minus that which beats it, over all boards that can still come."""
    boards, last = game.boards, game.betting.num_streets - 1
    ours, theirs = boards.hands[player], boards.hands[1 - player]
    found = np.zeros(len(apart))
    private = theirs.member_private[theirs.member_start[board] : theirs.member_start[board + 1]]
    by_private = np.zeros(len(theirs.names))
    by_private[private] = mass
    for final in boards.of_street(last):
        chain = _chain(boards.parent, final, board)
        if chain is None:
            continue
        low, high = int(theirs.member_start[final]), int(theirs.member_start[final + 1])
        own = slice(int(ours.start[final]), int(ours.start[final + 1]))
        shared = (ours.cards[own][:, None, :, None] == theirs.member_cards[low:high][None, :, None, :]).any(axis=(2, 3))
        sign = np.sign(ours.rank[own][:, None] - theirs.member_rank[low:high][None, :]) * ~shared
        value = sign @ by_private[theirs.member_private[low:high]] * ours.scale[own]
        place = np.arange(len(value))
        for at in chain:
            place = ours.up[ours.start[at] + place]
        share = float(boards.factor[final] / boards.factor[board])
        np.add.at(found, place, value * share)
    here = slice(int(ours.start[board]), int(ours.start[board + 1]))
    return found / ours.scale[here]


def _chain(parent: np.ndarray[tuple[int, ...], np.dtype[np.int64]], final: int, board: int) -> list[int] | None:
    """Return the boards from ``final`` up to, not including, ``board``; nothing if it is not above."""
    chain, at = [], final
    while at != board:
        if at < board:
            return None
        chain.append(at)
        at = int(parent[at])
    return chain
