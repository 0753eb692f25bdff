r"""Random extensive games with perfect recall, for tests and experiments.

The tree grows level by level. A node is chance's with probability ``chance``, otherwise a player's, mostly the same one
on a whole level; below the root it may be a leaf early. With probability ``merge`` a player's node joins an information
set of an earlier node with as many moves and *the same own sequence* (the player's last information set and move
there), which is exactly what perfect recall allows. Payoffs are integers, chance probabilities are exact. The same
arguments give the same game.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from equiform.games.size import require_size
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.arguments import require_count, require_number
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE

_MOVES = "abcdefghijklmnopqrstuvwxyz"
_EARLY_LEAF = 0.15
_OUT_OF_TURN = 0.25  # how often a node belongs to a random player rather than to its level's
_FORCED = 0.06  # nodes with a single move: rare, and easily forgotten by algorithms

# A player's information set and the move chosen there; None before the first.
_Sequence = tuple[int, int] | None


def random_game(
    *,
    seed: int,
    depth: int = 4,
    branching: int = 3,
    merge: float | Fraction = 0.5,
    chance: float | Fraction = 0.2,
    payoff: int = 10,
    players: int = 2,
    zero_sum: bool = True,
) -> ExtensiveGame:
    """Generate a game.

    Parameters
    ----------
    seed
        The same seed and arguments give the same game.
    depth
        The number of moves on the longest path.
    branching
        The most moves that a node has.
    merge
        The probability that a node joins an earlier information set where perfect recall allows it.
    chance
        The probability that a node belongs to chance.
    payoff
        A bound of the absolute payoffs; with ``zero_sum``, of all players' but the last, who pays or receives the rest.
    players
        How many players there are.
    zero_sum
        Whether payoffs sum to zero.

    Raises
    ------
    ParameterError
        If an argument is out of range or the tree would be too large.

    Examples
    --------
    >>> game = random_game(seed=1)
    >>> game.has_perfect_recall, game.is_zero_sum
    (True, True)
    """
    _check(depth=depth, branching=branching, merge=merge, chance=chance, payoff=payoff, players=players)
    where = f"depth={depth}, branching={branching}"
    require_size(int((1 + branching / 2 if branching > 1 else 1) ** depth), where)  # the mean, without early leaves
    root = _grow(Random(seed), depth, branching, (merge, chance), payoff, players, zero_sum, where)
    names = tuple(f"player {k + 1}" for k in range(players))
    return ExplicitTree("random", names, root, "set {}".format).compile()


def _grow(
    rng: Random,
    depth: int,
    branching: int,
    shares: tuple[float | Fraction, float | Fraction],
    payoff: int,
    players: int,
    zero_sum: bool,
    where: str,
) -> TreeNode:
    """Grow the tree level by level; ``shares`` are those of merged nodes and of chance's."""
    merge, chance = shares
    sets: dict[tuple[int, _Sequence, int], list[int]] = {}  # (player, own sequence, number of moves) → sets
    num_sets = 0
    root = TreeNode()
    level: list[tuple[TreeNode, tuple[_Sequence, ...]]] = [(root, (None,) * players)]
    size = 1
    for remaining in range(depth, -1, -1):
        below: list[tuple[TreeNode, tuple[_Sequence, ...]]] = []
        usual = rng.randrange(players)
        for node, history in level:
            if remaining == 0 or (node is not root and rng.random() < _EARLY_LEAF):
                node.payoffs = _payoffs(rng, payoff, players, zero_sum)
                continue
            count = 1 if branching == 1 or rng.random() < _FORCED else rng.randint(2, branching)
            size += count
            require_size(size, where)
            node.children = {_MOVES[k]: TreeNode() for k in range(count)}
            if rng.random() < chance:
                node.turn = CHANCE
                weights = [rng.randint(1, 6) for _ in range(count)]
                node.probabilities = tuple(Fraction(w, sum(weights)) for w in weights)
                below.extend((child, history) for child in node.children.values())
                continue
            who = node.turn = rng.randrange(players) if rng.random() < _OUT_OF_TURN else usual
            same = sets.setdefault((who, history[who], count), [])
            if not same or rng.random() >= merge:
                same.append(num_sets)
                number = num_sets
                num_sets += 1
            else:
                number = rng.choice(same)
            node.key = number
            for k, child in enumerate(node.children.values()):
                below.append((child, (*history[:who], (number, k), *history[who + 1 :])))
        level = below
    return root


def _payoffs(rng: Random, bound: int, players: int, zero_sum: bool) -> tuple[int, ...]:
    own = [rng.randint(-bound, bound) for _ in range(players - 1 if zero_sum else players)]
    return (*own, -sum(own)) if zero_sum else tuple(own)


def _check(
    *, depth: int, branching: int, merge: float | Fraction, chance: float | Fraction, payoff: int, players: int
) -> None:
    require_count(depth, "depth", "a random game", least=0, most=10_000)
    require_count(payoff, "payoff", "a random game", least=0)
    require_count(players, "players", "a random game", most=1000)
    require_count(branching, "branching", "a random game", most=len(_MOVES))
    for name, share in (("merge", merge), ("chance", chance)):
        require_number(share, name, "a random game", most=1.0)
