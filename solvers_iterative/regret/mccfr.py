r"""Monte Carlo CFR: sample part of the tree, keep the expected regrets right (Lanctot, Waugh, Zinkevich, Bowling 2009).

An iteration is one traversal for each player p in turn; ``sampling`` says what is drawn:

- ``external``: chance and the opponents' moves; all moves of p are followed. The sampled values need no correction,
  since an external event is drawn as often as it weighs.
- ``outcome``: everything, one history per traversal. Player p draws from
  :math:`q = \epsilon/|h| + (1 - \epsilon)\, b_h` and what follows is divided by the probability :math:`q_p` of p's own
  draws. With the drawn action :math:`a^*` and the terminal payoff u,
  :math:`\tilde v(ha^*) = u \, \pi_p(ha^* \to z) / q_p(z)`, the other actions count zero, and
  :math:`r_{ha} \mathrel{+}= \tilde v(ha) - b_{ha^*} \tilde v(ha^*)`.
- ``chance``: chance only; all moves of all players are followed (Zinkevich et al. 2007).

Averages are kept where they come for free. In external and outcome sampling the next player's strategy is added at
every node of theirs on the way (after division by :math:`q_p`): the node is met in proportion to that player's own
reach, which is the weight the average needs with two players. Chance sampling adds :math:`\pi_p b_h` at p's nodes.

Random numbers come from an explicit seed and their generator's state is part of the saved state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import TERMINAL
from equiform.solvers_iterative.kernels.rng import seeded, uniform
from equiform.solvers_iterative.kernels.rows import Index, unsigned
from equiform.solvers_iterative.kernels.sampling import (
    Alias,
    alias_tables,
    draw_chance,
    draw_move,
    matched,
    positive_mass,
)
from equiform.solvers_iterative.kernels.tree import Tree, TreeSolver, normalize
from equiform.solvers_iterative.regret.external import Sampled, match_regrets, run_external, tree_records

SAMPLINGS = ("external", "outcome", "chance")


class Learned(NamedTuple):
    """What grows from iteration to iteration; all of it is saved."""

    regret: FloatArray
    total: FloatArray  # weights of the average
    random: NDArray[np.uint64]


class Walk(NamedTuple):
    """Scratch of one traversal: the sampled tree, level by level."""

    queue: Index
    below: Index  # where a queued node's children stand
    value: FloatArray
    odds: FloatArray  # chance sampling only, as is reach
    reach: FloatArray


class MCCFR(TreeSolver):
    """Monte Carlo CFR.

    Parameters
    ----------
    game
        A game tree with any number of players; recall may be imperfect.
    sampling
        What a traversal draws: ``external``, ``outcome`` or ``chance``.
    seed
        The same seed gives the same iterates.
    exploration
        How often outcome sampling draws the traversing player's move uniformly; in (0, 1].

    Raises
    ------
    ParameterError
        If the sampling is not known or ``exploration`` leaves moves that are never drawn.
    """

    def __init__(
        self, game: ExtensiveGame, sampling: str = "external", *, seed: int = 0, exploration: float = 0.6
    ) -> None:
        require_name(sampling, SAMPLINGS, "sampling")
        if not 0.0 < exploration <= 1.0:
            raise ParameterError(
                f"exploration={exploration} leaves actions that are never drawn", fix="use a number in (0, 1]"
            )
        super().__init__(f"mccfr-{sampling}", game)
        self.sampling, self.seed, self.exploration = sampling, seed, float(exploration)
        size, nodes = sum(self._counts), game.num_nodes
        self._alias = alias_tables(game, self._tree)
        self._learned = Learned(np.zeros(size), np.zeros(size), seeded(seed))
        self._records = tree_records(game, self._tree)
        self._strategy = np.ones(size)  # of the regrets, for external sampling
        self._sampled = Sampled(np.empty(nodes, dtype=np.uint32), np.empty(nodes, dtype=np.uint32), np.empty(nodes))
        followed = nodes if sampling == "chance" else 0
        self._walk = Walk(*self._sampled, np.empty(followed), np.empty((followed, len(game.players))))

    @property
    def options(self) -> dict[str, Any]:
        """The seed, and the exploration of outcome sampling."""
        return {"seed": self.seed} | ({"exploration": self.exploration} if self.sampling == "outcome" else {})

    def _advance(self, count: int) -> None:
        if self.sampling == "external":
            match_regrets(self._moves.start, self._moves.stop, self._learned.regret, self._strategy)
            run_external(self._records, self._alias, *self._learned, self._strategy, self._sampled, count)
        elif self.sampling == "outcome":
            _run_outcome(self._tree, self._alias, self._learned, self._walk, self.exploration, count)
        else:
            _run_chance(self._tree, self._alias, self._learned, self._walk, count)

    def _state(self) -> dict[str, NDArray[Any]]:
        return self._learned._asdict()

    def _average_vector(self) -> FloatArray:
        return self._normalized(self._learned.total)

    def _current_vector(self) -> FloatArray:
        return self._normalized(np.maximum(self._learned.regret, 0.0))

    def _normalized(self, weights: FloatArray) -> FloatArray:
        out = np.ones(len(weights))
        normalize(self._moves, weights, out)
        return out


@jit
def _add_to_average(learned: Learned, low: int, size: int, mass: float, drawn: float) -> None:
    """Add the strategy of an information set to its average, divided by the probability of p's draws so far."""
    for s in range(low, low + size):
        learned.total[s] += matched(learned.regret, s, mass, size) / drawn


