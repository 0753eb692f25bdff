"""Rivers in buckets: hands of similar equity play alike. The answer is judged in the real game, hand by hand."""

from __future__ import annotations

import numpy as np

from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.public.boards import BucketMatrices, bucket_boards
from equiform.models.public.game import PublicGame
from equiform.models.public.layout import AnyFloat
from equiform.models.public.strategy import PublicStrategy


def bucketed(spot: Spot, game: PublicGame, count: int) -> tuple[PublicGame, tuple[IntArray, IntArray]]:
    """Return a river with at most ``count`` buckets per player, and the bucket of each hand.

    Hands are sorted by their equity against the opponent's whole range and cut into buckets of about equal weight.
    """
    require_count(count, "buckets", "spot", most=1326)
    if len(spot.board) != 5:
        raise UnsupportedGameError("buckets are made on the river only", where=spot.name, fix="deal all five cards")
    ours, theirs = game.boards.hands
    apart = ~(ours.cards[:, None, :, None] == theirs.cards[None, :, None, :]).any(axis=(2, 3))
    sign = np.sign(ours.rank[:, None] - theirs.rank[None, :])
    weights = np.outer(ours.scale, theirs.scale) * apart
    labels = (
        _cut((weights * sign).sum(axis=1), weights.sum(axis=1), count),
        _cut(-(weights * sign).sum(axis=0), weights.sum(axis=0), count),
    )
    shape = int(labels[0].max()) + 1, int(labels[1].max()) + 1
    joint, wins = np.zeros(shape), np.zeros(shape)
    cells = np.ix_(np.arange(len(labels[0])), np.arange(len(labels[1])))
    rows, cols = np.broadcast_arrays(labels[0][cells[0]], labels[1][cells[1]])
    np.add.at(joint, (rows, cols), weights / weights.sum())
    np.add.at(wins, (rows, cols), weights * sign / weights.sum())
    names = tuple(tuple(f"bucket {k + 1}" for k in range(n)) for n in shape)
    boards = bucket_boards(BucketMatrices(joint, wins), (names[0], names[1]), board=game.boards.names[0])
    return PublicGame(f"{spot.name} in buckets", game.betting, boards), labels


def _cut(ahead: FloatArray, met: FloatArray, count: int) -> IntArray:
    """Cut hands into percentiles of equity; hands of equal equity stay together."""
    equity = np.round(0.5 + 0.5 * ahead / np.maximum(met, 1e-300), 12)
    order = np.argsort(equity, kind="stable")
    middle = (np.cumsum(met[order]) - met[order] / 2) / met.sum()
    cut = np.minimum((middle * count).astype(np.int64), count - 1)
    sorted_equity = equity[order]
    first = np.searchsorted(sorted_equity, sorted_equity)  # equal hands go where the first of them goes
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = cut[first]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


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
