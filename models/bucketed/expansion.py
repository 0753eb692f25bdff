"""A bucketed game written out as a tree: chance deals pairs of histories, round by round. For small games."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import leaf_nodes
from equiform.models.common.array_types import FloatArray
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.public.betting import SHOWDOWN
from equiform.models.rules import CHANCE

# (history of player 0, history of player 1, node); None before the deal.
State = tuple[int, int, int]
#: Street, node and bucket.
Key = tuple[int, int, int]


def expand_buckets(game: BucketedGame, *, max_nodes: int = 2_000_000) -> ExtensiveGame:
    """Return a bucketed game as a tree, exact: probabilities are ratios of counts of deals.

    A player who forgets sees the bucket of the round alone, so that the tree then has imperfect recall.
    """
    return compile_rules(ExpandedBuckets(game), max_nodes=max_nodes)


class ExpandedBuckets:
    """The rules of a bucketed game."""

    def __init__(self, game: BucketedGame) -> None:
        self.name, self.players, self.game, self.tree = game.name, game.players, game, game.betting
        deals = game.deals
        self._joint = [deals.joint(s) for s in range(deals.rounds)]
        self._below = [
            [[np.flatnonzero(up == h).tolist() for h in range(int(up.max()) + 1)] for up in ups] for ups in deals.up
        ]
        self._leaf = {int(node): k for k, node in enumerate(leaf_nodes(game.betting))}
        self._pays: dict[int, FloatArray] = {}

    def initial(self) -> State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: State | None) -> int:
        """Return whose move it is."""
        return CHANCE if state is None else int(self.tree.turn[state[2]])

    def _pairs(self, state: State | None) -> list[tuple[int, int]]:
        """List the pairs of histories that chance may deal next."""
        if state is None:
            street = 0
            first, second = (list(range(n)) for n in self._joint[0].shape)
        else:
            street = int(self.tree.street[state[2]]) + 1
            first, second = (self._below[p][street - 1][state[p]] for p in range(2))
        return [(i, j) for i in first for j in second if self._joint[street][i, j] > 0]

    def actions(self, state: State | None) -> tuple[str, ...]:
        """Return the moves."""
        if self.turn(state) == CHANCE:
            return tuple(f"{i}v{j}" for i, j in self._pairs(state))
        assert state is not None
        return self.tree.actions(state[2])

    def probabilities(self, state: State | None) -> tuple[Fraction, ...]:
        """Return the odds of the pairs of histories."""
        street = 0 if state is None else int(self.tree.street[state[2]]) + 1
        joint = self._joint[street]
        counts = [Fraction(float(joint[pair])) for pair in self._pairs(state)]
        total = sum(counts)
        return tuple(n / total for n in counts)

    def next(self, state: State | None, action: str) -> State:
        """Return the state after a move."""
        if self.turn(state) == CHANCE:
            i, j = map(int, action.split("v"))
            return i, j, 0 if state is None else self.tree.children[state[2]][0]
        assert state is not None
        children = self.tree.children[state[2]]
        return *state[:2], children[self.tree.actions(state[2]).index(action)]

    def payoffs(self, state: State) -> tuple[Fraction, Fraction]:
        """Return the payoffs at the end: at a leaf the average over the deals of the pair."""
        i, j, node = state
        winner = int(self.tree.winner[node])
        if winner != SHOWDOWN:
            pay = (1 - 2 * winner) * Fraction(float(self.tree.stake[node]))
        else:
            leaf = self._leaf[node]
            pay = Fraction(0)
            for weight, matrix in zip(self.game.leaves.weights[leaf].tolist(), self.game.leaves.matrices, strict=True):
                pay += Fraction(weight) * Fraction(float(matrix[i, j]))
            pay /= Fraction(float(self.game.deals.counts[i, j]))
        return pay, -pay

    def infoset(self, state: State) -> Key:
        """Return round, decision and bucket."""
        node = state[2]
        who, street = int(self.tree.turn[node]), int(self.tree.street[node])
        return street, node, int(self.game.deals.buckets(who, street)[state[who]])

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        street, node, bucket = key
        history = self.tree.history(node)
        round_ = self.game.rounds[street] if self.game.rounds else f"round {street + 1}"
        return f"holding {round_} bucket {bucket}, {f'after {history}' if history.strip('/') else 'to open'}"
