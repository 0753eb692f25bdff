"""A public game written out as a tree: every pair of private holdings, every card, one node each. For small games."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cached_property

import numpy as np

from equiform.models.common.errors import UnsupportedGameError
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.public.betting import SHOWDOWN
from equiform.models.public.dealing import Dealt
from equiform.models.public.game import Key, PublicGame
from equiform.models.rules import CHANCE

# (board, holding of player 0, holding of player 1, node); None before the deal. Cards are those after all renamings.
State = tuple[int, int, int, int]


def expand(game: PublicGame, *, max_nodes: int = 2_000_000) -> ExtensiveGame:
    """Return the game as a tree whose information sets are those of the treeplexes.

    Chance deals concrete cards from the whole deck, with exact probabilities; boards and holdings that are the same up
    to suits meet in one information set.
    """
    if game.dealt is None:
        raise UnsupportedGameError(f"{game.name} has no cards to deal", where="expansion", fix="use a game of cards")
    return compile_rules(ExpandedRules(game, game.dealt), max_nodes=max_nodes)


class ExpandedRules:
    """The rules of a public game of cards, one pair of holdings at a time."""

    def __init__(self, game: PublicGame, dealt: Dealt) -> None:
        self.name, self.players = game.name, game.players
        self.game, self.dealt, self.tree = game, dealt, game.betting
        holdings = dealt.rules.holdings.tolist()
        first, second = ([(k, Fraction(w)) for k, w in enumerate(ws.tolist()) if w] for ws in dealt.weights)
        pairs = {
            f"{k}v{m}": ((k, m), v * w)
            for (k, v), (m, w) in itertools.product(first, second)
            if not set(holdings[k]) & set(holdings[m])
        }
        total = sum(weight for _, weight in pairs.values())
        self._deals = {label: (0, *pair, 0) for label, (pair, _) in pairs.items()}
        self._odds = tuple(weight / total for _, weight in pairs.values())
        self._holdings = holdings

    @cached_property
    def _moved(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        rules = self.dealt.rules
        return np.stack([rules.number(g[rules.holdings]) for g in self.dealt.renamings])

    @cached_property
    def _hands(self) -> tuple[dict[tuple[int, int], tuple[int, int]], ...]:
        """For each player: (board, holding) → (hand, rank)."""
        found = []
        for table, weights in zip(self.game.boards.hands, self.dealt.weights, strict=True):
            private = np.flatnonzero(weights)
            entry = {}
            for board in range(len(self.game.boards)):
                for i in range(int(table.member_start[board]), int(table.member_start[board + 1])):
                    holding = int(private[table.member_private[i]])
                    entry[board, holding] = (int(table.member_hand[i]), int(table.member_rank[i]))
            found.append(entry)
        return tuple(found)

    def initial(self) -> State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: State | None) -> int:
        """Return whose move it is."""
        return CHANCE if state is None else int(self.tree.turn[state[3]])

    def actions(self, state: State | None) -> tuple[str, ...]:
        """Return the moves."""
        if state is None:
            return tuple(self._deals)
        if self.turn(state) == CHANCE:
            return tuple("-".join(map(str, cards)) for cards in self._cards(state))
        return self.tree.actions(state[3])

    def _cards(self, state: State) -> list[tuple[int, ...]]:
        held = {*self._holdings[state[1]], *self._holdings[state[2]]}
        return [cards for cards in self.dealt.next_board[state[0]] if not held & set(cards)]

    def probabilities(self, state: State | None) -> tuple[Fraction, ...]:
        """Deal every card that is left equally often."""
        if state is None:
            return self._odds
        count = len(self._cards(state))
        return (Fraction(1, count),) * count

    def next(self, state: State | None, action: str) -> State:
        """Return the state after a move."""
        if state is None:
            return self._deals[action]
        board, first, second, node = state
        children = self.tree.children[node]
        if self.turn(state) != CHANCE:
            return board, first, second, children[self.tree.actions(node).index(action)]
        below, renaming = self.dealt.next_board[board][tuple(map(int, action.split("-")))]
        return below, int(self._moved[renaming, first]), int(self._moved[renaming, second]), children[0]

    def payoffs(self, state: State) -> tuple[Fraction, Fraction]:
        """Return the payoffs at the end."""
        board, first, second, node = state
        winner = int(self.tree.winner[node])
        sign = 1 - 2 * winner
        if winner == SHOWDOWN:
            ours, theirs = self._hands[0][board, first][1], self._hands[1][board, second][1]
            sign = (ours > theirs) - (ours < theirs)
        stake = sign * Fraction(float(self.tree.stake[node]))
        return stake, -stake

    def infoset(self, state: State) -> Key:
        """Return board, decision and hand."""
        board, first, second, node = state
        who = int(self.tree.turn[node])
        return board, node, self._hands[who][board, (first, second)[who]][0]

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        return self.game.describe(key, int(self.tree.turn[key[1]]))
