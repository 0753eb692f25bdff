r"""Boards of a card game, up to the symmetries of the suits.

A permutation of the suits that fixes the board and both ranges turns a play into another that is worth the same. Let
:math:`G_b` be the group of those on board b. Two next cards in one orbit of :math:`G_b` are dealt once, with the size
of the orbit as their weight; two private holdings in one orbit of :math:`G_b` are one hand. A holding on the next board
c keeps the parent that it had on b, as :math:`G_c \subseteq G_b`: players remember, and each has a treeplex. The game
loses nothing: averaging a strategy over the group keeps what it guarantees.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import BoolArray, FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.boards import Boards, HandTable


@dataclass(frozen=True)
class CardRules:
    """What is dealt: a deck, private and public cards, and which hand wins.

    Attributes
    ----------
    ranks, suits
        The deck; card ``suits * r + s`` has rank r and suit s.
    private
        How many cards each player holds: one or two.
    board
        The public cards that lie already.
    deals
        How many cards are dealt to open each later street.
    strength
        Returns a number per hand (rows of private cards) on a full board; the higher wins.
    show
        Writes cards.
    """

    ranks: int
    suits: int
    private: int
    board: tuple[int, ...]
    deals: tuple[int, ...]
    strength: Callable[[IntArray, IntArray], IntArray] = field(repr=False)
    card_text: Callable[[Iterable[int]], str] = field(repr=False, default=str)

    def __post_init__(self) -> None:
        if self.private not in (1, 2):
            raise ParameterError(f"{self.private} private cards", where="deck", fix="deal one or two")
        needed = len(self.board) + sum(self.deals) + 2 * self.private
        if needed > self.deck:
            raise ParameterError(f"{needed} cards to deal", where=f"a deck of {self.deck}", fix="use a larger deck")

    @property
    def deck(self) -> int:
        """Count the cards."""
        return self.ranks * self.suits

    @cached_property
    def holdings(self) -> IntArray:
        """All private holdings, a row each with the lower card first, in colexicographic order."""
        if self.private == 1:
            return np.arange(self.deck)[:, None]
        high, low = np.tril_indices(self.deck, -1)
        return np.stack([low, high], axis=1)

    def number(self, holdings: IntArray) -> IntArray:
        """Return the places of holdings (rows of cards, in any order) among all of them."""
        if self.private == 1:
            return holdings[:, 0]
        low, high = holdings.min(axis=1), holdings.max(axis=1)
        return high * (high - 1) // 2 + low


@dataclass(frozen=True, eq=False)
class Dealt:
    """Boards with what is needed to find any concrete deal on them."""

    boards: Boards
    rules: CardRules
    weights: tuple[FloatArray, FloatArray]
    """Each player's weight of every holding, blocked ones at zero."""
    board_cards: tuple[tuple[int, ...], ...]
    """The public cards of each board."""
    renamings: IntArray = field(repr=False)
    """The symmetries of the first board: ``renamings[g, card]``."""
    next_board: tuple[dict[tuple[int, ...], tuple[int, int]], ...] = field(repr=False)
    """For each board: cards that may be dealt → the board that stands for it, and the renaming that leads there."""

    def locate(self, cards: Sequence[int]) -> tuple[int, IntArray]:
        """Find the board that stands for public cards, and the renaming of all cards that leads there.

        ``cards`` start with those of the first board; the cards of each later street may come in any order.
        """
        at, renaming = 0, np.arange(self.rules.deck)
        given = tuple(int(c) for c in cards)
        known = len(self.rules.board)
        if set(given[:known]) != set(self.rules.board):
            raise ParameterError(
                f"{self.rules.card_text(given)} is another board", fix="start with the board of the spot"
            )
        for count in self.rules.deals:
            if known == len(given):
                break
            dealt = tuple(sorted(renaming[list(given[known : known + count])].tolist()))
            if dealt not in self.next_board[at]:
                raise ParameterError(f"{self.rules.card_text(given)} cannot be dealt", fix="pass cards that are left")
            at, number = self.next_board[at][dealt]
            renaming = self.renamings[number][renaming]
            known += count
        return at, renaming


