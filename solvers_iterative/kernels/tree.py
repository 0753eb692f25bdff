"""Game trees for compiled loops, and what solvers on trees share.

Solvers on the tree take any number of players, any payoffs and imperfect recall. Probabilities of moves, regrets and
averages live in one vector over all players' moves (*slots*): player p's treeplex order, after those of players
before p.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.jit import jit
from equiform.models.evaluation import evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy
from equiform.runs.fingerprint import fingerprint
from equiform.solvers_iterative.base import IterativeSolver, Measurement
from equiform.solvers_iterative.kernels.rows import Index


class Tree(NamedTuple):
    """A game tree by node, breadth first; the children of a node are contiguous."""

    turn: Int32Array
    parent: Index
    first_child: Index
    num_children: Index
    slot: Index  # of the player's move that leads here; 0 for chance's
    chance: FloatArray  # probability of the chance move that leads here; 1 for players'
    payoff: FloatArray  # [node, player]; zero unless terminal


class Moves(NamedTuple):
    """All players' information sets: infoset h of the player ``player[h]`` owns slots ``start[h]`` to ``stop[h]``."""

    player: Int32Array
    start: Index
    stop: Index


def flat_tree(game: ExtensiveGame) -> Tree:
    """Lay a game out for the loops."""
    odds = np.array([float(p) for p in game.chance_values] or [1.0])
    payoff = np.zeros((game.num_nodes, len(game.players)))
    payoff[game.terminals] = game.payoff_floats[game.outcome[game.terminals]]
    mover = np.append(np.int16(-1), game.turn[game.parent[1:]])
    return Tree(
        game.turn.astype(np.int32),
        np.maximum(game.parent, 0).astype(np.uint32),
        np.maximum(game.first_child, 0).astype(np.uint32),
        game.num_children.astype(np.uint32),
        np.where(mover >= 0, game.move + _offsets(game)[mover], 0).astype(np.uint32),
        np.where(game.edge >= 0, odds[game.edge], 1.0),
        payoff,
    )


def all_moves(game: ExtensiveGame) -> Moves:
    """Number the moves of all players in one vector."""
    sizes = np.array([len(moves) for moves in game.move_sets])[game.infoset_moves]
    start = game.first_sequence + _offsets(game)[game.infoset_player]
    return Moves(game.infoset_player.astype(np.int32), start.astype(np.uint32), (start + sizes).astype(np.uint32))


def _offsets(game: ExtensiveGame) -> IntArray:
    counts = [game.num_sequences(p) for p in range(len(game.players))]
    return np.concatenate(([0], np.cumsum(counts)[:-1]))


class TreeSolver(IterativeSolver):
    """An iterative solver on the tree: the profile vector and its measurement."""

    def __init__(self, algorithm: str, game: ExtensiveGame) -> None:
        super().__init__(algorithm, game.name)
        self.game = game
        self._tree = flat_tree(game)
        self._moves = all_moves(game)
        self._counts = [game.num_sequences(p) for p in range(len(game.players))]

    @abstractmethod
    def _average_vector(self) -> FloatArray:
        """Return the averaged probabilities by slot."""

    @abstractmethod
    def _current_vector(self) -> FloatArray:
        """Return the current probabilities by slot."""

    @property
    def average_behaviors(self) -> tuple[FloatArray, ...]:
        """The averaged profile, one vector per player, even if imperfect recall leaves no treeplex."""
        return self._split(self._average_vector())

    @property
    def current_behaviors(self) -> tuple[FloatArray, ...]:
        """The last profile, one vector per player."""
        return self._split(self._current_vector())

    @property
    def average(self) -> tuple[Strategy, ...]:
        """The averaged profile."""
        return tuple(Strategy(t, b) for t, b in zip(self.game.treeplexes, self.average_behaviors, strict=True))

    @property
    def current(self) -> tuple[Strategy, ...]:
        """The last profile."""
        return tuple(Strategy(t, b) for t, b in zip(self.game.treeplexes, self.current_behaviors, strict=True))

    def _strategies_or_none(self) -> tuple[Strategy, ...]:
        return self.average if self.game.has_perfect_recall else ()

    def _split(self, vector: FloatArray) -> tuple[FloatArray, ...]:
        return tuple(part.copy() for part in np.split(vector, np.cumsum(self._counts)[:-1]))

    def _measure(self) -> Measurement | None:
        if not self.game.has_perfect_recall:
            return None
        found = evaluate(self.game, self.average_behaviors)
        regrets = tuple(found.regrets.tolist())
        if len(regrets) == 2 and self.game.is_zero_sum:
            return Measurement(-float(found.best_responses[1]), float(found.best_responses[0]), regrets)
        return Measurement(math.nan, math.nan, regrets)

    def _fingerprint(self) -> str:
        tree = self._tree
        return fingerprint([tree.turn, tree.parent, tree.slot, tree.chance, tree.payoff])


def uniform_vector(moves: Moves, size: int) -> FloatArray:
    """Play every move of an information set with the same probability."""
    vector = np.ones(size)
    normalize(moves, np.zeros(size), vector)
    return vector


@jit
def normalize(moves: Moves, weights: FloatArray, out: FloatArray) -> None:
    """Turn non-negative weights into distributions, uniform where there is no weight."""
    for h in range(len(moves.player)):
        low, high = moves.start[h], moves.stop[h]
        mass = 0.0
        for s in range(low, high):
            mass += weights[s]
        for s in range(low, high):
            out[s] = weights[s] / mass if mass > 0.0 else 1.0 / (high - low)
