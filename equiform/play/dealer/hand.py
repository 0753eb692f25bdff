"""One hand: what a player sees, who plays it, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from equiform.games.cards.card import STANDARD
from equiform.games.cards.evaluator import strengths
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.play.dealer.betting import Action, BettingState
from equiform.play.dealer.rules import BOARD_CARDS, HoldemRules

Cards = tuple[int, ...]


class View(NamedTuple):
    """What a player sees when it is to act."""

    hand: int
    """The number of the hand in the match."""
    seat: int
    betting: BettingState
    hole: Cards
    """The player's own two cards."""
    board: Cards


class Player(Protocol):
    """Whoever plays hands. The answer may depend on the view and the player's own seed alone."""

    @property
    def name(self) -> str:
        """What to call the player in logs."""
        ...

    def act(self, view: View) -> Action:
        """Return a move; an illegal one costs the player the hand, by the dealer's rule."""
        ...


@dataclass(frozen=True)
class Deal:
    """The cards of a hand, dealt in advance: two for each seat and five for the board."""

    holes: tuple[Cards, Cards]
    board: Cards

    def __post_init__(self) -> None:
        if [len(h) for h in self.holes] != [2, 2] or len(self.board) != 5:
            raise ParameterError("a deal has two cards for each seat and five on the board", where=str(self)[:120])
        STANDARD.cards((*self.holes[0], *self.holes[1], *self.board))


def shuffled(seed: int, hand: int) -> Deal:
    """Deal a hand of a match: the cards depend on the seed and the hand's number alone."""
    cards = np.random.default_rng((seed, hand)).permutation(len(STANDARD))[:9].tolist()
    return Deal(((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:]))


@dataclass(frozen=True)
class HandRecord:
    """A hand that was played, as logs keep it."""

    rules: HoldemRules
    number: int
    line: str
    holes: tuple[Cards, Cards]
    board: Cards
    """The cards that were seen."""
    chips: tuple[int, int]
    """What each seat won."""
    names: tuple[str, str]
    """Who sat where."""

    def won_by(self, name: str) -> int:
        """Return what a player won."""
        return self.chips[self.names.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "hand": self.number,
            "line": self.line,
            "holes": [STANDARD.text(h) for h in self.holes],
            "board": STANDARD.text(self.board),
            "chips": list(self.chips),
            "names": list(self.names),
        }


def settle(betting: BettingState, holes: tuple[Cards, Cards], board: Cards) -> tuple[int, int]:
    """Return what each seat wins when a hand is over.

    Every chip that is won was put in by the other: stacks are equal, so that nobody can win more than the loser paid.
    """
    if not betting.over:
        raise ParameterError("the hand is not over", where=betting.line, fix="play it to its end")
    if betting.folded >= 0:
        lost = betting.spent[betting.folded]
        return (-lost, lost) if betting.folded == 0 else (lost, -lost)
    if len(board) != 5:
        raise FormatError("a showdown needs five board cards", where=betting.line, fix="deal the whole board")
    first, second = strengths(np.array([(*hole, *board) for hole in holes], dtype=np.int64)).tolist()
    stake = betting.spent[0]
    won = stake if first > second else -stake if second > first else 0
    return won, -won


def play_hand(rules: HoldemRules, deal: Deal, players: tuple[Player, Player], *, number: int = 0) -> HandRecord:
    """Play one hand; ``players`` are in the order of their seats.

    Raises
    ------
    IllegalActionError
        If a player makes a move that is not legal.

    Examples
    --------
    >>> from equiform.play.dealer.rules import LIMIT
    >>> from equiform.play.holdem.simple import always_call
    >>> play_hand(LIMIT, shuffled(1, 0), (always_call(), always_call())).line
    'cc/cc/cc/cc'
    """
    betting = BettingState.start(rules)
    while not betting.over:
        seat = betting.turn
        seen = deal.board[: BOARD_CARDS[betting.street]]
        betting = betting.after(players[seat].act(View(number, seat, betting, deal.holes[seat], seen)))
    return finished(betting, deal, number, (players[0].name, players[1].name))


def finished(betting: BettingState, deal: Deal, number: int, names: tuple[str, str]) -> HandRecord:
    """Return the record of a hand that is over."""
    seen = deal.board[: BOARD_CARDS[betting.street]]
    return HandRecord(betting.rules, number, betting.line, deal.holes, seen, settle(betting, deal.holes, seen), names)


def in_big_blinds(records: list[HandRecord], name: str) -> IntArray:
    """Return what a player won, hand by hand, in thousandths of a big blind."""
    return np.array([1000 * r.won_by(name) // r.rules.big_blind for r in records], dtype=np.int64)
