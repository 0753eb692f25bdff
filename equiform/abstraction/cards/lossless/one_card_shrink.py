r"""GameShrink on games with one private card, and when its result is really lossless.

A leaf of a player's signal tree is (private card, public cards). Two descriptions of its payoffs are offered.

*Counted*: how many of the opponent's cards it beats and ties with. This is what the slides' win/loss frequencies hold,
and it gives exactly the published size of Rhode Island hold'em: 13, 205 and 1,774 classes, an LP of 1,237,238 rows and
columns. It is **not** lossless on its own: the bijection of the opponent's cards behind equal counts may match cards
that the opponent plays differently. In Leduc, a king on a jack and a king on a queen have equal counts, but an opponent
who raised holds the pair of queens more often than that of jacks; uniting them moves the value of the game.

*Mutual*: which classes of the *opponent's* leaves it meets, with which result. The classes are those being computed, so
the description is refined until it is stable, beginning with the counted one. At the end hands of one class meet the
same distribution over (opponent's class in every round, result). Against an opponent who plays by classes all hands of
a class then have proportional counterfactual values, hence a common best response, and an equilibrium of the abstract
game is an equilibrium of the full game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiform.abstraction.cards.lossless.gameshrink import Shrunk, SignalTree, game_shrink
from equiform.games.cards.one_card import OneCardGame
from equiform.models.common.arguments import require_kind
from equiform.models.common.array_types import FloatArray, IntArray


def one_card_signals(game: OneCardGame, payoff: FloatArray | None = None) -> SignalTree:
    """Return a player's signal tree up to a renaming of the suits; leaves are described by counts of wins and ties.

    >>> from equiform.games.cards.one_card import LEDUC
    >>> game_shrink(one_card_signals(LEDUC)).sizes
    (3, 7)
    """
    require_kind(game, OneCardGame, "game", "signal tree")
    indexer = game.indexer
    parents, weights = [], []
    for r in range(game.public_rounds + 1):
        deals = indexer.deals(r, np.arange(indexer.sizes[r]))
        own = indexer.orbits(deals)
        above, before = np.zeros(len(deals), dtype=np.int64), np.ones(1, dtype=np.int64)
        if r:
            above = indexer.index(deals[:, :-1])
            before = indexer.orbits(indexer.deals(r - 1, np.arange(indexer.sizes[r - 1])))
        parents.append(above)
        weights.append(own // before[above])
    leaves = game.equities[-1].outcomes.astype(np.float64) if payoff is None else payoff
    return SignalTree(tuple(parents), tuple(weights), leaves)


def counted_shrink(game: OneCardGame, thresholds: Sequence[float] | None = None) -> Shrunk:
    """Run GameShrink with leaves compared by their numbers of wins and ties (lossy with ``thresholds``)."""
    return game_shrink(one_card_signals(game), thresholds)


def mutual_shrink(game: OneCardGame) -> Shrunk:
    """Run GameShrink with leaves compared by the opponent's classes that they meet: lossless.

    >>> from equiform.games.cards.one_card import LEDUC
    >>> mutual_shrink(LEDUC).sizes
    (3, 9)
    """
    require_kind(game, OneCardGame, "game", "mutual classes")
    meets, results = _showdowns(game)
    shrunk = counted_shrink(game)
    while True:
        leaf = shrunk.classes[-1]
        met = np.where(meets >= 0, 3 * leaf[meets] + results, -1)
        refined = game_shrink(one_card_signals(game, np.column_stack([leaf, np.sort(met, axis=1)]).astype(np.float64)))
        if refined.sizes == shrunk.sizes:
            return refined
        shrunk = refined


def _showdowns(game: OneCardGame) -> tuple[IntArray, IntArray]:
    """Return, per leaf and opponent's card, the opponent's leaf (-1: none) and the result: 0 lost, 1 tied, 2 won."""
    indexer, n = game.indexer, len(game.deck)
    leaves = indexer.deals(game.public_rounds, np.arange(indexer.sizes[-1]))
    theirs = np.repeat(leaves, n, axis=0)
    theirs[:, 0] = np.tile(np.arange(n), len(leaves))
    free = (theirs[:, :1] != np.repeat(leaves, n, axis=0)).all(axis=1)
    meets = np.full(len(theirs), -1, dtype=np.int64)
    meets[free] = indexer.index(theirs[free])
    own, other = game.strengths(leaves), np.zeros(len(theirs), dtype=np.int64)
    other[free] = game.strengths(theirs[free])
    results = 1 + np.sign(np.repeat(own, n) - other)
    return meets.reshape(-1, n), results.reshape(-1, n)
