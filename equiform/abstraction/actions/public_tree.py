r"""The public betting tree of a poker game, with every bet measured in pots.

Action abstraction and translation speak of public moves only: who may bet how much. A :class:`BettingView` strips a
game's rules down to that: a tree of :class:`PublicNode` and the two halves of an information-set key, what is public
(the betting) and what is not (the cards). Any rules object can be given a view; those of this package have one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from equiform.games.poker.betting import BettingNode
from equiform.games.poker.leduc import CommunityCardPoker
from equiform.games.poker.single_bet import SingleBet
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.rules import CHANCE, TERMINAL, Rules, require_rules


class Kind(StrEnum):
    """What a public move is."""

    FOLD = "fold"
    PASSIVE = "check or call"
    BET = "bet or raise"


@dataclass(frozen=True)
class Move:
    """A public move. ``size`` is the amount on top of a call, in units of the pot after that call; 0 unless a bet."""

    label: str
    kind: Kind
    size: float = 0.0
    all_in: bool = False


@dataclass(eq=False)
class PublicNode:
    """A point in the betting; ``after[k]`` is where ``moves[k]`` leads."""

    history: Hashable
    turn: int  # player, CHANCE (cards come, then ``after[0]``) or TERMINAL
    moves: tuple[Move, ...] = ()
    after: tuple[PublicNode, ...] = ()
    faces_all_in: bool = False

    def move(self, kind: Kind) -> int | None:
        """Find the first move of a kind."""
        return next((k for k, m in enumerate(self.moves) if m.kind is kind), None)

    @property
    def bets(self) -> list[int]:
        """The moves that bet, by size."""
        return sorted((k for k, m in enumerate(self.moves) if m.kind is Kind.BET), key=lambda k: self.moves[k].size)

    @property
    def passive(self) -> int:
        """The check or call; every betting node has one."""
        found = self.move(Kind.PASSIVE)
        if found is None:
            raise UnsupportedGameError(
                "a player can neither check nor call",
                where=f"{self.history!r}",
                fix="translation needs a passive move wherever a player is to act",
            )
        return found


@dataclass(frozen=True, eq=False)
class BettingView:
    """A game's public tree, and how its information-set keys split into public and private."""

    root: PublicNode = field(repr=False)
    public: Callable[[Any], Hashable]
    """Return the betting history of a key."""
    rekey: Callable[[Any, Hashable], Hashable]
    """Return the key with the same cards and another betting history."""

    def nodes(self) -> Iterator[PublicNode]:
        """Walk over all nodes, parents first."""
        todo = [self.root]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(node.after)


def betting_view(rules: Rules) -> BettingView:
    """Return the view of a game in this package.

    >>> from equiform.games.poker.kuhn_nl import KuhnNoLimit
    >>> [m.size for m in betting_view(KuhnNoLimit(stack=1, step=0.5)).root.moves]
    [0.0, 0.5, 1.0]
    """
    if isinstance(rules, SingleBet):
        return BettingView(_single_bet_tree(rules), lambda key: key[1], lambda key, history: (key[0], history))
    if isinstance(rules, CommunityCardPoker):
        stack = getattr(rules, "stack", None)
        tree = _community_tree(rules.betting, stack)
        return BettingView(tree, lambda key: key[2], lambda key, history: (key[0], key[1], history))
    require_rules(rules)
    raise UnsupportedGameError(
        f"{type(rules).__name__} has no betting view",
        where=rules.name,
        fix="build a BettingView for your rules: a public tree with bet sizes, and how keys split",
    )


def _single_bet_tree(rules: SingleBet) -> PublicNode:
    largest = max(rules.bets.values(), default=None)
    moves = [Move("check", Kind.PASSIVE)]
    after = [PublicNode("check", TERMINAL)]
    for label, amount in rules.bets.items():
        moves.append(Move(label, Kind.BET, float(amount), amount == largest))  # the pot is 1
        answers = (Move("fold", Kind.FOLD), Move("call", Kind.PASSIVE))
        ends = (PublicNode((label, "fold"), TERMINAL), PublicNode((label, "call"), TERMINAL))
        after.append(PublicNode(label, 1, answers, ends, amount == largest))
    return PublicNode("", 0, tuple(moves), tuple(after))


def _community_tree(node: BettingNode, stack: int | None, faces_all_in: bool = False) -> PublicNode:
    if node.turn == TERMINAL:
        return PublicNode(node.history, TERMINAL)
    if node.turn == CHANCE:
        street = _community_tree(node.street, stack) if node.street is not None else None
        return PublicNode(node.history, CHANCE, (), (street,) if street is not None else ())
    highest = max(node.paid)
    moves, after = [], []
    for label, child in node.after.items():
        if label == "fold":
            moves.append(Move(label, Kind.FOLD))
            after.append(_community_tree(child, stack))
        elif label in ("check", "call"):
            moves.append(Move(label, Kind.PASSIVE))
            after.append(_community_tree(child, stack))
        else:
            to = child.paid[node.turn]
            moves.append(Move(label, Kind.BET, (to - highest) / (2 * highest), to == stack))
            after.append(_community_tree(child, stack, to == stack))
    return PublicNode(node.history, node.turn, tuple(moves), tuple(after), faces_all_in)
