"""Poker with one private card on the same machinery: Rhode Island hold'em, Leduc and Kuhn.

Rhode Island hold'em (Shi & Littman 2001; solved by Gilpin & Sandholm 2007) plays a standard deck: one private card, a
flop of one card, a turn of one card, and three-card hands, ranked straight flush, three of a kind, straight, flush,
pair, high card. In Leduc a private card that pairs the public one wins, else the higher card; in Kuhn the higher card.

These games are small enough to enumerate every deal. Win counts are exact.

>>> RHODE_ISLAND.indexer.sizes
(13, 325, 9997)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import ArrayLike

from equiform.games.cards import card
from equiform.games.cards.card import CardsLike, Deck
from equiform.games.cards.equity import Equity
from equiform.games.cards.indexing import MAX_CARDS, HandIndexer
from equiform.models.common.arguments import require_callable, require_count, require_kind
from equiform.models.common.array_arguments import require_array, require_integers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError

#: Strengths (any increasing numbers) of hands given as rows: the private card, then the public ones.
StrengthRule = Callable[[IntArray], IntArray]

_MOST_SHOWDOWNS = 5 * 10**8  # a byte each, several times


def three_card_strengths(hands: ArrayLike, deck: Deck = card.STANDARD) -> IntArray:
    """Return the strengths of three-card hands, one per row; larger is better, equal hands tie.

    ``strength // ranks**3`` is the category: high card 0, pair 1, flush 2, straight 3, three alike 4, straight flush 5.
    The highest rank also plays below the lowest, as the ace does, in the lowest straight.

    >>> (three_card_strengths([card.parse("AcKcQc"), card.parse("2d2c2h"), card.parse("Ad2h3s")]) // 13**3).tolist()
    [5, 4, 3]
    """
    where = "three-card hands"
    ranks, suits = deck.n_ranks, deck.n_suits
    cards = require_integers(hands, "hands", where, shape=(None, 3), least=0, most=len(deck) - 1, error=card.CardError)
    twice = (cards == np.roll(cards, 1, axis=1)).any(axis=1)
    if twice.any():
        deck.cards(cards[int(twice.argmax())])  # says which card
    low, middle, high = np.sort(cards // suits, axis=1).T
    flush = (cards % suits == cards[:, :1] % suits).all(axis=1)
    wheel = (low == 0) & (middle == 1) & (high == ranks - 1) & (ranks > 3)  # ace, two, three: the lowest straight
    straight = wheel | ((low + 1 == middle) & (middle + 1 == high))
    trips = low == high
    pair = ~trips & ((low == middle) | (middle == high))
    category = np.select([straight & flush, trips, straight, flush, pair], [5, 4, 3, 2, 1], default=0)
    kicker = np.where(low == middle, high, low)
    ties = np.select(
        [straight, pair],
        [np.where(wheel, 1, high), ranks * middle + kicker],
        default=(ranks * high + middle) * ranks + low,
    )
    return category * ranks**3 + ties


def pair_or_rank(deck: Deck) -> StrengthRule:
    """Apply Leduc's rule: a pair with the public card beats everything, otherwise the private rank counts."""
    require_kind(deck, Deck, "deck", "pair or rank")

    def strengths(hands: IntArray) -> IntArray:
        ranks = hands // deck.n_suits
        return ranks[:, 0] + deck.n_ranks * (ranks[:, 1:] == ranks[:, :1]).any(axis=1)

    return strengths


@dataclass(frozen=True)
class RoundEquities:
    """Wins and ties of every hand class of a round against a uniformly random private card."""

    outcomes: IntArray  # [class, (wins, ties)]
    total: int

    @property
    def ehs(self) -> FloatArray:
        """Expected hand strength of every class."""
        return (2 * self.outcomes[:, 0] + self.outcomes[:, 1]) / (2.0 * self.total)


@dataclass(frozen=True)
class OneCardGame:
    """One private card and rounds of one public card each."""

    name: str
    deck: Deck
    public_rounds: int
    strengths: StrengthRule

    def __post_init__(self) -> None:
        where = f"game {self.name!r}"[:100]
        require_kind(self.deck, Deck, "deck", where)
        require_callable(self.strengths, "strengths", where)
        most = min(MAX_CARDS - 1, len(self.deck) - 2)  # the opponent needs a card, too
        require_count(self.public_rounds, "public_rounds", where, least=0, most=most)

    @cached_property
    def indexer(self) -> HandIndexer:
        """Numbers the hand classes round by round."""
        return HandIndexer((1,) * (1 + self.public_rounds), self.deck)

    @cached_property
    def equities(self) -> tuple[RoundEquities, ...]:
        """The equities of every round, first round first.

        >>> [float(ehs) for ehs in KUHN.equities[0].ehs]
        [0.0, 0.5, 1.0]
        """
        n = len(self.deck)
        if n * n * perm(n, self.public_rounds) > _MOST_SHOWDOWNS:
            raise ParameterError(
                f"{self.name} has {n * n * perm(n, self.public_rounds):,} showdowns to compare",
                where="equities by enumeration",
                fix=f"use a smaller deck or fewer public cards: {_MOST_SHOWDOWNS:,} at most",
            )
        boards = np.array(
            list(permutations(range(n), self.public_rounds)), dtype=np.int64
        )  # no rounds: one empty board
        private = np.repeat(np.arange(n), len(boards))[:, None]
        deals = np.hstack([private, np.tile(boards, (n, 1))])
        possible = (deals[:, :1] != deals[:, 1:]).all(axis=1)
        ranked = require_array(self.strengths(deals[possible]), "strengths", self.name, shape=(int(possible.sum()),))
        order = np.zeros(len(deals), dtype=np.int64)
        order[possible] = np.unique(ranked, return_inverse=True)[1].ravel()  # nothing else about strengths matters
        strength, legal = order.reshape(n, len(boards)), possible.reshape(n, len(boards))
        # Compare each private card with every other one on the same board.
        both = legal[:, None] & legal[None, :] & ~np.eye(n, dtype=bool)[:, :, None]
        wins = (both & (strength[:, None] > strength[None, :])).sum(axis=1)
        ties = (both & (strength[:, None] == strength[None, :])).sum(axis=1)
        outcomes = np.stack([wins[legal], ties[legal]], axis=1)
        deals = deals[legal.ravel()]
        opponents = n - 1 - self.public_rounds
        result = []
        for round_ in range(self.public_rounds + 1):
            classes = self.indexer.index(deals[:, : round_ + 1])
            sums = np.zeros((self.indexer.sizes[round_], 2), dtype=np.int64)
            np.add.at(sums, classes, outcomes)
            # A class has as many full deals as deals of its own round, times the completions.
            completions = perm(n - 1 - round_, self.public_rounds - round_)
            own = np.bincount(classes) // completions
            result.append(RoundEquities(sums // own[:, None], completions * opponents))
        return tuple(result)

    def equity(self, hand: CardsLike, board: CardsLike = ()) -> Equity:
        """Return the chances of a private card, given as many public cards as have been dealt.

        >>> LEDUC.equity("Qs", "Qh").exact
        Fraction(1, 1)
        """
        deal = self.deck.cards(self.deck.cards(hand) + self.deck.cards(board))
        if len(self.deck.cards(hand)) != 1 or len(deal) > 1 + self.public_rounds:
            raise card.CardError(
                f"{self.name} has one private card and {self.public_rounds} public ones",
                where=self.deck.text(deal) or "no card",
                fix="pass the private card as the hand, and as many public ones as have been dealt",
            )
        table = self.equities[len(deal) - 1]
        wins, ties = table.outcomes[self.indexer.index([deal])[0]]
        return Equity(int(wins), int(ties), table.total)


RHODE_ISLAND = OneCardGame("Rhode Island hold'em", card.STANDARD, 2, three_card_strengths)
LEDUC = OneCardGame("Leduc hold'em", card.LEDUC, 1, pair_or_rank(card.LEDUC))
KUHN = OneCardGame("Kuhn poker", card.KUHN, 0, pair_or_rank(card.KUHN))
