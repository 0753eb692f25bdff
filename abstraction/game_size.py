r"""How large a limit poker game and its linear program are, counted without building them.

What may be bet does not depend on the cards. So a player has (decision points of the betting in round r) × (hands that
the player tells apart in round r) information sets, and the sequence-form program of one player (Koller, Megiddo and
von Stengel 1996) has a column a sequence of the player and an information set of the opponent, and a row an information
set of the player and a sequence of the opponent, empty ones included.

Rhode Island hold'em (Shi and Littman 2001): three rounds, at most three bets in each, 52 · 51 · 50 hands in the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import perm

from equiform.games.betting import BettingNode, Situation, betting_tree
from equiform.models.errors import ParameterError
from equiform.models.extensive import CHANCE, TERMINAL


@dataclass(frozen=True)
class BettingRound:
    """What one round's part of the public betting tree holds, over all ways to get there."""

    decisions: tuple[int, int]  # of player 1 and of player 2
    moves: tuple[int, int]
    folds: int
    ends: int  # the round is over: the next card, or the showdown


@dataclass(frozen=True)
class GameSize:
    """Information sets and sequences (the empty one included) of both players."""

    infosets: tuple[int, int]
    sequences: tuple[int, int]

    @property
    def lp_columns(self) -> int:
        """Columns of player 1's sequence-form program."""
        return self.sequences[0] + self.infosets[1] + 1

    @property
    def lp_rows(self) -> int:
        """Rows of player 1's sequence-form program."""
        return self.infosets[0] + 1 + self.sequences[1]


def limit_betting(rounds: int, most_bets: int) -> tuple[BettingRound, ...]:
    """Count the betting tree of a limit game with at most so many bets and raises a round.

    >>> limit_betting(1, 3)
    (BettingRound(decisions=(4, 4), moves=(10, 10), folds=6, ends=7),)
    """

    def sizes(now: Situation) -> list[tuple[str, int]]:
        return [] if now.raises == most_bets else [("bet", now.highest + 1)]

    found = [Counter[tuple[str, int]]() for _ in range(rounds)]

    def walk(node: BettingNode) -> None:
        at = node.history.count("/")
        if node.turn == TERMINAL:
            found[at]["folds" if node.history.endswith("fold") else "ends", 0] += 1
        elif node.turn == CHANCE:
            found[at]["ends", 0] += 1
            if node.street is not None:
                walk(node.street)
        else:
            found[at]["decisions", node.turn] += 1
            found[at]["moves", node.turn] += len(node.moves)
            for child in node.after.values():
                walk(child)

    if rounds < 1 or most_bets < 0:
        raise ParameterError("a game has one round or more", where=f"rounds={rounds}, most_bets={most_bets}")
    walk(betting_tree(ante=1, rounds=rounds, sizes=sizes))
    return tuple(
        BettingRound(
            (c["decisions", 0], c["decisions", 1]),
            (c["moves", 0], c["moves", 1]),
            c["folds", 0],
            c["ends", 0],
        )
        for c in found
    )


def game_size(betting: Sequence[BettingRound], hands: Sequence[int]) -> GameSize:
    """Size of a game in which a player tells ``hands[r]`` hands apart in round r.

    >>> game_size(limit_betting(3, 3), (52, 52 * 51, 52 * 51 * 50)).lp_rows     # Rhode Island hold'em as dealt
    91224226
    """
    if len(betting) != len(hands):
        raise ParameterError("every round needs a number of hands", where=f"{len(betting)} rounds, {list(hands)}")
    counts = [
        (
            sum(b.decisions[p] * n for b, n in zip(betting, hands, strict=True)),
            1 + sum(b.moves[p] * n for b, n in zip(betting, hands, strict=True)),
        )
        for p in (0, 1)
    ]
    return GameSize((counts[0][0], counts[1][0]), (counts[0][1], counts[1][1]))


@dataclass(frozen=True)
class TreeNodes:
    """What the nodes of a game tree are."""

    decisions: int
    folds: int
    showdowns: int
    chance: int
    """The root, and the end of every round that is followed by another."""
    moves: int
    """Edges from decisions: what the players, not chance, can do."""

    @property
    def leaves(self) -> int:
        """Ends of the game."""
        return self.folds + self.showdowns

    @property
    def total(self) -> int:
        """All nodes."""
        return self.decisions + self.leaves + self.chance


def tree_nodes(betting: Sequence[BettingRound], deals: Sequence[int]) -> TreeNodes:
    """Count the nodes of the full tree of a game in which cards can come in ``deals[r]`` ways until round r.

    >>> tree_nodes(limit_betting(1, 1), dealings(3, 1)).total        # Kuhn poker
    55
    """
    if len(betting) != len(deals):
        raise ParameterError("every round needs a number of deals", where=f"{len(betting)} rounds, {list(deals)}")
    rounds = list(zip(betting, deals, strict=True))
    return TreeNodes(
        decisions=sum(n * sum(b.decisions) for b, n in rounds),
        folds=sum(n * b.folds for b, n in rounds),
        showdowns=rounds[-1][1] * rounds[-1][0].ends,
        chance=1 + sum(n * b.ends for b, n in rounds[:-1]),
        moves=sum(n * sum(b.moves) for b, n in rounds),
    )


def dealings(cards: int, rounds: int) -> tuple[int, ...]:
    """In how many ways a game deals one private card to each of two players, then one public card a round.

    >>> dealings(52, 3)
    (2652, 132600, 6497400)
    """
    return tuple(perm(cards, 2 + r) for r in range(rounds))
