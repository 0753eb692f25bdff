"""Equity of a hand against a uniformly random opponent, exactly, on every round.

The *expected hand strength* (EHS) is the probability of winning plus half the probability of a tie, over all ways to
complete the board and all opponent hands (thesis ch. 5). The same enumeration gives its distribution: how often the
river leaves the hand with each equity, from which come the histograms of Figures 5.1, 5.2, 5.7 and 5.8.

Completions that differ by a renaming of suits give the same equity. Two suits are interchangeable when the hand and
the board hold the same ranks of both; only completions whose rank masks ascend within every class of interchangeable
suits are evaluated, each weighted by the number of completions it stands for. All counts are integers.

>>> aces = equity("AcAd")
>>> f"{aces.win:.2%} {aces.tie:.2%} {aces.ehs:.3f}"
'84.93% 0.54% 0.852'
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from equiform.games.cards.card import CardsLike, hand_and_board
from equiform.games.cards.evaluator import N_CARDS, flush_strength, plain_strength
from equiform.games.cards.rank_tables import EMPTY_HAND, FLUSH_BITS, RankTables, rank_tables
from equiform.games.cards.showdown import OPPONENTS
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit

#: Twice the river equity counts from 0 to this: two for a win, one for a tie, out of 990 opponent hands.
MAX_SCORE = 2 * OPPONENTS
#: The thesis divides equities into fifty intervals of width 0.02.
DEFAULT_BINS = 50


@jit
def _suit_classes(hand: IntArray, board: IntArray) -> IntArray:
    """Return, for each suit, the next suit that is interchangeable with it, or -1."""
    private = np.zeros(4, np.int64)
    public = np.zeros(4, np.int64)
    for card in hand:
        private[card & 3] |= 1 << (card >> 2)
    for card in board:
        public[card & 3] |= 1 << (card >> 2)
    following = np.full(4, -1)
    for s in range(4):
        for o in range(3, s, -1):
            if private[o] == private[s] and public[o] == public[s]:
                following[s] = o
    return following


@jit
def _weight(masks: int, following: IntArray) -> int:
    """Return how many completions this one stands for; 0 unless its rank masks ascend within classes of suits."""
    weight = 1
    for s in range(4):
        if following[s] < 0:
            continue
        first = True  # of its class?
        for o in range(s):
            first &= following[o] != s
        if not first:
            continue
        members, equal, at = 1, 1, s
        while following[at] >= 0:
            low, high = (masks >> (16 * at)) & 0x1FFF, (masks >> (16 * following[at])) & 0x1FFF
            if low > high:
                return 0
            members += 1
            equal = equal + 1 if low == high else 1
            weight = weight * members // equal  # a product of multinomials, one suit at a time
            at = following[at]
    return weight


@jit
def _against_all(
    board: IntArray,
    hand: IntArray,
    t: RankTables,
    live: IntArray,
    outcome: IntArray,
) -> None:
    """Count a hand's wins and ties on a full board over all opponent hands; ``live`` is scratch of shape (2, 45)."""
    shift = t.shift[2]
    slots = t.slots[t.first_slot[2] :]
    word, masks, dead = EMPTY_HAND, 0, 0
    for card in board:
        word += t.card_keys[card]
        masks |= t.card_masks[card]
        dead |= 1 << card
    mine_word, mine_masks = word, masks
    for card in hand:
        mine_word += t.card_keys[card]
        mine_masks |= t.card_masks[card]
        dead |= 1 << card
    if mine_word & FLUSH_BITS:
        mine = flush_strength(mine_word, mine_masks, t.flushes)
    else:
        mine = plain_strength(mine_word, shift, slots)
    n = 0
    for card in range(N_CARDS):
        if not dead >> card & 1:
            live[0, n] = t.card_keys[card]
            live[1, n] = t.card_masks[card]
            n += 1
    wins, ties = 0, 0
    for high in range(1, n):
        with_high = word + live[0, high]
        for low in range(high):
            total = with_high + live[0, low]
            if total & FLUSH_BITS:
                theirs = flush_strength(total, masks | live[1, high] | live[1, low], t.flushes)
            else:
                theirs = plain_strength(total, shift, slots)
            wins += mine > theirs
            ties += mine == theirs
    outcome[0] = wins
    outcome[1] = ties


@jit
def _complete(
    hand: IntArray,
    board: IntArray,
    part: int,
    parts: int,
    tables: RankTables,
    scores: IntArray,
    record: IntArray,
) -> None:
    """Add every completion of the board (those of one part) to the counts of scores and to (wins, ties)."""
    following = _suit_classes(hand, board)
    free = np.empty(N_CARDS, np.int64)
    n = 0
    for card in range(N_CARDS):
        dealt = False
        for other in hand:
            dealt |= other == card
        for other in board:
            dealt |= other == card
        if not dealt:
            free[n] = card
            n += 1
    full = np.empty(5, np.int64)
    full[: board.size] = board
    live = np.empty((2, N_CARDS), np.int64)
    outcome = np.empty(2, np.int64)
    size = 5 - board.size
    chosen = np.arange(size)  # places in free, ascending; the odometer turns its first wheel fastest
    while True:
        masks = 0
        for i in range(size):
            full[board.size + i] = free[chosen[i]]
            masks |= tables.card_masks[free[chosen[i]]]
        if size == 0 or chosen[size - 1] % parts == part:
            weight = _weight(masks, following)
            if weight:
                _against_all(full, hand, tables, live, outcome)
                scores[2 * outcome[0] + outcome[1]] += weight
                record += weight * outcome
        place = 0
        while place < size and chosen[place] + 1 == (chosen[place + 1] if place + 1 < size else n):
            chosen[place] = place
            place += 1
        if place >= size:
            return
        chosen[place] += 1


