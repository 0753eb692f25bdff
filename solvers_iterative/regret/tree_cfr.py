r"""CFR on the game tree: any number of players, general sums, imperfect recall.

For player p each iteration sweeps the tree down once (reach probabilities of every player and of chance) and up once
(expected payoffs), and adds to the regret of each action a at each history z of an information set

.. math:: r_{ha} \mathrel{+}= \pi_{-p}(z) \, \bigl(u_p(za) - u_p(z)\bigr), \qquad
   \text{average}_{ha} \mathrel{+}= w_t \, \pi_p(z) \, b_{ha}

(Zinkevich et al. 2007). Two-player zero-sum games with perfect recall are better served by the sequence form
(:mod:`equiform.solvers_iterative.regret.cfr`), which merges the histories of an information set: there is no guarantee
of convergence beyond them, but CFR does well in practice in games with more players (Risk and Szafron 2010) and in
imperfect-recall abstractions (Waugh et al. 2009; Lanctot et al. 2012). The rules of
:mod:`equiform.solvers_iterative.regret.rule` apply, except prediction.

The sums run in the order in which a depth-first recursion adds them up, so that in games whose information sets do not
cross depths the iterates are those of a recursive implementation to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame
from equiform.solvers_iterative.kernels.tree import Moves, Tree, TreeSolver, normalize, uniform_vector
from equiform.solvers_iterative.regret.rule import TINY, Weights, average_weight, discount, rule


class TreeCFR(TreeSolver):
    """CFR on the tree by any rule of the family, except prediction.

    Parameters
    ----------
    game
        A game tree with any number of players; recall may be imperfect.
    variant
        ``cfr``, ``cfr+``, ``linear-cfr`` or ``dcfr``.
    **weights
        Fields of :class:`~equiform.solvers_iterative.regret.rule.Rule` to change.

    Raises
    ------
    ParameterError
        If the variant or a weight is not known, or if the rule predicts.
    """

    def __init__(self, game: ExtensiveGame, variant: str = "cfr", **weights: Any) -> None:
        super().__init__(f"tree-{variant}", game)
        self.rule = rule(variant, **weights)
        if self.rule.predictive:
            raise ParameterError("predictive CFR+ is written for the sequence form", fix="use cfr+ or dcfr on trees")
        self._weights = weights
        size = sum(self._counts)
        self._behavior = uniform_vector(self._moves, size)
        self._regret = np.zeros(size)
        self._total = np.zeros(size)
        self._reach = np.empty((game.num_nodes, len(game.players) + 1))
        self._value = np.empty((game.num_nodes, len(game.players)))

    @property
    def options(self) -> dict[str, Any]:
        """The changed weights."""
        return dict(self._weights)

    def _advance(self, count: int) -> None:
        arrays = (self._behavior, self._regret, self._total, self._reach, self._value)
        _run(self._tree, self._moves, self.rule.weights, *arrays, self._iteration, count)

    def _state(self) -> dict[str, NDArray[Any]]:
        return {"behavior": self._behavior, "regret": self._regret, "total": self._total}

    def _average_vector(self) -> FloatArray:
        out = np.ones(len(self._total))
        normalize(self._moves, self._total, out)
        return out

    def _current_vector(self) -> FloatArray:
        return self._behavior


@jit
def _run(
    tree: Tree,
    moves: Moves,
    weights: Weights,
    behavior: FloatArray,
    regret: FloatArray,
    total: FloatArray,
    reach: FloatArray,
    value: FloatArray,
    done: int,
    count: int,
) -> None:
    players = tree.payoff.shape[1]
    for t in range(done + 1, done + count + 1):
        weight = average_weight(t, weights)
        rounds = players if weights.alternating else 1
        for turn in range(rounds):
            _down(tree, behavior, reach)
            low, high = (turn, turn + 1) if weights.alternating else (0, players)
            for p in range(low, high):
                _up(tree, behavior, p, value)
                _collect(tree, behavior, reach, value, p, weight, regret, total)
            for p in range(low, high):
                _match(moves, p, discount(t, weights.alpha), discount(t, weights.beta), regret, behavior)


@jit
def _down(tree: Tree, behavior: FloatArray, reach: FloatArray) -> None:
    """Multiply each player's and chance's probabilities (last column) down the tree."""
    columns = reach.shape[1]
    for c in range(columns):
        reach[0, c] = 1.0
    for node in range(1, len(tree.turn)):
        above = tree.parent[node]
        for c in range(columns):
            reach[node, c] = reach[above, c]
        mover = tree.turn[above]
        if mover >= 0:
            reach[node, mover] *= behavior[tree.slot[node]]
        else:
            reach[node, columns - 1] *= tree.chance[node]


@jit
def _up(tree: Tree, behavior: FloatArray, p: int, value: FloatArray) -> None:
    """Return player p's expected payoff at every node."""
    for node in range(len(tree.turn) - 1, -1, -1):
        if tree.num_children[node] == 0:
            value[node, p] = tree.payoff[node, p]
            continue
        expected = 0.0
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            odds = behavior[tree.slot[child]] if tree.turn[node] >= 0 else tree.chance[child]
            expected += odds * value[child, p]
        value[node, p] = expected


@jit
def _collect(
    tree: Tree,
    behavior: FloatArray,
    reach: FloatArray,
    value: FloatArray,
    p: int,
    weight: float,
    regret: FloatArray,
    total: FloatArray,
) -> None:
    """Add player p's regrets and average over all histories."""
    columns = reach.shape[1]
    for node in range(len(tree.turn)):
        if tree.turn[node] != p:
            continue
        others = 1.0
        for c in range(columns):
            if c != p:
                others *= reach[node, c]
        played = weight * reach[node, p]
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            s = tree.slot[child]
            regret[s] += others * (value[child, p] - value[node, p])
            total[s] += played * behavior[s]


@jit
def _match(moves: Moves, p: int, positive: float, negative: float, regret: FloatArray, behavior: FloatArray) -> None:
    """Discount player p's regrets and play in proportion to the positive ones."""
    for h in range(len(moves.player)):
        if moves.player[h] != p:
            continue
        low, high = moves.start[h], moves.stop[h]
        mass = 0.0
        for s in range(low, high):
            regret[s] *= positive if regret[s] > 0.0 else negative
            mass += max(regret[s], 0.0)
        for s in range(low, high):
            behavior[s] = max(regret[s], 0.0) / mass if mass > TINY else 1.0 / (high - low)