def deal_boards(rules: CardRules, ranges: tuple[FloatArray, FloatArray], *, isomorphism: bool = True) -> Dealt:
    """Deal all boards of a game.

    Parameters
    ----------
    rules
        The cards.
    ranges
        For each player a weight, from 0, for every holding of ``rules.holdings``.
    isomorphism
        Whether to merge boards and hands that suits alone tell apart.
    """
    weights = _unblocked(rules, ranges)
    total = _pairs(rules, weights)
    renamings = _symmetries(rules, weights) if isomorphism else np.arange(rules.deck)[None, :]
    moved = np.stack([rules.number(g[rules.holdings]) for g in renamings])
    public, groups = [tuple(rules.board)], [np.arange(len(renamings))]
    parents, streets, factors = [-1], [0], [1.0 / total]
    next_board: list[dict[tuple[int, ...], tuple[int, int]]] = []
    left, level = rules.deck - len(rules.board) - 2 * rules.private, range(1)
    for street, count in enumerate(rules.deals, 1):
        ways, left = math.comb(left, count), left - count
        for above in level:
            found: dict[tuple[int, ...], tuple[int, int]] = {}
            for cards in itertools.combinations(np.setdiff1d(np.arange(rules.deck), public[above]).tolist(), count):
                if cards in found or not _leaves_hands(rules, weights, (*public[above], *cards)):
                    continue
                images = np.sort(renamings[groups[above]][:, list(cards)], axis=1)
                orbit = {tuple(row): int(g) for row, g in zip(images.tolist(), groups[above], strict=True)}
                found |= {image: (len(public), _inverse(renamings, g)) for image, g in orbit.items()}
                public.append((*public[above], *cards))
                groups.append(groups[above][(images == np.array(cards)).all(axis=1)])
                parents.append(above)
                streets.append(street)
                factors.append(factors[above] * len(orbit) / ways)
            next_board.append(found)
        level = range(level.stop, len(public))
    next_board += [{} for _ in level]
    last = np.array(streets) == len(rules.deals)
    tables = _hand_tables(rules, weights, public, groups, np.array(parents), last, moved)
    boards = Boards(
        np.array(streets), np.array(parents), np.array(factors), tuple(map(rules.card_text, public)), tables, rules.deck
    )
    return Dealt(boards, rules, weights, tuple(public), renamings, tuple(next_board))


