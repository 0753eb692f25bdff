"""A river between buckets, with their joint distribution, and the way back to hands."""

from __future__ import annotations

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.public.betting import BettingTree
from equiform.models.public.boards import BucketMatrices, bucket_boards
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import AnyFloat
from equiform.models.public.strategy import PublicStrategy


def bucket_game(
    name: str, betting: BettingTree, joint: FloatArray, sign: FloatArray, labels: tuple[IntArray, IntArray], board: str
) -> PublicGame:
    """Return the game between buckets of hands.

    Parameters
    ----------
    name, betting, board
        What to call the game, its moves, and the name of its board.
    joint
        The probability of each pair of hands, player 1's by row.
    sign
        Who wins: 1, 0 or −1.
    labels
        The bucket of each player's hands, −1 for hands that are never held.
    """
    first, second = (_members(own) for own in labels)
    matrices = BucketMatrices(first @ joint @ second.T, first @ (joint * sign) @ second.T)
    names = tuple(tuple(f"bucket {k + 1}" for k in range(n)) for n in matrices.joint.shape)
    return PublicGame(name, betting, bucket_boards(matrices, (names[0], names[1]), board=board))


def _members(labels: IntArray) -> FloatArray:
    """Return a row per bucket: 1 for its hands."""
    return (labels[None, :] == np.arange(labels.max() + 1)[:, None]).astype(np.float64)


def by_place(game: PublicGame, player: int, holes: IntArray, labels: IntArray) -> IntArray:
    """Carry labels of holdings over to the hands of a river as the game of cards numbers them."""
    assert game.dealt is not None
    table = game.boards.hands[player]
    number = np.full(len(game.dealt.rules.holdings), -1, dtype=np.int64)
    number[holes] = labels
    held = np.flatnonzero(game.dealt.weights[player])[table.member_private]
    found = np.zeros(table.num_hands(0), dtype=np.int64)
    found[table.member_hand] = np.maximum(number[held], 0)  # a hand that meets no hand of the opponent's plays anyhow
    return found


def lifted(
    game: PublicGame, strategies: tuple[PublicStrategy, PublicStrategy], labels: tuple[IntArray, IntArray]
) -> tuple[PublicStrategy, PublicStrategy]:
    """Let every hand play as its bucket does."""
    first, second = (
        PublicStrategy(game, p, _lift(s.plan, labels[p], int(game.seats[p].width[0]))) for p, s in enumerate(strategies)
    )
    return first, second


def _lift(plan: AnyFloat, labels: IntArray, width: int) -> AnyFloat:
    return np.ascontiguousarray(plan.reshape(width, -1)[:, labels]).ravel()
