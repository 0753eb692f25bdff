"""Random card games small enough to deal every card: what bucketed games are compared with."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.games.poker.betting import Situation, betting_tree
from equiform.games.poker.public import public_betting
from equiform.models.bucketed import BucketedGame, deals_from_paths, showdown_leaves
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import CHANCE


@dataclass(frozen=True)
class SmallGame:
    """A deck, one private card each, a public card per later round, and random buckets and strengths."""

    deck: int
    betting: BettingTree
    buckets: tuple[dict[tuple[int, ...], int], ...]
    """For each player and all rounds: (own card, public cards) → bucket."""
    strength: dict[tuple[int, ...], int]

    @property
    def rounds(self) -> int:
        return self.betting.num_streets


def random_small_game(seed: int, *, recall: bool = True) -> SmallGame:
    """Draw a game. With recall a bucket remembers the one before."""
    rng = np.random.default_rng(seed)
    deck, rounds = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    deck = min(deck, (8, 8, 6)[rounds - 1])
    cap, ante = int(rng.integers(1, 3 if rounds < 3 else 2)), int(rng.integers(1, 4))
    stack = ante + int(rng.integers(2, 9)) if rng.random() < 0.4 else None
    steps = rng.integers(1, 4, size=rounds)

    def sizes(now: Situation) -> list[tuple[str, int]]:
        to = now.highest + int(steps[now.round])
        if now.raises == cap or now.highest == stack:
            return []
        return [("raise" if now.raises else "bet", to if stack is None else min(to, stack))]

    betting = public_betting(betting_tree(ante=ante, rounds=rounds, sizes=sizes, stack=stack))
    tables = []
    for _ in range(2):
        table: dict[tuple[int, ...], int] = {}
        numbers: dict[Any, int] = {}
        for s in range(rounds):
            for cards in itertools.permutations(range(deck), s + 1):
                drawn = int(rng.integers(0, 3))
                key = (s, table[cards[:-1]], drawn) if recall and s else (s, drawn)
                table[cards] = numbers.setdefault(key, sum(k[0] == s for k in numbers))
        tables.append(table)
    strength = {cards: int(rng.integers(0, 4)) for cards in itertools.permutations(range(deck), rounds)}
    return SmallGame(deck, betting, (tables[0], tables[1]), strength)


def bucketed(small: SmallGame) -> BucketedGame:
    """Return the bucketed game, by listing all deals."""
    deals = list(itertools.permutations(range(small.deck), small.rounds + 1))
    hands = [[(d[p], *d[2:]) for d in deals] for p in range(2)]
    paths = tuple(
        [np.array([small.buckets[p][h[: s + 1]] for h in hands[p]]) for s in range(small.rounds)] for p in range(2)
    )
    first, second = (np.array([small.strength[h] for h in hand]) for hand in hands)
    found, margin = deals_from_paths((paths[0], paths[1]), np.sign(first - second))
    return BucketedGame("small", small.betting, found, showdown_leaves(small.betting, margin))


class CardByCard:
    """The rules of the same game, every card dealt by itself; players see their buckets only."""

    name, players = "card by card", ("player 1", "player 2")

    def __init__(self, small: SmallGame) -> None:
        self.small, self.tree = small, small.betting

    def initial(self) -> Any:
        return ((), -1)

    def turn(self, state: Any) -> int:
        return CHANCE if state[1] < 0 else int(self.tree.turn[state[1]])

    def actions(self, state: Any) -> tuple[str, ...]:
        cards, node = state
        left = [c for c in range(self.small.deck) if c not in cards]
        if node < 0:
            return tuple(f"{a},{b}" for a, b in itertools.permutations(left, 2))
        return tuple(map(str, left)) if self.turn(state) == CHANCE else self.tree.actions(node)

    def probabilities(self, state: Any) -> tuple[Fraction, ...]:
        count = len(self.actions(state))
        return (Fraction(1, count),) * count

    def next(self, state: Any, action: str) -> Any:
        cards, node = state
        if self.turn(state) == CHANCE:
            dealt = (*cards, *map(int, action.split(",")))
            return dealt, 0 if node < 0 else self.tree.children[node][0]
        return cards, self.tree.children[node][self.tree.actions(node).index(action)]

    def payoffs(self, state: Any) -> tuple[Fraction, Fraction]:
        cards, node = state
        winner, stake = int(self.tree.winner[node]), Fraction(float(self.tree.stake[node]))
        if winner == SHOWDOWN:
            ours, theirs = (self.small.strength[(cards[p], *cards[2:])] for p in range(2))
            sign = (ours > theirs) - (ours < theirs)
        else:
            sign = 1 - 2 * winner
        return sign * stake, -sign * stake

    def infoset(self, state: Any) -> Any:
        cards, node = state
        who, street = int(self.tree.turn[node]), int(self.tree.street[node])
        return street, node, self.small.buckets[who][(cards[who], *cards[2 : 2 + street])]

    def describe(self, key: Any) -> str:
        return f"bucket {key[2]} of round {key[0]}, {self.tree.history(key[1])!r}"
