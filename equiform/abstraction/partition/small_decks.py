"""Partitioned games of small decks, without abstraction: to test the algorithm, and to see it converge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, product

import numpy as np

from equiform.games.poker.betting import Situation, betting_tree
from equiform.games.poker.public import leduc_public, public_betting
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.public.betting import BettingTree
from equiform.models.public.dealing import CardRules
from equiform.solvers_iterative.partitioned.dealers import CardRows, Dealing, Path


class SmallDeckDealer:
    """A small deck, all of whose deals fit into memory, without abstraction: every hand is a bucket of its own.

    Parameters
    ----------
    name : str
    tree : BettingTree
    rules : CardRules
        Cards without a first board.
    levels : tuple
        The streets of each level.
    clusters : int
        How many clusters each set of public cards that opens a level is split into, at most.
    """

    def __init__(
        self, name: str, tree: BettingTree, rules: CardRules, levels: tuple[tuple[int, ...], ...], clusters: int
    ) -> None:
        self.name, self.tree, self.rules, self.levels = name, tree, rules, levels
        self._most = clusters
        self._dealt = (0, *rules.deals)  # public cards by street

    def clusters(self, path: Path) -> int:
        """Count the clusters of the cards that open the level below."""
        if len(path) + 1 >= len(self.levels):
            return 0
        return min(self._most, self._outcomes(self.levels[len(path) + 1][0]))

    def _outcomes(self, street: int) -> int:
        return math.comb(self.rules.deck, self._dealt[street])

    def _cluster(self, street: int, cards: IntArray) -> IntArray:
        """Return the cluster of the cards of a street: their place among all sets, modulo the number of clusters."""
        return self._number(cards) % min(self._most, self._outcomes(street))

    def _number(self, cards: IntArray) -> IntArray:
        """Number sets of cards in colexicographic order."""
        order = np.sort(cards, axis=1)
        total = np.zeros(len(order), dtype=np.int64)
        for k in range(order.shape[1]):
            term = np.ones(len(order), dtype=np.int64)
            for j in range(k + 1):
                term = term * (order[:, k] - j) // (j + 1)
            total += term
        return total

    def buckets(self, path: Path) -> tuple[int, ...]:
        """Count holdings times public cards, whatever the cluster."""
        counts, public = [], 1
        for street in range(self.levels[len(path)][-1] + 1):
            public *= self._outcomes(street) if self._dealt[street] else 1
            if street in self.levels[len(path)]:
                counts.append(len(self.rules.holdings) * public)
        return tuple(counts)

    def bucket(self, street: int, private: IntArray, public: IntArray) -> IntArray:
        """Return the bucket of hands on a street, from rows of private and public cards."""
        number, at = self.rules.number(private), 0
        for s in range(1, street + 1):
            count = self._dealt[s]
            number = number * self._outcomes(s) + self._number(public[:, at : at + count])
            at += count
        return number

    @cached_property
    def _strength_of_bucket(self) -> IntArray:
        """The strength of every hand on every full board, by its bucket on the last street."""
        last = len(self._dealt) - 1
        sets = [list(combinations(range(self.rules.deck), count)) for count in self._dealt[1:]]
        table = np.zeros(len(self.rules.holdings) * math.prod(map(len, sets)), dtype=np.int64)
        for groups in product(*sets):
            board = np.array([card for group in groups for card in group])
            if len(set(board.tolist())) == len(board):
                free = ~np.isin(self.rules.holdings, board).any(axis=1)
                hands = self.rules.holdings[free]
                shown = np.tile(board, (len(hands), 1))
                table[self.bucket(last, hands, shown)] = self.rules.strength(hands, board)
        return table

    def path_of(self, public: IntArray) -> Path:
        """Return the member that owns a public state, given by its cards."""
        path, at = [], 0
        for level in self.levels[1:]:
            start = sum(self._dealt[: level[0]])
            count = self._dealt[level[0]]
            if start + count > len(public):
                break
            path.append(int(self._cluster(level[0], public[None, start : start + count])[0]))
            at += count
        return tuple(path)

    def deal(self, path: Path, cards: CardRows, rng: np.random.Generator) -> Dealing:
        """Deal by drawing among all outcomes of the cluster that share no card with the row."""
        level, private = self.levels[len(path)], self.rules.private
        rows = cards.astype(np.int64)
        outcomes = np.ones(len(rows))
        if not path:
            rows, _ = self._drawn(rows, 2 * private, rng, None)
        for street in level:
            if self._dealt[street]:
                inside = (street, path[-1]) if path and street == level[0] else None
                rows, found = self._drawn(rows, self._dealt[street], rng, inside)
                outcomes = found if street == level[0] else outcomes
        buckets = np.zeros((len(rows), len(level), 2), dtype=np.int32)
        held = (rows[:, :private], rows[:, private : 2 * private])
        for at, street in enumerate(level):
            shown = rows[:, 2 * private : 2 * private + sum(self._dealt[: street + 1])]
            for p in range(2):
                buckets[:, at, p] = self.bucket(street, held[p], shown)
        sign = np.zeros(len(rows), dtype=np.int8)
        if level is self.levels[-1]:
            strength = self._strength_of_bucket
            sign = np.sign(strength[buckets[:, -1, 0]] - strength[buckets[:, -1, 1]]).astype(np.int8)
        return Dealing(rows.astype(np.uint8), buckets, sign, outcomes)

    def _drawn(
        self, rows: IntArray, count: int, rng: np.random.Generator, inside: tuple[int, int] | None
    ) -> tuple[IntArray, FloatArray]:
        """Append cards to rows, evenly among those that are left (of a street's cluster); count these."""
        options = np.array(list(combinations(range(self.rules.deck), count)), dtype=np.int64)
        if inside is not None:
            options = options[self._cluster(inside[0], options) == inside[1]]
        elif len(rows) and rows.shape[1] == 0:  # private cards: which of them are whose matters
            return np.argsort(rng.random((len(rows), self.rules.deck)), axis=1)[:, :count], np.ones(len(rows))
        free = ~(options[None, :, :, None] == rows[:, None, None, :]).any(axis=(2, 3))
        outcomes = free.sum(axis=1)
        draw = np.floor(rng.random(len(rows)) * outcomes).astype(np.int64)
        pick = (np.cumsum(free, axis=1) > draw[:, None]).argmax(axis=1)
        return np.hstack([rows, options[pick]]), outcomes.astype(np.float64)

    def fingerprint(self) -> str:
        """Return a text: the rules are plain numbers."""
        return f"{self.name} {self.rules.ranks} {self.rules.suits} {self.rules.deals} {self.levels} {self._most}"


def leduc_dealer(ranks: int = 3, suits: int = 2, clusters: int = 3) -> SmallDeckDealer:
    """Return Leduc hold'em with the public card as what parts the game."""
    require_count(clusters, "clusters", "leduc", most=ranks * suits)
    game = leduc_public(ranks, suits)
    assert game.dealt is not None
    return SmallDeckDealer(game.name, game.betting, game.dealt.rules, ((0,), (1,)), clusters)


def three_street_dealer(levels: Sequence[Sequence[int]] = ((0,), (1,), (2,)), clusters: int = 2) -> SmallDeckDealer:
    """Return a game of one private and twice one public card from a deck of six, a bet per street."""
    rules = CardRules(3, 2, 1, (), (1, 1), _pairs_first)
    tree = public_betting(betting_tree(ante=1, rounds=3, sizes=_one_bet))
    return SmallDeckDealer("three-streets", tree, rules, tuple(tuple(level) for level in levels), clusters)


def _pairs_first(hands: IntArray, board: IntArray) -> IntArray:
    """Return how many public cards pair the private one, then its rank."""
    strength: IntArray = 3 * (hands // 2 == board // 2).sum(axis=1) + hands[:, 0] // 2
    return strength


def _one_bet(now: Situation) -> list[tuple[str, int]]:
    return [] if now.raises else [("bet", now.highest + 1)]
