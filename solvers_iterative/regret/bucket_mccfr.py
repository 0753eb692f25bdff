r"""External sampling on a tree of public moves times buckets of hands (Lanctot, Waugh, Zinkevich and Bowling 2009).

Cards enter only as the bucket that each player's hand has on each street and as the winner of a showdown, so that
anything that can deal such rows can be solved: abstractions may forget. Per deal each player walks the tree once; it
tries all of its own moves and one of the opponent's, drawn from the opponent's current strategy. Deals come in blocks.
After block b, regrets and averages are multiplied by :math:`b/(b+1)`, which weighs block b in proportion to b (linear
CFR, Brown and Sandholm 2019).

The state is two numbers per sequence and the generator's four words: a run that is stored between blocks continues bit
for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_arguments import require_integers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import GameError, ParameterError
from equiform.models.common.jit import jit
from equiform.solvers_iterative.kernels.rng import seeded, uniform

#: The winner of an end at which hands are compared.
SHOWDOWN = -1


class MoveTree(NamedTuple):
    """Public moves, breadth first, so that the children of a node are consecutive."""

    turn: Int32Array
    """Whose move it is, 0 or 1; -1 at an end."""
    street: Int32Array
    first: Int32Array
    """The first child."""
    kids: Int32Array
    """How many there are."""
    winner: Int32Array
    """At an end who wins whatever the hands are, or ``SHOWDOWN``."""
    stake: FloatArray
    """At an end what the loser pays."""

    @property
    def depth(self) -> int:
        """The number of moves of the longest line."""
        level = np.zeros(len(self.turn), dtype=np.int64)
        for node in range(len(self.turn)):
            level[self.first[node] : self.first[node] + self.kids[node]] = level[node] + 1
        return int(level.max())

    def offsets(self, buckets: tuple[int, ...]) -> IntArray:
        """Return where each decision's table begins, a row per bucket and a column per move; then the total."""
        rows = np.array(buckets, dtype=np.int64)[self.street]
        sizes = np.where(self.turn >= 0, rows * self.kids, 0)
        return np.concatenate([[0], np.cumsum(sizes)])


class BucketMCCFR:
    """Solve a tree of moves with buckets.

    Parameters
    ----------
    tree
        The public moves.
    buckets
        How many buckets each street has.
    seed
        Of the opponent's moves.
    """

    def __init__(self, tree: MoveTree, buckets: tuple[int, ...], *, seed: int = 0) -> None:
        if int(tree.street.max()) >= len(buckets) or min(buckets) < 1:
            raise GameError(
                "every street needs a number of buckets", where=f"{buckets}", fix="one positive number each"
            )
        self.tree, self.buckets = tree, buckets
        self.offsets = tree.offsets(buckets)
        self.regrets = np.zeros(int(self.offsets[-1]))
        self.sums = np.zeros(int(self.offsets[-1]))
        self.state = seeded(seed)
        self.blocks = 0
        self.deals = 0
        self.touched = 0
        self._scratch = np.zeros((tree.depth + 1, int(tree.kids.max())))

    def run_block(self, held: IntArray, results: IntArray) -> None:
        """Walk a block of deals.

        Parameters
        ----------
        held
            ``held[deal, player, street]`` is a bucket.
        results
            1 where player 0 has the better hand, -1 where player 1 has, 0 at a tie.
        """
        shape = (None, 2, len(self.buckets))
        rows = require_integers(held, "buckets", "block of deals", shape=shape, least=0)
        if (rows.max(axis=(0, 1), initial=0) >= np.array(self.buckets)).any():
            raise ParameterError("there is no such bucket", where="block of deals", fix=f"streets have {self.buckets}")
        signs = require_integers(results, "results", "block of deals", shape=(len(rows),), least=-1, most=1)
        self.touched += int(
            _run(self.tree, self.offsets, rows, signs, self.regrets, self.sums, self._scratch, self.state)
        )
        self.blocks += 1
        self.deals += len(rows)
        fade = self.blocks / (self.blocks + 1.0)
        self.regrets *= fade
        self.sums *= fade

    def average(self) -> FloatArray:
        """Return the averaged strategy in the layout of :meth:`MoveTree.offsets`; uniform where nothing was reached."""
        return normalised(self.tree, self.offsets, self.sums)

    def arrays(self) -> dict[str, NDArray[np.float64] | NDArray[np.uint64]]:
        """Return the state to store."""
        return {"regrets": self.regrets, "sums": self.sums, "state": self.state}

    def restore(self, arrays: dict[str, NDArray[np.float64]], *, blocks: int, deals: int, touched: int) -> None:
        """Take up a stored state."""
        if arrays["regrets"].shape != self.regrets.shape or arrays["sums"].shape != self.sums.shape:
            raise ParameterError("the stored state belongs to another game", where="MCCFR", fix="start again")
        self.regrets[:], self.sums[:] = arrays["regrets"], arrays["sums"]
        self.state[:] = arrays["state"]
        self.blocks, self.deals, self.touched = blocks, deals, touched