@dataclass(frozen=True)
class Equity:
    """The record of a hand over all completions of the board and all opponent hands."""

    wins: int
    ties: int
    total: int

    def __post_init__(self) -> None:
        require_count(self.total, "total", "equity", most=2**63 - 1)
        require_count(self.wins, "wins", "equity", least=0, most=self.total)
        require_count(self.ties, "ties", "equity", least=0, most=self.total - self.wins)

    @property
    def win(self) -> float:
        """Probability of winning."""
        return self.wins / self.total

    @property
    def tie(self) -> float:
        """Probability of a tie."""
        return self.ties / self.total

    @property
    def exact(self) -> Fraction:
        """Expected hand strength as a fraction."""
        return Fraction(2 * self.wins + self.ties, 2 * self.total)

    @property
    def ehs(self) -> float:
        """Expected hand strength: a tie counts one half."""
        return float(self.exact)


@dataclass(frozen=True)
class RiverDistribution:
    """How often the river leaves a hand with each equity."""

    hand: tuple[int, ...]
    board: tuple[int, ...]
    scores: IntArray  # [2 * wins + ties]: how many completions of the board
    equity: Equity

    def histogram(self, bins: int = DEFAULT_BINS) -> FloatArray:
        """Return the probability of a river equity in each interval [i/bins, (i+1)/bins), the last one closed."""
        return np.bincount(score_bins(bins), weights=self.scores, minlength=bins) / self.scores.sum()


def score_bins(bins: int) -> IntArray:
    """Return the interval of each score 0 … 1980, by integer arithmetic."""
    require_count(bins, "bins", "river histogram", most=MAX_SCORE + 1)
    return np.minimum(np.arange(MAX_SCORE + 1) * bins // MAX_SCORE, bins - 1)


def river_distribution(hand: CardsLike, board: CardsLike = ()) -> RiverDistribution:
    """Return the distribution of a hand's river equities before the flop (about a second), on the flop, turn or river.

    >>> flop = river_distribution("TcQd", "7h9hQh")
    >>> int(flop.scores.sum())                       # C(47, 2) completions
    1081
    >>> round(flop.equity.ehs, 3)
    0.683
    """
    private, public = hand_and_board(hand, board)
    # Before the flop there are two million boards: worth one thread per processor. The sums are exact for any split.
    parts = 1 if public else os.cpu_count() or 1
    scores = np.zeros((parts, MAX_SCORE + 1), dtype=np.int64)
    record = np.zeros((parts, 2), dtype=np.int64)

    def run(part: int) -> None:
        cards = np.array(private), np.array(public, dtype=np.int64)
        _complete(*cards, part, parts, rank_tables(), scores[part], record[part])

    if parts == 1:
        run(0)
    else:
        with ThreadPoolExecutor(parts) as pool:
            list(pool.map(run, range(parts)))
    wins, ties = record.sum(axis=0)
    total = scores.sum(axis=0)
    return RiverDistribution(private, public, total, Equity(int(wins), int(ties), int(total.sum()) * OPPONENTS))


def equity(hand: CardsLike, board: CardsLike = ()) -> Equity:
    """Return a hand's exact equity against a uniformly random opponent hand, given a board of 0, 3, 4 or 5 cards.

    >>> round(equity("KcQc", "7dQh4h2s3c").ehs, 3)
    0.856
    """
    return river_distribution(hand, board).equity


@dataclass(frozen=True)
class NextCards:
    """Expected hand strength after each next public card."""

    hand: tuple[int, ...]
    board: tuple[int, ...]
    cards: tuple[int, ...]
    ehs: FloatArray

    def histogram(self, bins: int = DEFAULT_BINS) -> FloatArray:
        """Return the probability of an expected hand strength in each equal interval (thesis Figures 5.9 and 5.10)."""
        require_count(bins, "bins", "next-card histogram", most=MAX_SCORE + 1)
        # An equity is a fraction over 91,080 at most: what is this close to an interval's end lies on it.
        which = np.minimum((self.ehs * bins + 1e-9).astype(np.int64), bins - 1)
        return np.bincount(which, minlength=bins) / len(self.ehs)


def next_card_equities(hand: CardsLike, board: CardsLike) -> NextCards:
    """Return the expected hand strength after each turn or river card that may follow a flop or turn.

    >>> after = next_card_equities("TcQd", "7h9hQh")
    >>> ace_of_diamonds = after.cards.index(49)
    >>> len(after.cards), round(float(after.ehs[ace_of_diamonds]), 3)
    (47, 0.695)
    """
    private, public = hand_and_board(hand, board, sizes=(3, 4))
    cards = tuple(card for card in range(N_CARDS) if card not in private + public)
    values = np.array([equity(private, (*public, card)).ehs for card in cards])
    return NextCards(private, public, cards, values)
