"""Cards as small integers, the decks they come from, and their two-letter names.

A card of a deck with ``s`` suits is the integer ``s * rank + suit``: ranks count from the lowest, so that sorting
cards sorts ranks. In the standard deck ``2c`` is 0, ``2d`` is 1 and ``As`` is 51. Leduc and Kuhn poker use the same
encoding with fewer ranks and suits.

>>> parse("KcQc")
(44, 40)
>>> cards_text((44, 40))
'KcQc'
>>> LEDUC.parse("Kh")
(5,)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_kind
from equiform.models.common.errors import ParameterError

#: What every function that takes cards accepts: names ("KcQc", "Kc Qc") or integers.
CardsLike: TypeAlias = str | Sequence[int] | NDArray[np.integer]


class CardError(ParameterError):
    """A card is not written as its deck writes cards, or there are too many or too few of them."""


class DuplicateCardError(CardError):
    """One card appears twice."""


@dataclass(frozen=True)
class Deck:
    """Cards that are all pairs of a rank (lowest first) and a suit."""

    name: str
    ranks: str
    suits: str

    def __post_init__(self) -> None:
        for letters, case, what in ((self.ranks, str.upper, "ranks"), (self.suits, str.lower, "suits")):
            text = require_kind(letters, str, what, f"deck {self.name!r}")
            if not text or len(set(text)) < len(text) or text != case(text):  # names are read in these cases
                raise CardError(
                    f"{what} are {text!r}",
                    where=f"deck {self.name!r}",
                    fix="pass one letter each, all different: ranks in upper case, suits in lower case",
                )

    @property
    def n_ranks(self) -> int:
        """How many ranks there are."""
        return len(self.ranks)

    @property
    def n_suits(self) -> int:
        """How many suits there are."""
        return len(self.suits)

    def __len__(self) -> int:
        return self.n_ranks * self.n_suits

    def card(self, name: str) -> int:
        """Return the integer of one card.

        >>> STANDARD.card("As")
        51
        """
        width = 2 if self.n_suits > 1 else 1
        if not isinstance(name, str) or len(name) != width:
            raise CardError(f"{name!r} is not a card", fix=self._how_to_write())
        rank = self.ranks.find(name[0].upper())
        suit = self.suits.find(name[1].lower()) if width == 2 else 0
        if rank < 0 or suit < 0:
            raise CardError(f"{name!r} is not a card of the {self.name} deck", fix=self._how_to_write())
        return rank * self.n_suits + suit

    def parse(self, text: str) -> tuple[int, ...]:
        """Return the cards named in a text, in its order; spaces and commas may separate them.

        >>> STANDARD.parse("7d Qh 4h")
        (21, 42, 10)
        """
        if not isinstance(text, str):
            raise CardError(f"{text!r} is not a string"[:200], fix=self._how_to_write())
        packed = text.replace(" ", "").replace(",", "")
        width = 2 if self.n_suits > 1 else 1
        return self.cards([self.card(packed[i : i + width]) for i in range(0, len(packed), width)])

    def cards(self, cards: CardsLike) -> tuple[int, ...]:
        """Turn names or integers into a tuple of integers, all in the deck and all different."""
        if isinstance(cards, str):
            return self.parse(cards)
        checked = self._members(cards)
        if len(set(checked)) < len(checked):
            twice = next(card for card in checked if checked.count(card) > 1)
            raise DuplicateCardError(
                f"{self.text([twice])} appears twice", where=self.text(checked), fix="deal every card once"
            )
        return tuple(checked)

    def text(self, cards: Iterable[int]) -> str:
        """Return the names of cards, joined.

        >>> KUHN.text([2, 0])
        'KJ'
        """
        one_suit = self.n_suits == 1
        return "".join(
            self.ranks[c // self.n_suits] + ("" if one_suit else self.suits[c % self.n_suits])
            for c in self._members(cards)
        )

    def _members(self, cards: Iterable[int]) -> list[int]:
        """Check that integers are cards of the deck; some may be equal."""
        fix = f"use integers from 0 to {len(self) - 1}, or names: {self._how_to_write()}"
        try:
            given = list(cards)
        except TypeError:
            raise CardError(f"{cards!r} is not a sequence of cards"[:200], fix=fix) from None
        for card in given:
            whole = isinstance(card, int | np.integer) and not isinstance(card, bool)
            if not whole or not 0 <= card < len(self):
                raise CardError(
                    f"{card!r} is not a card of the {self.name} deck"[:200], where=f"{given}"[:200], fix=fix
                )
        return [int(card) for card in given]

    def _how_to_write(self) -> str:
        if self.n_suits == 1:
            return f"write one of {self.ranks}"
        return f"write a rank ({self.ranks}) and a suit ({self.suits}), like {self.ranks[-1]}{self.suits[-1]}"


STANDARD = Deck("standard", "23456789TJQKA", "cdhs")
LEDUC = Deck("Leduc", "JQK", "sh")
KUHN = Deck("Kuhn", "JQK", "s")


def parse(text: str) -> tuple[int, ...]:
    """Return the cards of the standard deck named in a text."""
    return STANDARD.parse(text)


def cards_text(cards: Iterable[int]) -> str:
    """Return the names of cards of the standard deck."""
    return STANDARD.text(cards)


def hand_and_board(
    hand: CardsLike, board: CardsLike = (), sizes: Sequence[int] = (0, 3, 4, 5)
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Check two private cards and a board of one of the given sizes against each other."""
    private, public = STANDARD.cards(hand), STANDARD.cards(board)
    if len(private) != 2:
        raise CardError(
            f"a hand has two cards, not {len(private)}", where=cards_text(private), fix="write it like KcQc"
        )
    if len(public) not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise CardError(f"a board of {len(public)} cards", where=cards_text(public), fix=f"deal {wanted} public cards")
    STANDARD.cards(private + public)
    return private, public