def normalised(tree: MoveTree, offsets: IntArray, weights: FloatArray) -> FloatArray:
    """Return weights as distributions, a row per decision and bucket; uniform where all are zero."""
    found = np.empty_like(weights)
    for node in np.flatnonzero(tree.turn >= 0).tolist():
        part = slice(int(offsets[node]), int(offsets[node + 1]))
        rows = weights[part].reshape(-1, int(tree.kids[node]))
        total = rows.sum(axis=1, keepdims=True)
        even = np.full_like(rows, 1.0 / rows.shape[1])
        found[part] = np.divide(rows, total, out=even, where=total > 0).ravel()
    return found


@jit
def _draw_move(at: int, n: int, total: float, regrets: FloatArray, sums: FloatArray, chance: float) -> int:
    """Draw one of the opponent's moves from its current strategy, and add the strategy to the average."""
    chosen = -1
    for a in range(n):
        p = max(regrets[at + a], 0.0) / total if total > 0.0 else 1.0 / n
        sums[at + a] += p
        chance -= p
        if chosen < 0 and chance < 0.0:
            chosen = a
    return chosen if chosen >= 0 else n - 1


@jit
def _learn(at: int, n: int, total: float, regrets: FloatArray, values: FloatArray) -> float:
    """Add to the regrets of a decision what each move would have won over the strategy; return the strategy's value."""
    value = 0.0
    for a in range(n):
        value += values[a] * (max(regrets[at + a], 0.0) / total if total > 0.0 else 1.0 / n)
    for a in range(n):
        regrets[at + a] += values[a] - value
    return value


@jit
def _run(
    tree: MoveTree,
    offsets: IntArray,
    held: IntArray,
    signs: IntArray,
    regrets: FloatArray,
    sums: FloatArray,
    scratch: FloatArray,
    state: NDArray[np.uint64],
) -> int:
    """Walk every deal for both players; return the number of nodes that were touched.

    The walk keeps its own stack of the player's decisions: numba's cache cannot hold a function that calls itself.
    """
    touched = 0
    path = np.zeros(len(scratch) + 1, np.int64)
    tried = np.zeros(len(scratch) + 1, np.int64)
    for step in range(2 * len(held)):
        deal, who = step // 2, step % 2
        depth, path[0], down, value = 0, 0, True, 0.0
        while depth >= 0:
            node = path[depth]
            turn, n = tree.turn[node], tree.kids[node]
            if turn < 0:
                touched += 1
                outcome = signs[deal] if tree.winner[node] == SHOWDOWN else 1 - 2 * tree.winner[node]
                value = tree.stake[node] * outcome * (1 - 2 * who)
                depth, down = depth - 1, False
                continue
            at = offsets[node] + held[deal, turn, tree.street[node]] * n
            total = 0.0
            for a in range(n):
                total += max(regrets[at + a], 0.0)
            if turn != who:  # one move only: go there in the node's place
                touched += 1
                path[depth] = tree.first[node] + _draw_move(at, n, total, regrets, sums, uniform(state))
                continue
            if down:
                touched += 1
                tried[depth] = 0
            else:
                scratch[depth, tried[depth]] = value
                tried[depth] += 1
            if tried[depth] < n:
                path[depth + 1] = tree.first[node] + tried[depth]
                depth, down = depth + 1, True
            else:
                value = _learn(at, n, total, regrets, scratch[depth])
                depth, down = depth - 1, False
    return touched