def _unblocked(rules: CardRules, ranges: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Check the ranges and drop what the board blocks."""
    blocked = np.isin(rules.holdings, rules.board).any(axis=1)
    found = []
    for seat, weights in enumerate(ranges):
        given = require_numbers(
            weights, "weights", f"range of player {seat + 1}", shape=(len(rules.holdings),), least=0
        )
        kept = np.where(blocked, 0.0, given)
        if not kept.any():
            raise ParameterError(
                "no hand is left in the range",
                where=f"player {seat + 1}, board {rules.card_text(rules.board)}",
                fix="pass hands that the board does not block",
            )
        found.append(kept)
    return found[0], found[1]


def _leaves_hands(rules: CardRules, weights: tuple[FloatArray, FloatArray], board: tuple[int, ...]) -> bool:
    """Whether each player can hold something on a board; others are never dealt."""
    free = ~np.isin(rules.holdings, board).any(axis=1)
    return all(bool(w[free].any()) for w in weights)


def _pairs(rules: CardRules, weights: tuple[FloatArray, FloatArray]) -> float:
    """Add up the weights of all pairs of disjoint holdings."""
    first, second = weights
    total = float(first.sum() * second.sum()) - float(first @ second) * (1 if rules.private == 1 else -1)
    if rules.private == 2:
        by_card = [np.bincount(rules.holdings.T.ravel(), np.tile(w, 2), rules.deck) for w in weights]
        total -= float(by_card[0] @ by_card[1])
    if not total > 1e-12 * float(first.sum() * second.sum()):
        raise ParameterError(
            "every hand of one player shares a card with every hand of the other",
            where="ranges",
            fix="pass ranges that can be dealt together",
        )
    return total


def _symmetries(rules: CardRules, weights: tuple[FloatArray, FloatArray]) -> IntArray:
    """Return the renamings of suits that keep the board and both ranges, the identity first."""
    ranks, suits = np.divmod(np.arange(rules.deck), rules.suits)
    kept = []
    for order in itertools.permutations(range(rules.suits)):
        renaming = rules.suits * ranks + np.array(order)[suits]
        if set(renaming[list(rules.board)].tolist()) == set(rules.board):
            image = rules.number(renaming[rules.holdings])
            if all(np.array_equal(w[image], w) for w in weights):
                kept.append(renaming)
    return np.array(kept)


def _inverse(renamings: IntArray, g: int) -> int:
    """Return the number of the inverse of a renaming."""
    back = np.argsort(renamings[g])
    return int(np.flatnonzero((renamings == back).all(axis=1))[0])


def _hand_tables(
    rules: CardRules,
    weights: tuple[FloatArray, FloatArray],
    public: list[tuple[int, ...]],
    groups: list[IntArray],
    parents: IntArray,
    last: BoolArray,
    moved: IntArray,
) -> tuple[HandTable, HandTable]:
    """Lay out the hands of both players on all boards."""
    builders = [_TableBuilder(rules, w) for w in weights]
    for board, cards in enumerate(public):
        free: BoolArray = np.asarray(~np.isin(rules.holdings, cards).any(axis=1))
        least = moved[groups[board]].min(axis=0)
        strength = np.zeros(len(rules.holdings), dtype=np.int64)
        if last[board]:
            strength[free] = rules.strength(rules.holdings[free], np.array(cards))
        for builder in builders:
            builder.add_board(free, least, strength, int(parents[board]))
    first, second = builders
    return first.table(second), second.table(first)


class _TableBuilder:
    """Collects one player's hands, board by board."""

    def __init__(self, rules: CardRules, weights: FloatArray) -> None:
        self.rules, self.weights = rules, weights
        self.private = np.flatnonzero(weights)
        self.hand_of: list[Int32Array] = []  # by board: the hand of each holding of the range, or -1
        self.member_of: list[Int32Array] = []  # by board: the member of each holding of the deck, or -1
        self.up: list[Int32Array] = []
        self.heads: list[IntArray] = []
        self.scale: list[FloatArray] = []
        self.rank: list[Int32Array] = []
        self.members: list[IntArray] = []
        self.member_hand: list[Int32Array] = []
        self.member_rank: list[Int32Array] = []

    def add_board(self, free: BoolArray, least: IntArray, strength: IntArray, parent: int) -> None:
        """Add a board: which holdings it leaves, the least holding in the orbit of each, and their strengths."""
        alive = np.flatnonzero(free[self.private])
        holdings = self.private[alive]
        order = np.lexsort((holdings, least[holdings], strength[holdings]))
        holdings, alive = holdings[order], alive[order]
        orbit = least[holdings]
        new = np.append(True, orbit[1:] != orbit[:-1]) if len(orbit) else np.zeros(0, dtype=bool)
        hand = (np.cumsum(new) - 1).astype(np.int32)
        heads = holdings[new]
        hand_of = np.full(len(self.private), -1, dtype=np.int32)
        hand_of[alive] = hand
        self.hand_of.append(hand_of)
        member_of = np.full(len(self.weights), -1, dtype=np.int32)
        member_of[holdings] = np.arange(len(holdings))
        self.member_of.append(member_of)
        self.up.append(self.hand_of[parent][alive[new]] if parent >= 0 else np.zeros(len(heads), dtype=np.int32))
        self.heads.append(heads)
        self.scale.append(np.bincount(hand, self.weights[holdings], len(heads)).astype(np.float64))
        self.rank.append(strength[heads].astype(np.int32))
        self.members.append(alive)
        self.member_hand.append(hand)
        self.member_rank.append(strength[holdings].astype(np.int32))

    def table(self, other: _TableBuilder) -> HandTable:
        """Join the boards."""
        private = np.concatenate(self.members)
        twins = [o[h] for o, h in zip(other.member_of, self.heads, strict=True)]
        twin = np.concatenate(twins) if self.rules.private == 2 else np.full(sum(map(len, twins)), -1, dtype=np.int32)
        return HandTable(
            start=np.append(0, np.cumsum([len(h) for h in self.heads])),
            up=np.concatenate(self.up),
            cards=self._cards(np.concatenate(self.heads), self.rules.deck + 1),
            scale=np.concatenate(self.scale),
            rank=np.concatenate(self.rank),
            twin=twin,
            member_start=np.append(0, np.cumsum([len(m) for m in self.members])),
            member_hand=np.concatenate(self.member_hand),
            member_cards=self._cards(self.private[private], self.rules.deck),
            member_weight=self.weights[self.private[private]],
            member_rank=np.concatenate(self.member_rank),
            member_private=private.astype(np.int32),
            names=tuple(self.rules.card_text(cards[::-1]) for cards in self.rules.holdings[self.private].tolist()),
        )

    def _cards(self, holdings: IntArray, dummy: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        cards = np.full((len(holdings), 2), dummy, dtype=np.int16)
        cards[:, : self.rules.private] = self.rules.holdings[holdings]
        return cards
