"""Hands: one walk down the tree for every match that is going on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit
from equiform.models.rules import CHANCE, TERMINAL
from equiform.play.common_random import CHANCE_STREAM, OPPONENT_STREAM, OWN_STREAM, draw, hand_key
from equiform.play.seat import Seat, Tree


def play_hands(
    seat: Seat,
    own: FloatArray,
    opponent: FloatArray,
    keys: NDArray[np.uint64],
    hand: int,
    *,
    deals: NDArray[np.uint64] | None = None,
) -> IntArray:
    """Play one hand of every match and return the terminal nodes.

    Parameters
    ----------
    seat
        The game and the player's seat.
    own, opponent
        Behavioural strategies, one row per match.
    keys
        One key per match (:func:`equiform.play.common_random.match_key`).
    hand
        The number of the hand.
    deals
        Keys for the moves of chance, where the cards are to be the same and the players' draws are not.
    """
    return _play(seat.tree, seat.player, own, opponent, keys, keys if deals is None else deals, hand)


@jit
def _play(
    tree: Tree,
    player: int,
    own: FloatArray,
    opponent: FloatArray,
    keys: NDArray[np.uint64],
    deals: NDArray[np.uint64],
    hand: int,
) -> IntArray:
    leaves = np.empty(len(keys), dtype=np.int64)
    made = np.zeros(3, dtype=np.int64)
    for row in range(len(keys)):
        players_key, deal_key = hand_key(keys[row], hand), hand_key(deals[row], hand)
        made[:] = 0
        node = 0
        while tree.turn[node] != TERMINAL:
            turn = tree.turn[node]
            stream = OPPONENT_STREAM
            if turn == CHANCE:
                stream = CHANCE_STREAM
            elif turn == player:
                stream = OWN_STREAM
            key = deal_key if turn == CHANCE else players_key
            left = draw(key, stream, made[stream])
            made[stream] += 1
            first = tree.first_child[node]
            last = first + tree.num_children[node] - 1
            child = first
            while True:
                weight = _weight(tree, turn, player, own, opponent, row, child)
                if left < weight or child == last:
                    break
                left -= weight
                child += 1
            # rounding may leave a rest after the last move that is played at all
            while child > first and _weight(tree, turn, player, own, opponent, row, child) <= 0.0:
                child -= 1
            node = child
        leaves[row] = node
    return leaves


@jit
def _weight(tree: Tree, turn: int, player: int, own: FloatArray, opponent: FloatArray, row: int, child: int) -> float:
    if turn == CHANCE:
        return tree.chance[child]
    return own[row, tree.move[child]] if turn == player else opponent[row, tree.move[child]]
