r"""A game tree written out node by node, as rules: what file readers and generators produce."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from equiform.models.common.rational import Number
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import TERMINAL


@dataclass(slots=True, eq=False)
class TreeNode:
    """A node with its subtree: children by move label, in order.

    Probabilities and payoffs are numbers, or expressions where a whole family of games is meant.
    """

    turn: int = TERMINAL
    key: Hashable = None
    probabilities: Sequence[Any] = ()
    payoffs: Sequence[Any] = ()
    children: dict[str, TreeNode] = field(default_factory=dict)


class ExplicitTree:
    """Rules whose states are the nodes of a given tree.

    >>> leaf = TreeNode(payoffs=(1, -1))
    >>> ExplicitTree("won", ("us", "them"), leaf).compile().payoff_table
    ((Fraction(1, 1), Fraction(-1, 1)),)
    """

    def __init__(self, name: str, players: Sequence[str], root: TreeNode, describe: Callable[[Any], str] = str) -> None:
        self.name = name
        self.players = tuple(players)
        self.root = root
        self._describe = describe

    def compile(self) -> ExtensiveGame:
        """Walk the tree into arrays that do not keep its nodes alive."""
        return replace(compile_rules(self), describe=self._describe)

    def initial(self) -> TreeNode:
        """Return the root."""
        return self.root

    def turn(self, node: TreeNode) -> int:
        """Return whose move it is."""
        return node.turn

    def actions(self, node: TreeNode) -> tuple[str, ...]:
        """Return the labels of the children."""
        return tuple(node.children)

    def probabilities(self, node: TreeNode) -> Sequence[Number]:
        """Return chance's distribution."""
        return node.probabilities

    def next(self, node: TreeNode, action: str) -> TreeNode:
        """Return a child."""
        return node.children[action]

    def payoffs(self, node: TreeNode) -> Sequence[Number]:
        """Return the payoffs of a leaf."""
        return node.payoffs

    def infoset(self, node: TreeNode) -> Hashable:
        """Return the information set."""
        return node.key

    def describe(self, key: Any) -> str:
        """Put an information set into words."""
        return self._describe(key)
