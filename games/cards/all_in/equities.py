"""Equities of known hands against each other on any board, by dealing every board that is left.

>>> aces, kings = showdown_equities(["AcAd", "KcKd"], "2h3h4h5s")
>>> aces.wins, aces.ties, aces.deals      # a straight to the five; a six or an ace makes the same one for both
(38, 6, 44)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.card import STANDARD, CardError, CardsLike, cards_text, hand_and_board
from equiform.games.cards.evaluator import N_CARDS, flush_strength, plain_strength
from equiform.games.cards.rank_tables import EMPTY_HAND, FLUSH_BITS, RankTables, rank_tables
from equiform.models.common.arguments import require_sequence
from equiform.models.common.jit import jit

MOST_HANDS = 10


@dataclass(frozen=True)
class ShowdownEquity:
    """How one of several hands fares over all boards."""

    hand: tuple[int, ...]
    wins: int
    ties: int
    """Boards on which it shares the pot."""
    deals: int
    exact: Fraction
    """Expected share of the pot."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "hand": cards_text(self.hand),
            "win": self.wins / self.deals,
            "tie": self.ties / self.deals,
            "equity": float(self.exact),
            "exact": str(self.exact),
            "deals": self.deals,
        }


@jit
def deal_boards(
    hands: NDArray[np.int64],
    board: NDArray[np.int64],
    rest: NDArray[np.int64],
    tables: RankTables,
    wins: NDArray[np.int64],
    ties: NDArray[np.int64],
) -> None:
    """Count wins, and ties by the number of hands that share (``ties[hand, sharers]``)."""
    keys, card_masks, flushes = tables.card_keys, tables.card_masks, tables.flushes
    shift, slots = tables.shift[2], tables.slots[tables.first_slot[2] :]
    n, missing = len(hands), 5 - len(board)
    strengths = np.zeros(n, dtype=np.int64)
    chosen = np.arange(missing)
    while True:
        total, masks = EMPTY_HAND, 0
        for card in board:
            total += keys[card]
            masks |= card_masks[card]
        for place in chosen:
            total += keys[rest[place]]
            masks |= card_masks[rest[place]]
        best, sharers = np.int64(0), 0
        for h in range(n):
            word = total + keys[hands[h, 0]] + keys[hands[h, 1]]
            if word & FLUSH_BITS:
                strengths[h] = flush_strength(word, masks | card_masks[hands[h, 0]] | card_masks[hands[h, 1]], flushes)
            else:
                strengths[h] = plain_strength(word, shift, slots)
            if strengths[h] > best:
                best, sharers = strengths[h], 1
            elif strengths[h] == best:
                sharers += 1
        for h in range(n):
            if strengths[h] == best:
                if sharers == 1:
                    wins[h] += 1
                else:
                    ties[h, sharers] += 1
        at = missing - 1
        while at >= 0 and chosen[at] == len(rest) - missing + at:
            at -= 1
        if at < 0:
            return
        chosen[at] += 1
        for later in range(at + 1, missing):
            chosen[later] = chosen[later - 1] + 1


def showdown_equities(hands: Sequence[CardsLike], board: CardsLike = ()) -> tuple[ShowdownEquity, ...]:
    """Deal all boards to two or more hands and count who wins.

    Parameters
    ----------
    hands
        Two cards each, all different.
    board
        No public cards, or three to five of them.

    Raises
    ------
    CardError
        If a hand has not two cards, or a card is dealt twice.
    """
    given = require_sequence(hands, "hands", "showdown")
    if not 2 <= len(given) <= MOST_HANDS:
        fix = f"give 2 to {MOST_HANDS} hands; for one hand against a random one use `equity`"
        raise CardError(f"{len(given)} hands in a showdown", where="showdown", fix=fix)
    pairs = [hand_and_board(hand, board) for hand in given]
    public = pairs[0][1]
    private = [hand for hand, _ in pairs]
    dealt = STANDARD.cards([card for hand in (*private, public) for card in hand])
    rest = np.array([card for card in range(N_CARDS) if card not in dealt], dtype=np.int64)
    wins = np.zeros(len(private), dtype=np.int64)
    ties = np.zeros((len(private), len(private) + 1), dtype=np.int64)
    deal_boards(np.array(private), np.array(public, dtype=np.int64), rest, rank_tables(), wins, ties)
    deals = comb(len(rest), 5 - len(public))
    parts = lcm(*range(1, len(private) + 1))
    shares = parts * wins + (ties[:, 1:] * (parts // np.arange(1, len(private) + 1))).sum(axis=1)
    return tuple(
        ShowdownEquity(hand, int(wins[h]), int(ties[h].sum()), deals, Fraction(int(shares[h]), parts * deals))
        for h, hand in enumerate(private)
    )
