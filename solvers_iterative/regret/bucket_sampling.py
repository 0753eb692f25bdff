r"""Monte Carlo CFR on a bucketed game, for players who remember or forget.

An iteration is a block of deals. A deal is a pair of histories of the last round, drawn with the probability of its
counts; that fixes both players' buckets on every round, and whose hand is better is drawn with the pair's odds. The
walk is that of :class:`~equiform.solvers_iterative.regret.bucket_mccfr.BucketMCCFR`. Tables are indexed by the buckets
that players are shown, so that histories that a player confuses share them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import leaf_nodes
from equiform.models.common.arguments import require_count, require_seed
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.public.betting import BettingTree
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.regret.bucket_mccfr import BucketMCCFR, MoveTree, normalised


class BucketSampling(IterativeSolver):
    """External sampling on a bucketed game whose leaves compare hands.

    Parameters
    ----------
    game
        Betting, deals and leaves; players may forget.
    seed
        The same seed gives the same iterates.
    block
        Deals per iteration.

    Raises
    ------
    UnsupportedGameError
        If leaves pay anything but the stake times wins minus losses.
    """

    def __init__(self, game: BucketedGame, *, seed: int = 0, block: int = 1000) -> None:
        super().__init__("mccfr-buckets", game.name)
        self.game = game
        self.seed = require_seed(seed, "Monte Carlo CFR")
        self.block = require_count(block, "block", "Monte Carlo CFR")
        stakes = game.betting.stake[leaf_nodes(game.betting)]
        if len(game.leaves.matrices) != 1 or (game.leaves.weights[:, 0] != stakes).any():
            raise UnsupportedGameError(
                f"the leaves of {game.name} do not just compare hands",
                where="Monte Carlo CFR",
                fix="use rollout leaves or all rounds, or dcfr on the operator",
            )
        tree, self._node = move_tree(game.betting)
        shown = [[game.deals.buckets(p, s) for s in range(game.deals.rounds)] for p in range(2)]
        sizes = tuple(max(int(shown[p][s].max()) + 1 for p in range(2)) for s in range(game.deals.rounds))
        self._solver = BucketMCCFR(tree, sizes, seed=seed)
        last = game.deals.rounds - 1
        self._paths = [
            np.stack([shown[p][s][game.deals.ancestors(p, last, s)] for s in range(last + 1)], axis=1) for p in range(2)
        ]
        self._cumulated = np.cumsum(game.deals.counts.ravel())

    @property
    def options(self) -> dict[str, Any]:
        """Seed and size of blocks."""
        return {"seed": self.seed, "block": self.block}

    def _advance(self, count: int) -> None:
        for t in range(self._iteration + 1, self._iteration + count + 1):
            self._solver.blocks = t - 1
            self._solver.run_block(*self._draw(t))

    def _draw(self, t: int) -> tuple[IntArray, IntArray]:
        """Deal a block; it depends on the seed and the iteration alone."""
        rng = np.random.default_rng([self.seed, t])
        at = np.searchsorted(self._cumulated, rng.random(self.block) * self._cumulated[-1], side="right")
        i, j = np.divmod(at.clip(0, len(self._cumulated) - 1), self.game.deals.counts.shape[1])
        held = np.stack([self._paths[0][i], self._paths[1][j]], axis=1).astype(np.int64)
        share = self.game.leaves.matrices[0][i, j] / self.game.deals.counts[i, j]
        return held, np.where(2 * rng.random(self.block) < 1 + share, 1, -1)

    def _state(self) -> dict[str, NDArray[Any]]:
        return dict(self._solver.arrays())

    def _measure(self) -> Measurement | None:
        if not self.game.deals.perfect_recall:
            return None
        x, y = (t.realization(s.floats) for t, s in zip(self.game.treeplexes, self.average, strict=True))
        form = self.game.sequence_form()
        (lower, upper), value = form.bracket(x, y), form.value(x, y)
        return Measurement(lower, upper, (upper - value, value - lower))

    def _fingerprint(self) -> str:
        deals, tree = self.game.deals, self.game.betting
        return fingerprint([deals.counts, self.game.leaves.matrices[0], *self._paths, tree.parent, tree.stake])

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The averaged profile, on the treeplexes of histories."""
        return self._profile(self._solver.sums)

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last iterate."""
        return self._profile(np.maximum(self._solver.regrets, 0.0))

    def _profile(self, weights: FloatArray) -> tuple[Strategy, ...]:
        tree, offsets = self._solver.tree, self._solver.offsets
        odds = normalised(tree, offsets, weights)
        vectors = [np.ones(n) for n in self.game.num_sequences]
        for node in np.flatnonzero(tree.turn >= 0).tolist():
            who, street, kids = int(tree.turn[node]), int(tree.street[node]), int(tree.kids[node])
            rows = odds[int(offsets[node]) : int(offsets[node + 1])].reshape(-1, kids)
            child = self.game.betting.children[int(self._node[node])][0]
            low = int(self.game.betting.seats[who].column[child])
            target = self.game.rows(who, street, vectors[who])
            target[:, low : low + kids] = rows[self.game.deals.buckets(who, street)]
        return tuple(Strategy(t, v) for t, v in zip(self.game.treeplexes, vectors, strict=True))


def move_tree(betting: BettingTree) -> tuple[MoveTree, IntArray]:
    """Return a betting tree without its deals, breadth first, and which node of it each node is."""

    def dealt(node: int) -> int:
        while betting.turn[node] == CHANCE:
            node = betting.children[node][0]
        return node

    order, first = [dealt(0)], []
    for node in order:  # grows while it is read
        first.append(len(order))
        order += [dealt(child) for child in betting.children[node]]
    nodes = np.array(order, dtype=np.int64)
    kids = np.array([len(betting.children[n]) for n in order], dtype=np.int32)
    turn = np.where(betting.turn[nodes] == TERMINAL, -1, betting.turn[nodes]).astype(np.int32)
    begin = np.where(kids > 0, first, 0).astype(np.int32)
    rest = (betting.winner[nodes].astype(np.int32), betting.stake[nodes].astype(np.float64))
    return MoveTree(turn, betting.street[nodes].astype(np.int32), begin, kids, *rest), nodes
