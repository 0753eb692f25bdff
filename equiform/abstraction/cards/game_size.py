r"""The sizes of a limit poker game and of its linear program, counted without building them.

What may be bet does not depend on the cards. So a player has (decision points of the betting in round r) × (hands that
the player tells apart in round r) information sets, and the sequence-form program of one player (Koller, Megiddo and
von Stengel 1996) has one column per sequence of the player and per information set of the opponent, and one row per
information set of the player and a sequence of the opponent, empty ones included.

Rhode Island hold'em (Shi and Littman 2001): three rounds, at most three bets in each, 52 · 51 · 50 hands in the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, perm

from equiform.games.poker.betting import BettingNode, Situation, betting_tree
from equiform.models.common.arguments import require_all, require_count, require_counts
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE, TERMINAL

_DEEPEST = 100  # rounds, and bets of a round: what recursion follows
_MOST_BETTINGS = 10**5  # ways to come to the last round
_MOST_DEALS = 10**18


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
    """Count the betting tree of a limit game with at most so many bets and raises per round.

    >>> limit_betting(1, 3)
    (BettingRound(decisions=(4, 4), moves=(10, 10), folds=6, ends=7),)
    """

    require_count(most_bets, "most_bets", "limit betting", least=0, most=_DEEPEST)

    def sizes(now: Situation) -> list[tuple[str, int]]:
        return [] if now.raises == most_bets else [("bet", now.highest + 1)]

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

    # every round multiplies the ways to get there by 1 + 2 · bets
    most = int(log(_MOST_BETTINGS) / log(2 * most_bets + 1)) if most_bets else _DEEPEST
    require_count(rounds, "rounds", f"limit betting with {most_bets} bets per round", most=max(1, min(_DEEPEST, most)))
    found = [Counter[tuple[str, int]]() for _ in range(rounds)]
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
    """Return the size of a game in which a player tells ``hands[r]`` hands apart in round r.

    >>> game_size(limit_betting(3, 3), (52, 52 * 51, 52 * 51 * 50)).lp_rows     # Rhode Island hold'em as dealt
    91224226
    """
    parts = require_all(betting, BettingRound, "betting", "size of a game")
    require_counts(hands, "hands", "size of a game", length=len(parts), most=_MOST_DEALS)
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
    parts = require_all(betting, BettingRound, "betting", "nodes of a tree")
    require_counts(deals, "deals", "nodes of a tree", length=len(parts), most=_MOST_DEALS)
    if not parts:
        raise ParameterError("there is no round", where="nodes of a tree", fix="count at least one")
    rounds = list(zip(betting, deals, strict=True))
    return TreeNodes(
        decisions=sum(n * sum(b.decisions) for b, n in rounds),
        folds=sum(n * b.folds for b, n in rounds),
        showdowns=rounds[-1][1] * rounds[-1][0].ends,
        chance=1 + sum(n * b.ends for b, n in rounds[:-1]),
        moves=sum(n * sum(b.moves) for b, n in rounds),
    )


def dealings(cards: int, rounds: int) -> tuple[int, ...]:
    """Count the ways to deal one private card to each of two players, then one public card per round.

    >>> dealings(52, 3)
    (2652, 132600, 6497400)
    """
    require_count(cards, "cards", "dealings", least=2, most=10**6)
    require_count(rounds, "rounds", f"dealings of {cards:,} cards", most=min(cards - 1, _DEEPEST))
    return tuple(perm(cards, 2 + r) for r in range(rounds))