@jit
def _run_outcome(tree: Tree, alias: Alias, learned: Learned, walk: Walk, exploration: float, count: int) -> None:
    regret, random, queue, kept = learned.regret, learned.random, walk.queue, walk.value
    players = tree.payoff.shape[1]
    for _ in range(count):
        for p in range(players):
            averaged = (p + 1) % players
            node = unsigned(0)
            drawn, length = 1.0, 0  # the probability of player p's draws so far; how many
            while tree.turn[node] != TERMINAL:
                turn = tree.turn[node]
                if turn < 0:
                    node = draw_chance(tree, alias, node, random)
                    continue
                first = tree.first_child[node]
                low, size = tree.slot[first], tree.num_children[node]
                mass = positive_mass(regret, low, low + size)
                if turn == averaged:
                    _add_to_average(learned, low, size, mass, drawn)
                if turn == p:
                    explore = uniform(random) < exploration
                    pick = draw_move(regret, low, low + size, 0.0 if explore else mass, random)
                    odds = matched(regret, low + pick, mass, size)
                    drawn *= exploration / size + (1.0 - exploration) * odds
                    queue[length] = first + pick
                    kept[length] = odds
                    length += 1
                else:
                    pick = draw_move(regret, low, low + size, mass, random)
                node = first + pick
            worth = tree.payoff[node, p] / drawn
            for i in range(length - 1, -1, -1):
                child = queue[i]
                first = tree.first_child[tree.parent[child]]
                low, size = tree.slot[first], tree.num_children[tree.parent[child]]
                for s in range(low, low + size):
                    regret[s] -= kept[i] * worth
                regret[low + (child - first)] += worth
                worth *= kept[i]


@jit
def _run_chance(tree: Tree, alias: Alias, learned: Learned, walk: Walk, count: int) -> None:
    regret, total, random = learned.regret, learned.total, learned.random
    queue, below, value, odds, reach = walk.queue, walk.below, walk.value, walk.odds, walk.reach
    players = tree.payoff.shape[1]
    for _ in range(count):
        for p in range(players):
            queue[0] = _skip_chance(tree, alias, random, unsigned(0))
            reach[0, :] = 1.0
            head, tail = 0, 1
            while head < tail:
                node, turn = queue[head], tree.turn[queue[head]]
                if turn != TERMINAL:
                    below[head] = tail
                    first, size = tree.first_child[node], tree.num_children[node]
                    low = tree.slot[first]
                    mass = positive_mass(regret, low, low + size)
                    for k in range(size):
                        queue[tail] = _skip_chance(tree, alias, random, first + k)
                        odds[tail] = matched(regret, low + k, mass, size)
                        for j in range(players):
                            reach[tail, j] = reach[head, j] * (odds[tail] if j == turn else 1.0)
                        tail += 1
                head += 1
            for i in range(tail - 1, -1, -1):
                node = queue[i]
                if tree.turn[node] == TERMINAL:
                    value[i] = tree.payoff[node, p]
                    continue
                size, start = tree.num_children[node], below[i]
                expected = 0.0
                for k in range(size):
                    expected += odds[start + k] * value[start + k]
                value[i] = expected
                if tree.turn[node] == p:
                    others = 1.0
                    for j in range(players):
                        others *= reach[i, j] if j != p else 1.0
                    low = tree.slot[tree.first_child[node]]
                    for k in range(size):
                        regret[low + k] += others * (value[start + k] - expected)
                        total[low + k] += reach[i, p] * odds[start + k]


@jit
def _skip_chance(tree: Tree, alias: Alias, random: NDArray[np.uint64], node: int) -> int:
    while tree.turn[node] == -1:
        node = draw_chance(tree, alias, node, random)
    return node
