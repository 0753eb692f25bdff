r"""The public half of a two-player poker game: its betting tree.

What may be bet depends on the betting so far and not on the cards, so that the tree of bets is built once and every
deal walks through the same nodes. A state of a poker game is then the cards plus one :class:`BettingNode`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from equiform.models.rules import CHANCE, TERMINAL

Payoffs = tuple[int, int]


@dataclass(slots=True, eq=False)
class BettingNode:
    """A point in the betting: whose turn it is and what every move leads to."""

    turn: int  # player, CHANCE (the next card comes) or TERMINAL
    history: str  # moves joined by "–", rounds by "/": "check–bet–call/check"
    after: dict[str, BettingNode] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    paid: Payoffs = (0, 0)  # at a player's turn: what each has put in, ante included
    street: BettingNode | None = None  # at CHANCE: where betting goes on after the card
    pay: tuple[Payoffs, Payoffs, Payoffs] = ((0, 0), (0, 0), (0, 0))  # at TERMINAL: tie, player 1 wins, player 2 wins


@dataclass(frozen=True)
class Situation:
    """What the size of a bet may depend on."""

    round: int
    opened: int  # what each player had put in when the round began
    highest: int  # the larger of the two contributions, ante included
    increment: int  # by how much the last bet or raise went up; 0 if there was none in this round
    raises: int  # bets and raises so far in this round


# Gives the contributions that a bet or raise may go up to, with the label of each.
BetSizes = Callable[[Situation], list[tuple[str, int]]]


def betting_tree(*, ante: int, rounds: int, sizes: BetSizes, stack: int | None = None) -> BettingNode:
    """Build the tree: check or bet; facing a bet fold, call or raise; a round ends when contributions are equal.

    Player 1 opens every round. ``stack`` is all that a player can put in, ante included: once both have done so the
    remaining cards come without betting.
    """

    def settled(paid: int, at: int, history: str) -> BettingNode:
        """Close the round: go on to the next one or to the showdown."""
        if at == rounds:
            return BettingNode(TERMINAL, history, pay=((0, 0), (paid, -paid), (-paid, paid)))
        street = history + "/"
        if paid == stack:
            return BettingNode(CHANCE, history, street=settled(paid, at + 1, street))
        return BettingNode(CHANCE, history, street=decision(0, (paid, paid), Situation(at, paid, paid, 0, 0), street))

    def decision(who: int, paid: tuple[int, int], now: Situation, history: str) -> BettingNode:
        node = BettingNode(who, history, paid=paid)
        first_word = history == "" or history.endswith("/")

        def spell(move: str) -> str:
            return history + move if first_word else f"{history}–{move}"

        if paid[who] < now.highest:
            loss = paid[who]
            ending: Payoffs = (loss, -loss) if who == 1 else (-loss, loss)
            node.after["fold"] = BettingNode(TERMINAL, spell("fold"), pay=(ending, ending, ending))
            node.after["call"] = settled(now.highest, now.round + 1, spell("call"))
        elif first_word:  # nobody has acted yet
            node.after["check"] = decision(1 - who, paid, now, spell("check"))
        else:
            node.after["check"] = settled(now.highest, now.round + 1, spell("check"))
        for label, to in sizes(now):
            raised = (to, paid[1]) if who == 0 else (paid[0], to)
            then = Situation(now.round, now.opened, to, to - now.highest, now.raises + 1)
            node.after[label] = decision(1 - who, raised, then, spell(label))
        node.moves = tuple(node.after)
        return node

    if ante == stack:
        return settled(ante, 1, "")
    return decision(0, (ante, ante), Situation(0, ante, ante, 0, 0), "")


def betting_words(history: str) -> str:
    """Put a betting history into words.

    >>> betting_words(""), betting_words("check–bet"), betting_words("bet–call/"), betting_words("bet–call/check")
    ('to open', 'after check–bet', 'after bet–call, to open', 'after bet–call, then check')
    """
    *past, current = history.split("/")
    words = [f"{'then' if k else 'after'} {moves}" for k, moves in enumerate([*past, current] if current else past)]
    return ", ".join(words if current else [*words, "to open"])
