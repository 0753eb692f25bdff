"""Strategies of a card game as a dealer sees them: concrete private and public cards, no symmetries."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.public.dealing import Dealt
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy


@dataclass(frozen=True, eq=False)
class ConcretePlay:
    """Both players' strategies in a game with one private card, in which either may hold any card."""

    strategies: tuple[PublicStrategy, PublicStrategy] = field(repr=False)

    @cached_property
    def _places(self) -> dict[int, tuple[IntArray, tuple[IntArray, IntArray]]]:
        return {}

    def _deal(self, boards: IntArray) -> tuple[IntArray, IntArray]:
        """Return the board that stands for each row of public cards, and the place of each private card there."""
        count = boards.shape[1]
        known = self._places.get(count)
        if known is None or not np.array_equal(known[0], boards):
            known = self._places[count] = (boards, locate_all(self.strategies[0].game, boards))
        return known[1]

    def probabilities(self, player: int, boards: IntArray, history: str) -> FloatArray:
        """Return ``[board, card, move]`` for rows of public cards after a history."""
        strategy = self.strategies[player]
        game = strategy.game
        node = game.betting.find(history)
        at, hands = self._deal(boards)
        table = np.zeros((len(game.boards), int(hands.max()) + 1, len(game.betting.children[node])))
        for board in np.unique(at).tolist():
            rows = strategy.behavior(board, node)
            table[board, : len(rows)] = rows
        found: FloatArray = table[at[:, None], np.maximum(hands, 0)]
        return found


def locate_all(game: PublicGame, boards: IntArray) -> tuple[IntArray, IntArray]:
    """Return the board that stands for each row of public cards, and each private card's hand there (-1 if none)."""
    dealt: Dealt | None = game.dealt
    assert dealt is not None
    deck, table = dealt.rules.deck, game.boards.hands[0]  # both players may hold any card: their tables are equal
    there = np.full((len(game.boards), deck), -1, dtype=np.int64)
    where = np.repeat(np.arange(len(game.boards)), np.diff(table.member_start))
    there[where, table.member_private] = table.member_hand
    at, hands = np.zeros(len(boards), dtype=np.int64), np.zeros((len(boards), deck), dtype=np.int64)
    for row, cards in enumerate(boards.tolist()):
        at[row], renaming = dealt.locate(cards)
        hands[row] = there[at[row], renaming]
    return at, hands
