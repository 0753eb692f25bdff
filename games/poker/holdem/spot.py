"""A spot: board, pot, stacks, ranges and bet sizes, and the game that they make."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiform.games.cards.card import STANDARD, CardError, CardsLike
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.holdem.bet_sizes import STREETS, BetSizes
from equiform.games.poker.holdem.betting import Betting
from equiform.games.poker.holdem.ranges import Range, as_range
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame


@dataclass(frozen=True)
class Spot:
    """A heads-up situation on the flop, turn or river; player 1 is out of position (``oop``), player 2 in (``ip``)."""

    board: tuple[int, ...]
    oop: Range
    ip: Range
    betting: Betting

    @staticmethod
    def of(
        board: CardsLike,
        *,
        pot: float,
        stack: float,
        oop: Range | str = "random",
        ip: Range | str = "random",
        sizes: BetSizes | None = None,
        first: str = "oop",
        rake: float = 0.0,
        rake_cap: float = 0.0,
        **betting: Any,
    ) -> Spot:
        """Describe a spot.

        Parameters
        ----------
        board
            Three to five cards, such as ``"Td9d6hQc2s"``.
        pot, stack
            Chips in the middle and behind (of the shorter stack).
        oop, ip
            The ranges of the first and the last to act; a text, ``"@FILE"`` or a :class:`Range`.
        sizes
            The bet sizes.
        first
            ``"ip"`` if the first to act has checked already.
        rake, rake_cap
            Refused unless zero, since a raked pot is not zero-sum.
        """
        if rake or rake_cap:
            raise UnsupportedGameError(
                "with rake the players' payoffs do not add up to zero: no value and no guarantee exist",
                where=f"rake {rake:g}, cap {rake_cap:g}",
                fix="leave the rake out (what you find is then the unraked game), or solve the raked tree as a game of"
                " general sum with `equiform mip-nash` when it is small",
            )
        public = STANDARD.cards(board)
        if not 3 <= len(public) <= 5:
            raise CardError(f"a board of {len(public)} cards", where=STANDARD.text(public), fix="deal three to five")
        street = STREETS[len(public) - 3]
        made = Betting(pot, stack, street, sizes or BetSizes(), first, **betting)
        spot = Spot(public, as_range(oop), as_range(ip), made)
        spot._require_hands()
        return spot

    @property
    def name(self) -> str:
        """What to call the spot."""
        return f"{STANDARD.text(self.board)} pot {self.betting.pot:g} stack {self.betting.stack:g}"

    @property
    def ranges(self) -> tuple[Range, Range]:
        """Both ranges without the hands that the board blocks."""
        return self.oop.without(self.board), self.ip.without(self.board)

    def _require_hands(self) -> None:
        for given, seat in zip(self.ranges, ("oop", "ip"), strict=True):
            if given.total == 0:
                raise ParameterError(
                    f"the board blocks every hand of the range of {seat}"
                    if (self.oop, self.ip)[seat == "ip"].total
                    else f"the range of {seat} is empty",
                    where=f"board {STANDARD.text(self.board)}",
                    fix="pass hands that can be held on this board",
                )

    def game(self, *, isomorphism: bool = True) -> PublicGame:
        """Return the spot as a public game, in chips: both players have put in half of the pot."""
        deals = (1,) * (5 - len(self.board))
        rules = CardRules(13, 4, 2, self.board, deals, _strength, STANDARD.text)
        first, second = self.ranges
        dealt = deal_boards(rules, (first.weights, second.weights), isomorphism=isomorphism)
        return PublicGame(self.name, self.betting.tree, dealt.boards, dealt=dealt)

    def with_board(self, board: CardsLike) -> Spot:
        """Return the same spot on another board of as many cards."""
        public = STANDARD.cards(board)
        if len(public) != len(self.board):
            raise CardError(f"a board of {len(public)} cards", fix=f"pass {len(self.board)}")
        spot = dataclasses.replace(self, board=public)
        spot._require_hands()
        return spot

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that :meth:`from_dict` reads."""
        return {
            "board": STANDARD.text(self.board),
            "oop": self.oop.text(),
            "ip": self.ip.text(),
            "betting": self.betting.to_dict(),
        }

    @staticmethod
    def from_dict(document: dict[str, Any]) -> Spot:
        """Read what :meth:`to_dict` wrote."""
        try:
            spot = Spot(
                STANDARD.cards(document["board"]),
                Range(document["oop"]),
                Range(document["ip"]),
                Betting.from_dict(document["betting"]),
            )
        except (KeyError, TypeError) as error:
            raise ParameterError(f"this is not a spot: {error}", where="spot", fix="see Spot.to_dict") from None
        spot._require_hands()
        return spot


def _strength(hands: IntArray, board: IntArray) -> IntArray:
    """Rank hold'em hands on a full board."""
    rows = np.hstack([hands, np.tile(board, (len(hands), 1))])
    return strengths(rows).astype(np.int64)
